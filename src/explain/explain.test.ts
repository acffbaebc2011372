// Explanations as a user asks for them: both ends by text, the words of what nearly matched, every caveat, and a kind of
// policy that no shared code knows. What the verdicts are is judged in walks.test.ts and in test/proof.

import { describe, expect, test } from "@jest/globals";
import { namespace, node, pod } from "../../test/support/facts.ts";
import { anp, banp, cnp, namespacesWith, np, podsWith } from "../../test/support/policies.ts";
import { teamKind, toyDialect } from "../../test/support/toy-dialect.ts";
import { NoSuchEnd } from "../analysis/ends.ts";
import { every } from "../dialects.ts";
import { parseCidr } from "../model/ip.ts";
import type { ReferencedObject, WorldObject } from "../model/object.ts";
import { offlineModel } from "../offline/rendered.ts";
import type { Answer, Side } from "./answer.ts";
import type { AskedOptions } from "./asked.ts";
import { AskedWorld } from "./asked.ts";
import type { Question } from "./explain.ts";
import { explain } from "./explain.ts";

const worker = {
  ...node("n1", { role: "edge" }, ["172.18.0.2"], ["v4"]),
  podNetworks: [parseCidr("10.0.0.0/24")].filter((one) => one !== null),
};
const cluster: readonly WorldObject[] = [
  namespace("red", { tenant: "red" }),
  namespace("blue", { tenant: "blue" }),
  worker,
  pod("red", "web", {
    node: "n1",
    labels: { app: "web" },
    ips: ["10.0.0.1", "fd00::1"],
    ports: [{ name: "http", protocol: "tcp", port: 8080 }],
  }),
  pod("blue", "db-0", { node: "n1", labels: { app: "db" }, ips: ["10.0.0.2", "fd00::2"] }),
  pod("blue", "six", { node: "n1", labels: { app: "six" }, ips: ["fd00::6"] }),
  pod("blue", "agent", { node: "n1", hostNetwork: true, ips: ["172.18.0.2"] }),
  pod("blue", "done", { node: "n1", completed: true, ips: ["10.0.0.9"] }),
  pod("blue", "new", { node: null }),
];

function worldOf(objects: readonly WorldObject[], options: Partial<AskedOptions> = {}): AskedWorld {
  const { dialects = every.dialects } = options;
  const all = [...cluster, ...objects];
  const mode = { zone: null, namedPorts: "list" } as const;
  const model = offlineModel({ objects: all, dialects, families: null, mode });
  return new AskedWorld(model, { dialects, placeOf: () => null, objects: all, ...options });
}

const webToDb: Question = { from: "red/web", to: "blue/db-0", protocol: "tcp", port: 80 };

function answered(objects: readonly WorldObject[], question: Partial<Question> = {}): Answer {
  return explain(worldOf(objects), { ...webToDb, ...question }, { isDetailed: true });
}

function named({ policy, rule, by }: Pick<Side, "policy" | "rule" | "by">): string {
  return [by, policy?.name, rule && `${rule.direction}[${rule.index}]`].filter(Boolean).join(" ");
}

const toDb = [namespacesWith({ tenant: "blue" })];
const allow = { action: "Allow", to: toDb };
const deny = { action: "Deny", to: toDb };
const pass = { action: "Pass", to: toDb };

