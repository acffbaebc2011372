// Whatever bytes a file or an API server gives, the readers answer: with objects and problems, or with a Failure. Inputs
// that run code that never ran before are kept and changed further; at the end no reader's function may be untouched.
// FUZZ_RUNS sets how many inputs are tried, FUZZ_SEED repeats a run.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { policies, references, dialects } from "../../src/dialects.ts";
import { readManifest } from "../../src/informers/directory/manifest.ts";
import { readableKinds } from "../../src/informers/objects/kinds.ts";
import { formatSourceProblem } from "../../src/informers/source-problem.ts";
import { parsePod } from "../../src/informers/objects/pod.ts";
import type { ObjectShape } from "../../src/kube/protobuf/envelope.ts";
import { protobufType } from "../../src/kube/protobuf/envelope.ts";
import { MalformedBytes } from "../../src/protobuf/wire.ts";
import { shapeOf } from "../../src/kube/read/shapes/shape-of.ts";
import { Sharing } from "../../src/kube/read/sharing.ts";
import { Store } from "../../src/kube/read/store.ts";
import { watch } from "../../src/kube/read/watch.ts";
import { bodyOf, splitterFor } from "../../src/kube/transport/answer.ts";
import type { ApiStream, KubeApi } from "../../src/kube/transport/api.ts";
import { Failure } from "../../src/kube/transport/failure.ts";
import { factKinds, isApiObject, keyOf } from "../../src/model/object.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { Encoder } from "../support/protobuf/encoder.ts";
import { resolvesNothing } from "../support/policies.ts";
import { fuzz, runs } from "./fuzz.ts";
import type { Draw } from "./mutate.ts";
import { patience } from "../support/patience.ts";

const kinds = readableKinds(policies, references);

const examples = readdirSync("examples", { recursive: true, encoding: "utf8" })
  .filter((name) => /\.(yaml|json)$/.test(name))
  .map((name) => readFileSync(join("examples", name)));
const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "p",
    namespace: "n",
    resourceVersion: "7",
    labels: { app: "web", "example.com/tier": "a" },
    annotations: {
      "k8s.ovn.org/pod-networks": '{"default":{"ip_addresses":["10.244.1.4/24","fd00::4/64"]}}',
    },
  },
  spec: {
    nodeName: "n1",
    serviceAccountName: "s",
    hostNetwork: false,
    containers: [
      {
        ports: [
          { name: "http", containerPort: 80, protocol: "TCP" },
          { name: "UPPER", containerPort: 0 },
        ],
      },
    ],
  },
  status: { phase: "Running", podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }], podIP: "10.0.0.1" },
};
const node = {
  apiVersion: "v1",
  kind: "Node",
  metadata: {
    name: "n1",
    resourceVersion: "8",
    annotations: { "k8s.ovn.org/host-cidrs": '["192.0.2.1/24","fd01::1/64"]' },
  },
  spec: { podCIDRs: ["10.0.0.0/24"], podCIDR: "10.0.0.0/24" },
  status: {
    addresses: [
      { type: "InternalIP", address: "192.0.2.1" },
      { type: "Hostname", address: "x" },
    ],
  },
};
const list = {
  apiVersion: "v1",
  kind: "List",
  items: [pod, node, { apiVersion: "v1", kind: "Namespace", metadata: { name: "n" } }],
};
const anchors =
  "apiVersion: v1\nkind: Pod\nmetadata: &m {name: a, labels: &l {a: b}}\nspec: {x: *l, <<: *m}\n---\na: [*l]\n";

/** Small ones, of which every part is soon changed. */
const small = [
  "apiVersion: v1\nkind: List\nitems: [1, x, {apiVersion: v1, kind: Namespace, metadata: {name: n}}]\n",
  "apiVersion: v1\nkind: NamespaceList\nitems: [{metadata: {name: n}}, 1]\n",
  "apiVersion: v1\nkind: Node\nmetadata: {name: n, labels: {a: b}}\nstatus: {addresses: [{type: InternalIP, address: 1.2.3.4}]}\n",
  "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nstatus: {podIPs: [{ip: 1.2.3.4}], phase: Failed}\n",
  "apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: p}\n" +
    "spec: {priority: 1, subject: {namespaces: {}}, egress: [{action: Deny, to: [{networks: [1.0.0.0/8]}]}]}\n",
];

const manifests = [
  ...examples,
  ...[pod, node, list].map((value) => Buffer.from(JSON.stringify(value))),
  ...[anchors, ...small].map((text) => Buffer.from(text)),
];
const line = (type: string, object: unknown) => `${JSON.stringify({ type, object })}\n`;
const streams = [
  line("ADDED", pod) +
    line("MODIFIED", { ...pod, metadata: { ...pod.metadata, resourceVersion: "9" } }) +
    line("DELETED", pod),
  line("BOOKMARK", { metadata: { resourceVersion: "12" } }) + line("ADDED", pod),
  line("ADDED", pod) + line("ERROR", { code: 410, message: "too old", details: { retryAfterSeconds: 1 } }),
].map((text) => Buffer.from(text));

const plainLine = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+$/u;

function compile(object: WorldObject): void {
  if (!isApiObject(object)) return;
  for (const dialect of dialects) {
    if (!dialect.kinds.some(({ kind }) => kind === object.kind)) continue;
    const compiled = dialect.compile(object, resolvesNothing);
    const isRefused = compiled.problems.some(({ severity }) => severity === "error");
    expect(compiled.policy === null).toBe(isRefused);
  }
}

