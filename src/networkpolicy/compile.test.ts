// Table tests: one line for each rule of the API or of this program. Users see the paths and messages, so these are pinned.
// What is refused here, the API server refuses too, except for fields that it prunes.

import { describe, expect, test } from "@jest/globals";
import { anp, np, resolvesNothing } from "../../test/support/policies.ts";
import { adminNetworkPolicy } from "../anp/index.ts";
import { everything, requirements } from "../model/selector.ts";
import { namespacesNamed } from "../model/selectable.ts";
import type { PolicyPart } from "../policy/contracts/backend.ts";
import { networkPolicy } from "../../test/support/dialects.ts";
import { networkPolicyDialect } from "./compile.ts";

const web = { matchLabels: { app: "web" } };
const from = (...peers: unknown[]) => ({ podSelector: {}, ingress: [{ from: peers }] });
const ports = (...entries: unknown[]) => ({ podSelector: {}, ingress: [{ ports: entries }] });
const block = (cidr: unknown, ...except: unknown[]) => from({ ipBlock: { cidr, except } });

function found(spec: unknown, annotations: readonly (readonly [string, string])[] = []) {
  const { policy, problems } = networkPolicy.compile(np("p", spec, "shop", annotations), resolvesNothing);
  return { policy, problems: problems.map((p) => `${p.severity} ${p.code} ${p.field}: ${p.message}`) };
}

function compiled(spec: unknown) {
  const { policy, problems } = found(spec);
  expect(problems).toEqual([]);
  if (policy === null) throw new Error("refused");
  return policy;
}

const selector = requirements([{ operator: "In", key: "app", values: ["web"] }]);
const own = namespacesNamed(["shop"]);

test("every part of a good policy", () => {
  const rule = { name: "", share: null, subject: null, logging: null, action: "allow" };
  expect(
    compiled({
      podSelector: web,
      policyTypes: ["Egress", "Ingress"],
      ingress: [
        {
          from: [
            { podSelector: web },
            { namespaceSelector: web },
            { namespaceSelector: {}, podSelector: web },
          ],
        },
        { from: [{ ipBlock: { cidr: "10.0.5.1/8", except: ["10.1.0.0/16", "10.2.3.4/32"] } }], ports: [] },
      ],
      egress: [
        {
          ports: [
            { port: 80 },
            { port: 53, protocol: "UDP" },
            { port: 1, endPort: 9, protocol: "SCTP" },
            { port: 7, endPort: 7 },
            { port: "http" },
            { port: "dns", protocol: "UDP" },
            { protocol: "SCTP" },
            {},
          ],
        },
      ],
    }),
  ).toEqual({
    key: "NetworkPolicy.networking.k8s.io/shop/p",
    ref: { group: "networking.k8s.io", kind: "NetworkPolicy", namespace: "shop", name: "p" },
    ownerType: "NetworkPolicy",
    rowForm: { sets: "networkPolicy" },
    shortKind: "NP",
    tier: { name: "namespaced", order: 2 },
    priority: 0,
    subject: [{ kind: "pods", namespaces: own, pods: selector }],
    rules: {
      ingress: [
        {
          ...{ ...rule, index: 0, ports: null },
          peers: [
            { kind: "pods", namespaces: own, pods: selector },
            { kind: "pods", namespaces: selector, pods: everything },
            { kind: "pods", namespaces: everything, pods: selector },
          ],
        },
        {
          ...{ ...rule, index: 1, ports: null },
          peers: [{ kind: "network", cidr: "10.0.0.0/8", except: ["10.1.0.0/16", "10.2.3.4/32"] }],
        },
      ],
      egress: [
        {
          ...{ ...rule, index: 0, peers: [{ kind: "everything" }] },
          ports: [
            { kind: "port", protocol: "tcp", port: 80 },
            { kind: "port", protocol: "udp", port: 53 },
            { kind: "range", protocol: "sctp", start: 1, end: 9 },
            { kind: "port", protocol: "tcp", port: 7 },
            { kind: "named", name: "http", protocol: "tcp" },
            { kind: "named", name: "dns", protocol: "udp" },
            { kind: "protocol", number: 132 },
            { kind: "protocol", number: 6 },
          ],
        },
      ],
    },
    unmatched: { ingress: "deny", egress: "deny" },
    logging: { allow: null, deny: null, pass: null, reject: null },
  });
});

