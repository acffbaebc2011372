// Policies as IR in few words, and small random worlds of them, for tests of what the IR means. Names and labels are few, so
// that rules meet.

import fc from "fast-check";
import { isOnPodNetwork } from "../../src/model/facts.ts";
import type { NamedPort, NamespaceFact, PodFact } from "../../src/model/facts.ts";
import type { Cidr } from "../../src/model/ip.ts";
import type { Fact } from "../../src/model/object.ts";
import { parseCidr } from "../../src/model/ip.ts";
import { hostNamesLike } from "../../src/model/selectors/host-names.ts";
import { namespacesNamed, podsRunningAs } from "../../src/model/selectable.ts";
import { everything, negated, type Selector } from "../../src/model/selector.ts";
import type { Connection, World } from "../../src/policy/evaluate.ts";
import type { Action, Addresses, Peer, Policy, PortMatch, Rule, Subject, Tier } from "../../src/policy/ir.ts";
import { policyKey, tiers } from "../../src/policy/ir.ts";
import { hostName, ip, namespace, node, pod, podGroup, withLabels } from "./facts.ts";

export function network(text: string): Cidr {
  const cidr = parseCidr(text);
  if (cidr === null) throw new Error(`not a network: ${text}`);
  return cidr;
}

export type RuleText = Partial<Omit<Rule, "index">>;

/** An allow from and to every pod, unless it says otherwise. */
export function irRule(index: number, text: RuleText = {}): Rule {
  return {
    ...{ index, name: "", action: "allow", share: null, subject: null },
    ...{ peers: [podGroup(everything)], ports: null, logging: null },
    ...text,
  };
}

export interface PolicyText extends Partial<
  Pick<Policy, "tier" | "priority" | "tie" | "interleaved" | "subject" | "unmatched">
> {
  readonly ingress?: readonly RuleText[];
  readonly egress?: readonly RuleText[];
}

/** Of the admin tier, about every pod, unless it says otherwise. */
export function irPolicy(name: string, text: PolicyText = {}): Policy {
  const { ingress = [], egress = [], ...more } = text;
  const ref = { group: "test", kind: "Policy", namespace: null, name };
  const numbered = (rules: readonly RuleText[]) => rules.map((rule, index) => irRule(index, rule));
  return {
    ...{ key: policyKey(ref), ref, ownerType: "Policy", shortKind: "P", tier: tiers.admin, priority: 10 },
    ...{ subject: [podGroup(everything)], unmatched: { ingress: "next", egress: "next" } },
    ...more,
    rules: { ingress: numbered(ingress), egress: numbered(egress) },
    logging: { allow: null, deny: null, pass: null, reject: null },
  };
}

/** Pods of the subject's own namespace, or of those with its values of the keys. */
export function sameNamespaces(keys: readonly string[] = [], pods: Selector = everything): Peer {
  return { kind: "sameNamespaces", keys, pods };
}

/** What a connection can be drawn from. */
export interface IrWorld {
  readonly world: World;
  readonly pods: readonly PodFact[];
}

/** All that the judge is told of it but its pods. */
export function factsIn({ namespaces, nodes, hostNames }: World): readonly Fact[] {
  return [...namespaces.values(), ...nodes, ...hostNames];
}

const names = ["red", "blue", "green", "grey"];
const someLabels = (keys: readonly string[]) =>
  fc.dictionary(fc.constantFrom(...keys), fc.constantFrom("x", "y"), { maxKeys: 2 });

const namespaceFacts: fc.Arbitrary<readonly NamespaceFact[]> = fc
  .tuple(...names.map(() => fc.option(someLabels(["tenant", "zone"]), { freq: 8 })))
  .map((tables) =>
    tables.flatMap((table, at) => (table === null ? [] : [namespace(names[at] ?? "", table)])),
  );

const podFacts: fc.Arbitrary<readonly PodFact[]> = fc
  .array(
    fc.record({
      home: fc.constantFrom(...names),
      labels: someLabels(["app"]),
      serviceAccount: fc.constantFrom("default", "robot"),
      hostNetwork: fc.nat({ max: 9 }).map((n) => n === 0),
    }),
    { minLength: 2, maxLength: 8 },
  )
  .map((drawn) =>
    drawn.map(({ home, ...options }, at) => pod(home, `p${at}`, { ...options, ips: [`10.0.0.${at + 1}`] })),
  );

