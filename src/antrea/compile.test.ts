// Table tests: one line for each rule of the API or of this program. Users see the paths and messages, so these are pinned.

import { describe, expect, test } from "@jest/globals";
import { acnp, annp, clusterGroup, group, resolving, service, tier } from "../../test/support/antrea.ts";
import { cnp, resolvesNothing } from "../../test/support/policies.ts";
import { clusterNetworkPolicy } from "../cnp/index.ts";
import type { PolicyObject, ReferencedObject } from "../model/object.ts";
import { namespacesNamed, podsRunningAs } from "../model/selectable.ts";
import { everything, requirements } from "../model/selector.ts";
import { Ranking } from "../nbdb/ranking/ranking.ts";
import type { PolicyPart } from "../policy/contracts/backend.ts";
import { antrea } from "../../test/support/dialects.ts";

const web = { matchLabels: { app: "web" } };
const webPods = requirements([{ operator: "In", key: "app", values: ["web"] }]);
const own = namespacesNamed(["shop"]);
const all = { podSelector: {} };
const good = { priority: 5, appliedTo: [all] };
const anywhere = [
  { kind: "network", cidr: "0.0.0.0/0", except: [] },
  { kind: "network", cidr: "::/0", except: [] },
];
const pods = (namespaces: typeof everything, selected: typeof everything) => ({
  ...{ kind: "pods", namespaces, pods: selected },
});

function found(object: PolicyObject, ...others: readonly ReferencedObject[]) {
  const { policy, problems } = antrea.compile(object, resolving(...others).resolve);
  return { policy, problems: problems.map((p) => `${p.severity} ${p.code} ${p.field}: ${p.message}`) };
}

/** The policy, of which nothing is told. */
function compiled(object: PolicyObject, ...others: readonly ReferencedObject[]) {
  const { policy, problems } = found(object, ...others);
  expect(problems).toEqual([]);
  if (policy === null) throw new Error("refused");
  return policy;
}

const ruled = (direction: "ingress" | "egress", ...rules: readonly unknown[]) =>
  acnp("p", { ...good, [direction]: rules });

/** The first rule, in short, with what was told. */
function ruleOf(object: PolicyObject, direction: "ingress" | "egress", ...others: ReferencedObject[]) {
  const { policy, problems } = found(object, ...others);
  const rule = policy?.rules[direction][0];
  return { rule: rule && { action: rule.action, peers: rule.peers, ports: rule.ports }, problems };
}

test("every part of a good policy", () => {
  const policy = compiled(
    acnp("p", {
      priority: 1.5,
      tier: "SecurityOps",
      appliedTo: [
        { podSelector: web },
        { namespaceSelector: web },
        { serviceAccount: { name: "sa", namespace: "shop" } },
      ],
      ingress: [
        {
          ...{ action: "Allow", name: "first", enableLogging: true, logLabel: "a.b-c" },
          from: [{ podSelector: web }, { ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } }],
          ports: [{ port: 80 }, { port: 1, endPort: 9, protocol: "UDP" }, { port: "http" }, {}],
        },
        { action: "Reject" },
      ],
      egress: [{ action: "Pass", to: [{ nodeSelector: web }], protocols: [{ icmp: { icmpType: 8 } }] }],
    }),
  );
  const plain = { share: null, subject: null };
  expect(policy).toEqual({
    key: "ClusterNetworkPolicy.crd.antrea.io/p",
    ref: { group: "crd.antrea.io", kind: "ClusterNetworkPolicy", namespace: null, name: "p" },
    ...{ ownerType: "AntreaClusterNetworkPolicy", shortKind: "ACNP", interleaved: true },
    rowForm: { sets: "selector", ownerType: "NorthgateAntreaSelector" },
    ...{ tier: { name: "admin", order: 1 }, apiTier: "securityops", priority: (100 - 251) * 10_001 + 1.5 },
    subject: [pods(everything, webPods), pods(webPods, everything), pods(own, podsRunningAs(["sa"]))],
    rules: {
      ingress: [
        {
          ...{ ...plain, index: 0, name: "first", action: "allow" },
          logging: { severity: "info", label: "a.b-c" },
          peers: [
            pods(everything, webPods),
            { kind: "network", cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] },
          ],
          ports: [
            { kind: "port", protocol: "tcp", port: 80 },
            { kind: "range", protocol: "udp", start: 1, end: 9 },
            { kind: "named", protocol: "tcp", name: "http" },
            { kind: "protocol", number: 6 },
          ],
        },
        { ...plain, index: 1, name: "", action: "reject", logging: null, peers: anywhere, ports: null },
      ],
      egress: [
        {
          ...{ ...plain, index: 0, name: "", action: "pass", logging: null },
          peers: [{ kind: "nodes", nodes: webPods }],
          ports: [{ kind: "icmp", family: null, type: 8, code: null }],
        },
      ],
    },
    unmatched: { ingress: "next", egress: "next" },
    logging: { allow: null, deny: null, pass: null, reject: null },
  });
});

