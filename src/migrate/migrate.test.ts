import { expect, test } from "@jest/globals";
import { anp, banp, cnp, namespacesWith } from "../../test/support/policies.ts";
import { namespace, pod } from "../../test/support/facts.ts";
import { dialects } from "../dialects.ts";
import { unreadNamespace } from "../unknowns/namespaces.ts";
import type { PolicyObject, WorldObject } from "../model/object.ts";
import { compare } from "./compare.ts";
import { migrateAll } from "./migrate.ts";
import { Names } from "./names.ts";
import { placesOf } from "./places.ts";
import { noBackend, OfflineModel } from "../offline/model.ts";

const everybody = { namespaces: {} };
const rules = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, n) => ({
    name: `r${n}`,
    action: "Deny",
    from: [namespacesWith({ n: String(n) })],
    ...more,
  }));
const ports = (...list: readonly unknown[]) => ({
  ingress: [{ action: "Allow", from: [everybody], ports: list }],
});

/** Each policy's place and number of ingress rules, in order, and each finding. */
function migrated(...objects: readonly WorldObject[]) {
  const { policies, findings, comparison } = migrateAll(objects, dialects);
  const places = policies.map(({ name, spec }) => {
    const { tier, priority, ingress } = spec as {
      tier: string;
      priority: number;
      ingress?: readonly unknown[];
    };
    return [name, tier, priority, ingress?.length ?? 0];
  });
  const said = findings.map(
    ({ object, problem }) => `${problem.severity} ${object.name} ${problem.field}: ${problem.message}`,
  );
  return { policies, places, said, comparison };
}
const specOf = (policy: PolicyObject | undefined) => policy?.spec;

test("a policy that fits keeps its name, its priority, its rules' names and its logging", () => {
  const spec = {
    priority: 34,
    subject: everybody,
    ingress: [{ name: "web", action: "Allow", from: [everybody], ports: [{ portNumber: { port: 80 } }] }],
    egress: [{ action: "Pass", to: [{ networks: ["10.0.0.0/8"] }] }],
  };
  const { policies, said } = migrated(anp("a", spec, '{"deny":"alert"}'));
  expect(said).toEqual([]);
  expect(policies).toEqual([
    {
      kind: "ClusterNetworkPolicy",
      apiVersion: "policy.networking.k8s.io/v1alpha2",
      namespace: null,
      name: "a",
      uid: null,
      generation: null,
      annotations: new Map([["k8s.ovn.org/acl-logging", '{"deny":"alert"}']]),
      spec: {
        tier: "Admin",
        priority: 34,
        subject: everybody,
        ingress: [
          {
            name: "web",
            action: "Accept",
            from: [everybody],
            protocols: [{ tcp: { destinationPort: { number: 80 } } }],
          },
        ],
        egress: [{ action: "Pass", to: [{ networks: ["10.0.0.0/8"] }] }],
      },
    },
  ]);
});

test("what kubectl remembers of the older object is not carried over", () => {
  const object = anp("a", { priority: 1 });
  const annotations = new Map([
    ["kubectl.kubernetes.io/last-applied-configuration", "{}"],
    ["team", "net"],
  ]);
  expect(migrated({ ...object, annotations }).policies[0]?.annotations).toEqual(new Map([["team", "net"]]));
});

test("peers that only the experimental definition has are named, once for each kind and rule", () => {
  const nodes = { nodes: {} };
  const names = { domainNames: ["*.example.com"] };
  const { said } = migrated(
    anp("a", {
      priority: 1,
      egress: [
        { action: "Allow", to: [{ networks: ["10.0.0.0/8"] }, nodes, nodes] },
        { action: "Allow", to: [names] },
        { action: "Allow", to: [everybody] },
      ],
    }),
  );
  const needs =
    "needs the definition of ClusterNetworkPolicy of the experimental channel: the standard one lacks the field";
  expect(said.filter((line) => line.includes("experimental"))).toEqual([
    `warning a spec.egress[0].to[1].nodes: ${needs}`,
    `warning a spec.egress[1].to[0].domainNames: ${needs}`,
  ]);
});