export const irWorlds: fc.Arbitrary<IrWorld> = fc
  .record({ namespaces: namespaceFacts, pods: podFacts })
  .map(({ namespaces, pods }): IrWorld => ({
    world: {
      namespaces: new Map(namespaces.map((fact) => [fact.name, fact])),
      nodes: [node("n", { role: "edge" }, ["10.0.0.1", "172.18.0.2"])],
      hostNames: [hostName("www.example.org", "10.0.0.2", "10.0.0.9"), hostName("example.org", "10.0.0.3")],
    },
    pods,
  }));

const namespaceSelector = fc.constantFrom(
  everything,
  withLabels({ tenant: "x" }),
  withLabels({ zone: "y" }),
  negated(withLabels({ tenant: "y" })),
  namespacesNamed(["red", "blue"]),
);
const podSelector = fc.constantFrom(everything, withLabels({ app: "x" }), podsRunningAs(["robot"]));
const podGroups = fc.record({
  kind: fc.constant("pods" as const),
  namespaces: namespaceSelector,
  pods: podSelector,
});
const subjects: fc.Arbitrary<Subject> = fc.array(podGroups, { maxLength: 2 });

const sharedPeers: fc.Arbitrary<Peer> = fc.record({
  kind: fc.constant("sameNamespaces" as const),
  keys: fc.constantFrom([], ["tenant"], ["zone", "tenant"], ["tenant", "zone"], ["tenant", "tenant"]),
  pods: podSelector,
});
/** They cover some pods, and nobody. */
const addresses: fc.Arbitrary<Addresses> = fc.record({
  networks: fc.subarray([network("10.0.0.0/30"), network("10.0.0.4/30"), network("fd00::/126")]),
  except: fc.constantFrom([], [network("10.0.0.1/32")], [network("10.0.0.2/31"), network("fd00::1/128")]),
});
const narrowedPeers: fc.Arbitrary<Peer> = fc
  .tuple(podGroups, addresses)
  .map(([pods, by]) => ({ kind: "narrowed", pods, ...by }));
/** Outside of them are other pods, and addresses of no pod. */
const otherPeers: fc.Arbitrary<Peer> = fc
  .tuple(fc.array(podGroups, { maxLength: 2 }), addresses)
  .map(([pods, by]) => ({ kind: "others", pods, ...by }));
const plainPeers: fc.Arbitrary<Peer> = fc.oneof(
  podGroups,
  narrowedPeers,
  otherPeers,
  fc.constantFrom<Peer>(
    { kind: "everything" },
    { kind: "nodes", nodes: everything },
    ...["example.org", "*.example.org"]
      .flatMap((pattern) => hostNamesLike(pattern) ?? [])
      .map((names) => ({ kind: "hostNames" as const, names })),
    { kind: "network", cidr: network("10.0.0.0/29"), except: [network("10.0.0.2/31")] },
  ),
);
const portMatches: fc.Arbitrary<PortMatch> = fc.constantFrom<PortMatch>(
  { kind: "port", protocol: "tcp", port: 80 },
  { kind: "range", protocol: "tcp", start: 80, end: 81, source: { start: 1000, end: 1999 } },
  { kind: "protocol", number: 17 },
  { kind: "protocols", numbers: [6, 47] },
  { kind: "icmp", family: null, type: null, code: null },
  { kind: "otherIcmp", family: "v4", type: 8, code: null },
  { kind: "otherIcmp", family: "v4", type: 8, code: 1 },
  {
    ...{ kind: "declared", protocol: "tcp", from: null },
    to: { ranges: [{ start: 80, end: 81 }], names: [], except: { ranges: [], names: ["web"] } },
  },
);

