// From text to definitions: what is read, what is refused, and the line that a problem names.

import { describe, expect, test } from "@jest/globals";
import { readableKinds } from "../objects/kinds.ts";
import { ignoredNote } from "../ignored.ts";
import { readManifest } from "./manifest.ts";
import { emptySnapshot, merged } from "./snapshot.ts";
import { trafficPolicyKind } from "../../../test/dialect/kinds.ts";
import { keptIn } from "../../../test/dialect/stored.ts";
import { formatSourceProblem } from "../source-problem.ts";

const policy = {
  group: "policy.example",
  version: "v1",
  kind: "Policy",
  resource: "policies",
  namespaced: false,
};
const tier = { ...policy, kind: "Tier", resource: "tiers" };
const kinds = readableKinds([{ ...policy, besides: ["Route"] }], [tier]);
const read = (text: string) => {
  const { definitions, problems, ignored, unidentified } = readManifest("dir/file.yaml", text, kinds);
  return {
    definitions,
    ignored,
    unidentified,
    keys: definitions?.map(({ key }) => key),
    problems: problems.map(formatSourceProblem),
  };
};
const namespace = (name: string) => `apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ${name}\n`;
const json = (value: unknown) => JSON.stringify(value, null, 2);

describe("what is read", () => {
  test("several documents, empty ones among them", () => {
    const { keys, problems } = read(`# nothing\n---\n${namespace("a")}---\n---\n${namespace("b")}...\n`);
    expect(keys).toEqual(["Namespace/a", "Namespace/b"]);
    expect(problems).toEqual([]);
  });

  test("lists, as kubectl and as the API write them", () => {
    const list = {
      apiVersion: "v1",
      kind: "List",
      items: [{ apiVersion: "v1", kind: "Node", metadata: { name: "n" } }],
    };
    const pods = { apiVersion: "v1", kind: "PodList", items: [{ metadata: { name: "p", namespace: "x" } }] };
    const policies = {
      apiVersion: "policy.example/v1",
      kind: "PolicyList",
      items: [{ metadata: { name: "q" } }],
    };
    expect(read(json(list)).keys).toEqual(["Node/n"]);
    expect(read(json(pods)).keys).toEqual(["Pod/x/p"]);
    expect(read(json(policies)).keys).toEqual(["Policy.policy.example/q"]);
  });

  test("lists in a list, with the places of their items", () => {
    const kinds = { apiVersion: "policy.example/v1", kind: "PolicyList" };
    const inner = { ...kinds, items: [{ metadata: { name: "q" } }] };
    const { definitions, keys, ignored, problems } = read(
      json({ apiVersion: "v1", kind: "List", items: [{ apiVersion: "v1", kind: "List", items: [inner] }] }),
    );
    expect([keys, ignored, problems]).toEqual([["Policy.policy.example/q"], [], []]);
    expect(definitions?.[0]?.placeOf("metadata.name")).toBe("dir/file.yaml:15");
  });

  test("merge keys and a few aliases", () => {
    const text = `apiVersion: v1\nkind: Namespace\nmetadata:\n  name: a\n  labels:\n    <<: &l {x: "1"}\n    y: &y "2"\n    z: *y\n`;
    const [definition] = read(text).definitions!;
    expect(definition?.object).toMatchObject({
      labels: new Map([
        ["x", "1"],
        ["y", "2"],
        ["z", "2"],
        ["kubernetes.io/metadata.name", "a"],
      ]),
    });
  });

  test("equal objects have equal text, whatever the order and the form", () => {
    const labels = { b: "1", a: "2" };
    const one = read(json({ apiVersion: "v1", kind: "Namespace", metadata: { name: "a", labels } }));
    const two = read(
      `kind: Namespace\nmetadata: {labels: {a: "2", b: "1"}, name: a, uid: other}\napiVersion: v1\n`,
    );
    expect(one.definitions?.[0]?.text).toBe(two.definitions?.[0]?.text);
  });
});