describe("ends", () => {
  const asked = worldOf([]);
  const pair = (from: string, to: string) => {
    const { from: one, to: other } = asked.ends.pair(from, to);
    return [one, other].map(({ kind, ip, pod: held, node: at }) => [kind, ip, held?.name ?? null, at]);
  };

  test.each<readonly [string, string, readonly unknown[]]>([
    [
      "red/web",
      "blue/db-0",
      [
        ["pod", "10.0.0.1", "web", "n1"],
        ["pod", "10.0.0.2", "db-0", "n1"],
      ],
    ],
    [
      "red/web",
      "blue/six",
      [
        ["pod", "fd00::1", "web", "n1"],
        ["pod", "fd00::6", "six", "n1"],
      ],
    ],
    [
      "red/web@fd00::1",
      "blue/db-0",
      [
        ["pod", "fd00::1", "web", "n1"],
        ["pod", "fd00::2", "db-0", "n1"],
      ],
    ],
    [
      "2001:db8::7",
      "red/web",
      [
        ["address", "2001:db8::7", null, null],
        ["pod", "fd00::1", "web", "n1"],
      ],
    ],
    [
      "10.0.0.1",
      "172.18.0.2",
      [
        ["pod", "10.0.0.1", "web", "n1"],
        ["node", "172.18.0.2", null, "n1"],
      ],
    ],
    [
      "FD00:0::1",
      "blue/six",
      [
        ["pod", "fd00::1", "web", "n1"],
        ["pod", "fd00::6", "six", "n1"],
      ],
    ],
    [
      "blue/agent",
      "red/web",
      [
        ["host", "172.18.0.2", "agent", "n1"],
        ["pod", "10.0.0.1", "web", "n1"],
      ],
    ],
    [
      "10.0.0.9",
      "red/web",
      [
        ["address", "10.0.0.9", null, null],
        ["pod", "10.0.0.1", "web", "n1"],
      ],
    ],
  ])("%s to %s", (from, to, ends) => {
    expect(pair(from, to)).toEqual(ends);
  });

  test.each([
    ["red/web", "blue/none", 'there is no pod "blue/none"'],
    ["red/web", "blue/db", 'there is no pod "blue/db"; there is "blue/db-0"'],
    ["green/web", "blue/db-0", 'there is no pod "green/web"; there is "red/web"'],
    ["red/web", "somewhere", '"somewhere" is neither NAMESPACE/POD nor an IP address'],
    ["red/web", "10.0.0.256", '"10.0.0.256" is neither NAMESPACE/POD nor an IP address'],
    ["red/web@10.0.0.7", "blue/db-0", 'pod "red/web" has no address 10.0.0.7; it has 10.0.0.1, fd00::1'],
    ["red/web@x", "blue/db-0", '"red/web@x": what is behind @ is no IP address'],
    ["198.51.100.1", "blue/six", '"198.51.100.1" and "blue/six" have no family in common: IPv4, IPv6'],
    ["blue/new", "red/web", 'pod "blue/new" has no address yet'],
    ["blue/done", "red/web", 'pod "blue/done" has completed: its address may be another pod\'s'],
  ])("%s to %s is refused", (from, to, message) => {
    expect(() => pair(from, to)).toThrow(new NoSuchEnd(message));
  });
});

describe("who decides", () => {
  test.each<readonly [string, readonly WorldObject[], string, string]>([
    ["nobody", [], "default", "allow"],
    ["a rule", [anp("p", { egress: [allow, deny] })], "rule p egress[0]", "allow"],
    [
      "behind a pass",
      [anp("p", { egress: [pass] }), banp({ egress: [deny] })],
      "rule default egress[0]",
      "deny",
    ],
    ["isolation", [np("n", { podSelector: {}, policyTypes: ["Egress"] }, "red")], "isolation n", "deny"],
    ["a tie", [anp("p", { egress: [allow] }), anp("q", { egress: [deny] })], "tie", "unknown"],
    [
      "two that say the same",
      [anp("p", { egress: [deny] }), anp("q", { egress: [deny] })],
      "rule p egress[0]",
      "deny",
    ],
  ])("%s", (_, objects, by, verdict) => {
    const answer = answered(objects);
    expect([answer.egress && named(answer.egress), answer.verdict]).toEqual([by, verdict]);
  });

  test("the policies that isolate are all named", () => {
    const isolating = (name: string) => np(name, { podSelector: {}, policyTypes: ["Egress"] }, "red");
    const { egress } = answered([isolating("n"), isolating("m"), np("other", { podSelector: {} }, "blue")]);
    expect(egress?.policies?.map(({ name }) => name).sort()).toEqual(["m", "n"]);
  });

  test("steps, losers and their reasons, in order", () => {
    const { egress } = answered([
      anp("first", { priority: 1, egress: [pass, deny] }),
      anp("second", { priority: 2, egress: [deny] }),
      np("n", { podSelector: {}, policyTypes: ["Egress"], egress: [{}, {}] }, "red"),
      np("m", { podSelector: {}, policyTypes: ["Egress"], egress: [{}] }, "red"),
      banp({ egress: [deny] }),
    ]);
    expect(egress?.steps.map(({ policy, rule }) => `${policy.name}[${rule?.index}]`)).toEqual(["first[0]"]);
    expect(
      egress?.lost?.map(({ policy, rule, because }) => `${policy.name}[${rule?.index}] ${because}`),
    ).toEqual([
      "first[1] passed",
      "second[0] passed",
      "n[1] rule-before",
      "m[0] equal",
      "default[0] tier-before",
    ]);
  });

  test("isolation that an earlier tier keeps from deciding is told", () => {
    const { egress } = answered([
      anp("p", { egress: [allow] }),
      np("n", { podSelector: {}, policyTypes: ["Egress"] }, "red"),
    ]);
    expect(egress?.lost).toEqual([
      expect.objectContaining({ rule: null, because: "tier-before", tier: "namespaced" }),
    ]);
  });

  test("priorities are those of the objects, whatever tier they are counted in", () => {
    expect(
      answered([cnp("c", { priority: 7, egress: [{ action: "Deny", to: toDb }] })]).egress,
    ).toMatchObject({
      priority: 7,
      tier: "admin",
    });
  });

  test("one direction alone", () => {
    const objects = [anp("p", { ingress: [{ action: "Deny", from: [namespacesWith({ tenant: "red" })] }] })];
    const only = explain(worldOf(objects), webToDb, { isDetailed: false, directions: ["egress"] });
    expect([only.verdict, only.ingress, only.egress?.lost]).toEqual(["allow", null, undefined]);
  });
});