test("a policy of a namespace is about its own pods unless it says otherwise", () => {
  const policy = compiled(
    annp("p", {
      ...{ priority: 5, appliedTo: [{}, { podSelector: web }] },
      ingress: [{ action: "Drop", from: [{}, { podSelector: web }, { namespaceSelector: web }] }],
    }),
  );
  expect(policy.ref).toMatchObject({ namespace: "shop" });
  expect([policy.ownerType, policy.shortKind]).toEqual(["AntreaNetworkPolicy", "ANNP"]);
  expect(policy.subject).toEqual([pods(own, everything), pods(own, webPods)]);
  expect(policy.rules.ingress[0]?.peers).toEqual([
    ...[pods(own, everything), pods(own, webPods), pods(webPods, everything)],
  ]);
});

describe("places", () => {
  const placeOf = (spec: unknown, ...tiers: ReferencedObject[]) => {
    const { policy, problems } = found(acnp("p", { ...good, ...(spec as object) }), ...tiers);
    return [policy?.tier.name, policy?.priority, ...problems];
  };
  test.each<[unknown, string, number]>([
    [{}, "admin", (250 - 251) * 10_001 + 5],
    [{ tier: "" }, "admin", (250 - 251) * 10_001 + 5],
    [{ tier: "application", priority: 10_000 }, "admin", -1],
    [{ tier: "emergency", priority: 1 }, "admin", (50 - 251) * 10_001 + 1],
    [{ tier: "NetworkOps", priority: 1.001 }, "admin", (150 - 251) * 10_001 + 1.001],
    [{ tier: "platform" }, "admin", (200 - 251) * 10_001 + 5],
    [{ tier: "Baseline" }, "baseline", 5 - 10_001 - 1001],
  ])("%j", (spec, name, priority) => {
    expect(placeOf(spec)).toEqual([name, priority]);
  });

  const cnpBaseline = (name: string, priority: number) => {
    const ingress = [{ action: "Deny", from: [{ namespaces: {} }] }];
    const object = cnp(name, { tier: "Baseline", priority, subject: { namespaces: {} }, ingress });
    const { policy } = clusterNetworkPolicy.compile(object, resolvesNothing);
    if (policy === null) throw new Error("refused");
    return policy;
  };
  const first = { index: 0, action: "deny" } as const;

  test.each([1, 9000, 9000.5, 9500, 9999.999, 10_000])(
    "baseline %d is asked before every ClusterNetworkPolicy of tier Baseline",
    (priority) => {
      const late = compiled(
        acnp("z", { ...good, tier: "baseline", priority, ingress: [{ action: "Drop" }] }),
      );
      const others = [0, 1, 1000].map((own) => cnpBaseline(`a-${own}`, own));
      for (const policies of [
        [late, ...others],
        [...others, late],
      ]) {
        const ranking = new Ranking("documented");
        for (const policy of policies) ranking.upsert(policy);
        const [mine, ...theirs] = [late, ...others].map(({ key }) => ranking.place(key, first));
        for (const { tier: aclTier, priority: aclPriority } of theirs) {
          expect(aclTier).toBe(mine?.tier);
          expect(aclPriority).toBeLessThan(mine?.priority ?? 0);
        }
      }
    },
  );
  test("and without it, those policies have the places that they always had", () => {
    const ranking = new Ranking("documented");
    const policies = [0, 1, 500, 1000].map((own) => cnpBaseline(`a-${own}`, own));
    for (const policy of policies) ranking.upsert(policy);
    expect(policies.map(({ key }) => ranking.place(key, first).priority)).toEqual([
      32753, 32722, 17259, 1766,
    ]);
  });
  test("a Tier object brings a tier, and none of the built-in ones has another priority by one", () => {
    expect(placeOf({ tier: "mine" }, tier("mine", { priority: 0 }))).toEqual(["admin", -251 * 10_001 + 5]);
    expect(placeOf({ tier: "platform" }, tier("platform", { priority: 200 }))).toHaveLength(2);
    expect(placeOf({ tier: "platform" }, tier("platform", { priority: 3 })).slice(1)).toEqual([
      (200 - 251) * 10_001 + 5,
      "warning InvalidField spec.tier: the object Tier platform has another priority than 200, which stays in force",
    ]);
  });
  test.each<[unknown, string, ...ReferencedObject[]]>([
    [
      { tier: "mine" },
      "spec.tier: Tier mine: spec.priority: must be an integer from 0 to 250, not 252",
      tier("mine", { priority: 252 }),
    ],
    [
      { tier: "mine" },
      "spec.tier: Tier mine: spec.priority: 200 is the priority of the tier platform",
      tier("mine", { priority: 200 }),
    ],
    [{ tier: "a/b" }, 'spec.tier: "a/b" is not a name of a tier'],
    [{ priority: 0.5 }, "spec.priority: must be a number from 1 to 10000, not 0.5"],
    [{ priority: 10_001 }, "spec.priority: must be a number from 1 to 10000, not 10001"],
    [
      { tier: "baseline", ingress: [{ action: "Pass" }] },
      "spec.ingress[0].action: Pass must not be in the tier baseline, which is the last one",
    ],
  ])("%j is refused", (spec, message, ...tiers) => {
    const [, , ...problems] = placeOf(spec, ...tiers);
    expect(problems.join()).toContain(`error InvalidField ${message}`);
    expect(found(acnp("p", { ...good, ...(spec as object) }), ...tiers).policy).toBeNull();
  });

  test("a tier that is not there is refused", () => {
    const { policy, problems } = found(acnp("p", { ...good, tier: "mine" }));
    expect([policy, problems]).toEqual([null, ["error MissingReference spec.tier: there is no tier mine"]]);
  });
});

