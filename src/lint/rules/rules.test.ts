// The other rules of the catalogue, case by case: what is found, what is not, and what is said of it.

import { describe, expect, test } from "@jest/globals";
import { acnp } from "../../../test/support/antrea.ts";
import { ip, namespace, node, pod } from "../../../test/support/facts.ts";
import { found, reportOf } from "../../../test/support/linted.ts";
import { anp, banp, cnp, namespacesWith, np, podsWith } from "../../../test/support/policies.ts";
import type { WorldObject } from "../../model/object.ts";

const dnsPorts = [
  { name: "dns", protocol: "udp", port: 53 },
  { name: "dns-tcp", protocol: "tcp", port: 53 },
] as const;
const web = [{ name: "web", protocol: "tcp", port: 8080 }] as const;
const metrics = [{ name: "http-metrics", protocol: "tcp", port: 9090 }] as const;
const control = node("cp", { "node-role.kubernetes.io/control-plane": "" }, ["172.18.0.1"]);
const worker = node("node-1", { role: "worker" }, ["172.18.0.2"]);
const facts: readonly WorldObject[] = [
  ...[namespace("kube-system", { system: "yes" }), namespace("shop", { tenant: "shop" })],
  ...[namespace("monitoring"), control, worker],
  pod("kube-system", "dns-0", { labels: { app: "dns" }, ips: ["10.0.0.1"], ports: dnsPorts }),
  pod("shop", "web-0", { labels: { app: "web" }, ips: ["10.0.0.2"], ports: web }),
  pod("shop", "api-0", { labels: { app: "api" }, ips: ["10.0.0.3"], ports: metrics }),
  pod("monitoring", "prom-0", { ips: ["10.0.0.4"] }),
];
const all = { namespaces: {} };
const shop = namespacesWith({ tenant: "shop" });
const messages = (objects: readonly WorldObject[], id: string, needs = {}) =>
  reportOf([...facts, ...objects], { needs, choice: { only: new Set([id]), skip: new Set() } }).findings.map(
    ({ severity, rule, field, message, fix }) =>
      [severity, rule === null ? "policy" : `${rule.direction}[${rule.index}]`, field, message, fix] as const,
  );

describe("NG000 not understood", () => {
  test("a policy that is refused, a field that nobody knows, and whatever else no other rule says", () => {
    const objects = [
      anp("refused", { ingress: [{ action: "Denyy", from: [all] }] }),
      anp("unknown", { ingress: [{ action: "Deny", from: [all], frm: [] }] }),
      anp("range", {
        ingress: [
          { action: "Deny", from: [all], ports: [{ portRange: { protocol: "TCP", start: 9, end: 8 } }] },
        ],
      }),
      // NG005, NG012 and NG014 say these.
      anp("closed", { ingress: [{ action: "Deny", from: [{ galaxies: {} }] }] }),
      anp("late", { priority: 100 }),
      np("types", { podSelector: {}, policyTypes: ["Ingress"], ingress: [{}], egress: [{}] }),
    ];
    expect(messages(objects, "NG000")).toEqual([
      [
        "warning",
        "policy",
        "spec.ingress[0].ports[0].portRange",
        "spec.ingress[0].ports[0].portRange: start 9 is above end 8, so the range matches nothing",
        "write it otherwise, or remove it: until then it is left out, or stricter than it is written",
      ],
      [
        "error",
        "policy",
        "spec.ingress[0].frm",
        "spec.ingress[0].frm: this field is not known here and is ignored",
        "correct its spelling, or remove it: it has no effect",
      ],
      [
        "error",
        "policy",
        "spec.ingress[0].action",
        'spec.ingress[0].action: must be one of Allow, Deny, Pass, not "Denyy"',
        "correct it: the object is refused whole",
      ],
    ]);
  });

  test("a part that is closed is said once, and nobody is told that the rule has no peers", () => {
    const policy = acnp("p", {
      priority: 5,
      appliedTo: [{ podSelector: {} }],
      egress: [{ action: "Allow", to: [{ fqdn: "*.example.com" }] }],
    });
    expect(
      messages([policy], "NG000").map(([severity, , field, message]) => [severity, field, message]),
    ).toEqual([
      ["error", "spec.egress[0].to[0].fqdn", "spec.egress[0].to[0].fqdn: domain names are not resolved here"],
    ]);
    expect(found([...facts, policy], ["NG005"])).toEqual([]);
    const fixes = reportOf([...facts, policy]).findings.map(({ fix }) => fix);
    expect(fixes.filter((fix) => fix.startsWith("delete it") || fix.includes("or delete it"))).toEqual([]);
    const bare = np("np", { podSelector: {}, egress: [{ to: [{ podSelector: {}, galaxies: {} }] }] });
    expect(found([...facts, bare], ["NG005"])).toEqual(["NG005 warning np egress[0]"]);
  });

  test("is asked whatever else is, unless it is skipped, and can be suppressed with a reason", () => {
    const unknown = anp("p", { ingress: [{ action: "Deny", from: [all], frm: [] }] });
    const choice = { only: new Set(["NG015"]), skip: new Set<string>() };
    expect(found([...facts, unknown], [], { choice })).toEqual(["NG000 error p"]);
    expect(found([...facts, unknown], [], { choice: { ...choice, skip: new Set(["NG000"]) } })).toEqual([]);
    const kept = {
      ...unknown,
      annotations: new Map([["northgate/lint-ignore", "NG000: of a newer version"]]),
    };
    expect(reportOf([...facts, kept], { choice }).counts).toEqual({
      error: 0,
      warning: 0,
      info: 0,
      suppressed: 1,
    });
  });
});