test(
  "manifests: objects and problems, each on one line",
  async () => {
    const untouched = await fuzz(
      "manifests",
      /src\/informers\/(objects|directory\/(text|yaml|manifest|lines|canonical))/,
      manifests,
      (bytes) => {
        const { definitions, problems } = readManifest("f.yaml", bytes.toString(), kinds);
        expect(definitions !== null || problems.length > 0).toBe(true);
        for (const problem of problems) expect(formatSourceProblem(problem)).toMatch(plainLine);
        for (const definition of definitions ?? []) {
          expect(definition.placeOf("spec.ingress[0]")).toMatch(/^f\.yaml:\d+$/);
          if (definition.object === null) continue;
          expect(keyOf(definition.object)).toBe(definition.key);
          compile(definition.object);
        }
      },
    );
    expect(untouched).toEqual([]);
  },
  patience(600_000),
);

const answered = new Encoder(true);
const enveloped = (object: object) => answered.object("v1", "Pod", object as Record<string, unknown>);
const gone = { code: 410, message: "too old", reason: "Expired", details: { retryAfterSeconds: 1 } };
const frames = [
  Buffer.concat([
    answered.frame("ADDED", enveloped(pod)),
    answered.frame("MODIFIED", enveloped({ ...pod, metadata: { ...pod.metadata, resourceVersion: "9" } })),
    answered.frame("DELETED", enveloped(pod)),
  ]),
  Buffer.concat([
    answered.frame("BOOKMARK", enveloped({ metadata: { resourceVersion: "12" } })),
    answered.frame("ADDED", enveloped(pod)),
  ]),
  answered.frame("ERROR", answered.object("v1", "Status", gone)),
];

const podShape = shapeOf({ ...factKinds.Pod });
test.each([
  {
    as: "json",
    shape: null,
    seeds: streams,
    files: /src\/(lib\/text\/line-splitter|kube\/(read\/watch|transport\/(answer|limits)))/,
    apart: /protobufBody|ProtobufEvents|orElse|shapeOf|bodyOf|isProtobuf|readList/,
  },
  {
    as: "protobuf",
    shape: podShape,
    seeds: frames,
    files: /src\/(kube\/(read\/watch|protobuf\/frames)|protobuf\/(wire|message))/,
    apart: /^$/,
  },
])(
  "watch streams as $as: events or a Failure, and nothing is deleted that no event deletes",
  async ({ as, shape, seeds, files, apart }) => {
    const kind = kinds.find((one) => one.kind === "Pod")!;
    const untouched = await fuzz(
      `watches as ${as}`,
      files,
      seeds,
      async (bytes, draw) => {
        const store = new Store(kind, new Sharing(), {
          changed: () => undefined,
          status: () => undefined,
          problem: (problem) => {
            expect(formatSourceProblem(problem)).toMatch(plainLine);
          },
        });
        store.put({ metadata: { name: "stays", namespace: "n" } });
        let deletions = 0;
        try {
          const events = await watch({
            api: streaming(bytes, draw, shape),
            path: "/p",
            version: "1",
            shape,
            timeoutSeconds: 1,
            idleMs: 1,
            signal: new AbortController().signal,
          });
          for await (const event of events) {
            if (event.type === "present") store.put(event.object);
            else if (event.type === "deleted" && ++deletions > 0) store.remove(event.object);
          }
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
        }
        if (!bytes.includes("stays")) expect(store.size).toBeGreaterThan(0);
      },
      // A stream has fewer kinds of bytes, and each takes many turns of the event loop.
      runs / 4,
    );
    expect(untouched.filter((name) => !apart.test(name))).toEqual([]);
  },
  patience(600_000),
);

test(
  "lists as protobuf: objects that can be compared, or an answer that is none",
  async () => {
    const item = answered.message("Pod", pod);
    const metadata = { resourceVersion: "7", continue: "more" };
    const untouched = await fuzz(
      "lists as protobuf",
      /src\/protobuf\/(wire|message)/,
      [answered.list("v1", "Pod", metadata, [item, item]), answered.list("v1", "Pod", metadata, [])],
      (bytes) => {
        const head = { status: 200, headers: new Map([["content-type", protobufType]]) };
        const { items = [] } = bodyOf(head, bytes, podShape!, true);
        try {
          for (const one of items) expect(parsePod(one).problems).toBeInstanceOf(Array);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedBytes);
        }
      },
    );
    expect(untouched).toEqual([]);
  },
  patience(600_000),
);

/** A server that sends these bytes, in pieces of any length. */
function streaming(bytes: Buffer, draw: Draw, shape: ObjectShape | null): KubeApi {
  const type = shape === null ? "application/json" : protobufType;
  const headers = new Map([["content-type", type]]);
  async function* events() {
    const splitter = splitterFor(headers, shape ?? undefined);
    for (let at = 0; at < bytes.length;) {
      const length = 1 + draw(60);
      yield splitter.push(bytes.subarray(at, at + length));
      at += length;
    }
  }
  const stream: ApiStream = { status: draw(50) === 0 ? 500 : 200, headers, body: null, events: events() };
  return {
    requests: 0,
    request: () => Promise.reject(new Error("not asked")),
    stream: () => Promise.resolve(stream),
    close: () => undefined,
  };
}