describe("refused whole", () => {
  const one = { action: "Drop" };
  const from = (...peers: unknown[]) => ({ ingress: [{ action: "Allow", from: peers }] });
  const to = (...peers: unknown[]) => ({ egress: [{ action: "Allow", to: peers }] });
  const ports = (...entries: unknown[]) => ({ ingress: [{ action: "Allow", ports: entries }] });
  const rule = (rest: object) => ({ egress: [{ action: "Drop", ...rest }] });
  const applied = (...entries: unknown[]) => ({ appliedTo: entries });

  test.each<[string, object]>([
    ["spec.appliedTo: must be in the policy or in each of its rules", { appliedTo: undefined }],
    ["spec.ingress[0].appliedTo: must not be in a rule beside", { ingress: [{ ...one, appliedTo: [all] }] }],
    [
      "spec.ingress[1].appliedTo: must be in every rule or in none",
      { appliedTo: [], ingress: [{ ...one, appliedTo: [all] }, { action: "Allow" }] },
    ],
    ["spec.appliedTo[0]: must have only one of group, podSelector", applied({ group: "g", podSelector: {} })],
    [
      "spec.appliedTo: an entry with service must not be",
      applied({ service: { name: "s", namespace: "n" } }, all),
    ],
    [
      "spec.ingress[0].appliedTo[0].nodeSelector: must be in the policy's appliedTo",
      {
        ...{ appliedTo: [], ingress: [{ ...one, appliedTo: [{ nodeSelector: {} }] }] },
      },
    ],
    [
      "spec.egress[0]: must not be of a policy that is applied to a Service",
      {
        ...applied({ service: { name: "s", namespace: "n" } }),
        egress: [one],
      },
    ],
    [
      "spec.ingress[0].from[0]: must be an ipBlock in a rule that",
      {
        ...applied({ service: { name: "s", namespace: "n" } }),
        ...from(all),
      },
    ],
    ["spec.ingress[0].action: this field is required", { ingress: [{}] }],
    [
      "spec.ingress[0].from[0]: must have only one of ipBlock, podSelector",
      from({ podSelector: {}, ipBlock: {} }),
    ],
    [
      'spec.ingress[0].from[0].ipBlock.cidr: "10.0.0.0/33" is not',
      from({ ipBlock: { cidr: "10.0.0.0/33" } }),
    ],
    [
      'spec.ingress[0].from[0].ipBlock.except[0]: "11.0.0.0/8" is not a smaller',
      from({
        ipBlock: { cidr: "10.0.0.0/8", except: ["11.0.0.0/8"] },
      }),
    ],
    [
      "spec.ingress[0].from[0].namespaces: must not be beside namespaceSelector",
      from({
        ...{ namespaces: { match: "Self" }, namespaceSelector: {} },
      }),
    ],
    ["spec.ingress[0].from[0].namespaces: must have one of match, sameLabels", from({ namespaces: {} })],
    ["spec.ingress[0].from[0].namespaces.match: must be Self", from({ namespaces: { match: "All" } })],
    [
      "spec.ingress[0].from[0].namespaces.sameLabels: must have at least 1",
      from({
        namespaces: { sameLabels: [] },
      }),
    ],
    [
      'spec.ingress[0].from[0].namespaces.sameLabels[0]: "a b" is not',
      from({ namespaces: { sameLabels: ["a b"] } }),
    ],
    ["spec.ingress[0].from[0].fqdn: must not be in an ingress rule", from({ fqdn: "a.b" })],
    ['spec.egress[0].to[0].fqdn: "a b" is not a domain name', to({ fqdn: "a b" })],
    ["spec.egress[0].to[0].scope: must be Cluster or ClusterSet", to({ podSelector: {}, scope: "World" })],
    ['spec.egress[0].to[0].group: "a/b" is not a valid name', to({ group: "a/b" })],
    [
      'spec.egress[0].to[0].podSelector.matchLabels.app: "a b" is not a valid label value',
      to({
        podSelector: { matchLabels: { app: "a b" } },
      }),
    ],
    [
      "spec.egress[0].to: must not have multicast networks beside",
      to({ ipBlock: { cidr: "224.0.0.0/8" } }, { ipBlock: { cidr: "10.0.0.0/8" } }),
    ],
    [
      "spec.egress[0].action: must be Allow or Drop in a rule with a multicast network",
      rule({
        ...{ action: "Reject", to: [{ ipBlock: { cidr: "224.0.0.0/8" } }] },
      }),
    ],
    [
      "spec.egress[0].action: must be Allow or Drop in a rule with igmp",
      rule({ action: "Pass", protocols: [{ igmp: {} }] }),
    ],
    ["spec.egress[0].ports: must not be beside igmp", rule({ ports: [{}], protocols: [{ igmp: {} }] })],
    [
      "spec.egress[0].protocols: icmp must not be beside igmp",
      rule({ protocols: [{ igmp: {} }, { icmp: {} }] }),
    ],
    [
      "spec.egress[0].protocols[0].igmp.igmpType: must be one of 0x12, 0x16, 0x22",
      rule({
        protocols: [{ igmp: { igmpType: 0x11 } }],
      }),
    ],
    [
      'spec.egress[0].protocols[0].igmp.groupAddress: "10.0.0.1" is not',
      rule({
        protocols: [{ igmp: { groupAddress: "10.0.0.1" } }],
      }),
    ],
    [
      "spec.egress[0].protocols[0].icmp.icmpType: must be an integer from 0 to 255",
      rule({
        protocols: [{ icmp: { icmpType: 256 } }],
      }),
    ],
    ["spec.egress[0].protocols[0]: must have one of icmp, igmp", rule({ protocols: [{}] })],
    [
      "spec.egress[0].to: must not be beside toServices",
      rule({
        ...{ to: [all], toServices: [{ name: "s", namespace: "n" }] },
      }),
    ],
    ["spec.egress[0].toServices[0].namespace: this field is required", rule({ toServices: [{ name: "s" }] })],
    ["spec.egress[0].l7Protocols: must only be in a rule that allows", rule({ l7Protocols: [{ http: {} }] })],
    [
      "spec.egress[0].ports[0].protocol: must not be beside http",
      rule({
        ...{ action: "Allow", l7Protocols: [{ http: {} }], ports: [{ protocol: "UDP" }] },
      }),
    ],
    ["spec.ingress[0].ports[0].endPort: must not be given without the port", ports({ endPort: 9 })],
    ["spec.ingress[0].ports[0].endPort: must not be below port 9", ports({ port: 9, endPort: 8 })],
    [
      "spec.ingress[0].ports[0].endPort: must not be given with the name",
      ports({ port: "http", endPort: 8 }),
    ],
    ["spec.ingress[0].ports[0].sourceEndPort: must not be given without", ports({ sourceEndPort: 8 })],
    ["spec.ingress[0].ports[0].protocol: must be TCP, UDP or SCTP", ports({ protocol: "ICMP" })],
    [
      'spec.ingress[0].logLabel: "a b" is not a valid label value',
      { ingress: [{ ...one, logLabel: "a b" }] },
    ],
    [
      'spec.egress[0].name: "x" is the name of spec.ingress[0] too',
      {
        ...{ ingress: [{ ...one, name: "x" }], egress: [{ ...one, name: "x" }] },
      },
    ],
    ["spec.egress[1]: says the same as spec.egress[0]", { egress: [one, one] }],
  ])("%s", (message, spec) => {
    const { policy, problems } = found(acnp("p", { ...good, ...spec }));
    expect(problems.filter((text) => text.includes(` ${message}`))).toHaveLength(1);
    expect(policy).toBeNull();
  });

  test.each<[string, object]>([
    ["spec.appliedTo[0].namespaceSelector: only a", applied({ namespaceSelector: {} })],
    ["spec.appliedTo[0].serviceAccount: only a", applied({ serviceAccount: { name: "a", namespace: "b" } })],
    ["spec.appliedTo[0].service: only a", applied({ service: { name: "a", namespace: "b" } })],
    ["spec.appliedTo[0].nodeSelector: only a", applied({ nodeSelector: {} })],
    ["spec.ingress[0].from[0].namespaces: only a", from({ namespaces: { match: "Self" } })],
    [
      "spec.ingress[0].from[0].serviceAccount: only a",
      from({ serviceAccount: { name: "a", namespace: "b" } }),
    ],
  ])("of a namespace: %s", (message, spec) => {
    const { policy, problems } = found(annp("p", { ...good, ...spec }));
    expect(problems.filter((text) => text.includes(` ${message}`))).toHaveLength(1);
    expect(policy).toBeNull();
  });
});

