// Table tests: one line for each rule of the API or of this program. Users see the paths and messages, so these are
// pinned.

import { describe, expect, test } from "@jest/globals";
import { anp, resolvesNothing } from "../../test/support/policies.ts";
import type { PolicySpec } from "../../test/support/policies.ts";
import type { PolicyObject } from "../model/object.ts";
import { everything, requirements } from "../model/selector.ts";
import { Ranking } from "../nbdb/ranking/ranking.ts";
import { groupsOf } from "../../test/support/groups-of.ts";
import { adminNetworkPolicy, baselineAdminNetworkPolicy } from "./index.ts";

const all = { namespaces: {} };
const from = (rule: object) => ({
  priority: 1,
  subject: all,
  ingress: [{ action: "Deny", from: [all], ...rule }],
});
const to = (rule: object) => ({
  priority: 1,
  subject: all,
  egress: [{ action: "Deny", to: [all], ...rule }],
});
const selecting = (selector: unknown) => ({ priority: 1, subject: { namespaces: selector } });
const times = (count: number, value: unknown) => Array.from({ length: count }, () => value);

function object(spec: unknown, more: Partial<PolicyObject> = {}): PolicyObject {
  return {
    kind: "AdminNetworkPolicy",
    apiVersion: "policy.networking.k8s.io/v1alpha1",
    namespace: null,
    name: "default",
    uid: null,
    generation: null,
    annotations: new Map(),
    spec,
    ...more,
  };
}

function found(spec: unknown, dialect = adminNetworkPolicy) {
  const { policy, problems } = dialect.compile(object(spec), resolvesNothing);
  return {
    policy,
    problems: problems.map((p) => `${p.severity} ${p.code} ${p.field}: ${p.message}`),
  };
}

function compiled(spec: unknown, dialect = adminNetworkPolicy) {
  const { policy, problems } = found(spec, dialect);
  expect(problems).toEqual([]);
  return policy!;
}