test.each<[string, object, "deny" | "next", "deny" | "next"]>([
  ["nothing", {}, "deny", "next"],
  ["ingress rules", { ingress: [{}] }, "deny", "next"],
  ["egress rules", { egress: [{}] }, "deny", "deny"],
  ["an empty list of egress rules", { egress: [] }, "deny", "next"],
  ["an empty list of policyTypes", { policyTypes: [], egress: [{}] }, "deny", "deny"],
  ["policyTypes that say null", { policyTypes: null }, "deny", "next"],
  ["policyTypes Egress", { policyTypes: ["Egress"] }, "next", "deny"],
  ["policyTypes Ingress", { policyTypes: ["Ingress"] }, "deny", "next"],
  ["both policyTypes", { policyTypes: ["Ingress", "Egress"] }, "deny", "deny"],
])("a policy with %s isolates ingress: %s, egress: %s", (_, spec, ingress, egress) => {
  expect(compiled({ podSelector: {}, ...spec }).unmatched).toEqual({ ingress, egress });
});

test("rules of a direction that is not isolated have no effect, and it is said", () => {
  const { policy, problems } = found({ podSelector: {}, policyTypes: ["Ingress"], egress: [{}] });
  expect(policy?.rules.egress).toEqual([]);
  expect(problems).toEqual([
    "warning InvalidField spec.egress: policyTypes does not name this direction, so these rules have no effect",
  ]);
});

test("without podSelector it is about all pods of its namespace", () => {
  expect(compiled({}).subject).toEqual([{ kind: "pods", namespaces: own, pods: everything }]);
});

test("an entry of rules without fields allows everything", () => {
  for (const entry of [{}, { from: [], ports: [] }, { from: null, ports: null }])
    expect(compiled({ ingress: [entry] }).rules.ingress).toMatchObject([
      { peers: [{ kind: "everything" }], ports: null },
    ]);
});