describe("what cannot be said closes its rule and leaves the others", () => {
  const tcp443 = [{ kind: "port", protocol: "tcp", port: 443 }];
  const name = { fqdn: "*.example.com" };
  const port = [{ port: 443 }];

  test.each<[string, object, object]>([
    [
      "spec.egress[0].to[0].fqdn: domain names are not resolved",
      { action: "Allow", to: [name, all], ports: port },
      {
        ...{ action: "allow", peers: [pods(everything, everything)], ports: tcp443 },
      },
    ],
    [
      "spec.egress[0].to[0].fqdn: domain names are not resolved",
      { action: "Allow", to: [name] },
      { action: "allow", peers: [], ports: null },
    ],
    [
      "spec.egress[0].to[0].fqdn: domain names are not resolved",
      { action: "Reject", to: [name, all], ports: port },
      {
        ...{ action: "deny", peers: anywhere, ports: tcp443 },
      },
    ],
    [
      "spec.egress[0].to[0].fqdn: domain names are not resolved",
      { action: "Pass", to: [name] },
      { action: "deny", peers: anywhere, ports: null },
    ],
    [
      "spec.egress[0].to[0].externalEntitySelector: external",
      {
        ...{ action: "Drop", to: [{ externalEntitySelector: {}, namespaceSelector: {} }] },
      },
      { action: "deny", peers: anywhere, ports: null },
    ],
    [
      "spec.egress[0].to[0].scope: pods of other",
      { action: "Allow", to: [{ podSelector: {}, scope: "ClusterSet" }] },
      {
        ...{ action: "allow", peers: [], ports: null },
      },
    ],
    [
      "spec.egress[0].to[0].planet: this field is not known",
      { action: "Allow", to: [{ podSelector: {}, planet: {} }] },
      {
        ...{ action: "allow", peers: [], ports: null },
      },
    ],
    [
      "spec.egress[0].to[0]: an empty peer selects nothing",
      { action: "Drop", to: [{}, all] },
      {
        ...{ action: "deny", peers: [pods(everything, everything)], ports: null },
      },
    ],
    [
      "spec.egress[0].l7Protocols: the content of connections is not inspected",
      { action: "Allow", to: [all], ports: port, l7Protocols: [{ http: {} }] },
      {
        ...{ action: "deny", peers: [pods(everything, everything)], ports: tcp443 },
      },
    ],
    [
      "spec.egress[0].protocols[0].igmp.igmpType: OVN",
      {
        ...{ action: "Drop", protocols: [{ igmp: { igmpType: 0x16, groupAddress: "225.1.2.3" } }] },
      },
      {
        ...{ action: "deny", peers: [{ kind: "network", cidr: "225.1.2.3/32", except: [] }] },
        ports: [{ kind: "protocol", number: 2 }],
      },
    ],
    [
      "spec.egress[0].protocols[0].igmp.igmpType: OVN",
      { action: "Allow", protocols: [{ igmp: { igmpType: 0x16 } }] },
      {
        ...{ action: "allow", peers: [], ports: null },
      },
    ],
    [
      "spec.egress[0].action: must be one of Allow, Drop, Reject, Pass, not",
      { action: "Deny", to: [all], ports: port },
      {
        ...{ action: "deny", peers: anywhere, ports: tcp443 },
      },
    ],
    [
      "spec.egress[0].when: this field",
      { action: "Allow", to: [all], when: "noon" },
      {
        ...{ action: "allow", peers: [], ports: null },
      },
    ],
    [
      "spec.egress[0].when: this field",
      { action: "Pass", to: [all], when: "noon", ports: port },
      {
        ...{ action: "deny", peers: anywhere, ports: tcp443 },
      },
    ],
    [
      "spec.egress[0].ports[0].speed: this field",
      { action: "Drop", to: [all], ports: [{ speed: 1 }, { port: 443 }] },
      {
        ...{ action: "deny", peers: [pods(everything, everything)], ports: null },
      },
    ],
    [
      "spec.egress[0].ports[0].speed: this field",
      { action: "Allow", to: [all], ports: [{ speed: 1 }, { port: 443 }] },
      {
        ...{ action: "allow", peers: [pods(everything, everything)], ports: tcp443 },
      },
    ],
  ])("%s %j", (message, rule, expected) => {
    const { policy, problems } = found(ruled("egress", rule, { action: "Pass" }));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^error /);
    expect(problems[0]).toContain(` ${message}`);
    expect(policy?.rules.egress).toHaveLength(2);
    expect(policy?.rules.egress[0]).toMatchObject(expected);
    expect(policy?.rules.egress[1]).toMatchObject({ action: "pass", peers: anywhere, ports: null });
  });

  test.each<[string, object]>([
    ["spec.appliedTo[0].nodeSelector: OVN has no rows", { nodeSelector: {} }],
    ["spec.appliedTo[0].service: OVN has no rows", { service: { name: "s", namespace: "n" } }],
    ["spec.appliedTo[0].externalEntitySelector: OVN has no rows", { externalEntitySelector: {} }],
    ["spec.appliedTo[0].planet: this field is not known", { podSelector: {}, planet: 1 }],
    ["spec.appliedTo[0]: an empty entry selects nothing", {}],
  ])("%s", (message, entry) => {
    const { policy, problems } = found(acnp("p", { ...good, appliedTo: [entry] }));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(` ${message}`);
    expect(policy?.subject).toEqual([]);
  });
});