describe("what a good policy means", () => {
  test("every part of an AdminNetworkPolicy", () => {
    const restricted = { matchLabels: { tenant: "restricted" } };
    const policy = compiled({
      priority: 34,
      subject: { pods: { namespaceSelector: {}, podSelector: restricted } },
      ingress: [{ name: "first", action: "Pass", from: [{ namespaces: restricted }] }],
      egress: [
        {
          action: "Allow",
          to: [
            { nodes: { matchExpressions: [{ key: "a.b/c", operator: "Exists", values: [] }] } },
            { networks: ["10.0.54.0/19", "::/0"] },
          ],
          ports: [
            { portNumber: { protocol: "UDP", port: 53 } },
            { portRange: { start: 80, end: 90 } },
            { portRange: { protocol: "SCTP", start: 7, end: 7 } },
          ],
        },
      ],
    });
    const selector = requirements([{ operator: "In", key: "tenant", values: ["restricted"] }]);
    expect(policy).toEqual({
      key: "AdminNetworkPolicy.policy.networking.k8s.io/default",
      ref: {
        group: "policy.networking.k8s.io",
        kind: "AdminNetworkPolicy",
        namespace: null,
        name: "default",
      },
      ownerType: "AdminNetworkPolicy",
      rowForm: { sets: "rule" },
      shortKind: "ANP",
      tier: { name: "admin", order: 1 },
      priority: 34,
      subject: [{ kind: "pods", namespaces: everything, pods: selector }],
      rules: {
        ingress: [
          {
            index: 0,
            name: "first",
            action: "pass",
            subject: null,
            share: null,
            logging: null,
            peers: [{ kind: "pods", namespaces: selector, pods: everything }],
            ports: null,
          },
        ],
        egress: [
          {
            index: 0,
            name: "",
            action: "allow",
            subject: null,
            share: null,
            logging: null,
            peers: [
              { kind: "nodes", nodes: requirements([{ operator: "Exists", key: "a.b/c" }]) },
              { kind: "network", cidr: "10.0.32.0/19", except: [] },
              { kind: "network", cidr: "::/0", except: [] },
            ],
            ports: [
              { kind: "port", protocol: "udp", port: 53 },
              { kind: "range", protocol: "tcp", start: 80, end: 90 },
              { kind: "port", protocol: "sctp", port: 7 },
            ],
          },
        ],
      },
      unmatched: { ingress: "next", egress: "next" },
      logging: { allow: null, deny: null, pass: null, reject: null },
    });
    expect(groupsOf(policy)).toHaveLength(3);
  });

  test("a BaselineAdminNetworkPolicy has tier 3 and priority 0", () => {
    const policy = compiled(
      { subject: all, egress: [{ action: "Deny", to: [all] }] },
      baselineAdminNetworkPolicy,
    );
    expect([policy.tier.order, policy.priority, policy.key, policy.shortKind]).toEqual([
      3,
      0,
      "BaselineAdminNetworkPolicy.policy.networking.k8s.io/default",
      "BANP",
    ]);
  });

  test("no rules, null lists and the largest counts are all right", () => {
    for (const spec of [
      { priority: 0, subject: all },
      { priority: 99, subject: all, ingress: null, egress: [] },
      {
        ...from({
          from: times(100, all),
          ports: times(100, { portNumber: { port: 1 } }),
          name: "🙂".repeat(100),
        }),
      },
      { priority: 1, subject: all, ingress: times(100, { action: "Allow", from: [all] }) },
      to({ to: [{ networks: Array.from({ length: 25 }, (_, i) => `10.0.${i}.0/24`) }] }),
    ])
      compiled(spec);
  });

  test("matchLabels and every one of matchExpressions hold together", () => {
    const policy = compiled(
      selecting({
        matchLabels: { app: "web" },
        matchExpressions: [
          { key: "tier", operator: "NotIn", values: ["x"] },
          { key: "old", operator: "DoesNotExist" },
        ],
      }),
    );
    expect(policy.subject.map((group) => group.kind === "pods" && group.namespaces)[0]).toEqual(
      requirements([
        { operator: "In", key: "app", values: ["web"] },
        { operator: "NotIn", key: "tier", values: ["x"] },
        { operator: "DoesNotExist", key: "old" },
      ]),
    );
  });

  test("rules are numbered within their direction", () => {
    const policy = compiled({
      priority: 1,
      subject: all,
      ingress: times(3, { action: "Allow", from: [all] }),
    });
    expect(policy.rules.ingress.map((rule) => rule.index)).toEqual([0, 1, 2]);
  });
});