describe("what nearly matches", () => {
  const miss = (rule: unknown, question: Partial<Question> = {}) => {
    const [near] = answered([anp("p", { egress: [rule] })], question).egress?.near ?? [];
    return near === undefined ? null : `${near.part}: wants ${near.wanted}, has ${near.has}`;
  };
  const some = (to: unknown, ports?: unknown) => ({ action: "Deny", to: [to], ...(ports ? { ports } : {}) });
  const tcp = (port: number) => ({ portNumber: { protocol: "TCP", port } });

  test.each<readonly [unknown, string | null, Partial<Question>?]>([
    [some(namespacesWith({ tenant: "red" })), "peer: wants namespace tenant=red, has blue"],
    [some(namespacesWith({ zone: "z" })), "peer: wants namespace zone=z, has none (blue)"],
    [some(podsWith({ tenant: "blue" }, { app: "web" })), "peer: wants pod app=web, has db"],
    [
      some({
        namespaces: { matchExpressions: [{ key: "tenant", operator: "NotIn", values: ["blue", "x"] }] },
      }),
      "peer: wants namespace tenant not in (blue, x), has blue",
    ],
    [some({ networks: ["10.1.0.0/16"] }), "peer: wants 10.1.0.0/16, has 10.0.0.2"],
    [some({ nodes: {} }), "peer: wants a node, has 10.0.0.2, which is no node's"],
    [
      some({ nodes: { matchLabels: { role: "core" } } }),
      "peer: wants node role=core, has edge",
      { to: "172.18.0.2" },
    ],
    [
      some(namespacesWith({ tenant: "blue" }), [tcp(443), tcp(81), tcp(8080)]),
      "port: wants tcp 81, has tcp 80",
    ],
    [
      some(namespacesWith({ tenant: "blue" }), [{ portRange: { protocol: "TCP", start: 90, end: 99 } }]),
      "port: wants tcp 90-99, has tcp 80",
    ],
    [
      some(namespacesWith({ tenant: "blue" }), [{ portNumber: { protocol: "UDP", port: 80 } }]),
      "protocol: wants udp 80, has tcp 80",
    ],
    [
      some(namespacesWith({ tenant: "blue" }), [{ namedPort: "http" }]),
      'port: wants port "http", which the destination does not declare, has tcp 80',
    ],
    [
      some(namespacesWith({ tenant: "red" }), [{ namedPort: "http" }]),
      'port: wants port "http", which is tcp 8080 there, has tcp 80',
      { from: "blue/db-0", to: "red/web" },
    ],
    [
      some(namespacesWith({ tenant: "blue" }), [tcp(80)]),
      "protocol: wants tcp 80, has icmp",
      { protocol: "icmp", port: null },
    ],
    // Two parts are wrong.
    [some(namespacesWith({ tenant: "red" }), [tcp(81)]), null],
  ])("%j", (rule, told, question = {}) => {
    expect(miss(rule, question)).toBe(told);
  });

  test("a rule of another pod's policy does not", () => {
    const other = anp("p", { subject: namespacesWith({ tenant: "blue" }), egress: [some({ nodes: {} })] });
    expect(answered([other]).egress?.near).toEqual([]);
  });

  test("those that would change the verdict come first, five at most", () => {
    const rules = [1, 2, 3, 4, 5, 6].map((port) => ({ ...allow, ports: [tcp(port)] }));
    const { egress } = answered([anp("p", { egress: [...rules, { ...deny, ports: [tcp(7)] }] })]);
    expect(egress?.near?.map(({ rule }) => rule?.index)).toEqual([6, 0, 1, 2, 3]);
  });
});