test("a Service or EndpointSlice that nobody refers to is left alone without a word", () => {
  for (const [apiVersion, kind] of [
    ["v1", "Service"],
    ["discovery.k8s.io/v1", "EndpointSlice"],
  ])
    expect(read(json({ apiVersion, kind, metadata: { name: "s" } }))).toMatchObject({
      ...{ definitions: [], keys: [], problems: [], ignored: [], unidentified: false },
    });
  expect(read(json({ apiVersion: "a/v1", kind: "Service", metadata: { name: "s" } }))).toMatchObject({
    ignored: ["Service.a"],
  });
});

describe("a kind that two API groups serve", () => {
  const both = { ...policy, servedAs: [{ group: "crd.policy.example", version: "v1" }, policy] };
  const readBoth = (text: string) => {
    const { definitions, problems } = readManifest("f.yaml", text, readableKinds([both]));
    return {
      read: definitions?.map(({ key, object }) => [key, object !== null && "readAs" in object]),
      problems: problems.map(formatSourceProblem),
    };
  };
  const named = (apiVersion: string, name: string) =>
    `---\napiVersion: ${apiVersion}\nkind: Policy\nmetadata: {name: ${name}}\n`;

  test("has one key, whatever its manifest says, and its version is that of its own group", () => {
    const text = named("policy.example/v1", "a") + named("crd.policy.example/v1", "b");
    expect(readBoth(text)).toEqual({
      read: [
        ["Policy.policy.example/a", false],
        ["Policy.policy.example/b", true],
      ],
      problems: [],
    });
    const { definitions } = readManifest(
      "f.yaml",
      named("crd.policy.example/v1", "b"),
      readableKinds([both]),
    );
    expect(definitions?.[0]?.object).toMatchObject({
      apiVersion: "policy.example/v1",
      readAs: { group: "crd.policy.example", version: "v1" },
    });
  });

  test("is read as its own API shows it, where a group keeps it in another form; two forms of one object are two definitions of it", () => {
    const stored = (name: string, own: string) =>
      `---\napiVersion: crd.traffic.test/v1\nkind: TrafficPolicy\nmetadata:\n  name: ${name}\n  annotations:\n    ${keptIn}: '${own}'\n`;
    const own = `---\napiVersion: traffic.test/v1\nkind: TrafficPolicy\nmetadata:\n  name: a\n`;
    const kinds = readableKinds([trafficPolicyKind]);
    const manifest = readManifest("f.yaml", stored("p-a", '{"name":"a"}') + own, kinds);
    expect(manifest.definitions?.map(({ key, title }) => [key, title])).toEqual([
      ["TrafficPolicy.traffic.test/a", "TrafficPolicy a"],
      ["TrafficPolicy.traffic.test/a", "TrafficPolicy a"],
    ]);
    expect(manifest.definitions?.[0]?.object).toMatchObject({
      name: "a",
      readAs: { group: "crd.traffic.test", version: "v1", name: "p-a" },
    });
    const { path, version } = { path: "f.yaml", version: 1 };
    const { entries, findings } = merged(
      [{ path, version, definitions: manifest.definitions ?? [], problems: manifest.problems }],
      emptySnapshot,
    );
    expect([entries.size, findings.map(({ problem }) => formatSourceProblem(problem))]).toEqual([
      1,
      [
        "f.yaml:12: error: TrafficPolicy a: metadata.name: is defined already at f.yaml:2, and that definition counts",
      ],
    ]);
    // With a mistake in the form, it may be any object of the kind.
    expect(readManifest("f.yaml", stored("p-a", "{"), kinds)).toMatchObject({
      ...{ definitions: [], unidentified: true },
      problems: [{ place: "f.yaml:7", problem: { message: "is not a JSON object" } }],
    });
  });

  test("is named in all its versions where a manifest has another, in either group", () => {
    for (const [apiVersion, expected] of [
      ["crd.policy.example/v2", "crd.policy.example/v1"],
      ["policy.example/v2", "policy.example/v1"],
      ["other.example/v1", "crd.policy.example/v1 or policy.example/v1"],
    ] as const)
      expect(readBoth(named(apiVersion, "a")).problems).toEqual([
        `f.yaml:2: error: apiVersion: Policy is read from ${expected}, not from "${apiVersion}"`,
      ]);
    const odd = "apiVersion: crd.policy.example/v1\nkind: Polcy\nmetadata: {name: a}\n";
    expect(readBoth(odd).problems).toEqual([expect.stringContaining("did you mean Policy?")]);
  });
});