const key63 = "k".repeat(63);
// prettier-ignore
const rejected: [string, unknown, string][] = [
  ["no spec", undefined, "MissingField spec: this field is required"],
  ["spec a list", [], "InvalidField spec: must be an object, not a list"],
  ["no priority", { subject: all }, "MissingField spec.priority: this field is required"],
  ["priority text", { priority: "5", subject: all }, 'InvalidField spec.priority: must be an integer from 0 to 1000, not "5"'],
  ["priority half", { priority: 1.5, subject: all }, "InvalidField spec.priority: must be an integer from 0 to 1000, not 1.5"],
  ["priority -1", { priority: -1, subject: all }, "InvalidField spec.priority: must be an integer from 0 to 1000, not -1"],
  ["priority 1001", { priority: 1001, subject: all }, "InvalidField spec.priority: must be an integer from 0 to 1000, not 1001"],
  ["no subject", { priority: 1 }, "MissingField spec.subject: this field is required"],
  ["unknown subject", { priority: 1, subject: { teams: {} } }, "MissingField spec.subject: must have one of namespaces, pods"],
  ["two subjects", { priority: 1, subject: { ...all, pods: {} } }, "InvalidField spec.subject: must have only one of namespaces, pods"],
  ["subject without podSelector", { priority: 1, subject: { pods: { namespaceSelector: {} } } }, "MissingField spec.subject.pods.podSelector: this field is required"],
  ["unknown action", from({ action: "Accept" }), 'UnknownAction spec.ingress[0].action: must be one of Allow, Deny, Pass, not "Accept"'],
  ["action in lower case", from({ action: "deny" }), 'UnknownAction spec.ingress[0].action: must be one of Allow, Deny, Pass, not "deny"'],
  ["no action", from({ action: null }), "MissingField spec.ingress[0].action: this field is required"],
  ["no from", from({ from: undefined }), "MissingField spec.ingress[0].from: this field is required"],
  ["no to", to({ to: undefined }), "MissingField spec.egress[0].to: this field is required"],
  ["no peers", from({ from: [] }), "InvalidField spec.ingress[0].from: must have at least 1 element"],
  ["101 peers", from({ from: times(101, all) }), "TooMany spec.ingress[0].from: must have at most 100 elements, not 101"],
  ["101 rules", { priority: 1, subject: all, egress: times(101, { action: "Deny", to: [all] }) }, "TooMany spec.egress: must have at most 100 elements, not 101"],
  ["rules an object", { priority: 1, subject: all, egress: {} }, "InvalidField spec.egress: must be a list, not an object"],
  ["rule null", { priority: 1, subject: all, egress: [null] }, "MissingField spec.egress[0]: this field is required"],
  ["peer text", from({ from: ["x"] }), 'InvalidField spec.ingress[0].from[0]: must be an object, not "x"'],
  ["two peer kinds", to({ to: [{ ...all, networks: ["::/0"] }] }), "InvalidField spec.egress[0].to[0]: must have only one of namespaces, networks"],
  ["long name", from({ name: "n".repeat(101) }), "InvalidField spec.ingress[0].name: must have at most 100 characters"],
  ["name a number", from({ name: 5 }), "InvalidField spec.ingress[0].name: must be a string, not 5"],
  ["no networks", to({ to: [{ networks: [] }] }), "InvalidField spec.egress[0].to[0].networks: must have at least 1 element"],
  ["26 networks", to({ to: [{ networks: Array.from({ length: 26 }, (_, i) => `10.${i}.0.0/16`) }] }), "TooMany spec.egress[0].to[0].networks: must have at most 25 elements, not 26"],
  ["bad network", to({ to: [{ networks: ["10.0.0.0/8 || 1"] }] }), 'InvalidCIDR spec.egress[0].to[0].networks[0]: "10.0.0.0/8 || 1" is not a network in CIDR notation'],
  ["address for a network", to({ to: [{ networks: ["10.0.0.1"] }] }), 'InvalidCIDR spec.egress[0].to[0].networks[0]: "10.0.0.1" is not a network in CIDR notation'],
  ["same network twice", to({ to: [{ networks: ["::/0", "::/0"] }] }), 'InvalidField spec.egress[0].to[0].networks[1]: "::/0" is in the list twice'],
  ["long network", to({ to: [{ networks: ["0".repeat(44)] }] }), `InvalidCIDR spec.egress[0].to[0].networks[0]: "${"0".repeat(44)}" is not a network in CIDR notation`],
  ["no ports", from({ ports: [] }), "InvalidField spec.ingress[0].ports: must have at least 1 element"],
  ["101 ports", from({ ports: times(101, { portNumber: { port: 1 } }) }), "TooMany spec.ingress[0].ports: must have at most 100 elements, not 101"],
  ["port 0", from({ ports: [{ portNumber: { port: 0 } }] }), "InvalidField spec.ingress[0].ports[0].portNumber.port: must be an integer from 1 to 65535, not 0"],
  ["port 65536", from({ ports: [{ portNumber: { port: 65536 } }] }), "InvalidField spec.ingress[0].ports[0].portNumber.port: must be an integer from 1 to 65535, not 65536"],
  ["range without end", from({ ports: [{ portRange: { start: 1 } }] }), "MissingField spec.ingress[0].ports[0].portRange.end: this field is required"],
  ["protocol in lower case", from({ ports: [{ portNumber: { protocol: "tcp", port: 1 } }] }), 'UnknownProtocol spec.ingress[0].ports[0].portNumber.protocol: must be TCP, UDP or SCTP, not "tcp"'],
  ["unknown protocol", from({ ports: [{ portRange: { protocol: "ICMP", start: 1, end: 2 } }] }), 'UnknownProtocol spec.ingress[0].ports[0].portRange.protocol: must be TCP, UDP or SCTP, not "ICMP"'],
  ["two port kinds", from({ ports: [{ namedPort: "web", portNumber: { port: 1 } }] }), "InvalidField spec.ingress[0].ports[0]: must have only one of portNumber, namedPort"],
  ["name with networks", to({ to: [{ networks: ["::/0"] }], ports: [{ namedPort: "web" }] }), "InvalidField spec.egress[0].to[0].networks: cannot be in one rule with a namedPort"],
  ["name with nodes", to({ to: [all, { nodes: {} }], ports: [{ namedPort: "web" }] }), "InvalidField spec.egress[0].to[1].nodes: cannot be in one rule with a namedPort"],
  ["selector text", selecting("x"), 'InvalidSelector spec.subject.namespaces: must be an object, not "x"'],
  ["unknown operator", selecting({ matchExpressions: [{ key: "a", operator: "Gt", values: ["1"] }] }), 'InvalidSelector spec.subject.namespaces.matchExpressions[0].operator: must be In, NotIn, Exists or DoesNotExist, not "Gt"'],
  ["In nothing", selecting({ matchExpressions: [{ key: "a", operator: "In", values: [] }] }), "InvalidSelector spec.subject.namespaces.matchExpressions[0].values: must have at least 1 element"],
  ["NotIn without values", selecting({ matchExpressions: [{ key: "a", operator: "NotIn" }] }), "InvalidSelector spec.subject.namespaces.matchExpressions[0].values: must be given with NotIn"],
  ["Exists with values", selecting({ matchExpressions: [{ key: "a", operator: "Exists", values: ["b"] }] }), "InvalidSelector spec.subject.namespaces.matchExpressions[0].values: must not be given with Exists"],
  ["DoesNotExist with text", selecting({ matchExpressions: [{ key: "a", operator: "DoesNotExist", values: "b" }] }), 'InvalidSelector spec.subject.namespaces.matchExpressions[0].values: must be a list, not "b"'],
  ["expression without key", selecting({ matchExpressions: [{ operator: "Exists" }] }), "MissingField spec.subject.namespaces.matchExpressions[0].key: this field is required"],
  ["bad key", selecting({ matchExpressions: [{ key: 'a" && 1', operator: "Exists" }] }), 'InvalidSelector spec.subject.namespaces.matchExpressions[0].key: "a\\" && 1" is not a valid label key'],
  ["long key", selecting({ matchLabels: { [`${key63}k`]: "" } }), `InvalidSelector spec.subject.namespaces.matchLabels["${key63}k"]: the key is not a valid label key`],
  ["bad value", selecting({ matchLabels: { a: "b c" } }), 'InvalidSelector spec.subject.namespaces.matchLabels.a: "b c" is not a valid label value'],
  ["value a number", selecting({ matchLabels: { a: 5 } }), "InvalidSelector spec.subject.namespaces.matchLabels.a: must be a string, not 5"],
  ["value null, which the server would widen", selecting({ matchLabels: { a: null } }), "MissingField spec.subject.namespaces.matchLabels.a: this field is required"],
  ["the peer shape before v0.1.3", from({ from: [{ namespaces: { namespaceSelector: {} } }] }), "InvalidSelector spec.ingress[0].from[0].namespaces.namespaceSelector: is from before v0.1.3 of the API; without it the selector would select more than intended"],
  ["sameLabels", from({ from: [{ namespaces: { sameLabels: ["a"] } }] }), "InvalidSelector spec.ingress[0].from[0].namespaces.sameLabels: is from before v0.1.3 of the API; without it the selector would select more than intended"],
];