describe("NG004 selects nothing", () => {
  const from = (peer: unknown) => anp("p", { ingress: [{ action: "Deny", from: [peer] }] });
  // prettier-ignore
  const cases: [string, unknown, [string, string, string] | null][] = [
    ["a value that no namespace has", namespacesWith({ tenant: "shpo" }), ["warning", "no namespace has tenant=shpo", "did you mean tenant=shop?"]],
    ["a key that no namespace has", namespacesWith({ tenannt: "shop" }), ["warning", "no namespace has tenannt=shop", "did you mean tenant=shop?"]],
    ["a label of pods that only namespaces have", podsWith({}, { tenant: "shop" }), ["warning", "no pod has tenant=shop", "write a label that exists"]],
    ["labels that no pod has together", podsWith({ system: "yes" }, { app: "web" }), ["info", "the peers select nothing (namespaces system=yes, pods app=web)", "none is needed if they are added later"]],
    ["a label that is to be absent", { namespaces: { matchExpressions: [{ key: "nobody", operator: "DoesNotExist" }] } }, null],
    ["somebody", podsWith({}, { app: "web" }), null],
  ];
  test.each(cases)("%s", (_, peer, expected) => {
    expect(
      messages([from(peer)], "NG004").map(([severity, , , message, fix]) => [severity, message, fix]),
    ).toEqual(expected === null ? [] : [expected]);
  });

  test("of a subject, of nodes, and not of one peer among others", () => {
    const policy = anp("p", {
      subject: podsWith({ system: "yes" }, { app: "web" }),
      egress: [
        { action: "Deny", to: [{ nodes: { matchLabels: { role: "wroker" } } }] },
        { action: "Deny", to: [podsWith({ system: "yes" }, { app: "web" }), all] },
      ],
    });
    expect(
      messages([policy], "NG004").map(([severity, at, field, message]) => [severity, at, field, message]),
    ).toEqual([
      ["info", "policy", "spec.subject", "the subject selects no pod (namespaces system=yes, pods app=web)"],
      ["warning", "egress[0]", "spec.egress[0].to", "no node has role=wroker"],
    ]);
  });

  test("of pods on the host network, and of pods that do not run, says what they are", () => {
    const others = [
      pod("kube-system", "etcd-cp", {
        labels: { component: "etcd" },
        hostNetwork: true,
        ips: ["172.18.0.1"],
      }),
      pod("shop", "job-0", { labels: { app: "job" }, completed: true }),
    ];
    const policies = [
      anp("p", {
        subject: podsWith({}, { component: "etcd" }),
        egress: [
          { action: "Allow", to: [podsWith({}, { component: "etcd" })] },
          { action: "Allow", to: [podsWith({}, { app: "job" })] },
          { action: "Allow", to: [podsWith({}, { component: "etcd" }), podsWith({}, { app: "web" })] },
        ],
      }),
    ];
    expect(messages([...others, ...policies], "NG004")).toEqual([
      [
        "warning",
        "policy",
        "spec.subject",
        "the subject selects only pods on the host network (kube-system/etcd-cp): no policy applies to these, and peers match them as nodes or addresses only",
        "filter them on their nodes; a peer can name the nodes, or their addresses",
      ],
      [
        "warning",
        "egress[0]",
        "spec.egress[0].to",
        "the peers select only pods on the host network (kube-system/etcd-cp): no policy applies to these, and peers match them as nodes or addresses only",
        "filter them on their nodes; a peer can name the nodes, or their addresses",
      ],
      [
        "info",
        "egress[1]",
        "spec.egress[1].to",
        "the peers select only pods that do not run (shop/job-0)",
        "none is needed if they are to run",
      ],
    ]);
  });

  test("names a namespace's own label by its key", () => {
    const policy = np("p", { podSelector: { matchLabels: { app: "dns" } } }, "shop");
    expect(messages([policy], "NG004").map(([, , , message]) => message)).toEqual([
      "the subject selects no pod (namespaces kubernetes.io/metadata.name=shop, pods app=dns)",
    ]);
  });

  test("says nothing of what was not read", () => {
    expect(found([from(namespacesWith({ tenant: "nobody" }))], ["NG004"])).toEqual([]);
    const nodes = anp("p", { egress: [{ action: "Deny", to: [{ nodes: { matchLabels: { a: "b" } } }] }] });
    expect(found([...facts.filter((one) => one.kind !== "Node"), nodes], ["NG004"])).toEqual([]);
  });
});