describe("groups", () => {
  const using = (name: string, action = "Allow") => ruled("ingress", { action, from: [{ group: name }] });
  const peersOf = (...groups: ReferencedObject[]) => ruleOf(using("g"), "ingress", ...groups);
  const block = (cidr: string) => ({ kind: "network", cidr, except: [] });

  test.each<[unknown, readonly unknown[]]>([
    [{ podSelector: web }, [pods(everything, webPods)]],
    [{ podSelector: web, namespaceSelector: web }, [pods(webPods, webPods)]],
    [{ ipBlocks: [{ cidr: "10.0.0.0/8" }, { cidr: "fd00::/8" }] }, [block("10.0.0.0/8"), block("fd00::/8")]],
    [{ ipBlock: { cidr: "10.0.0.0/8" } }, [block("10.0.0.0/8")]],
    [{ serviceReference: { name: "s", namespace: "shop" } }, [pods(own, webPods)]],
    [{ nodeSelector: web }, [{ kind: "nodes", nodes: webPods }]],
    [{ childGroups: ["a", "b"] }, [pods(everything, webPods), block("10.0.0.0/8")]],
  ])("%j", (spec, peers) => {
    const others = [
      clusterGroup("a", { podSelector: web }),
      clusterGroup("b", { ipBlocks: [{ cidr: "10.0.0.0/8" }] }),
      service("s", { selector: { app: "web" } }),
    ];
    const { rule, problems } = peersOf(clusterGroup("g", spec), ...others);
    expect([rule?.peers, problems]).toEqual([peers, []]);
  });

  test("every group that is asked for is a reference, there or not", () => {
    const { resolve, asked } = resolving(clusterGroup("g", { childGroups: ["a"] }));
    antrea.compile(using("g"), resolve);
    expect(asked).toEqual([
      "Tier.crd.antrea.io/application",
      "ClusterGroup.crd.antrea.io/g",
      "ClusterGroup.crd.antrea.io/a",
    ]);
  });

  test.each<[string, ...ReferencedObject[]]>([
    ["there is no ClusterGroup g, so this selects nothing"],
    [
      "ClusterGroup g: spec.childGroups[0]: there is no ClusterGroup a, so this selects nothing",
      clusterGroup("g", { childGroups: ["a"] }),
    ],
    [
      "ClusterGroup g: spec.serviceReference: there is no Service shop/s, so this selects nothing",
      clusterGroup("g", { serviceReference: { name: "s", namespace: "shop" } }),
    ],
    [
      "ClusterGroup g: spec.serviceReference: Service shop/s has no selector, so this selects nothing",
      clusterGroup("g", { serviceReference: { name: "s", namespace: "shop" } }),
      service("s", {}),
    ],
  ])("%s: a warning, and no member", (message, ...groups) => {
    for (const action of ["Allow", "Drop"]) {
      const { rule, problems } = ruleOf(using("g", action), "ingress", ...groups);
      expect(problems).toEqual([`warning MissingReference spec.ingress[0].from[0].group: ${message}`]);
      expect(rule?.peers).toEqual([]);
    }
  });

  test.each<[string, unknown]>([
    ["spec: must have only one of selectors, ipBlocks", { podSelector: {}, ipBlocks: [] }],
    ["spec.childGroups[0]: a group must not be its own child", { childGroups: ["g"] }],
    [
      "spec.ipBlocks: must not have multicast networks beside",
      {
        ipBlocks: [{ cidr: "224.0.0.0/8" }, { cidr: "10.0.0.0/8" }],
      },
    ],
    ['spec.podSelector.matchLabels["a b"]: the key is not', { podSelector: { matchLabels: { "a b": "c" } } }],
  ])("%s refuses the policy that names it", (message, spec) => {
    const { policy, problems } = found(using("g"), clusterGroup("g", spec));
    expect([policy, problems.length]).toEqual([null, 1]);
    expect(problems[0]).toContain(` spec.ingress[0].from[0].group: ClusterGroup g: ${message}`);
  });

  test("a child's children are not looked at", () => {
    const groups = [
      clusterGroup("g", { childGroups: ["a"] }),
      clusterGroup("a", { childGroups: ["b"] }),
      clusterGroup("b", { podSelector: web }),
    ];
    const { rule, problems } = peersOf(...groups);
    expect(rule?.peers).toEqual([]);
    expect(problems).toEqual([
      "error Unsupported spec.ingress[0].from[0].group: ClusterGroup g: spec.childGroups[0]: ClusterGroup a: " +
        "spec.childGroups: is a child of g, so that children of its own select nothing",
    ]);
  });

  test("of a part that nobody here knows, a drop drops everything and an allow keeps what is known", () => {
    const groups = [
      clusterGroup("g", { childGroups: ["a", "b"] }),
      clusterGroup("a", { podSelector: web }),
      clusterGroup("b", { externalEntitySelector: {} }),
    ];
    expect(ruleOf(using("g"), "ingress", ...groups).rule?.peers).toEqual([pods(everything, webPods)]);
    expect(ruleOf(using("g", "Drop"), "ingress", ...groups).rule?.peers).toEqual(anywhere);
  });

  test("a subject takes a group's pods, not its networks and not its nodes", () => {
    const subjectOf = (...groups: ReferencedObject[]) =>
      found(acnp("p", { priority: 5, appliedTo: [{ group: "g" }] }), ...groups);
    expect(subjectOf(clusterGroup("g", { podSelector: web })).policy?.subject).toEqual([
      pods(everything, webPods),
    ]);
    expect(subjectOf(clusterGroup("g", { ipBlocks: [{ cidr: "10.0.0.0/8" }] }))).toMatchObject({
      ...{ policy: { subject: [] }, problems: [] },
    });
    expect(subjectOf(clusterGroup("g", { nodeSelector: {} })).problems).toHaveLength(1);
  });

  test("a policy of a namespace names groups of it, and is not applied to pods of others", () => {
    const spec = (appliedTo: unknown) => ({
      ...{ priority: 5, appliedTo: [appliedTo] },
      ingress: [{ action: "Drop", from: [{ group: "wide" }] }],
    });
    const groups = [group("narrow", { podSelector: web }), group("wide", { namespaceSelector: web })];
    const fine = compiled(annp("p", spec({ group: "narrow" })), ...groups);
    expect(fine.subject).toEqual([pods(own, webPods)]);
    expect(fine.rules.ingress[0]?.peers).toEqual([pods(webPods, everything)]);
    const { policy, problems } = found(annp("p", spec({ group: "wide" })), ...groups);
    expect(problems).toEqual([
      "error Unsupported spec: is applied to a Group that selects pods of other namespaces, so that it has no rules",
    ]);
    expect(policy).toMatchObject({ subject: [], rules: { ingress: [], egress: [] } });
  });
});