test("every form of port, and the older API's default protocol", () => {
  const { policies, said } = migrated(
    anp(
      "a",
      ports(
        { portNumber: { protocol: "UDP", port: 53 } },
        { portRange: { protocol: "SCTP", start: 1, end: 9 } },
        { portRange: { start: 80, end: 80 } },
        { portRange: { start: 9, end: 8 } },
        { namedPort: "web" },
      ),
    ),
  );
  expect(specOf(policies[0])).toHaveProperty("ingress[0].protocols", [
    { udp: { destinationPort: { number: 53 } } },
    { sctp: { destinationPort: { range: { start: 1, end: 9 } } } },
    { tcp: { destinationPort: { number: 80 } } },
    { destinationNamedPort: "web" },
  ]);
  expect(said.filter((line) => line.includes("portRange:")).sort()).toEqual([
    "warning a spec.ingress[0].ports[2].portRange: is one port, which v1alpha2 takes as a number only: it becomes the number 80",
    "warning a spec.ingress[0].ports[3].portRange: start 9 is above end 8, so the range matches nothing",
    "warning a spec.ingress[0].ports[3].portRange: start 9 is above end 8: it matches nothing, and is left out",
  ]);
});

test("a rule without a port that matches is left out, and the policy stays", () => {
  const { policies, said } = migrated(anp("a", ports({ portRange: { start: 9, end: 8 } })));
  expect(specOf(policies[0])).toEqual({ tier: "Admin", priority: 10, subject: everybody });
  expect(said).toContain("warning a spec.ingress[0]: matches nothing, and is left out");
});

test.each([
  ["Deny", { egress: [{ action: "Deny", to: [{ domainNames: ["a.example.org"] }] }] }],
  ["Pass", { egress: [{ action: "Pass", to: [{ domainNames: ["a.example.org"] }] }] }],
  ["Allow", {}],
])("a rule of names denies all traffic whatever its ports, and goes on with it: %s", (action, egress) => {
  const to = [{ domainNames: ["a.example.org"] }];
  const rule = { action, to, ports: [{ portRange: { start: 9, end: 8 } }] };
  const { policies, comparison } = migrated(
    ...[namespace("a"), pod("a", "one", { ips: ["10.0.0.1"] }), pod("a", "two", { ips: ["10.0.0.2"] })],
    anp("a", { priority: 10, subject: everybody, egress: [rule] }),
  );
  expect(specOf(policies[0])).toEqual({ tier: "Admin", priority: 10, subject: everybody, ...egress });
  expect(comparison?.pods).toBeGreaterThan(0);
  expect(comparison?.differing).toBe(0);
});

test("60 rules become three policies on consecutive priorities, and those behind move up", () => {
  const { places, said } = migrated(
    anp("a", { priority: 10, ingress: rules(60) }),
    anp("b", { priority: 11, ingress: rules(1) }),
    anp("far", { priority: 50, ingress: rules(2) }),
  );
  expect(places).toEqual([
    ["a", "Admin", 10, 25],
    ["a-2", "Admin", 11, 25],
    ["a-3", "Admin", 12, 10],
    ["b", "Admin", 13, 1],
    ["far", "Admin", 50, 2],
  ]);
  expect(said).toEqual([
    "warning a spec: becomes 3 policies of 25 rules a direction at most, a, a-2, a-3, with the priorities 10 to 12",
    "warning b spec.priority: becomes 13, so that the order with the other policies stays",
  ]);
});

test("60 peers and 30 ports become rules of the same action, one behind the other", () => {
  const from = Array.from({ length: 60 }, (_, n) => namespacesWith({ n: String(n) }));
  const list = Array.from({ length: 30 }, (_, n) => ({ portNumber: { port: n + 1 } }));
  const { policies, said } = migrated(
    anp("a", { ingress: [{ name: "r", action: "Pass", from, ports: list }] }),
  );
  const { ingress } = specOf(policies[0]) as {
    ingress: readonly {
      name: string;
      action: string;
      from: readonly unknown[];
      protocols: readonly unknown[];
    }[];
  };
  expect(
    ingress.map(({ name, action, ...rule }) => [name, action, rule.from.length, rule.protocols.length]),
  ).toEqual([25, 25, 10].flatMap((peers) => [25, 5].map((count) => ["r", "Pass", peers, count])));
  expect(said).toEqual([
    "warning a spec.ingress[0]: has 60 peers and 30 ports, of which v1alpha2 takes 25 each: it becomes 6 rules",
  ]);
});