test("NG005: parts that are not known, under their field, once", () => {
  const objects = [
    anp("p", {
      ingress: [
        { action: "Deny", from: [{ galaxies: {} }] },
        { action: "Allow", from: [all], ports: [{}] },
      ],
    }),
    np("np", { ingress: [{ from: [{ podSelector: {}, galaxies: {} }] }] }),
  ];
  expect(messages(objects, "NG005").map(([severity, at, field]) => [severity, at, field])).toEqual([
    ["warning", "ingress[0]", "spec.ingress[0].from[0]"],
    ["warning", "ingress[1]", "spec.ingress[1].ports[0]"],
    ["warning", "ingress[0]", "spec.ingress[0].from[0].galaxies"],
  ]);
});

describe("NG006 no such port", () => {
  test("a name that destinations declare otherwise, or for another protocol", () => {
    const policy = anp("p", {
      subject: shop,
      ingress: [
        { action: "Allow", from: [all], ports: [{ namedPort: "web" }] },
        { action: "Allow", from: [all], ports: [{ namedPort: "wbe" }] },
        { action: "Allow", from: [all], ports: [{ namedPort: "dns" }] },
      ],
      egress: [{ action: "Allow", to: [podsWith({}, { app: "dns" })], ports: [{ namedPort: "dns" }] }],
    });
    expect(messages([policy], "NG006")).toEqual([
      [
        "warning",
        "ingress[1]",
        "spec.ingress[1].ports",
        "no destination declares a port named wbe; they declare http-metrics, web",
        "did you mean web?",
      ],
      [
        "warning",
        "ingress[2]",
        "spec.ingress[2].ports",
        "no destination declares a port named dns; they declare http-metrics, web",
        "name a declared port, or give its number",
      ],
    ]);
    const tcp = np(
      "np",
      { podSelector: { matchLabels: { app: "dns" } }, ingress: [{ ports: [{ port: "dns" }] }] },
      "kube-system",
    );
    expect(messages([tcp], "NG006").map(([, , , message, fix]) => [message, fix])).toEqual([
      ["port dns is declared for udp only, and the rule says tcp", "say udp"],
    ]);
  });
});