const ruleTexts: fc.Arbitrary<RuleText> = fc
  .record({
    action: fc.constantFrom<Action>("allow", "deny", "pass", "reject"),
    subject: fc.option(subjects, { nil: null }),
    peers: fc.array(fc.oneof(sharedPeers, plainPeers), { maxLength: 3 }),
    ports: fc.option(fc.array(portMatches, { maxLength: 2 }), { nil: null }),
    own: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: addresses }),
  })
  .map(({ own, ...text }) => (own === null ? text : { ...text, own }));

/** Of the order of the admin tier, and behind it by name. */
const besides: Tier = { name: "besides", order: tiers.admin.order };

/** Few priorities in few tiers, so that policies tie; some have texts that decide their order. */
export const irPolicies: fc.Arbitrary<readonly Policy[]> = fc
  .array(
    fc.record({
      tier: fc.constantFrom(tiers.admin, tiers.admin, tiers.namespaced, tiers.baseline, besides),
      priority: fc.constantFrom(1, 1, 2, Infinity),
      turn: fc.constantFrom({}, {}, { interleaved: true as const }, { tie: "a" }, { tie: "b" }),
      subject: subjects,
      unmatched: fc.record({
        ingress: fc.constantFrom("next" as const, "next" as const, "deny" as const),
        egress: fc.constantFrom("next" as const, "next" as const, "deny" as const),
      }),
      ingress: fc.array(ruleTexts, { maxLength: 3 }),
      egress: fc.array(ruleTexts, { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((drawn) => drawn.map(({ turn, ...text }, at) => irPolicy(`p${at}`, { ...text, ...turn })));

/** Two at one place of the order, of which one allows what the other denies. */
export const contrary: fc.Arbitrary<readonly Policy[]> = fc
  .constantFrom<readonly ("allow" | "deny")[]>(["allow", "deny"])
  .map((actions) =>
    actions.map((action) => irPolicy(action, { ingress: [{ action }], egress: [{ action }] })),
  );

const elsewhere = ["10.0.0.3", "172.18.0.2", "198.51.100.1"];

/** Every pair of ends, pods and others, with each of a few protocols. */
export function connectionsIn({ pods }: IrWorld, ip: (text: string) => Connection["to"]["ip"]): Connection[] {
  const ends = [
    ...pods.flatMap((one) =>
      one.ips.map((address) => ({ ip: address, pod: isOnPodNetwork(one) ? one : null })),
    ),
    ...elsewhere.map((text) => ({ ip: ip(text), pod: null })),
  ];
  const kinds = [
    { protocol: "tcp", port: 80 },
    { protocol: "tcp", port: 81, sourcePort: 1500 },
    { protocol: "udp", port: 80 },
    { protocol: "icmp", port: 0 },
    { protocol: "icmp", port: 0, icmp: { type: 13, code: 0 } },
    { protocol: 47, port: 0 },
  ] as const;
  return ends.flatMap((from) =>
    ends.filter((to) => to !== from).flatMap((to) => kinds.map((kind) => ({ from, to, ...kind }))),
  );
}

const declarations: readonly [NamedPort, ...NamedPort[]] = [
  { name: "web", protocol: "tcp", port: 80 },
  { name: "web", protocol: "tcp", port: 82 },
  { name: "web", protocol: "udp", port: 80 },
];

/** Half of the pods have a second family, and declare ports of one name with other numbers and protocols. */
export function declaring({ world, pods }: IrWorld): IrWorld {
  return {
    world,
    pods: pods.map((fact, at) =>
      at % 2 === 0
        ? fact
        : {
            ...{ ...fact, ips: [...fact.ips, ip(`fd00::${at}`)] },
            ports: [declarations[at % 3] ?? declarations[0]],
          },
    ),
  };
}

/** Every second rule with ports says them by name. */
export function byName(policies: readonly Policy[]): readonly Policy[] {
  const named = (rules: readonly Rule[]) =>
    rules.map((rule, at) =>
      rule.ports === null || at % 2 === 1
        ? rule
        : { ...rule, ports: [{ kind: "named", name: "web" } as const] },
    );
  return policies.map((policy) => ({
    ...policy,
    rules: { ingress: named(policy.rules.ingress), egress: named(policy.rules.egress) },
  }));
}