describe("a priority that the API stores and a backend may have no place for", () => {
  const refused = (spec: PolicySpec) => {
    const outcome = adminNetworkPolicy.compile(anp("p", spec), resolvesNothing);
    const [refusal] = new Ranking("documented").admit(outcome.policy ?? outcome.outline!);
    return refusal && `${refusal.code} ${adminNetworkPolicy.fieldOf(refusal.part)}: ${refusal.message}`;
  };
  const said = (priority: number) =>
    `UnsupportedPriority spec.priority: priority ${priority} is not supported: OVN has ACL priorities only for 0-99`;

  test.each([100, 101, 1000])("%s has none in OVN", (priority) => {
    expect(refused({ priority, subject: all })).toBe(said(priority));
  });

  test("is told of a policy that is rejected for other reasons too", () => {
    expect(refused({ priority: 101, subject: { teams: {} } })).toBe(said(101));
  });

  test("99 has one", () => {
    expect(refused({ priority: 99, subject: all })).toBeUndefined();
  });
});

describe("an object is rejected whole for", () => {
  test.each(rejected)("%s", (_, spec, line) => {
    const { policy, problems } = found(spec);
    expect(policy).toBeNull();
    expect(problems).toContain(`error ${line}`);
  });

  test("Pass, and any name but default, in a baseline", () => {
    const spec = { subject: all, ingress: [{ action: "Pass", from: [all] }] };
    const { policy, problems } = baselineAdminNetworkPolicy.compile(
      object(spec, { name: "other" }),
      resolvesNothing,
    );
    expect(policy).toBeNull();
    expect(problems.map((p) => [p.code, p.field, p.message])).toEqual([
      ["InvalidName", "metadata.name", 'must be "default", not "other": a cluster has one baseline'],
      ["UnknownAction", "spec.ingress[0].action", 'must be one of Allow, Deny, not "Pass"'],
    ]);
  });

  test("the document's own slip, value instead of values, with both of its faults", () => {
    const peer = {
      namespaces: { matchExpressions: [{ key: "tenant", operator: "NotIn", value: "yellow" }] },
    };
    const place = "error InvalidSelector spec.ingress[0].from[0].namespaces.matchExpressions[0]";
    expect(found(from({ from: [peer] })).problems).toEqual([
      `${place}.value: is not a field of a label selector; without it the selector would select more than intended`,
      `${place}.values: must be given with NotIn`,
    ]);
  });

  test("several things at once, all of them named, up to a bound", () => {
    const bad = { action: "No", from: [{ namespaces: 1 }], ports: [{ portNumber: { port: 0 } }] };
    expect(found({ ingress: [bad] }).problems).toHaveLength(5);
    expect(found({ ingress: times(100, bad) }).problems).toHaveLength(20);
  });

  test("text that could fool a terminal, which is shown escaped and cut", () => {
    const { problems } = found(from({ action: `\u001b[31m\u202e\n${"x".repeat(1000)}` }));
    expect(problems[0]).toMatch(/^error UnknownAction [\x20-\x7e]{0,200}\.\.\.$/);
  });
});

