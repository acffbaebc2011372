// Compiles policies to the program of a packet filter. The order is that of policy/order.ts: tiers, policies, and rules that take
// turns. A rule becomes a line for each pair of a peer and a sort of traffic. A subject of all pods of a node has no line: such a
// subject is about traffic that the node itself sends to its pods, which no chain filters.

import type { Direction, GroupKey, Policy, PolicyKey, Rule, Subject } from "../policy/ir.ts";
import { groupKey } from "../policy/ir.ts";
import { subjectForm } from "../policy/normal-form.ts";
import { byTier, equalsOf, rulesOfEquals, tierKey } from "../policy/order.ts";
import { lineMatches } from "./lower-rule.ts";
import type { Block, FilterProgram, Line, TierEnd, TierProgram } from "./program.ts";

/** In any order. Each must be admitted (admission.ts). */
export function lower(policies: readonly Policy[]): FilterProgram {
  return { egress: lowerSide(policies, "egress"), ingress: lowerSide(policies, "ingress") };
}

function lowerSide(policies: readonly Policy[], direction: Direction): readonly TierProgram[] {
  return byTier(policies).flatMap(([tier, ofTier]) => {
    const equals = equalsOf(ofTier);
    const blocks = blocksOf(
      equals.flatMap((turn) => rulesOfEquals(turn, direction)),
      direction,
    );
    const ends = equals.flat().flatMap((policy) => endOf(policy, direction));
    return blocks.length + ends.length === 0 ? [] : [{ key: tierKey(tier), name: tier.name, blocks, ends }];
  });
}

/** Rules of one policy about one subject that follow each other are one block. */
function blocksOf(
  rules: readonly { readonly policy: Policy; readonly rule: Rule }[],
  direction: Direction,
): readonly Block[] {
  const blocks: { policy: PolicyKey; of: Subject; subject: readonly GroupKey[]; lines: Line[] }[] = [];
  for (const { policy, rule } of rules) {
    const of = rule.subject ?? policy.subject;
    const subject = podGroups(of);
    const lines = linesOf(rule, subject, direction);
    if (subject.length === 0 || lines.length === 0) continue;
    const last = blocks.at(-1);
    if (last?.policy === policy.key && last.of === of) last.lines.push(...lines);
    else blocks.push({ policy: policy.key, of, subject, lines: [...lines] });
  }
  return blocks.map(({ policy, subject, lines }) => ({ policy, subject, lines }));
}

function linesOf(rule: Rule, subject: readonly GroupKey[], direction: Direction): readonly Line[] {
  const { index, action: verdict } = rule;
  return lineMatches(rule, subject, direction).map((match) => ({ ...match, index, verdict }));
}

function endOf(policy: Policy, direction: Direction): readonly TierEnd[] {
  const subject = policy.unmatched[direction] === "deny" ? podGroups(policy.subject) : [];
  return subject.length === 0 ? [] : [{ policy: policy.key, subject }];
}

function podGroups(subject: Subject): readonly GroupKey[] {
  return [...new Set(subjectForm(subject).pods.map(groupKey))];
}
