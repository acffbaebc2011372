// Table tests: one line for each rule of the API or of this program. Users see the paths and messages, so these are
// pinned. What is read as in AdminNetworkPolicy (selectors, networks, logging) has its table in src/anp/.

import { describe, expect, test } from "@jest/globals";
import { anp, banp, cnp, resolvesNothing } from "../../test/support/policies.ts";
import type { PolicySpec } from "../../test/support/policies.ts";
import { adminNetworkPolicy, baselineAdminNetworkPolicy } from "../anp/index.ts";
import { everything, requirements } from "../model/selector.ts";
import { segmentOf } from "../nbdb/ranking/layout.ts";
import type { Dialect } from "../policy/contracts/dialect.ts";
import type { PolicyPart } from "../policy/contracts/backend.ts";
import type { PolicyObject } from "../model/object.ts";
import { clusterNetworkPolicy } from "./index.ts";

const all = { namespaces: {} };
const times = (count: number, value: unknown) => Array.from({ length: count }, () => value);
const base = { tier: "Admin", priority: 1, subject: all };
const from = (rule: object) => ({ ...base, ingress: [{ action: "Deny", from: [all], ...rule }] });
const to = (rule: object) => ({ ...base, egress: [{ action: "Deny", to: [all], ...rule }] });
const protocols = (...entries: unknown[]) => from({ protocols: entries });
const number = (port: unknown) => ({ tcp: { destinationPort: { number: port } } });
const range = (start: unknown, end: unknown) => ({ udp: { destinationPort: { range: { start, end } } } });
const domains = (...domainNames: unknown[]) => ({ domainNames });

function found(spec: unknown) {
  const object: PolicyObject = { ...cnp("p", {}), spec };
  const { policy, problems } = clusterNetworkPolicy.compile(object, resolvesNothing);
  return { policy, problems: problems.map((p) => `${p.severity} ${p.code} ${p.field}: ${p.message}`) };
}

function compiled(spec: unknown) {
  const { policy, problems } = found(spec);
  expect(problems).toEqual([]);
  if (policy === null) throw new Error("refused");
  return policy;
}

describe("what a good policy means", () => {
  test("every part of it", () => {
    const blue = { matchLabels: { tenant: "blue" } };
    const policy = compiled({
      tier: "Admin",
      priority: 34,
      subject: { pods: { podSelector: blue } },
      ingress: [
        {
          name: "first",
          action: "Pass",
          from: [all, { pods: { namespaceSelector: blue, podSelector: {} } }],
        },
      ],
      egress: [
        {
          action: "Accept",
          to: [{ nodes: blue }, { networks: ["10.0.54.0/19", "::/0"] }],
          protocols: [
            { tcp: { destinationPort: { number: 80 } } },
            { udp: { destinationPort: { range: { start: 1, end: 2 } } } },
            { sctp: { destinationPort: { number: 65535 } } },
          ],
        },
        { action: "Deny", to: [all], protocols: [{ destinationNamedPort: "web" }] },
      ],
    });
    const selector = requirements([{ operator: "In", key: "tenant", values: ["blue"] }]);
    const rule = { name: "", share: null, subject: null, logging: null };
    const everyPod = { kind: "pods", namespaces: everything, pods: everything };
    const group = "policy.networking.k8s.io";
    expect(policy).toEqual({
      key: "ClusterNetworkPolicy.policy.networking.k8s.io/p",
      ref: { group, kind: "ClusterNetworkPolicy", namespace: null, name: "p" },
      ownerType: "ClusterNetworkPolicy",
      shortKind: "CNP",
      tier: { name: "admin", order: 1 },
      priority: 1035,
      subject: [{ kind: "pods", namespaces: everything, pods: selector }],
      rules: {
        ingress: [
          {
            ...rule,
            index: 0,
            name: "first",
            action: "pass",
            peers: [everyPod, { kind: "pods", namespaces: selector, pods: everything }],
            ports: null,
          },
        ],
        egress: [
          {
            ...rule,
            index: 0,
            action: "allow",
            peers: [
              { kind: "nodes", nodes: selector },
              { kind: "network", cidr: "10.0.32.0/19", except: [] },
              { kind: "network", cidr: "::/0", except: [] },
            ],
            ports: [
              { kind: "port", protocol: "tcp", port: 80 },
              { kind: "range", protocol: "udp", start: 1, end: 2 },
              { kind: "port", protocol: "sctp", port: 65535 },
            ],
          },
          { ...rule, index: 1, action: "deny", peers: [everyPod], ports: [{ kind: "named", name: "web" }] },
        ],
      },
      unmatched: { ingress: "next", egress: "next" },
      logging: { allow: null, deny: null, pass: null, reject: null },
    });
  });

  test.each(["Admin", "Baseline"])("in tier %s every action is allowed", (tier) => {
    const rules = ["Accept", "Deny", "Pass"].map((action) => ({ action, from: [all] }));
    const { rules: read } = compiled({ ...base, tier, ingress: rules });
    expect(read.ingress.map(({ action }) => action)).toEqual(["allow", "deny", "pass"]);
  });

  test.each([
    ["Admin", 0, "admin", 1001, "behind ANP"],
    ["Admin", 1000, "admin", 2001, "behind ANP"],
    ["Baseline", 0, "baseline", -1001, "before BANP"],
    ["Baseline", 1000, "baseline", -1, "before BANP"],
  ])("%s %i is %s %i, %s", (tier, given, name, priority, segment) => {
    const policy = compiled({ ...base, tier, priority: given });
    expect([policy.tier.name, policy.priority, segmentOf(policy, "documented").name]).toEqual([
      ...[name, priority, segment],
    ]);
    expect(segmentOf(policy, "all").name).toBe(segment);
  });

  test("the annotation says what is logged", () => {
    const object = cnp("p", {}, '{"deny": "alert", "allow": "notice", "pass": "info"}');
    expect(clusterNetworkPolicy.compile(object, resolvesNothing).policy?.logging).toEqual({
      ...{ deny: "alert", allow: "notice", pass: "info", reject: null },
    });
  });

  test("no rules, null lists and the largest counts are all right", () => {
    const networks = Array.from({ length: 25 }, (_, i) => `10.0.${i}.0/24`);
    for (const spec of [
      base,
      { ...base, ingress: null, egress: [] },
      from({ from: times(25, all), protocols: times(25, number(1)), name: "🙂".repeat(100) }),
      { ...base, ingress: times(25, { action: "Accept", from: [all] }) },
      to({ to: [{ networks }] }),
    ])
      compiled(spec);
  });
});

