// NG021 to NG028, case by case: what is found, and what is left alone because it may well be meant.

import { describe, expect, test } from "@jest/globals";
import { namespace, node, pod } from "../../../test/support/facts.ts";
import type { LintTask } from "../../../test/support/linted.ts";
import { found, reportOf } from "../../../test/support/linted.ts";
import { anp, banp, namespacesWith, np } from "../../../test/support/policies.ts";
import type { ReferencedObject, WorldObject } from "../../model/object.ts";

const shopLabels = { "kubernetes.io/metadata.name": "shop" };
const facts: readonly WorldObject[] = [
  ...[namespace("shop", shopLabels), namespace("ops", { "kubernetes.io/metadata.name": "ops" })],
  node("n1", {}, ["172.18.0.1"]),
  pod("shop", "web-0", { labels: { app: "web" }, ips: ["10.0.0.1"], node: "n1" }),
  pod("shop", "api-0", { labels: { app: "api" }, ips: ["10.0.0.2"], node: "n1" }),
  pod("ops", "prom-0", { labels: { app: "prom" }, ips: ["10.0.0.3"], node: "n1" }),
];
const web = { podSelector: { matchLabels: { app: "web" } } };
const api = { podSelector: { matchLabels: { app: "api" } } };
const prom = { podSelector: { matchLabels: { app: "prom" } } };
const ops = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "ops" } } };

function service(name: string, spec: object, labels = "api"): ReferencedObject {
  return {
    ...{ kind: "Service", apiVersion: "v1", namespace: "shop", name, uid: null, generation: null },
    ...{ annotations: new Map(), labels: new Map() },
    spec: { clusterIP: "10.96.0.10", selector: { app: labels }, ...spec },
  };
}

const told = (id: string, objects: readonly WorldObject[], task: LintTask = {}): readonly string[] =>
  reportOf([...facts, ...objects], task)
    .findings.filter((one) => one.id === id)
    .map(({ severity, field, message }) => `${severity} ${field} ${message}`);

describe("NG021 port of a Service", () => {
  const led = service("api", { ports: [{ port: 80, targetPort: 8080 }] });
  const toApi = (...ports: readonly object[]) => np("api", { ...api, ingress: [{ from: [web], ports }] });
  const ask = (policy: WorldObject, services = [led], more: readonly WorldObject[] = []) =>
    told("NG021", [policy, ...more], { services });

  test("that leads to another port of the pods, which is denied", () => {
    expect(ask(toApi({ port: 80 }))).toEqual([
      "warning spec.ingress[0].ports allows tcp 80, which is the port of Service shop/api: it leads to tcp 8080 of its " +
        "pods, which is denied",
    ]);
    const egress = np("web", {
      ...web,
      policyTypes: ["Egress"],
      egress: [{ to: [api], ports: [{ port: 80 }] }],
    });
    expect(ask(egress)).toHaveLength(1);
    const deny = anp("p", {
      ingress: [{ action: "Deny", from: [{ namespaces: {} }], ports: [{ portNumber: { port: 80 } }] }],
    });
    expect(ask(deny)).toEqual([
      "warning spec.ingress[0].ports denies tcp 80, which is the port of Service shop/api: it leads to tcp 8080 of its " +
        "pods, which is allowed",
    ]);
  });

  test.each<readonly [string, WorldObject, readonly ReferencedObject[]]>([
    ["the pod's port", toApi({ port: 8080 }), [led]],
    ["both ports", toApi({ port: 80 }, { port: 8080 }), [led]],
    ["a port that no Service has", toApi({ port: 81 }), [led]],
    ["another protocol", toApi({ port: 80, protocol: "UDP" }), [led]],
    ["the same number", toApi({ port: 80 }), [service("api", { ports: [{ port: 80 }] })]],
    [
      "a Service of other pods",
      toApi({ port: 80 }),
      [service("web", { ports: [{ port: 80, targetPort: 8080 }] }, "other")],
    ],
    [
      "a Service without a selector",
      toApi({ port: 80 }),
      [service("out", { ports: [{ port: 80, targetPort: 8080 }], selector: null })],
    ],
    [
      "a port that another Service leads to",
      toApi({ port: 80 }),
      [led, service("direct", { ports: [{ port: 81, targetPort: 80 }] })],
    ],
  ])("%s is left alone", (_, policy, services) => {
    expect(ask(policy, [...services])).toEqual([]);
  });

  test("nor where another policy allows the port behind it", () => {
    expect(ask(toApi({ port: 80 }), [led], [np("all", { ...api, ingress: [{ from: [web] }] })])).toEqual([]);
  });

  test("nor where the pod declares the port, or the Service's port leads nowhere on it", () => {
    const declaring = pod("shop", "api-0", {
      ...{ labels: { app: "api" }, ips: ["10.0.0.2"], node: "n1" },
      ports: [{ name: "plain", protocol: "tcp", port: 80 }],
    });
    const objects = [...facts.filter((one) => one.name !== "api-0"), declaring, toApi({ port: 80 })];
    expect(found(objects, ["NG021"], { services: [led] })).toEqual([]);
    const byName = service("api", { ports: [{ port: 80, targetPort: "web" }] });
    expect(ask(toApi({ port: 80 }), [byName])).toEqual([]);
  });
});