describe("caveats", () => {
  const codes = ({ caveats }: Answer) => caveats.map(({ code }) => code);

  test("a pod to itself is allowed whatever policies say", () => {
    const answer = answered([anp("p", { egress: [{ action: "Deny", to: [{ namespaces: {} }] }] })], {
      to: "red/web",
    });
    expect([answer.verdict, codes(answer), answer.egress?.by]).toEqual(["allow", ["Hairpin"], "exempt"]);
  });

  test("a pod on its node's network", () => {
    const answer = answered([anp("p", { egress: [deny] })], { to: "blue/agent" });
    expect([answer.verdict, codes(answer), answer.to.kind, answer.to.pod]).toEqual([
      "allow",
      ["HostNetwork"],
      "host",
      "blue/agent",
    ]);
  });

  test("an address of the pod network that is no known pod's", () => {
    expect(codes(answered([], { to: "10.0.0.77" }))).toEqual(["UnseenPod"]);
    expect(codes(answered([], { to: "10.0.1.77" }))).toEqual([]);
  });

  test("a tie on the other side does not open what one side denies", () => {
    const tie = [
      anp("p", { ingress: [{ action: "Allow", from: [{ namespaces: {} }] }] }),
      anp("q", { ingress: [{ action: "Deny", from: [{ namespaces: {} }] }] }),
    ];
    const open = answered(tie);
    expect([open.verdict, codes(open)]).toEqual(["unknown", ["Tie"]]);
    expect(answered([...tie, banp({ egress: [deny] })]).verdict).toBe("deny");
  });

  test("a family that is not served", () => {
    const asked = worldOf([], { families: ["v4"] });
    const answer = explain(asked, { ...webToDb, to: "blue/six" }, { isDetailed: false });
    expect([answer.verdict, codes(answer)]).toEqual(["allow", ["Family"]]);
  });

  describe("a policy that is refused", () => {
    const broken = (priority: number) =>
      anp("broken", {
        priority,
        subject: namespacesWith({ tenant: "red" }),
        egress: [{ action: "Nonsense", to: toDb }],
      });

    test("leaves open what it might decide", () => {
      const answer = answered([broken(5)]);
      expect([answer.verdict, codes(answer)]).toEqual(["unknown", ["NotRead"]]);
      expect(answered([anp("p", { priority: 4, egress: [deny] }), broken(5)]).verdict).toBe("deny");
      expect(answered([anp("p", { priority: 6, egress: [deny] }), broken(5)]).verdict).toBe("unknown");
    });

    test("and nothing of pods that it is not about", () => {
      const answer = answered([broken(5)], { from: "blue/db-0", to: "red/web", protocol: "udp" });
      expect([answer.egress?.verdict, answer.ingress?.verdict]).toEqual(["allow", "unknown"]);
      expect(answered([broken(5)], { from: "blue/db-0", to: "192.0.2.1" }).verdict).toBe("allow");
    });

    test("of which nothing could be read is about everybody, a NetworkPolicy about its namespace", () => {
      const from = "blue/db-0";
      const to = "192.0.2.1";
      const nobodyKnows = { ...broken(5), spec: { priority: 5, subject: "?" } };
      expect(codes(answered([nobodyKnows], { from, to }))).toEqual(["NotRead"]);
      expect(codes(answered([np("broken", "no spec at all", "red")], { from, to }))).toEqual([]);
      expect(codes(answered([np("broken", "no spec at all", "blue")], { from, to }))).toEqual(["NotRead"]);
    });
  });

  test("domain names leave open what they might allow", () => {
    const names = { action: "Accept", to: [{ domainNames: ["www.example.org"] }] };
    const all = { action: "Deny", to: [{ networks: ["0.0.0.0/0"] }] };
    const to = "198.51.100.1";
    const open = answered([cnp("c", { egress: [names, all] })], { to });
    expect([open.verdict, codes(open)]).toEqual(["unknown", ["DomainName"]]);
    const before = answered([cnp("c", { egress: [all, names] })], { to });
    expect([before.verdict, codes(before)]).toEqual(["deny", []]);
    // Without the denial it is allowed either way.
    expect(answered([cnp("c", { egress: [names] })], { to }).verdict).toBe("allow");
  });
});