// prettier-ignore
const rejected: [string, unknown, string][] = [
  ["no spec", undefined, "MissingField spec: this field is required"],
  ["no tier", { ...base, tier: undefined }, "MissingField spec.tier: this field is required"],
  ["tier in lower case", { ...base, tier: "admin" }, 'InvalidField spec.tier: must be one of Admin, Baseline, not "admin"'],
  ["tier a number", { ...base, tier: 1 }, "InvalidField spec.tier: must be a string, not 1"],
  ["no priority", { ...base, priority: undefined }, "MissingField spec.priority: this field is required"],
  ["priority text", { ...base, priority: "5" }, 'InvalidField spec.priority: must be an integer from 0 to 1000, not "5"'],
  ["priority -1", { ...base, priority: -1 }, "InvalidField spec.priority: must be an integer from 0 to 1000, not -1"],
  ["priority 1001", { ...base, priority: 1001 }, "InvalidField spec.priority: must be an integer from 0 to 1000, not 1001"],
  ["no subject", { ...base, subject: undefined }, "MissingField spec.subject: this field is required"],
  ["unknown subject", { ...base, subject: { teams: {} } }, "MissingField spec.subject: must have one of namespaces, pods"],
  ["two subjects", { ...base, subject: { ...all, pods: {} } }, "InvalidField spec.subject: must have only one of namespaces, pods"],
  ["subject without podSelector", { ...base, subject: { pods: {} } }, "MissingField spec.subject.pods.podSelector: this field is required"],
  ["a namespaceSelector that is none", { ...base, subject: { pods: { namespaceSelector: [], podSelector: {} } } }, "InvalidSelector spec.subject.pods.namespaceSelector: must be an object, not a list"],
  ["the action of the API before", from({ action: "Allow" }), 'UnknownAction spec.ingress[0].action: must be one of Accept, Deny, Pass, not "Allow"'],
  ["no action", from({ action: null }), "MissingField spec.ingress[0].action: this field is required"],
  ["no from", from({ from: undefined }), "MissingField spec.ingress[0].from: this field is required"],
  ["no peers", to({ to: [] }), "InvalidField spec.egress[0].to: must have at least 1 element"],
  ["26 peers", from({ from: times(26, all) }), "TooMany spec.ingress[0].from: must have at most 25 elements, not 26"],
  ["26 rules", { ...base, egress: times(26, { action: "Deny", to: [all] }) }, "TooMany spec.egress: must have at most 25 elements, not 26"],
  ["two peer kinds", to({ to: [{ ...all, ...domains("a.b") }] }), "InvalidField spec.egress[0].to[0]: must have only one of namespaces, domainNames"],
  ["long name", from({ name: "n".repeat(101) }), "InvalidField spec.ingress[0].name: must have at most 100 characters"],
  ["26 networks", to({ to: [{ networks: Array.from({ length: 26 }, (_, i) => `10.${i}.0.0/16`) }] }), "TooMany spec.egress[0].to[0].networks: must have at most 25 elements, not 26"],
  ["bad network", to({ to: [{ networks: ["10.0.0.1"] }] }), 'InvalidCIDR spec.egress[0].to[0].networks[0]: "10.0.0.1" is not a network in CIDR notation'],
  ["no domain names", to({ to: [domains()] }), "InvalidField spec.egress[0].to[0].domainNames: must have at least 1 element"],
  ["26 domain names", to({ to: [domains(...Array.from({ length: 26 }, (_, i) => `a${i}.b`))] }), "TooMany spec.egress[0].to[0].domainNames: must have at most 25 elements, not 26"],
  ["a domain name of one label", to({ to: [domains("localhost")] }), 'InvalidField spec.egress[0].to[0].domainNames[0]: "localhost" is not a domain name'],
  ["a star inside", to({ to: [domains("a.*.b")] }), 'InvalidField spec.egress[0].to[0].domainNames[0]: "a.*.b" is not a domain name'],
  ["a domain name twice", to({ to: [domains("a.b", "a.b")] }), 'InvalidField spec.egress[0].to[0].domainNames[1]: "a.b" is in the list twice'],
  ["a domain name a number", to({ to: [domains(5)] }), "InvalidField spec.egress[0].to[0].domainNames[0]: must be a string, not 5"],
  ["no protocols", protocols(), "InvalidField spec.ingress[0].protocols: must have at least 1 element"],
  ["26 protocols", protocols(...times(26, number(1))), "TooMany spec.ingress[0].protocols: must have at most 25 elements, not 26"],
  ["two protocols in one", protocols({ tcp: {}, udp: {} }), "InvalidField spec.ingress[0].protocols[0]: must have only one of tcp, udp"],
  ["a protocol that is no object", protocols({ tcp: 80 }), "InvalidField spec.ingress[0].protocols[0].tcp: must be an object, not 80"],
  ["port 0", protocols(number(0)), "InvalidField spec.ingress[0].protocols[0].tcp.destinationPort.number: must be an integer from 1 to 65535, not 0"],
  ["port 65536", protocols(number(65536)), "InvalidField spec.ingress[0].protocols[0].tcp.destinationPort.number: must be an integer from 1 to 65535, not 65536"],
  ["number and range", protocols({ tcp: { destinationPort: { number: 1, range: {} } } }), "InvalidField spec.ingress[0].protocols[0].tcp.destinationPort: must have only one of number, range"],
  ["range without end", protocols(range(1, undefined)), "MissingField spec.ingress[0].protocols[0].udp.destinationPort.range.end: this field is required"],
  ["range of one", protocols(range(80, 80)), "InvalidField spec.ingress[0].protocols[0].udp.destinationPort.range: start 80 must be below end 80"],
  ["range backwards", protocols(range(90, 80)), "InvalidField spec.ingress[0].protocols[0].udp.destinationPort.range: start 90 must be below end 80"],
  ["range a list", protocols({ udp: { destinationPort: { range: [] } } }), "InvalidField spec.ingress[0].protocols[0].udp.destinationPort.range: must be an object, not a list"],
  ["port name a number", protocols({ destinationNamedPort: 80 }), "InvalidField spec.ingress[0].protocols[0].destinationNamedPort: must be a string, not 80"],
  ["ports of the API before", from({ ports: [{ portNumber: { port: 80 } }] }), "InvalidField spec.ingress[0].ports: is of another version of the API; without it the rule would match every port"],
  ["name with networks", to({ to: [{ networks: ["::/0"] }], protocols: [{ destinationNamedPort: "web" }] }), "InvalidField spec.egress[0].to[0].networks: cannot be in one rule with a destinationNamedPort"],
  ["name with nodes", to({ to: [all, { nodes: {} }], protocols: [{ destinationNamedPort: "web" }] }), "InvalidField spec.egress[0].to[1].nodes: cannot be in one rule with a destinationNamedPort"],
  ["name with domain names", to({ to: [domains("a.b")], protocols: [{ destinationNamedPort: "web" }] }), "InvalidField spec.egress[0].to[0].domainNames: cannot be in one rule with a destinationNamedPort"],
];