describe("NG022 temporary address", () => {
  const to = (...blocks: readonly object[]) =>
    np("p", { ...web, policyTypes: ["Egress"], egress: [{ to: blocks.map((ipBlock) => ({ ipBlock })) }] });
  const services = [service("api", { clusterIP: "10.96.0.10", externalIPs: ["203.0.113.9"] })];
  // prettier-ignore
  const cases: [string, object, string[]][] = [
    ["a pod's", { cidr: "10.0.0.2/32" }, ["warning spec.egress[0].to[0].ipBlock.cidr 10.0.0.2/32 is the address of pod shop/api-0: the pod that replaces it has another"]],
    ["a Service's", { cidr: "10.96.0.10/32" }, ["warning spec.egress[0].to[0].ipBlock.cidr 10.96.0.10/32 is the address of Service shop/api, which no rule sees: a connection to it is evaluated at its endpoints"]],
    ["the range of Services", { cidr: "10.96.0.0/12" }, ["info spec.egress[0].to[0].ipBlock.cidr of the known addresses 10.96.0.0/12 holds those of Service shop/api alone, which no rule sees: a connection to a Service is evaluated at its endpoints"]],
    ["a range too wide for Services", { cidr: "10.64.0.0/10" }, []],
    ["a network of pods", { cidr: "10.0.0.0/24" }, []],
    ["a node's", { cidr: "172.18.0.1/32" }, []],
    ["outside", { cidr: "192.0.2.1/32" }, []],
    ["an external address of a Service", { cidr: "203.0.113.9/32" }, []],
    ["everything", { cidr: "0.0.0.0/0" }, []],
  ];
  test.each(cases)("%s", (_, block, expected) => {
    expect(told("NG022", [to(block)], { services })).toEqual(expected);
  });

  test("in a rule of any kind and direction", () => {
    const deny = anp("p", { egress: [{ action: "Deny", to: [{ networks: ["10.96.0.10/32"] }] }] });
    expect(found([...facts, deny], ["NG022"], { services })).toEqual(["NG022 warning p egress[0]"]);
  });
});

describe("NG023 dash mistake", () => {
  const from = (...peers: readonly object[]) => np("p", { ...api, ingress: [{ from: peers }] });
  const both = { ...ops, ...web };
  // prettier-ignore
  const cases: [string, readonly object[], string[]][] = [
    ["two items whose pods are elsewhere", [ops, prom], ["spec.ingress[0].from[1]"]],
    ["in the other order, behind another", [web, prom, ops], ["spec.ingress[0].from[2]"]],
    ["one item of which nobody has both", [both], ["spec.ingress[0].from[0]"]],
    ["two items that each select somebody", [ops, web], []],
    ["one item that selects somebody", [{ ...ops, ...prom }], []],
    ["two items, and nobody has the label anywhere", [ops, { podSelector: { matchLabels: { app: "none" } } }], []],
    ["one item, and nobody has the label in the policy's namespace", [{ ...ops, podSelector: { matchLabels: { app: "none" } } }], []],
    ["a network between", [ops, { ipBlock: { cidr: "192.0.2.0/24" } }, prom], []],
  ];
  test.each(cases)("%s", (_, peers, expected) => {
    const { findings } = reportOf([...facts, from(...peers)]);
    expect(findings.filter(({ id }) => id === "NG023").map(({ field }) => field)).toEqual(expected);
  });

  test("is reported once: NG004 leaves the rule to it", () => {
    expect(found([...facts, from(both)], ["NG004", "NG023"])).toEqual(["NG023 warning p ingress[0]"]);
  });

  test("a policy of the cluster has no namespace of its own", () => {
    const peer = { pods: { namespaceSelector: ops.namespaceSelector, podSelector: web.podSelector } };
    expect(told("NG023", [anp("p", { ingress: [{ action: "Deny", from: [peer] }] })])).toEqual([]);
  });
});