describe("objects of other kinds", () => {
  const other = (apiVersion: string, kind: string) =>
    `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: x}\n`;

  test("are left alone and counted, in lists too, and hide no object", () => {
    const list = {
      apiVersion: "v1",
      kind: "List",
      items: [
        { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "d" } },
        { apiVersion: "v1", kind: "Node", metadata: { name: "n" } },
      ],
    };
    const sets = { apiVersion: "apps/v1", kind: "DaemonSetList", items: [{ metadata: { name: "s" } }] };
    const texts = [
      other("v1", "ConfigMap"),
      other("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
      other("policy.example/v1", "Route"),
    ];
    const { keys, problems, ignored, unidentified } = read(
      [...texts, json(list), json(sets), namespace("a")].join("\n---\n"),
    );
    expect([keys, problems, unidentified]).toEqual([["Node/n", "Namespace/a"], [], false]);
    expect(ignored).toEqual([
      "ConfigMap",
      "CustomResourceDefinition.apiextensions.k8s.io",
      "Route.policy.example",
      "Deployment.apps",
      "DaemonSet.apps",
    ]);
  });

  test("are told in one note, the most frequent first", () => {
    expect(ignoredNote([])).toBeNull();
    expect(ignoredNote(["Secret"])).toBe("1 object of kinds that Northgate does not read: 1 Secret");
    expect(ignoredNote(["Secret", "Deployment.apps", "Route", "Deployment.apps"])).toBe(
      "4 objects of kinds that Northgate does not read: 2 Deployment.apps, 1 Route, 1 Secret",
    );
    const many = Array.from({ length: 12 }, (_, at) => `K${10 + at}`);
    expect(ignoredNote(many)).toMatch(/: 1 K10, .*1 K19, and 2 more kinds$/);
  });
});

describe("an object refused", () => {
  test.each([
    [
      "apiVersion: policy.example/v1\nkind: Polcy\n",
      "2: error: kind: Polcy (policy.example/v1) is not one that Northgate reads; did you mean Policy?",
    ],
    [
      "apiVersion: policy.example/v2\nkind: Galaxy\n",
      "2: error: kind: Galaxy (policy.example/v2) is not one that Northgate reads; of its group it reads Policy, Tier",
    ],
    [
      "apiVersion: v1\nkind: Namespce\n",
      "2: error: kind: Namespce (v1) is not one that Northgate reads; did you mean Namespace?",
    ],
    [
      "apiVersion: policy .example/v1\nkind: Polcy\n",
      '1: error: apiVersion: "policy .example/v1" is not a version of an API',
    ],
    [
      "\napiVersion: policy.example/v2\nkind: Policy\n",
      '2: error: apiVersion: Policy is read from policy.example/v1, not from "policy.example/v2"',
    ],
    ["a: 1\nkind: Pod\n", "1: error: apiVersion: the API version of the object is required"],
    ["a: 1\napiVersion: v1\n", "1: error: kind: the kind of the object is required"],
    ["hello\n", '1: error: an object of the Kubernetes API is expected, not "hello"'],
    [
      "apiVersion: v1\nkind: Pod\nmetadata:\n  labels: {}\n",
      "3: error: Pod: metadata.name: this field is required",
    ],
    [
      "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  labels:\n    x: y\n    z: 'u v'\n",
      '7: error: Pod default/a: metadata.labels.z: "u v" is not a valid label value',
    ],
    [
      json({
        apiVersion: "v1",
        kind: "List",
        items: [{ apiVersion: "v1", kind: "Node", metadata: { name: "A" } }],
      }),
      '9: error: Node A: metadata.name: "A" is not a valid name',
    ],
    [
      "apiVersion: v1\nkind: List\nitems:\n- 5\n",
      "4: error: an object of the Kubernetes API is expected, not 5",
    ],
    ["kind: \u001bX\u0007\napiVersion: v1\n", null],
  ])("%j", (text, line) => {
    const { problems } = read(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^[\x20-\x7e]*$/);
    if (line !== null) expect(problems[0]).toBe(`dir/file.yaml:${line}`);
  });

  test("is still a definition when its name can be made out, beside others that are fine", () => {
    const { definitions, problems } = read(`${namespace("good")}---\n${namespace("bad")}  labels: [1]\n`);
    expect(definitions?.map(({ key, object }) => [key, object === null])).toEqual([
      ["Namespace/good", false],
      ["Namespace/bad", true],
    ]);
    expect(problems).toEqual([
      "dir/file.yaml:10: error: Namespace bad: metadata.labels: must be an object, not a list",
    ]);
  });
});