test("the order with ClusterNetworkPolicies stays: those of Admin come behind, those of Baseline before", () => {
  const { places, said } = migrated(
    cnp("first", { priority: 5 }),
    cnp("behind", { priority: 700 }),
    cnp("low", { tier: "Baseline", priority: 1000 }),
    anp("a", { priority: 99 }),
    banp({}),
  );
  expect(places).toEqual([
    ["first", "Admin", 100, 0],
    ["low", "Baseline", 999, 0],
    ["a", "Admin", 99, 0],
    ["default", "Baseline", 1000, 0],
  ]);
  expect(said).toEqual([
    "warning first spec.priority: 5 becomes 100, so that the order with the other policies stays",
    "warning low spec.priority: 1000 becomes 999, so that the order with the other policies stays",
    "warning default spec: becomes priority 1000 of tier Baseline",
  ]);
});

test("policies that share a priority go on sharing it; one that splits goes before the others, and says so", () => {
  expect(migrated(anp("a", { priority: 7 }), anp("b", { priority: 7 })).places).toEqual([
    ["a", "Admin", 7, 0],
    ["b", "Admin", 7, 0],
  ]);
  const { places, said } = migrated(
    anp("a", { priority: 7 }),
    anp("b", { priority: 7 }),
    anp("c", { priority: 7, ingress: rules(30) }),
  );
  expect(places).toEqual([
    ["c", "Admin", 7, 25],
    ["c-2", "Admin", 8, 5],
    ["a", "Admin", 9, 0],
    ["b", "Admin", 9, 0],
  ]);
  expect(said.join("\n")).toContain(
    "c spec.priority: is shared with other policies, which leaves their order open",
  );
});

test("names are unlike every other", () => {
  const { places } = migrated(
    cnp("default", { priority: 900 }),
    anp("default", { priority: 1, ingress: rules(30) }),
    banp({}),
  );
  expect(places.map(([name]) => name)).toEqual(["default-admin", "default-2", "default-baseline"]);
  const names = new Names(["a", "a-x"]);
  expect([names.take("a", ["-x"]), names.take("a", ["-x"]), names.take("b")]).toEqual(["a-2", "a-3", "b"]);
  const long = `${"l".repeat(250)}.ab`;
  expect(new Names([long]).take(long)).toBe(`${"l".repeat(250)}-2`);
});

test("priorities are moved as little as the room allows, and a tier that is too small is said", () => {
  const level = (wanted: number, width = 1) => ({ wanted, width });
  expect(placesOf([level(5, 3), level(6), level(20)])).toEqual([5, 8, 20]);
  expect(placesOf([level(990, 5), level(998, 2), level(1000, 3)])).toEqual([990, 996, 998]);
  expect(placesOf([level(0, 1001)])).toEqual([0]);
  expect(placesOf([level(0, 1001), level(3)])).toBeNull();
  const many = Array.from({ length: 300 }, (_, n) => anp(`p${n}`, { priority: n, ingress: rules(100) }));
  const { policies, comparison, said } = migrated(...many);
  expect([policies, comparison]).toEqual([[], null]);
  expect(said[0]).toBe("error p0 spec: the policies of the tier need 1200 priorities, and it has 1001");
});

test.each([
  [
    "a peer of no kind",
    { ingress: [{ action: "Allow", from: [{ galaxies: {} }] }] },
    "spec.ingress[0].from[0]: is of no kind",
  ],
  ["a port of no kind", ports({ portOfTheFuture: {} }), "spec.ingress[0].ports[0]: is of no kind"],
  ["another protocol", ports({ portNumber: { protocol: "QUIC", port: 1 } }), "must be TCP, UDP or SCTP"],
  ["what the older API refuses", { priority: 1001 }, "spec.priority: must be an integer from 0 to 1000"],
  [
    "domain names in a rule that splits",
    {
      egress: [
        {
          action: "Allow",
          to: [{ domainNames: ["a.example"] }, ...Array.from({ length: 25 }, () => everybody)],
        },
      ],
    },
    "spec.egress[0].to[0]: cannot be in a rule of more than 25 peers",
  ],
])("%s: nothing is migrated", (_, spec, message) => {
  const { policies, comparison, said } = migrated(anp("a", spec), anp("b", { priority: 1 }));
  expect([policies, comparison]).toEqual([[], null]);
  expect(said.some((line) => line.startsWith("error a ") && line.includes(message))).toBe(true);
});