test.each<[unknown, unknown]>([
  [{ namespaces: { match: "Self" } }, { kind: "sameNamespaces", keys: [], pods: everything }],
  [
    { namespaces: { sameLabels: ["tier", "team"] }, podSelector: web },
    { kind: "sameNamespaces", keys: ["tier", "team"], pods: webPods },
  ],
  [
    { serviceAccount: { name: "sa", namespace: "shop" } },
    { kind: "pods", namespaces: own, pods: podsRunningAs(["sa"]) },
  ],
])("peer %j", (peer, expected) => {
  expect(ruleOf(ruled("ingress", { action: "Allow", from: [peer] }), "ingress")).toMatchObject({
    ...{ rule: { peers: [expected] }, problems: [] },
  });
});

test.each<[unknown, unknown]>([
  [
    { port: 80, sourcePort: 5 },
    { kind: "port", protocol: "tcp", port: 80, source: { start: 5, end: 5 } },
  ],
  [
    { sourcePort: 5, sourceEndPort: 7, protocol: "SCTP" },
    { kind: "range", protocol: "sctp", start: 0, end: 65535, source: { start: 5, end: 7 } },
  ],
  [
    { port: 7, endPort: 7 },
    { kind: "port", protocol: "tcp", port: 7 },
  ],
  [{ protocol: "UDP" }, { kind: "protocol", number: 17 }],
])("port %j", (port, expected) => {
  expect(ruleOf(ruled("ingress", { action: "Allow", ports: [port] }), "ingress")).toMatchObject({
    ...{ rule: { ports: [expected] }, problems: [] },
  });
});