describe("NG024 everyone", () => {
  const ingress = (...rules: readonly object[]) => np("p", { ...api, ingress: rules });
  // prettier-ignore
  const cases: [string, WorldObject, string[]][] = [
    ["an empty list", ingress({ from: [] }), ["warning p"]],
    ["no list", ingress({ ports: [{ port: 80 }] }), []],
    ["everyone, as the only rule", ingress({}), []],
    ["everyone, beside others", ingress({ from: [web] }, {}), ["info p"]],
    ["every pod", ingress({ from: [{ namespaceSelector: {} }] }), []],
    ["all addresses", ingress({ from: [{ ipBlock: { cidr: "0.0.0.0/0" } }] }), ["info p"]],
    ["all but the pods'", ingress({ from: [{ ipBlock: { cidr: "0.0.0.0/0", except: ["10.0.0.0/8"] } }] }), []],
    ["all addresses, and the pods by themselves", ingress({ from: [{ namespaceSelector: {} }, { ipBlock: { cidr: "0.0.0.0/0" } }] }), []],
    ["a deny of all addresses is NG007", anp("p", { egress: [{ action: "Deny", to: [{ networks: ["0.0.0.0/0"] }] }] }), []],
  ];
  test.each(cases)("%s", (_, policy, expected) => {
    expect(found([...facts, policy], ["NG024"]).map((line) => line.split(" ").slice(1, 3).join(" "))).toEqual(
      expected,
    );
  });
});

test.each<readonly [string, readonly string[], number]>([
  ["two halves", ["192.0.2.0/25", "192.0.2.128/25"], 1],
  ["one half", ["192.0.2.0/25"], 0],
  ["none", [], 0],
  ["three quarters", ["192.0.2.0/25", "192.0.2.128/26"], 0],
])("NG025 nothing left: %s", (_, except, count) => {
  const policy = np("p", { ...api, ingress: [{ from: [{ ipBlock: { cidr: "192.0.2.0/24", except } }] }] });
  const findings = told("NG025", [policy]);
  expect(findings).toHaveLength(count);
  for (const one of findings)
    expect(one).toBe(
      "warning spec.ingress[0].from[0].ipBlock.cidr the exceptions of 192.0.2.0/24 leave no address of it, so it matches nothing",
    );
});

describe("NG026 no policy", () => {
  const ingress = { policyTypes: ["Ingress"] };

  test("counts by namespace, and once for namespaces without any", () => {
    const { findings } = reportOf([...facts, np("p", { ...api, ...ingress })]);
    const own = findings.filter(({ id }) => id === "NG026");
    expect(own.map(({ policy, message }) => [policy.kind, policy.name, message])).toEqual([
      [
        "Namespace",
        "shop",
        "1 of 2 pods of the namespace is selected by no policy, so everything may reach it and be reached by it: web-0",
      ],
      [
        "Cluster",
        "pods",
        "1 of 3 pods is in 1 namespace without any policy, so everything may reach it and be reached by it: ops",
      ],
    ]);
  });

  test.each<readonly [string, readonly WorldObject[]]>([
    ["a baseline", [banp({ ingress: [{ action: "Deny", from: [{ namespaces: {} }] }] })]],
    [
      "a policy for each namespace",
      [np("a", { podSelector: {}, ...ingress }), np("b", { podSelector: {}, egress: [{}] }, "ops")],
    ],
  ])("not with %s", (_, policies) => {
    expect(told("NG026", policies)).toEqual([]);
  });

  test("not of namespaces that Kubernetes reserves, nor of pods on the host network", () => {
    const system = [
      ...[namespace("kube-system"), namespace("shop")],
      pod("kube-system", "dns", { ips: ["10.0.0.9"] }),
      pod("shop", "agent", { ips: ["172.18.0.1"], hostNetwork: true }),
    ];
    expect(found(system, ["NG026"])).toEqual([]);
  });

  test("not where it is unknown which policies there are", () => {
    expect(told("NG026", [], { notAsked: ["CiliumNetworkPolicies could not be listed"] })).toEqual([]);
  });
});