test("a changed verdict is seen, with a connection", () => {
  const world = [
    namespace("red", { n: "1" }),
    namespace("blue"),
    ...["a", "b", "c"].map((name, at) => pod("red", name, { ips: [`10.0.0.${at + 1}`] })),
    pod("blue", "a", { ips: ["10.0.1.1"] }),
  ];
  const model = (...policies: readonly WorldObject[]) => {
    const made = new OfflineModel({ dialects, families: null, backend: () => noBackend });
    made.observe([...world, ...policies]);
    return made;
  };
  const deny = ports({ portNumber: { port: 80 } });
  const before = model(anp("a", { ingress: [{ ...deny.ingress[0], action: "Deny" }] }));
  const same = compare(before.facts, before.policies(), before.policies());
  expect(same).toEqual({ pods: 4, differing: 0, examples: [], unread: null });
  const none = compare(before.facts, before.policies(), []);
  // tcp 80 between all pods; the world outside is no peer of the rule.
  expect(none.differing).toBe(1);
  const [first] = none.examples;
  expect([first?.connection.protocol, first?.connection.port]).toEqual(["tcp", 80]);
  expect(first?.connection.from.pod).not.toBe(first?.connection.to.pod);
  expect([[...(first?.before ?? [])], [...(first?.after ?? [])]]).toEqual([["deny"], ["allow"]]);
});

test("the comparison is exact: one address, one port and one pod of many are found", () => {
  const pods = Array.from({ length: 40 }, (_, at) => pod("red", `p${at}`, { ips: [`10.0.0.${at + 1}`] }));
  const model = (network: string) => {
    const made = new OfflineModel({ dialects, families: null, backend: () => noBackend });
    const to = [{ networks: [network] }];
    const portNumbers = [{ portRange: { protocol: "UDP", start: 4000, end: 5000 } }];
    const egress = [{ action: "Deny", to, ports: portNumbers }];
    made.observe([namespace("red"), ...pods, anp("a", { egress })]);
    return made;
  };
  // Alike in everything but the address; 10.0.0.39 is in one of the networks only.
  const [wide, narrow] = [model("10.0.0.38/31"), model("10.0.0.38/32")];
  const found = compare(wide.facts, wide.policies(), narrow.policies());
  expect(found.differing).toBe(1);
  const { from, to, protocol, port } = found.examples[0]?.connection ?? {};
  expect([from?.pod?.name, to?.pod?.name, protocol, port]).toEqual(["p0", "p38", "udp", 4000]);
});

test("where the order was open, the later policies may settle it, and not the other way round", () => {
  const world = [namespace("red"), ...[1, 2].map((n) => pod("red", `p${n}`, { ips: [`10.0.0.${n}`] }))];
  const one = (name: string, action: string, priority: number) =>
    anp(name, { priority, ingress: [{ action, from: [everybody] }] });
  const model = (...policies: readonly WorldObject[]) => {
    const made = new OfflineModel({ dialects, families: null, backend: () => noBackend });
    made.observe([...world, ...policies]);
    return made;
  };
  const open = model(one("x", "Allow", 1), one("y", "Deny", 1));
  const settled = model(one("x", "Allow", 1), one("y", "Deny", 2));
  expect(compare(open.facts, open.policies(), settled.policies()).differing).toBe(0);
  const [opened] = compare(open.facts, settled.policies(), open.policies()).examples;
  expect([[...(opened?.before ?? [])], [...(opened?.after ?? [])].sort()]).toEqual([
    ["allow"],
    ["allow", "deny"],
  ]);
});

test("verdicts are compared in a namespace that only its pods prove, for all that its labels could be", () => {
  const red = pod("red", "a", { ips: ["10.0.0.1"] });
  const blue = pod("blue", "b", { ips: ["10.0.0.2"] });
  const objects = [red, blue, namespace("blue", {})];
  const tenant = { namespaces: { matchLabels: { tenant: "x" } } };
  const policy = (action: string) => anp("a", { priority: 1, ingress: [{ action, from: [tenant] }] });
  const { comparison } = migrated(...objects, policy("Deny"));
  expect(comparison).toMatchObject({ pods: 2, differing: 0, unread: { pods: 2 } });
  // Only where red has the label do these two differ.
  const modelWith = (object: PolicyObject) => {
    const model = new OfflineModel({ dialects, families: null, backend: () => noBackend });
    model.observe([...objects, unreadNamespace("red"), object]);
    return model;
  };
  const [one, other] = [modelWith(policy("Deny")), modelWith(policy("Allow"))];
  const compared = compare(one.facts, one.policies(), other.policies());
  expect(compared.differing).toBeGreaterThan(0);
  expect(compared.examples.map(({ connection: { from } }) => from.pod?.name)).not.toContain("b");
  const { unread } = compared;
  expect(unread?.compared).toBe(unread?.possible);
  const some = compare(one.facts, one.policies(), other.policies(), 1);
  expect(some.unread?.compared).toBe(Math.min(100, unread?.possible ?? 0));
});