describe("NG007 network holds pods", () => {
  const to = (action: string, ...networks: string[]) => ({ action, to: [{ networks }] });
  // prettier-ignore
  const cases: [string, object[], string[]][] = [
    ["the internet", [to("Deny", "0.0.0.0/0")], ["NG007 warning p egress[0]"]],
    ["behind an allow of all pods", [{ action: "Allow", to: [all] }, to("Deny", "0.0.0.0/0")], []],
    ["behind an allow of some", [{ action: "Allow", to: [shop] }, to("Deny", "0.0.0.0/0")], ["NG007 warning p egress[1]"]],
    ["with a peer that is the pods", [{ action: "Deny", to: [{ networks: ["0.0.0.0/0"] }, all] }], []],
    ["elsewhere", [to("Deny", "192.0.2.0/24")], []],
    ["an allow", [to("Allow", "0.0.0.0/0")], []],
    ["of one pod's own address", [to("Deny", "10.0.0.2/32")], ["NG007 warning p egress[0]"]],
  ];
  test.each(cases)("%s", (_, egress, expected) => {
    expect(found([...facts, anp("p", { egress })], ["NG007"])).toEqual(expected);
  });

  test("a rule that names no peers denies everything on purpose", () => {
    const everything = acnp("p", {
      priority: 5,
      appliedTo: [{ podSelector: { matchLabels: { app: "web" } } }],
      ingress: [{ action: "Drop" }, { action: "Allow" }],
    });
    expect(found([...facts, everything], ["NG007", "NG024"])).toEqual([]);
  });

  test("of a lonely pod to itself is no connection", () => {
    const policy = anp("p", { subject: podsWith({}, { app: "web" }), egress: [to("Deny", "10.0.0.2/32")] });
    expect(found([...facts, policy], ["NG007"])).toEqual([]);
  });

  test("says how many", () => {
    const policy = anp("p", { subject: shop, egress: [to("Deny", "10.0.0.0/30")] });
    expect(messages([policy], "NG007").map(([, , , message]) => message)).toEqual([
      "denies connections between pods by their addresses, from 2 pods to 3 pods: its networks hold the pod network",
    ]);
  });
});