describe("NG027 redundant policy", () => {
  const narrow = np("narrow", { ...api, ingress: [{ from: [web], ports: [{ port: 80 }] }] });
  const wide = np("wide", { podSelector: {}, ingress: [{ from: [{ podSelector: {} }] }] });
  const all = anp("all", { priority: 5, ingress: [{ action: "Deny", from: [{ namespaces: {} }] }] });
  const some = (priority: number) =>
    anp("some", {
      ...{ priority, subject: namespacesWith(shopLabels) },
      ingress: [
        { action: "Deny", from: [namespacesWith(shopLabels)], ports: [{ portNumber: { port: 80 } }] },
      ],
    });
  const ids = (...objects: readonly WorldObject[]) => found([...facts, ...objects], ["NG027"]);

  test("says which policies make it so", () => {
    expect(told("NG027", [narrow, wide])).toEqual([
      "warning  changes no verdict: NetworkPolicy shop/wide says the same",
    ]);
    const { findings } = reportOf([...facts, narrow, wide]);
    expect(findings.find(({ id }) => id === "NG027")?.related).toMatchObject([{ policy: { name: "wide" } }]);
  });

  test("of policies that repeat each other, one is named", () => {
    const again = { ...wide, name: "wider" };
    expect(ids(wide, again)).toEqual(["NG027 warning wider"]);
    const closed = np("closed", { podSelector: {}, policyTypes: ["Ingress"] });
    expect(ids(closed, { ...closed, name: "closed-too" })).toEqual(["NG027 warning closed-too"]);
  });

  test("before a policy of a later priority that does the same", () => {
    expect(ids(some(1), all)).toEqual(["NG027 info some"]);
    expect(
      ids(
        some(1),
        anp("allow", { priority: 3, ingress: [{ action: "Allow", from: [{ namespaces: {} }] }] }),
        all,
      ),
    ).toEqual([]);
  });

  // prettier-ignore
  const cases: [string, readonly WorldObject[]][] = [
    ["a default deny, though every pod of today is isolated by others", [np("deny", { podSelector: {}, policyTypes: ["Ingress"] }), np("a", { ...api, ingress: [{ from: [web] }] }), np("w", { ...web, ingress: [{ from: [api] }] })]],
    ["a default deny beside a policy with rules for the same pods", [np("deny", { podSelector: {}, policyTypes: ["Ingress"] }), wide]],
    ["what another tier says too", [some(1), banp({ ingress: [{ action: "Deny", from: [{ namespaces: {} }] }] })]],
    ["what allows something more", [wide, np("narrow", { ...api, ingress: [{ from: [ops] }] })]],
    ["what isolates another direction", [wide, np("both", { ...api, ingress: [{ from: [web] }], policyTypes: ["Ingress", "Egress"] })]],
    ["what matches nothing here", [wide, np("later", { ...api, ingress: [{ from: [{ ...ops, podSelector: { matchLabels: { app: "later" } } }] }] })]],
    ["what never decides: NG016 has it", [anp("first", { priority: 1, ingress: [{ action: "Deny", from: [{ namespaces: {} }] }] }), all]],
  ];
  test.each(cases)("not: %s", (_, objects) => {
    expect(ids(...objects)).toEqual([]);
  });

  test("without pods, by the selectors alone: nothing is said, since nothing shows that it decides", () => {
    expect(found([namespace("shop"), narrow, wide], ["NG027"])).toEqual([]);
  });
});

describe("NG028 redundant rule", () => {
  const rules = (...ingress: readonly object[]) => np("p", { ...api, ingress });

  test("an allow before a wider allow, at the narrower one", () => {
    expect(told("NG028", [rules({ from: [web], ports: [{ port: 80 }] }, { from: [web] })])).toEqual([
      "info spec.ingress[0] changes no verdict: ingress[1] says the same",
    ]);
    // Behind the wider one it never decides.
    expect(
      found([...facts, rules({ from: [web] }, { from: [web], ports: [{ port: 80 }] })], ["NG001", "NG028"]),
    ).toEqual(["NG001 warning p ingress[1]"]);
  });

  test("two that cover it together, for today's objects", () => {
    const objects = [rules({ from: [{ podSelector: {} }] }, { from: [web] }, { from: [api] })];
    // A pod's connection to itself is not evaluated.
    expect(told("NG028", objects)).toEqual([
      "info spec.ingress[0] changes no verdict among today's objects: ingress[1] says the same",
    ]);
  });

  test("not before a deny that it excepts from, nor what only others of the cluster say", () => {
    const allow = { action: "Allow", from: [namespacesWith(shopLabels)] };
    const deny = { action: "Deny", from: [{ namespaces: {} }] };
    expect(told("NG028", [anp("p", { ingress: [allow, deny] })])).toEqual([]);
    expect(
      told("NG028", [
        rules({ from: [web] }),
        np("q", { ...api, ingress: [{ from: [web] }, { from: [ops] }] }),
      ]),
    ).toEqual([]);
  });
});