test.each(rejected)("%s is refused", (_, spec, message) => {
  const { policy, problems } = found(spec);
  expect(policy).toBeNull();
  expect(problems[0]).toBe(`error ${message}`);
});

test("a refused policy has an outline when its place could be read", () => {
  const outlineOf = (spec: unknown) =>
    clusterNetworkPolicy.compile({ ...cnp("p", {}), spec }, resolvesNothing).outline?.priority;
  expect(outlineOf({ ...base, subject: undefined })).toBe(1002);
  expect(outlineOf({ ...base, tier: "Middle" })).toBeUndefined();
});

describe("what is not known fails closed", () => {
  const everyAddress = [{ kind: "everything" }];
  const everyPod = [{ kind: "pods", namespaces: everything, pods: everything }];
  // prettier-ignore
  const peer: [string, unknown, string][] = [
    ["a peer of the future", { galaxies: {} }, "UnknownPeer spec.egress[0].to[1]: the peer has no field that is known here"],
    ["an empty peer", {}, "UnknownPeer spec.egress[0].to[1]: the peer has no field"],
    ["domain names", domains("example.org", "*.a-b.c_d.example.org."), "UnknownPeer spec.egress[0].to[1].domainNames: domainNames cannot be enforced here: they are not resolved"],
  ];
  // prettier-ignore
  const protocol: [string, unknown, string][] = [
    ["a protocol of the future", { quic: {} }, "spec.egress[0].protocols[1]: the protocol has no field that is known here"],
    ["an empty entry", {}, "spec.egress[0].protocols[1]: the protocol has no field"],
    ["tcp without more", { tcp: {} }, "spec.egress[0].protocols[1].tcp: the protocol has no field"],
    ["tcp with a field of the future", { tcp: { sourcePort: 1 } }, "spec.egress[0].protocols[1].tcp: the protocol has no field that is known here"],
    ["an empty port", { sctp: { destinationPort: {} } }, "spec.egress[0].protocols[1].sctp.destinationPort: the protocol has no field"],
  ];

  test.each(peer)("%s", (_, given, message) => {
    for (const action of ["Accept", "Deny", "Pass"]) {
      const isAccept = action === "Accept";
      const { policy, problems } = found(to({ action, to: [all, given], protocols: [number(1)] }));
      const effect = isAccept ? "the rule matches nothing" : "the rule denies all traffic";
      expect(problems).toEqual([`warning ${message}, so ${effect}`]);
      expect(policy?.rules.egress).toMatchObject([
        isAccept ? { action: "allow", peers: [] } : { action: "deny", peers: everyAddress, ports: null },
      ]);
    }
  });

  test.each(protocol)("%s", (_, given, message) => {
    for (const action of ["Accept", "Deny", "Pass"]) {
      const isAccept = action === "Accept";
      const { policy, problems } = found(to({ action, protocols: [number(1), given] }));
      const effect = isAccept ? "the rule matches nothing" : "the rule denies all ports of its peers";
      expect(problems).toEqual([`warning UnknownPort ${message}, so ${effect}`]);
      expect(policy?.rules.egress).toMatchObject([
        isAccept ? { action: "allow", peers: [] } : { action: "deny", peers: everyPod, ports: null },
      ]);
    }
  });

  test("a field beside destinationPort may restrict it: an Accept must not lose it", () => {
    const { policy, problems } = found(
      from({ action: "Accept", protocols: [{ tcp: { destinationPort: { number: 80 }, sourcePort: 1 } }] }),
    );
    expect(policy?.rules.ingress[0]?.peers).toEqual([]);
    expect(problems).toEqual([
      "warning UnknownPort spec.ingress[0].protocols[0].tcp: the protocol has a field that is not known here, so the rule matches nothing",
    ]);
  });

  test("nodes, networks and domain names are no ingress peers", () => {
    for (const given of [{ nodes: {} }, { networks: ["::/0"] }, domains("a.b")]) {
      const { policy, problems } = found(from({ from: [given] }));
      expect(problems).toHaveLength(1);
      expect(policy?.rules.ingress).toMatchObject([{ action: "deny", peers: everyAddress }]);
    }
  });
});