test("a rule may have pods of its own, and is logged when it says so", () => {
  const policy = compiled(
    acnp("p", {
      priority: 5,
      ingress: [{ action: "Drop", appliedTo: [{ podSelector: web }], logLabel: "x" }],
      egress: [{ action: "Drop", appliedTo: [all], enableLogging: true }],
    }),
  );
  expect(policy.subject).toEqual([]);
  expect(policy.rules.ingress[0]).toMatchObject({ subject: [pods(everything, webPods)], logging: null });
  expect(policy.rules.egress[0]?.logging).toEqual({ severity: "info", label: null });
});

test.each<[PolicyPart, string]>([
  [{ kind: "policy" }, "spec"],
  [{ kind: "tier" }, "spec.tier"],
  [{ kind: "priority" }, "spec.priority"],
  [{ kind: "subject" }, "spec.appliedTo"],
  [{ kind: "unmatched", direction: "egress" }, "spec.egress"],
  [{ kind: "rule", direction: "ingress", index: 3, field: "rule" }, "spec.ingress[3]"],
  [{ kind: "rule", direction: "egress", index: 3, field: "peers" }, "spec.egress[3].to"],
  [{ kind: "rule", direction: "ingress", index: 3, field: "peers" }, "spec.ingress[3].from"],
  [{ kind: "rule", direction: "ingress", index: 3, field: "ports" }, "spec.ingress[3].ports"],
  [{ kind: "rule", direction: "ingress", index: 3, field: "subject" }, "spec.ingress[3].appliedTo"],
  [{ kind: "rule", direction: "ingress", index: 3, field: "logging" }, "spec.ingress[3].enableLogging"],
])("%j has the field %s", (part, field) => {
  expect(antrea.fieldOf(part)).toBe(field);
});

