// A large cluster for plans: 10,000 pods of 200 identities in 50 namespaces, and 100 policies of 20 rules whose peers are
// groups of pods and 310 networks. The same each time. In the hard case the networks cut the pods' own network at random.

import { FactStore } from "../../src/model/fact-store.ts";
import type { RuleNamer } from "../../src/plan/deciders.ts";
import type { Cidr } from "../../src/model/ip.ts";
import type { PlanWorld } from "../../src/plan/world.ts";
import type { Action, Peer, Policy, PortMatch } from "../../src/policy/ir.ts";
import { everything } from "../../src/model/selector.ts";
import type { RuleText } from "./ir.ts";
import { irPolicy, network } from "./ir.ts";
import { namespace, node, pod, podGroup, withLabels } from "./facts.ts";

export interface PlanScale {
  readonly pods: number;
  readonly policies: number;
  readonly rules: number;
  readonly networks: number;
  /** Whether the networks are in the pods' network. */
  readonly cutting: boolean;
}

export const largePlan: PlanScale = { pods: 10_000, policies: 100, rules: 20, networks: 310, cutting: false };
/** Makes about 4,600 kinds of ends. */
export const hardPlan: PlanScale = { ...largePlan, networks: 1300, cutting: true };

const spaces = 50;
const apps = 4;
const actions: readonly Action[] = ["allow", "deny", "pass", "allow", "deny"];

/** Numbers below a bound, always the same (Park and Miller's constants). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

export function planFacts({ pods }: PlanScale): FactStore {
  const facts = new FactStore();
  for (let at = 0; at < spaces; at++) facts.put(namespace(`n${at}`, { team: `t${at % 10}`, name: `n${at}` }));
  for (let at = 0; at < 10; at++)
    facts.put(node(`node-${at}`, { zone: `z${at % 3}` }, [`172.18.0.${at + 1}`]));
  for (let at = 0; at < pods; at++) {
    const identity = at % (spaces * apps);
    const labels = { app: `a${identity % apps}`, "pod-template-hash": `h${identity}` };
    const ips = [`10.${16 + (at >> 14)}.${(at >> 6) & 255}.${(at & 63) + 2}`];
    const ports = [{ name: "http", protocol: "tcp", port: 8080 + (identity % 2) }] as const;
    const options = { labels, node: `node-${at % 10}`, ips, ports };
    facts.put(pod(`n${Math.floor(identity / apps)}`, `p${at}`, options));
  }
  return facts;
}

/** `seed`: other policies of the same size. */
export function planPolicies(scale: PlanScale, seed = 1): readonly Policy[] {
  const next = numbers(seed * 7919 + 1);
  const networks = networksOf(scale);
  const group = (): Peer =>
    next(3) === 0
      ? podGroup(withLabels({ team: `t${next(10)}` }))
      : podGroup(withLabels({ name: `n${next(spaces)}` }), withLabels({ app: `a${next(apps)}` }));
  const ports = (): readonly PortMatch[] | null => {
    const start = 1000 + next(200);
    const some: readonly (readonly PortMatch[] | null)[] = [
      null,
      [{ kind: "port", protocol: "tcp", port: 80 + next(20) }],
      [{ kind: "range", protocol: "udp", start, end: start + next(100) }],
      [{ kind: "named", name: "http" }],
    ];
    return some[next(4)] ?? null;
  };
  const rule = (isEgress: boolean): RuleText => {
    const isNetwork = (isEgress || scale.cutting) && next(3) === 0;
    const cidrs = Array.from(
      { length: scale.cutting ? 3 : 1 },
      () => networks[next(networks.length)] ?? [],
    ).flat();
    const peers = isNetwork
      ? cidrs.map((cidr): Peer => ({ kind: "network", cidr, except: [] }))
      : [group(), group()];
    return { action: actions[next(actions.length)] ?? "allow", peers, ports: ports() };
  };
  return Array.from({ length: scale.policies }, (_, at) =>
    irPolicy(`p${at}`, {
      priority: at,
      subject: [
        next(4) === 0
          ? podGroup(everything, withLabels({ app: `a${next(apps)}` }))
          : podGroup(withLabels({ team: `t${next(10)}` })),
      ],
      ingress: Array.from({ length: scale.rules / 2 }, () => rule(false)),
      egress: Array.from({ length: scale.rules / 2 }, () => rule(true)),
    }),
  );
}

function networksOf({ networks, cutting }: PlanScale): readonly Cidr[] {
  const next = numbers(4711);
  return Array.from({ length: networks }, (_, at) => {
    if (!cutting) return network(`198.${18 + (at >> 8)}.${at & 255}.0/24`);
    return network(`10.16.${next(160)}.${next(256)}/${26 + next(7)}`);
  });
}

/** One rule with ports of one policy does something else. */
export function withActionEdited(policies: readonly Policy[], at: number): readonly Policy[] {
  return policies.map((policy, index) => {
    if (index !== at) return policy;
    const egress = policy.rules.egress.map((one, rule) =>
      rule === 3 ? { ...one, action: one.action === "deny" ? ("allow" as const) : ("deny" as const) } : one,
    );
    return { ...policy, rules: { ...policy.rules, egress } };
  });
}

export function withFirstReplaced(
  policies: readonly Policy[],
  others: readonly Policy[],
  count: number,
): readonly Policy[] {
  return policies.map((policy, at) => (at < count ? (others[at] ?? policy) : policy));
}

export function planWorlds(
  facts: FactStore,
  old: readonly Policy[],
  next: readonly Policy[],
): Readonly<Record<"old" | "new", PlanWorld>> {
  return { old: { facts, policies: old }, new: { facts, policies: next } };
}

/** Names a rule by its place alone. */
export const rulesByIndex: RuleNamer = (_policy, direction, { index, name, action }) => {
  return { direction, index, name, action, word: action, place: null };
};