test.each([
  ["spec", { ...base, extra: 1 }, "spec.extra"],
  ["a rule", from({ log: true }), "spec.ingress[0].log"],
  ["pods", { ...base, subject: { pods: { podSelector: {}, x: 1 } } }, "spec.subject.pods.x"],
  ["a range", protocols({ tcp: { destinationPort: { range: { start: 1, end: 2, x: 1 } } } }), "range.x"],
])("an unknown field of %s is ignored with a warning", (_, spec, path) => {
  const { policy, problems } = found(spec);
  expect(policy).not.toBeNull();
  expect(problems).toEqual([expect.stringContaining(`${path}: this field is not known here and is ignored`)]);
  expect(problems[0]).toMatch(/^warning UnknownField /);
});

test.each<[PolicyPart, string]>([
  [{ kind: "policy" }, "spec"],
  [{ kind: "tier" }, "spec.tier"],
  [{ kind: "priority" }, "spec.priority"],
  [{ kind: "rule", direction: "egress", index: 3, field: "ports" }, "spec.egress[3].protocols"],
  [{ kind: "rule", direction: "ingress", index: 0, field: "peers" }, "spec.ingress[0].from"],
])("what the backend refuses of %j is told under %s", (part, field) => {
  expect(clusterNetworkPolicy.fieldOf(part)).toBe(field);
});