// prettier-ignore
const rejected: [string, unknown, string][] = [
  ["no spec", undefined, "MissingField spec: this field is required"],
  ["podSelector a list", { podSelector: [] }, "InvalidSelector spec.podSelector: must be an object, not a list"],
  ["a bad operator", { podSelector: { matchExpressions: [{ key: "a", operator: "Gt" }] } }, 'InvalidSelector spec.podSelector.matchExpressions[0].operator: must be In, NotIn, Exists or DoesNotExist, not "Gt"'],
  ["an unknown policyType", { policyTypes: ["Both"] }, 'InvalidField spec.policyTypes[0]: must be Ingress or Egress, not "Both"'],
  ["three policyTypes", { policyTypes: ["Ingress", "Egress", "Egress"] }, "TooMany spec.policyTypes: must have at most 2 elements, not 3"],
  ["ingress an object", { ingress: {} }, "InvalidField spec.ingress: must be a list, not an object"],
  ["a rule that is no object", { ingress: [5] }, "InvalidField spec.ingress[0]: must be an object, not 5"],
  ["from an object", { ingress: [{ from: {} }] }, "InvalidField spec.ingress[0].from: must be a list, not an object"],
  ["an empty peer", from({}), "MissingField spec.ingress[0].from[0]: must have one of podSelector, namespaceSelector, ipBlock"],
  ["a peer of nulls", { egress: [{ to: [null] }] }, "MissingField spec.egress[0].to[0]: this field is required"],
  ["a selector beside ipBlock", from({ ipBlock: { cidr: "10.0.0.0/8" }, podSelector: {} }), "InvalidField spec.ingress[0].from[0]: must not have selectors beside ipBlock"],
  ["an ipBlock without cidr", from({ ipBlock: {} }), "MissingField spec.ingress[0].from[0].ipBlock.cidr: this field is required"],
  ["an address for a cidr", block("10.0.0.1"), 'InvalidCIDR spec.ingress[0].from[0].ipBlock.cidr: "10.0.0.1" is not a network in CIDR notation'],
  ["except of another family", block("10.0.0.0/8", "fd00::/8"), 'InvalidCIDR spec.ingress[0].from[0].ipBlock.except[0]: "fd00::/8" is not a smaller network inside 10.0.0.0/8'],
  ["except outside", block("10.0.0.0/8", "11.0.0.0/16"), 'InvalidCIDR spec.ingress[0].from[0].ipBlock.except[0]: "11.0.0.0/16" is not a smaller network inside 10.0.0.0/8'],
  ["except all of it", block("10.0.0.0/8", "10.0.0.0/8"), 'InvalidCIDR spec.ingress[0].from[0].ipBlock.except[0]: "10.0.0.0/8" is not a smaller network inside 10.0.0.0/8'],
  ["except more than it", block("10.0.0.0/8", "0.0.0.0/0"), 'InvalidCIDR spec.ingress[0].from[0].ipBlock.except[0]: "0.0.0.0/0" is not a smaller network inside 10.0.0.0/8'],
  ["except no network", block("10.0.0.0/8", "x"), 'InvalidCIDR spec.ingress[0].from[0].ipBlock.except[0]: "x" is not a network in CIDR notation'],
  ["except no list", from({ ipBlock: { cidr: "10.0.0.0/8", except: "10.1.0.0/16" } }), 'InvalidField spec.ingress[0].from[0].ipBlock.except: must be a list, not "10.1.0.0/16"'],
  ["an unknown protocol", ports({ protocol: "ICMP" }), 'UnknownProtocol spec.ingress[0].ports[0].protocol: must be TCP, UDP or SCTP, not "ICMP"'],
  ["a protocol in lower case", ports({ protocol: "tcp", port: 1 }), 'UnknownProtocol spec.ingress[0].ports[0].protocol: must be TCP, UDP or SCTP, not "tcp"'],
  ["port 0", ports({ port: 0 }), "InvalidField spec.ingress[0].ports[0].port: must be an integer from 1 to 65535, not 0"],
  ["port 65536", ports({ port: 65536 }), "InvalidField spec.ingress[0].ports[0].port: must be an integer from 1 to 65535, not 65536"],
  ["a number as a name", ports({ port: "80" }), 'InvalidField spec.ingress[0].ports[0].port: "80" cannot be the name of a container port'],
  ["a name that is too long", ports({ port: "a234567890123456" }), 'InvalidField spec.ingress[0].ports[0].port: "a234567890123456" cannot be the name of a container port'],
  ["endPort below port", ports({ port: 9, endPort: 8 }), "InvalidField spec.ingress[0].ports[0].endPort: must not be below port 9"],
  ["endPort without port", ports({ endPort: 8 }), "InvalidField spec.ingress[0].ports[0].endPort: must not be given without port"],
  ["endPort with a name", ports({ port: "http", endPort: 8 }), "InvalidField spec.ingress[0].ports[0].endPort: must not be given with the name of a port"],
  ["endPort 65536", ports({ port: 9, endPort: 65536 }), "InvalidField spec.ingress[0].ports[0].endPort: must be an integer from 1 to 65535, not 65536"],
];

test.each(rejected)("%s is refused", (_, spec, message) => {
  const { policy, problems } = found(spec);
  expect(policy).toBeNull();
  expect(problems[0]).toBe(`error ${message}`);
});

