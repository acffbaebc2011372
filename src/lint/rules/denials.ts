// What denies a connection that pods need, as findings: those that one rule denies are one finding, under that rule.

import { excerptOf } from "../../lib/text/few.ts";
import type { PodFact } from "../../model/facts.ts";
import { podText } from "../../model/workload.ts";
import type { Direction, Policy } from "../../policy/ir.ts";
import type { OrderedRule } from "../../verdicts/entries.ts";
import type { Contribution } from "../../verdicts/row.ts";
import type { Draft, Target } from "../draft.ts";
import { ofPolicy, ofRule, partOf } from "../draft.ts";
import type { Severity } from "../finding.ts";
import type { Nouns } from "../parties.ts";
import { counted, ruleIn } from "../words.ts";

export interface Denial {
  readonly direction: Direction;
  readonly by: Contribution;
}

export interface Denied extends Denial {
  readonly pod: PodFact;
  /** What denies it instead where pods of workloads have other addresses or nodes. */
  readonly otherwise: readonly Denial[];
}

export type DeniedEnds = Omit<Denied, "pod">;

export interface Told {
  readonly severity: Severity;
  /** What they cannot: "reach DNS". */
  readonly what: string;
  readonly total: number;
  /** What is counted. */
  readonly nouns: Nouns;
  /** Which pods are counted; all of the cluster unless given. */
  readonly who?: string;
  readonly fix: string;
}

const shown = 3;

export function* byDecider(denied: readonly Denied[], told: Told): Generator<Draft> {
  const groups = Map.groupBy(denied, deciderOf);
  for (const list of groups.values()) {
    const [first] = list;
    if (first !== undefined) yield draftOf(first, list, denied.length, told);
  }
}

function draftOf({ by, direction }: Denied, list: readonly Denied[], all: number, told: Told): Draft {
  const { policy, entry } = by;
  const names = list.slice(0, shown).map(({ pod }) => podText(pod));
  const inAll = all === list.length ? "" : ` (in all, ${all} of ${told.total} cannot)`;
  const who = told.who === undefined ? "" : ` ${told.who}`;
  const at = direction === "egress" ? "where it leaves them" : "where it arrives";
  const otherwise = Map.groupBy(
    list.flatMap((one) => one.otherwise),
    deciderOf,
  );
  const others = [...otherwise.values()].flatMap((some) => some.slice(0, 1));
  return {
    severity: told.severity,
    target: targetOfDenial({ by }),
    field: entry === null ? { kind: "unmatched", direction } : partOf(entry),
    message:
      `${list.length} of ${counted(told.total, ...told.nouns)}${who} cannot ${told.what}${inAll}: denied ${at}${orBy(others, policy)}, ` +
      `for ${excerptOf(list.length, names)}`,
    fix: told.fix,
    about: told.what + who,
    ...(others.length === 0 ? {} : { related: others.map((one) => targetOfDenial(one)) }),
  };
}

function targetOfDenial({ by: { policy, entry } }: Pick<Denial, "by">): Target {
  return entry === null ? ofPolicy(policy) : ofRule(entry);
}

/** What denies it at other addresses of workloads. */
function orBy(others: readonly Denial[], own: Policy): string {
  if (others.length === 0) return "";
  const names = others.map(({ by, direction }) => ruleIn(own, by.policy, direction, by.entry?.rule ?? null));
  return ` (or, at other addresses, by ${excerptOf(names.length, names.slice(0, shown))})`;
}

/** A rule, or the isolation by a policy. */
export function deciderOf({ by, direction }: Denial): OrderedRule | string {
  return by.entry ?? `${by.policy.key} ${direction}`;
}