describe("NG008 to NG011: what a cluster needs", () => {
  const denyAll = anp("p", { subject: shop, egress: [{ action: "Deny", to: [all, { nodes: {} }] }] });

  test("DNS and the API server, by the rule that denies", () => {
    expect(messages([denyAll], "NG008").map(([severity, at, , message]) => [severity, at, message])).toEqual([
      [
        "error",
        "egress[0]",
        "2 of 4 pods cannot reach DNS over udp 53: denied where it leaves them, for shop/api-0, shop/web-0",
      ],
      [
        "warning",
        "egress[0]",
        "2 of 4 pods cannot reach DNS over tcp 53: denied where it leaves them, for shop/api-0, shop/web-0",
      ],
    ]);
    expect(messages([denyAll], "NG009").map(([severity, , , message]) => [severity, message])).toEqual([
      [
        "info",
        "2 of 4 pods cannot reach the API server at tcp 6443: denied where it leaves them, for shop/api-0, shop/web-0",
      ],
    ]);
  });

  test("the API server is missed by pods with a token alone: of the others it is information", () => {
    const user = { ...pod("shop", "op-0", { ips: ["10.0.0.9"] }), mountsToken: true };
    expect(
      messages([denyAll, user], "NG009").map(([severity, , , message, fix]) => [severity, message, fix]),
    ).toEqual([
      [
        "warning",
        "1 of 1 pod with a service account's token cannot reach the API server at tcp 6443: denied where it leaves them, for shop/op-0",
        "allow egress to the nodes of the control plane on that port, or let them mount no token",
      ],
      [
        "info",
        "2 of 4 pods without a service account's token cannot reach the API server at tcp 6443: denied where it leaves them, for shop/api-0, shop/web-0",
        "none is needed if they are not to use the API; otherwise allow egress to the nodes of the control plane on that port",
      ],
    ]);
  });

  test("the side of the DNS pods counts too, and isolation has no rule", () => {
    const isolated = np("closed", { podSelector: {}, policyTypes: ["Ingress"] }, "kube-system");
    expect(
      messages([isolated], "NG008").map(([severity, at, field, message]) => [severity, at, field, message]),
    ).toEqual([
      [
        "error",
        "policy",
        "spec.policyTypes",
        "3 of 4 pods cannot reach DNS over udp 53: denied where it arrives, for monitoring/prom-0, shop/api-0, shop/web-0",
      ],
      [
        "warning",
        "policy",
        "spec.policyTypes",
        "3 of 4 pods cannot reach DNS over tcp 53: denied where it arrives, for monitoring/prom-0, shop/api-0, shop/web-0",
      ],
    ]);
  });

  test("one server that answers is enough; UDP alone is a warning", () => {
    const others = ["8", "9"].map((n) => pod("shop", `dns-${n}`, { ips: [`10.0.0.${n}`], ports: dnsPorts }));
    const toOther = anp("p", { egress: [{ action: "Deny", to: [namespacesWith({ system: "yes" })] }] });
    expect(found([...facts, ...others, toOther], ["NG008"])).toEqual([]);
    const tcp = {
      ...denyAll,
      spec: {
        priority: 1,
        subject: all,
        egress: [{ action: "Deny", to: [all], ports: [{ portNumber: { port: 53 } }] }],
      },
    };
    expect(found([...facts, tcp], ["NG008"])).toEqual(["NG008 warning p egress[0]"]);
  });

  test("places that the user names", () => {
    const local = { ip: ip("169.254.20.10"), port: 53 };
    const policy = anp("p", { egress: [{ action: "Deny", to: [{ networks: ["169.254.0.0/16"] }] }] });
    expect(found([...facts, policy], ["NG008"])).toEqual([]);
    expect(found([...facts, policy], ["NG008"], { needs: { dns: [local] } })).toEqual([
      "NG008 error p egress[0]",
      "NG008 warning p egress[0]",
    ]);
    expect(found([...facts, denyAll], ["NG008"], { needs: { dns: [{ namespace: "monitoring" }] } })).toEqual(
      [],
    );
    expect(found([...facts, policy], ["NG009"], { needs: { apiServer: [{ ...local, port: 443 }] } })).toEqual(
      ["NG009 info p egress[0]"],
    );
    expect(found([...facts.filter((one) => one !== control), denyAll], ["NG009"])).toEqual([]);
  });

  test("probes: a node at its own pods, on the ports that they declare, or on all", () => {
    const closed = (ports?: unknown) =>
      cnp("p", {
        subject: shop,
        ingress: [
          { action: "Deny", from: [{ galaxies: {} }], ...(ports === undefined ? {} : { protocols: ports }) },
        ],
      });
    expect(found([...facts, closed()], ["NG010"])).toEqual(["NG010 error p ingress[0]"]);
    const isolated = np("closed", { podSelector: {}, policyTypes: ["Ingress"] }, "shop");
    // The API lets a node reach its own pods, whatever isolates them.
    expect(found([...facts, isolated], ["NG010"])).toEqual([]);
    expect(messages([closed()], "NG010").map(([, , , message]) => message)).toEqual([
      "2 of 4 pods cannot be probed by their own nodes: denied where it arrives, for shop/api-0, shop/web-0",
    ]);
  });

  test("monitoring, where it is asked for", () => {
    const policy = anp("p", { subject: shop, ingress: [{ action: "Deny", from: [all] }] });
    expect(found([...facts, policy], ["NG011"])).toEqual([]);
    expect(
      messages([policy], "NG011", { monitoring: "monitoring" }).map(([severity, , , message]) => [
        severity,
        message,
      ]),
    ).toEqual([
      [
        "warning",
        "1 of 1 pod cannot be scraped from namespace monitoring: denied where it arrives, for shop/api-0",
      ],
    ]);
    expect(found([...facts, policy], ["NG011"], { needs: { monitoring: "nobody" } })).toEqual([]);
  });
});

