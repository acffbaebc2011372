// What rules and isolations of one world say of the traffic between two classes of ends: a walk, in the words of its policies.

import type { Policy, Rule } from "../policy/ir.ts";
import type { Entry, OrderedRule } from "./entries.ts";
import { saidIn } from "./entries.ts";
import type { Traffic } from "./traffic.ts";
import { noTraffic } from "./traffic.ts";
import type { ClassVerdict, Met, Spoken, Walked } from "./walk.ts";
import { joined, verdictOf } from "./walk.ts";

export interface MatchedRule extends Omit<Met, "entry"> {
  readonly entry: OrderedRule;
}

export interface Contribution extends Omit<Spoken, "entry"> {
  readonly policy: Policy;
  /** null: the policy isolates, and no rule of its tier matches. */
  readonly entry: OrderedRule | null;
}

/** In order of evaluation. */
export interface Row extends Pick<Walked, "silent"> {
  readonly met: readonly MatchedRule[];
  /** What was walked: with the isolations, of which `says` has the first alone. */
  readonly walked: Walked;
  readonly says: readonly Contribution[];
}

export interface SideVerdict {
  readonly verdict: ClassVerdict;
  /** null: no rule decides. */
  readonly by: Contribution | null;
}

/** Direct connections between two ends that the same rules decide. */
export interface TrafficClass {
  readonly verdict: ClassVerdict;
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

export function rowOf(walked: Walked): Row {
  const { met, says, silent } = walked;
  return {
    walked,
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
    const [out, into] = [verdictIn(egress, part), verdictIn(ingress, part)];
    const verdict = joined(out.verdict, into.verdict);
    const key = [verdict, placeOf(egress, out), placeOf(ingress, into)].join();
    const traffic = part | (classes.get(key)?.traffic ?? noTraffic);
    classes.set(key, { verdict, egress: out, ingress: into, traffic });
  }
  return [...classes.values()];
}

function placeOf(row: Row | null, { by }: SideVerdict): number {
  return by === null ? -1 : (row?.says.indexOf(by) ?? -1);
}

/** `unknown` too where rules divide the traffic and say different things of its parts. No row: nothing applies. */
export function verdictIn(row: Row | null, traffic: Traffic): SideVerdict {
  if (row === null) return { verdict: "allow", by: null };
  const speaking = row.says.filter(({ said }) => (said & traffic) !== noTraffic);
  const effects = new Set(speaking.map(effectOf));
  const by = speaking.find((one) => effectOf(one) !== "pass") ?? null;
  return { verdict: verdictOf(effects, (row.silent & traffic) !== noTraffic), by };
}