describe("the address of a Service", () => {
  const service: ReferencedObject = {
    ...{ kind: "Service", apiVersion: "v1", namespace: "blue", name: "db", uid: null, generation: null },
    ...{ annotations: new Map(), labels: new Map() },
    spec: {
      clusterIP: "10.96.0.10",
      clusterIPs: ["10.96.0.10", "fd96::10"],
      selector: { app: "db" },
      ports: [{ port: 80, targetPort: 5432 }],
    },
  };
  const policy = anp("p", {
    egress: [{ action: "Deny", to: toDb, ports: [{ portNumber: { protocol: "TCP", port: 5432 } }] }],
  });
  const ask = (to: string, options: Partial<AskedOptions> = { services: [service] }) =>
    explain(worldOf([policy], options), { ...webToDb, to }, { isDetailed: true });

  test("is open, with an answer for each pod behind it", () => {
    const answer = ask("10.96.0.10");
    expect([answer.verdict, answer.egress?.verdict, answer.caveats.map(({ code }) => code)]).toEqual([
      "unknown",
      "unknown",
      ["ServiceAddress"],
    ]);
    expect(answer.backends).toEqual([{ to: "blue/db-0@10.0.0.2", port: 5432, verdict: "deny" }]);
    expect(ask("fd96::10").backends).toEqual([{ to: "blue/db-0@fd00::2", port: 5432, verdict: "deny" }]);
  });

  test("in a network that the user names is open too", () => {
    const serviceNetworks = [parseCidr("10.96.0.0/12")].filter((one) => one !== null);
    const answer = ask("10.96.7.7", { serviceNetworks });
    expect([answer.verdict, answer.backends]).toEqual(["unknown", undefined]);
    expect(ask("10.112.0.1", { serviceNetworks }).verdict).toBe("allow");
  });
});

test("a kind of policy that no shared code knows, with a tier of its own, is explained", () => {
  const own = {
    ...{ group: "toys.example.com", namespaced: true, ownerType: "Toy" },
    tier: { name: "toys", order: 1.5 },
  };
  const toys = toyDialect(own);
  const team: ReferencedObject = {
    ...{
      kind: teamKind.kind,
      apiVersion: "toys.example.com/v1",
      namespace: null,
      name: "t",
      uid: null,
      generation: null,
    },
    ...{ annotations: new Map(), labels: new Map([["app", "web"]]), spec: {} },
  };
  const dialects = [...every.dialects, toys];
  const objects = [
    team,
    toys.policy("toy", { app: "db", team: "t" }, "blue"),
    np("toy", { podSelector: {} }, "blue"),
  ];
  const answer = explain(worldOf(objects, { dialects }), webToDb, { isDetailed: true });
  expect(answer.ingress).toMatchObject({
    ...{ verdict: "deny", by: "rule", tier: "namespaced", tierName: "toys", priority: null },
    policy: { group: "toys.example.com", kind: "NetworkPolicy", namespace: "blue", name: "toy" },
    lost: [{ policy: { group: "networking.k8s.io", name: "toy" }, rule: null, because: "tier-before" }],
  });
  // Of a policy that is refused without an outline nothing is known.
  const refused = [toys.policy("toy", { app: "db", team: "none" }, "blue")];
  expect(explain(worldOf(refused, { dialects }), webToDb, { isDetailed: false }).verdict).toBe("unknown");
});