describe("toServices", () => {
  const to = (action: string, ...names: readonly string[]) =>
    ruled("egress", { action, toServices: names.map((name) => ({ name, namespace: "shop" })) });
  const known = [
    service("web", {
      selector: { app: "web" },
      ports: [
        { port: 80, targetPort: 8080 },
        { port: 53, protocol: "UDP" },
        { port: 90, targetPort: "http", protocol: "SCTP" },
      ],
    }),
    service("other", { selector: { app: "web" }, ports: [{ port: 80 }] }),
    service("endless", { ports: [{ port: 80 }] }),
    service("odd", { selector: { app: 5 }, ports: [{ port: 80 }] }),
    service("odder", { selector: { app: "web" }, ports: [{ port: 80, protocol: "ICMP" }] }),
    service("headless", { clusterIP: "None", selector: { app: "web" }, ports: [{ port: 80 }] }),
    service("alias", { type: "ExternalName", externalName: "a.example" }),
  ];
  const translated = true;
  const webShop = pods(own, webPods);
  const web80 = [
    { kind: "port", protocol: "tcp", port: 8080 },
    { kind: "port", protocol: "udp", port: 53 },
    { kind: "named", protocol: "sctp", name: "http" },
  ];
  const ofWeb = { share: "shop/web", peers: [webShop], ports: web80, translated };
  const ofOther = {
    ...{ share: "shop/other", peers: [webShop], translated },
    ports: [{ kind: "port", protocol: "tcp", port: 80 }],
  };
  const nothing = (name: string) => ({ share: `shop/${name}`, peers: [], ports: [], translated });
  const rulesOf = (object: PolicyObject) => {
    const { policy, problems } = found(object, ...known);
    const rules = policy?.rules.egress.map(
      ({ index, action, share, peers, ports, translated: isThrough }) => ({
        ...{ index, action, share, peers, ports, translated: isThrough },
      }),
    );
    return { rules, problems };
  };

  test.each([
    ["Allow", "allow"],
    ["Drop", "deny"],
    ["Pass", "pass"],
  ])("%s is a rule for each Service, each with its own pods and ports, each once", (word, action) => {
    expect(rulesOf(to(word, "web", "other", "web"))).toEqual({
      rules: [ofWeb, ofOther].map((one) => ({ index: 0, action, ...one })),
      problems: [],
    });
  });

  test("in a policy of a namespace, the namespace is its own where none is named", () => {
    const spec = { ...good, egress: [{ action: "Drop", toServices: [{ name: "other" }] }] };
    const rules = [{ index: 0, action: "deny", ...ofOther }];
    expect(rulesOf(annp("p", spec))).toEqual({ rules, problems: [] });
  });

  test("beside a field that nobody knows, it denies more than connections through Services, and allows none", () => {
    const strange = (action: string) =>
      rulesOf(
        ruled("egress", { action, when: "noon", toServices: [{ name: "other", namespace: "shop" }] }),
      ).rules?.map(({ share, peers, translated: isThrough }) => ({ share, peers, isThrough }));
    expect(strange("Drop")).toEqual([{ share: null, peers: anywhere }]);
    expect(strange("Allow")).toEqual([{ share: null, peers: [] }]);
  });

  test("Reject is exact, and what a client sees of it is told", () => {
    expect(rulesOf(to("Reject", "other"))).toEqual({
      rules: [{ index: 0, action: "reject", ...ofOther }],
      problems: [
        "warning Unsupported spec.egress[0].toServices: a client of the Service gets no answer where Reject refuses the connection: it behaves like Drop",
      ],
    });
  });

  test.each([
    ["absent", "MissingReference", "there is no Service shop/absent, so this matches nothing"],
    ["headless", "Unsupported", "Service shop/headless has no address of its own, so this matches nothing"],
    ["alias", "Unsupported", "Service shop/alias has no address of its own, so this matches nothing"],
  ])("%s: a warning, and the rule is about the others alone", (name, code, message) => {
    for (const [word, action] of [
      ["Allow", "allow"],
      ["Drop", "deny"],
      ["Pass", "pass"],
    ] as const)
      expect(rulesOf(to(word, name, "other"))).toEqual({
        rules: [nothing(name), ofOther].map((one) => ({ index: 0, action, ...one })),
        problems: [`warning ${code} spec.egress[0].toServices[0]: ${message}`],
      });
  });

  test.each([
    ["endless", "has no selector: its endpoints are not known here"],
    ["odd", "cannot be read"],
    ["odder", "cannot be read"],
  ])("%s: closed, at every connection through a Service and at no other", (name, why) => {
    const problems = [`error Unsupported spec.egress[0].toServices[1]: Service shop/${name} ${why}`];
    expect(rulesOf(to("Allow", "other", name))).toEqual({
      ...{ rules: [ofOther, nothing(name)].map((one) => ({ index: 0, action: "allow", ...one })), problems },
    });
    for (const word of ["Drop", "Pass"])
      expect(rulesOf(to(word, "other", name))).toEqual({
        ...{ rules: [{ index: 0, action: "deny", share: null, peers: anywhere, ports: null, translated }] },
        problems,
      });
  });
});
