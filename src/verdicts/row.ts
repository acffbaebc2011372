// What rules and isolations of one world say of the traffic between two classes of ends: a walk, in the words of its policies.

import type { Policy, Rule } from "../policy/ir.ts";
import type { Entry, OrderedRule } from "./entries.ts";
import { saidIn } from "./entries.ts";
import type { Traffic } from "./traffic.ts";
import { noTraffic } from "./traffic.ts";
import type { Walked } from "./walk.ts";

/** A rule that a pair of ends meets with the traffic that it matches. */
export interface MatchedRule {
  readonly entry: OrderedRule;
  readonly traffic: Traffic;
}

export interface Contribution {
  readonly policy: Policy;
  /** null: the policy isolates, and no rule of its tier matches. */
  readonly entry: OrderedRule | null;
  /** What the rule matches and no earlier rule of its policy does. */
  readonly first: Traffic;
  /** Of it, what the rule may decide or pass. */
  readonly said: Traffic;
}

export interface Row {
  readonly met: readonly MatchedRule[];
  /** In order of evaluation. */
  readonly says: readonly Contribution[];
  /** What may reach the end of every tier: allowed. */
  readonly silent: Traffic;
}

export interface SideVerdict {
  /** `unknown`: policies of equal priority disagree. */
  readonly verdict: "allow" | "deny" | "unknown";
  /** null: no rule decides. */
  readonly by: Contribution | null;
}

/** Direct connections between two ends that the same rules decide. */
export interface TrafficClass {
  readonly verdict: SideVerdict["verdict"];
  readonly egress: SideVerdict;
  readonly ingress: SideVerdict;
  readonly traffic: Traffic;
}

export type Effect = "allow" | "deny" | "pass";

export function effectOf({ entry }: Pick<Contribution, "entry">): Effect {
  return entry === null ? "deny" : effectOfRule(entry.rule);
}

export function effectOfRule({ action }: Pick<Rule, "action">): Effect {
  return action === "reject" ? "deny" : action;
}

export function rowOf({ met, says, silent }: Walked): Row {
  return {
    met: met.flatMap(({ entry, traffic }) => {
      const rule = ruleOf(entry);
      return rule === null ? [] : [{ entry: rule, traffic }];
    }),
    says: says.map(({ entry, first, said }) => {
      return { policy: saidIn(entry.said).policy, entry: ruleOf(entry), first, said };
    }),
    silent,
  };
}

/** null: the entry isolates. */
export function ruleOf({ said }: Pick<Entry, "said">): OrderedRule | null {
  const one = saidIn(said);
  return one.rule === null ? null : one;
}

/** No row: nothing applies to that side. Each part of the traffic is in one class. */
export function classesIn(egress: Row | null, ingress: Row | null, all: Traffic): readonly TrafficClass[] {
  const cuts = [egress, ingress].flatMap((row) => row?.says ?? []).map(({ said }) => said);
  const parts = cuts.reduce<readonly Traffic[]>(
    (list, cut) => list.flatMap((part) => [part & cut, part & ~cut]).filter((part) => part !== noTraffic),
    [all],
  );
  const classes = new Map<string, TrafficClass>();
  for (const part of parts) {
    const sides = [egress, ingress].map((row) => (row === null ? nothingApplies : verdictIn(row, part)));
    const [out = nothingApplies, into = nothingApplies] = sides;
    const places = [egress, ingress].map((row, at) => {
      const { by } = sides[at] ?? nothingApplies;
      return by === null ? -1 : (row?.says.indexOf(by) ?? -1);
    });
    const verdict = joined(out.verdict, into.verdict);
    const key = [verdict, ...places].join();
    const traffic = part | (classes.get(key)?.traffic ?? noTraffic);
    classes.set(key, { verdict, egress: out, ingress: into, traffic });
  }
  return [...classes.values()];
}

const nothingApplies: SideVerdict = { verdict: "allow", by: null };

/** Both sides must allow. */
function joined(...sides: readonly SideVerdict["verdict"][]): SideVerdict["verdict"] {
  if (sides.includes("deny")) return "deny";
  return sides.includes("unknown") ? "unknown" : "allow";
}

/** `unknown` too where rules divide the traffic and say different things of its parts. */
export function verdictIn({ says, silent }: Row, traffic: Traffic): SideVerdict {
  const speaking = says.filter(({ said }) => (said & traffic) !== noTraffic);
  const deciding = speaking.filter((one) => effectOf(one) !== "pass");
  const [by = null] = deciding;
  const verdicts = new Set(deciding.map(effectOf));
  if ((silent & traffic) !== noTraffic) verdicts.add("allow");
  if (verdicts.size > 1) return { verdict: "unknown", by };
  return { verdict: verdicts.has("deny") ? "deny" : "allow", by };
}