// prettier-ignore
const unknowns: [string, object, string][] = [
  ["a field of a rule", { protocols: [] }, "UnknownPeer spec.egress[0].protocols"],
  ["a peer of the future", { to: [{ podSelector: {} }, { galaxies: {} }] }, "UnknownPeer spec.egress[0].to[1].galaxies"],
  ["a field beside a selector", { to: [{ podSelector: {}, galaxies: {} }] }, "UnknownPeer spec.egress[0].to[0].galaxies"],
  ["a field of an ipBlock", { to: [{ ipBlock: { cidr: "::/0", zone: "a" } }] }, "UnknownPeer spec.egress[0].to[0].ipBlock.zone"],
  ["a field of a port", { ports: [{ port: 1, sourcePort: 2 }] }, "UnknownPort spec.egress[0].ports[0].sourcePort"],
];

describe("what is not known fails closed", () => {
  test.each(unknowns)("%s", (_, rule, path) => {
    const { policy, problems } = found({ policyTypes: ["Egress"], egress: [rule, {}] });
    expect(problems).toEqual([`warning ${path}: this field is not known here, so the rule matches nothing`]);
    expect(policy?.rules.egress).toMatchObject([
      { index: 0, peers: [] },
      { peers: [{ kind: "everything" }] },
    ]);
    expect(policy?.unmatched.egress).toBe("deny");
  });

  test("a field of the spec is ignored, and said", () => {
    expect(found({ priority: 1 }).problems).toEqual([
      "warning UnknownField spec.priority: this field is not known here and is ignored",
    ]);
  });
});

describe("the annotation of the namespace says what is logged", () => {
  const logged = (text: string | null) => {
    const { policy, problems } = networkPolicy.compile(np("p", {}), resolvesNothing, (name) =>
      name === "shop" ? text : "other",
    );
    return [policy?.logging, problems.map(({ code, field, message }) => `${code} ${field}: ${message}`)];
  };
  const silent = { allow: null, deny: null, pass: null, reject: null };

  test.each([
    [null, silent],
    ["{}", silent],
    ['{"allow": "info", "deny": "alert"}', { ...silent, allow: "info", deny: "alert" }],
  ])("%s", (text, expected) => {
    expect(logged(text)).toEqual([expected, []]);
  });

  test("a part that is invalid is switched off, and the policy stays in force", () => {
    expect(logged('{"allow": "info", "deny": "loud"}')).toEqual([
      { ...silent, allow: "info" },
      [
        'InvalidLogging metadata.namespace: disabling deny logging due to an invalid deny annotation. "loud" is not a valid log severity',
      ],
    ]);
    expect(logged("loud")).toEqual([
      silent,
      ['InvalidLogging metadata.namespace: disabling logging because "loud" is not a JSON object'],
    ]);
  });
});

describe("the annotation for rules that follow no connections", () => {
  const path = 'metadata.annotations["k8s.ovn.org/acl-stateless"]';
  const tracked = "the policy's rules follow connections";
  const neither = (text: string) => [
    `warning InvalidField ${path}: must be true or false, not ${text}: ${tracked}`,
  ];
  const off = [`warning Unsupported ${path}: honoured only with --stateless-network-policy=true: ${tracked}`];
  test.each<[string, isObeyed: boolean, stateless: true | undefined, string[]]>([
    ["true", false, undefined, off],
    ["true", true, true, []],
    ["false", false, undefined, []],
    ["false", true, undefined, []],
    ["True", false, undefined, neither('"True"')],
    ["yes", true, undefined, neither('"yes"')],
    ["", true, undefined, neither('""')],
  ])("%j, which the program obeys: %j", (text, isObeyed, stateless, problems) => {
    const dialect = networkPolicyDialect({ stateless: isObeyed });
    const annotations = [["k8s.ovn.org/acl-stateless", text]] as const;
    const compiledOnce = dialect.compile(np("p", {}, "shop", annotations), resolvesNothing);
    expect(compiledOnce.policy?.stateless).toBe(stateless);
    expect(compiledOnce.problems.map((p) => `${p.severity} ${p.code} ${p.field}: ${p.message}`)).toEqual(
      problems,
    );
    // The default is not to obey it; what is refused is outlined alike.
    if (!isObeyed) expect(found({}, annotations).problems).toEqual(problems);
    const refused = dialect.compile(np("p", { podSelector: 5 }, "shop", annotations), resolvesNothing);
    expect([refused.policy, refused.outline?.stateless]).toEqual([null, stateless]);
  });

  test("is of the policy and makes no rule another one", () => {
    const on = networkPolicyDialect({ stateless: true });
    const spec = { ingress: [{ from: [{ podSelector: web }] }], egress: [{}] };
    const [plain, stateless] = [[], [["k8s.ovn.org/acl-stateless", "true"]] as const].map(
      (annotations) => on.compile(np("p", spec, "shop", annotations), resolvesNothing).policy,
    );
    expect(stateless).toEqual({ ...plain, stateless: true });
  });
});