describe("the same intent in both APIs is the same policy but for key, place and owner", () => {
  const pods = { pods: { namespaceSelector: { matchLabels: { a: "b" } }, podSelector: {} } };
  const ports = [
    { portNumber: { protocol: "TCP", port: 80 } },
    { portRange: { protocol: "UDP", start: 1, end: 2 } },
    { portRange: { protocol: "SCTP", start: 3, end: 9 } },
  ];
  const entries = [
    { tcp: { destinationPort: { number: 80 } } },
    { udp: { destinationPort: { range: { start: 1, end: 2 } } } },
    { sctp: { destinationPort: { range: { start: 3, end: 9 } } } },
  ];
  const v1 = { namedPort: "web" };
  const v2 = { destinationNamedPort: "web" };
  const peers = [pods, { nodes: { matchLabels: { c: "d" } } }, { networks: ["10.0.0.0/8", "fd00::/8"] }];
  const rulesOf = (words: { allow: string; ports: string; entries: unknown[]; name: unknown }) => ({
    ingress: [
      { name: "in", action: words.allow, from: [pods, all], [words.ports]: [...words.entries, words.name] },
      { action: "Deny", from: [all] },
    ],
    egress: [
      { action: "Deny", to: peers, [words.ports]: words.entries },
      { action: words.allow, to: [all], [words.ports]: [words.name] },
    ],
  });
  const asBefore = rulesOf({ allow: "Allow", ports: "ports", entries: ports, name: v1 });
  const asNow = rulesOf({ allow: "Accept", ports: "protocols", entries, name: v2 });
  const logging = '{"deny": "alert"}';
  const meaning = (dialect: Dialect, object: PolicyObject) => {
    const { policy, problems } = dialect.compile(object, resolvesNothing);
    expect(problems).toEqual([]);
    if (policy === null) throw new Error("refused");
    const { subject, rules, unmatched, logging: logged, tier } = policy;
    return { subject, rules, unmatched, logging: logged, tier };
  };
  const pass = { action: "Pass", from: [all] };
  const withPass = (spec: ReturnType<typeof rulesOf>) => ({ ...spec, ingress: [pass, ...spec.ingress] });

  test.each<[string, Dialect, PolicyObject, PolicySpec & { readonly tier: "Admin" | "Baseline" }]>([
    [
      "AdminNetworkPolicy",
      adminNetworkPolicy,
      anp("p", { subject: pods, ...withPass(asBefore) }, logging),
      { tier: "Admin", subject: pods, ...withPass(asNow) },
    ],
    [
      "BaselineAdminNetworkPolicy",
      baselineAdminNetworkPolicy,
      banp({ subject: pods, ...asBefore }, logging),
      { tier: "Baseline", subject: pods, ...asNow },
    ],
  ])("as %s", (_, dialect, before, now) => {
    expect(meaning(clusterNetworkPolicy, cnp("p", now, logging))).toEqual(meaning(dialect, before));
  });
});
