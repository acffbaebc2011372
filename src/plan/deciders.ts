// What decides a connection on each side of one world: the rule, the isolation or the tie that gives the verdict, and which of the
// rules and isolations that have a say are this world's alone.

import type { Ref, RuleRef } from "../analysis/ref.ts";
import { refOf, refText } from "../analysis/ref.ts";
import { invariant } from "../lib/invariant.ts";
import type { Direction, Policy, Rule } from "../policy/ir.ts";
import type { Comparison, Sample, SampleEnd } from "../verdicts/comparison.ts";
import type { Kind, Role } from "../verdicts/ends/kinds.ts";
import { subjectSide } from "../verdicts/ends/kinds.ts";
import type { Entry } from "../verdicts/entries.ts";
import type { Outcome } from "../verdicts/tables.ts";
import type { Point } from "../verdicts/traffic.ts";
import type { Age } from "../verdicts/worlds.ts";
import type { Decider, Deciders } from "./report.ts";

/** Names a world's rule, with the place where it is written. */
export type RuleNamer = (policy: Policy, direction: Direction, rule: Rule) => RuleRef;

export interface DecidedSide {
  readonly decider: Decider;
  readonly edited: readonly Ref[];
}

export type Sides = Readonly<Record<Direction, DecidedSide>>;

export function decidersOf({ egress, ingress }: Sides): Deciders {
  return { egress: egress.decider, ingress: ingress.decider };
}

export interface Asked extends Point {
  readonly namer: RuleNamer;
}

export function sidesAt(comparison: Comparison, sample: Sample, age: Age, asked: Asked): Sides {
  const { frame, tables, cuts } = comparison;
  const met = comparison.metAnywhere(age, sample.from, sample.to);
  const side = (role: Role, end: SampleEnd, kind: Kind): DecidedSide => {
    const direction = subjectSide[role];
    if (end === null) return { decider: { verdict: "allow", by: "exempt" }, edited: [] };
    const ports = frame.declared.both(sample.from.ports[age], sample.to.ports[age]);
    const lists = [...new Set(met.map((one) => one[direction]))];
    const outcomes = lists.map((list) => tables.outcome(list, ports, cuts.partAt(asked)));
    const [outcome] = outcomes;
    invariant(outcome !== undefined, "two ends that meet nowhere");
    const isolating = frame.sides[direction][age].rows
      .at(kind.rows[age])
      .entries.filter(({ isolates }) => isolates);
    const edited = editedIn(outcomes, isolating, age);
    if (outcomes.some(({ verdict }) => verdict !== outcome.verdict))
      return { decider: openByAddress(outcomes, age), edited };
    const policies = isolating.flatMap(({ tier, said }) =>
      said[age] === null || tier !== outcome.by[0]?.tier ? [] : [said[age].policy],
    );
    const name = (policy: Policy, rule: Rule): RuleRef => asked.namer(policy, direction, rule);
    return { decider: deciderOf(outcome, age, policies, name), edited };
  };
  return {
    egress: side("from", sample.source, sample.from),
    ingress: side("to", sample.target, sample.to),
  };
}

/** Where pods will be decides. */
function openByAddress(outcomes: readonly Outcome[], age: Age): Decider {
  const said = outcomes.flatMap(({ by }) => by).flatMap((entry) => entry.said[age] ?? []);
  const policies = new Map(said.map(({ policy }) => [policy.key, refOf(policy)]));
  return { verdict: "unknown", by: "address", policies: [...policies.values()] };
}

function deciderOf(
  { verdict, by }: Outcome,
  age: Age,
  isolating: readonly Policy[],
  name: (policy: Policy, rule: Rule) => RuleRef,
): Decider {
  const sure = verdict === "unknown" ? by : by.filter(({ isOpen }) => !isOpen);
  const said = (sure.length === 0 ? by : sure).flatMap((entry) => entry.said[age] ?? []);
  const [first] = said;
  if (first === undefined) return { verdict, by: "default" };
  // What is open ends as the isolation behind it.
  if (sure.length === 0 && isolating.length > 0)
    return { verdict, by: "isolation", tier: first.policy.tier.name, policies: isolating.map(refOf) };
  if (verdict === "unknown" && by.some(({ isOpen }) => isOpen)) {
    const policies = new Map(said.map(({ policy }) => [refText(policy.ref), refOf(policy)]));
    return { verdict, by: "open", policies: [...policies.values()] };
  }
  if (said.length > 1) return { verdict, by: "tie", policies: said.map(({ policy }) => refOf(policy)) };
  const { policy, rule } = first;
  const tier = policy.tier.name;
  if (rule === null) return { verdict, by: "isolation", tier, policies: isolating.map(refOf) };
  return { verdict, by: "rule", tier, policy: refOf(policy), rule: name(policy, rule) };
}

/** Of isolations, which all do the same, those of the deciding tier count. */
function editedIn(outcomes: readonly Outcome[], isolating: readonly Entry[], age: Age): readonly Ref[] {
  const says = outcomes.flatMap((one) => one.says);
  const tiers = new Set(says.filter(({ isolates }) => isolates).map(({ tier }) => tier));
  const entries = [
    ...says.filter(({ isolates }) => !isolates),
    ...isolating.filter(({ tier }) => tiers.has(tier)),
  ];
  const policies = entries.flatMap(({ changed, said }) => (changed ? (said[age]?.policy ?? []) : []));
  return [...new Set(policies)].map(refOf);
}