describe("a text refused whole, on one line", () => {
  const bomb = [
    "a0: &a0 [x, x]",
    ...Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`),
  ].join("\n");
  test.each([
    ["not YAML", `${namespace("a")}x: [1,\n: }`, /^dir\/file.yaml:\d+:\d+: error: \S.*$/],
    ["an unclosed quote", `a: "b\n`, /^dir\/file.yaml:\d+:\d+: error: Missing closing "quote$/],
    [
      "the same key twice",
      "a: 1\nb:\n  c: 1\n  c: 2\n",
      /^dir\/file.yaml:4:3: error: the same key is there twice$/,
    ],
    [
      "the same key twice in JSON",
      '{"a": ":", "a": 2}',
      /^dir\/file.yaml:1:12: error: the same key is there twice$/,
    ],
    ["an alias bomb", bomb, /^dir\/file.yaml:1:1: error: has too many aliases$/],
    ["an alias to nothing", "a: *b\n", /^dir\/file.yaml:1:4: error: Unresolved alias: b$/],
    [
      "an alias in itself",
      "a: &a [*a]\n",
      /^dir\/file.yaml:1:8: error: an alias refers to what contains it$/,
    ],
    ["a list for a key", "? [a]\n: 1\n", /^dir\/file.yaml:1:3: error: a key must be a plain text$/],
    [
      "deep flow",
      "[".repeat(5000) + "]".repeat(5000),
      /^dir\/file.yaml:\d+:\d+: error: is nested deeper than 100 levels$/,
    ],
    [
      "deep JSON",
      '{"a":'.repeat(500) + "1" + "}".repeat(500),
      /^dir\/file.yaml:1:\d+: error: is nested deeper than 100 levels$/,
    ],
  ])("%s", (_, text, line) => {
    const { definitions, problems } = read(text);
    expect(definitions).toBeNull();
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(line);
  });
});

describe("the line of a field", () => {
  const text = `---\n${namespace("first")}---
apiVersion: policy.example/v1
kind: Policy
metadata:
  name: p
  annotations:
    k8s.ovn.org/acl-logging: '{'
spec:
  ingress:
    - action: Deny
      from:
        - namespaces:
            matchLabels: {a: b}
`;
  test.each([
    ["", 7],
    ["spec.ingress[0]", 15],
    ["spec.ingress[0].from[0].namespaces.matchLabels", 18],
    ["spec.ingress[0].ports[3].portNumber", 15],
    ['metadata.annotations["k8s.ovn.org/acl-logging"]', 12],
    ["no such field", 7],
  ])("%j", (field, line) => {
    const definition = read(text).definitions?.find(({ key }) => key === "Policy.policy.example/p");
    expect(definition?.placeOf(field)).toBe(`dir/file.yaml:${line}`);
  });

  test("in JSON, which is parsed again for it", () => {
    const list = {
      apiVersion: "policy.example/v1",
      kind: "PolicyList",
      items: [{ metadata: { name: "q" }, spec: { a: [1, 2] } }],
    };
    expect(read(json(list)).definitions?.[0]?.placeOf("spec.a[1]")).toBe("dir/file.yaml:12");
  });
});