describe("fields of a newer API", () => {
  const unknownPeer = { galaxies: ["milky way"] };
  const domainNames = { domainNames: ["example.com"] };
  const everywhere = [{ kind: "everything" }];
  const pods = { kind: "pods", namespaces: everything, pods: everything };
  const port = { portNumber: { port: 80 } };

  test.each([
    ["Allow", [], "allow"],
    ["Deny", everywhere, "deny"],
    ["Pass", everywhere, "deny"],
  ] as const)("an unknown peer in %s fails closed for the whole rule", (action, peers, as) => {
    const named = "warning UnknownPeer spec.egress[0].to[1].domainNames: domainNames cannot be enforced here";
    const unnamed = "warning UnknownPeer spec.egress[0].to[1]: the peer has no field";
    for (const peer of [unknownPeer, domainNames, {}, { namespaces: null }]) {
      const { policy, problems } = found(to({ action, to: [all, peer], ports: [port] }));
      expect(policy?.rules.egress[0]).toMatchObject({ action: as, peers });
      if (as === "deny") expect(policy?.rules.egress[0]?.ports).toBeNull();
      expect(problems).toHaveLength(1);
      expect(problems[0]).toContain(peer === domainNames ? named : unnamed);
    }
  });

  test.each([
    ["Allow", [], "allow"],
    ["Deny", [pods], "deny"],
    ["Pass", [pods], "deny"],
  ] as const)("an unknown port in %s fails closed for the whole rule", (action, peers, as) => {
    const { policy, problems } = found(from({ action, ports: [port, { icmp: {} }] }));
    expect(policy?.rules.ingress[0]).toMatchObject({ action: as, peers });
    if (as === "deny") expect(policy?.rules.ingress[0]?.ports).toBeNull();
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain("warning UnknownPort spec.ingress[0].ports[1]: the port has no field");
  });

  test.each(["nodes", "networks"])("%s are unknown in ingress", (kind) => {
    const { policy, problems } = found(from({ from: [{ [kind]: {} }] }));
    expect(policy?.rules.ingress[0]?.peers).toEqual(everywhere);
    expect(problems[0]).toContain("UnknownPeer");
  });

  test("others are ignored where they stand, and named", () => {
    const spec = {
      priority: 1,
      extra: 1,
      subject: { pods: { namespaceSelector: {}, podSelector: {}, more: 1 } },
      ingress: [
        {
          action: "Deny",
          from: [{ ...all, mood: 1 }],
          to: 1,
          ports: [{ portNumber: { port: 1, x: 1 }, y: 1 }],
        },
      ],
    };
    const { policy, problems } = found(spec);
    expect(policy?.rules.ingress[0]).toMatchObject({ action: "deny", ports: [{ port: 1 }] });
    const ignored = "this field is not known here and is ignored";
    expect(problems.sort()).toEqual(
      [
        "spec.extra",
        "spec.ingress[0].from[0].mood",
        "spec.ingress[0].ports[0].portNumber.x",
        "spec.ingress[0].ports[0].y",
        "spec.ingress[0].to",
        "spec.subject.pods.more",
      ].map((path) => `warning UnknownField ${path}: ${ignored}`),
    );
  });
});