test("NG012: what is refused for its size or its priority, whole", () => {
  const many = Array.from({ length: 101 }, () => ({ action: "Deny", from: [all] }));
  const objects = [
    anp("late", { priority: 100 }),
    anp("long", { ingress: many }),
    anp("wrong", { ingress: [{}] }),
  ];
  const findings = reportOf(objects, {
    choice: { only: new Set(["NG012"]), skip: new Set(["NG000"]) },
  }).findings;
  expect(findings.map(({ severity, field }) => [severity, field])).toEqual([
    ["error", "spec.priority"],
    ["error", "spec.ingress"],
  ]);
});

describe("NG014 isolated by accident", () => {
  // prettier-ignore
  const cases: [string, object, string[]][] = [
    ["nothing but a selector", { podSelector: {} }, ["denies all ingress of its pods, though neither a rule nor spec.policyTypes speaks of ingress"]],
    ["egress rules without types", { podSelector: {}, egress: [{}] }, ["denies all ingress of its pods, though neither a rule nor spec.policyTypes speaks of ingress"]],
    ["a default deny that says so", { podSelector: {}, policyTypes: ["Ingress", "Egress"] }, []],
    ["a default deny of all pods that allows DNS", { podSelector: {}, policyTypes: ["Ingress", "Egress"], egress: [{ ports: [{ port: 53, protocol: "UDP" }] }] }, []],
    ["types of both, rules of one", { podSelector: { matchLabels: { app: "web" } }, policyTypes: ["Ingress", "Egress"], ingress: [{}] }, ["denies all egress of its pods: spec.policyTypes names it, and the rules are for ingress only"]],
    ["rules of what types leave out", { podSelector: {}, policyTypes: ["Ingress"], ingress: [{}], egress: [{}] }, ["has egress rules, and spec.policyTypes does not name that direction: they have no effect"]],
    ["types and rules that agree", { podSelector: {}, policyTypes: ["Ingress"], ingress: [{}] }, []],
  ];
  test.each(cases)("%s", (_, spec, expected) => {
    expect(messages([np("np", spec)], "NG014").map(([, , , message]) => message)).toEqual(expected);
  });

  test("not of kinds that do not isolate", () => {
    expect(found([anp("p", {}), banp({ egress: [] })], ["NG014"])).toEqual([]);
  });
});

describe("NG015 masked or repeated network", () => {
  test("at the text that the user wrote", () => {
    const networks = ["10.0.54.0/19", "10.0.56.38/32", "192.0.2.0/24", "fd00::1/64"];
    const policy = anp("p", {
      egress: [{ action: "Deny", to: [all, { networks }, { networks: ["192.0.2.0/24"] }] }],
    });
    expect(
      messages([policy], "NG015").map(([severity, , field, message]) => [severity, field, message]),
    ).toEqual([
      [
        "info",
        "spec.egress[0].to[1].networks[0]",
        "10.0.54.0/19 means 10.0.32.0/19: the bits behind the prefix do not count",
      ],
      [
        "info",
        "spec.egress[0].to[1].networks[3]",
        "fd00::1/64 means fd00::/64: the bits behind the prefix do not count",
      ],
      [
        "info",
        "spec.egress[0].to[1].networks[1]",
        "10.0.56.38/32 lies inside 10.0.32.0/19, which the rule has too",
      ],
      ["info", "spec.egress[0].to[2].networks[0]", "192.0.2.0/24 is in the rule twice"],
    ]);
  });

  test("not where an exception leaves it out", () => {
    const block = (cidr: string, ...except: string[]) => ({ ipBlock: { cidr, except } });
    const rules = (...to: unknown[]) => np("np", { policyTypes: ["Egress"], egress: [{ to }] });
    expect(found([rules(block("10.0.0.0/8", "10.1.0.0/16"), block("10.1.0.0/24"))], ["NG015"])).toEqual([]);
    expect(found([rules(block("10.0.0.0/8", "10.1.0.0/16"), block("10.2.0.0/24"))], ["NG015"])).toEqual([
      "NG015 info np egress[0]",
    ]);
  });
});