test.each<[PolicyPart, string]>([
  [{ kind: "policy" }, "spec"],
  [{ kind: "tier" }, "spec"],
  [{ kind: "priority" }, "spec"],
  [{ kind: "subject" }, "spec.podSelector"],
  [{ kind: "unmatched", direction: "egress" }, "spec.policyTypes"],
  [{ kind: "rule", direction: "egress", index: 3, field: "ports" }, "spec.egress[3].ports"],
  [{ kind: "rule", direction: "ingress", index: 0, field: "peers" }, "spec.ingress[0].from"],
  [{ kind: "rule", direction: "ingress", index: 1, field: "action" }, "spec.ingress[1]"],
])("what the backend refuses of %j is told under %s", (part, field) => {
  expect(networkPolicy.fieldOf(part)).toBe(field);
});

test("the same allows in AdminNetworkPolicy are the same rules", () => {
  const pods = { namespaceSelector: web, podSelector: web };
  const admin = adminNetworkPolicy.compile(
    anp("p", {
      ingress: [
        {
          action: "Allow",
          from: [{ namespaces: web }, { pods }],
          ports: [{ portNumber: { port: 80 } }, { portRange: { protocol: "UDP", start: 1, end: 2 } }],
        },
      ],
      egress: [{ action: "Allow", to: [{ networks: ["10.0.0.0/8"] }] }],
    }),
    resolvesNothing,
  );
  const now = compiled({
    ingress: [
      {
        from: [{ namespaceSelector: web }, pods],
        ports: [{ port: 80 }, { protocol: "UDP", port: 1, endPort: 2 }],
      },
    ],
    egress: [{ to: [{ ipBlock: { cidr: "10.0.0.0/8" } }] }],
  });
  expect(now.rules).toEqual(admin.policy?.rules);
});

test("no policy conflicts with another about priority", () => {
  const [traits] = networkPolicy.kinds;
  expect(traits?.events.samePriority).toBeNull();
});

test("what stands in two versions of a policy is read once, and in another namespace anew", () => {
  const kept = [{ podSelector: web }];
  const spec = (port: number) => ({
    podSelector: {},
    policyTypes: ["Ingress"],
    ingress: [{ from: kept, ports: [{ port }] }, ...keptRules],
  });
  const keptRules = [{ from: [{ podSelector: web }] }];
  const before = compiled(spec(80)).rules.ingress;
  const after = compiled(spec(81)).rules.ingress;
  expect(after[0]?.peers).toBe(before[0]?.peers);
  expect(after[1]).toBe(before[1]);
  expect(after[0]?.ports).toEqual([{ kind: "port", protocol: "tcp", port: 81 }]);
  const elsewhere = networkPolicy.compile(np("p", spec(80), "bank"), resolvesNothing).policy;
  expect(elsewhere?.rules.ingress[1]?.peers).toEqual([
    { kind: "pods", namespaces: namespacesNamed(["bank"]), pods: selector },
  ]);
});