describe("stored, though it matches nothing", () => {
  test("a range from high to low is kept as it is", () => {
    const { policy, problems } = found(from({ ports: [{ portRange: { start: 9, end: 1 } }] }));
    expect(policy?.rules.ingress[0]?.ports).toEqual([{ kind: "range", protocol: "tcp", start: 9, end: 1 }]);
    expect(problems).toEqual([
      "warning InvalidField spec.ingress[0].ports[0].portRange: start 9 is above end 1, so the range matches nothing",
    ]);
  });

  test.each(["Web", "a--b", "80", "", "sixteen-letters-"])("named port %j", (name) => {
    const { policy, problems } = found(from({ ports: [{ namedPort: name }] }));
    expect(policy?.rules.ingress[0]?.ports).toEqual([{ kind: "named", name }]);
    expect(problems).toHaveLength(1);
  });
});

describe("logging", () => {
  const off = { allow: null, deny: null, pass: null, reject: null };
  const logging = (text: string) => {
    const annotations = new Map([["k8s.ovn.org/acl-logging", text]]);
    const { policy, problems } = adminNetworkPolicy.compile(
      object({ priority: 1, subject: all }, { annotations }),
      resolvesNothing,
    );
    expect(policy).not.toBeNull();
    for (const problem of problems)
      expect(problem).toMatchObject({
        code: "InvalidLogging",
        severity: "warning",
        field: 'metadata.annotations["k8s.ovn.org/acl-logging"]',
      });
    return [policy?.logging, problems.map((problem) => problem.message)];
  };

  test.each([
    ["", off],
    ["{}", off],
    [" { } ", off],
    ["null", off],
    ['{"deny": null, "other": 5}', off],
    ['{"deny": "", "allow": "info"}', { ...off, allow: "info" }],
    [
      '{ "deny": "alert", "allow": "alert", "pass" : "warning" }',
      { ...off, deny: "alert", allow: "alert", pass: "warning" },
    ],
    ['{"Deny": "notice", "ALLOW": "debug"}', { ...off, deny: "notice", allow: "debug" }],
    ['{"deny": "alert", "DENY": "info"}', { ...off, deny: "info" }],
  ])("%s", (text, wanted) => {
    expect(logging(text)).toEqual([wanted, []]);
  });

  test("a bad severity switches off that verdict only", () => {
    const message = (action: string, value: string) =>
      `disabling ${action} logging due to an invalid ${action} annotation. ${value} is not a valid log severity`;
    expect(logging('{"deny": "foobar", "allow": "info", "pass": 5}')).toEqual([
      { ...off, allow: "info" },
      [message("deny", '"foobar"'), message("pass", "5")],
    ]);
    expect(logging('{"deny": "Alert"}')).toEqual([off, [message("deny", '"Alert"')]]);
  });

  test.each(["{", "alert", "[]", '"deny"', "5"])("%s switches off everything", (text) => {
    expect(logging(text)).toEqual([
      off,
      [`disabling logging because ${JSON.stringify(text)} is not a JSON object`],
    ]);
  });
});
