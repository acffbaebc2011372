// What packets have met beside the rules that explain names. Counts decide nothing: verdicts are the same without them.

import type { Hits, RuleHits } from "../hits/hits.ts";
import type { Direction } from "../policy/ir.ts";
import type { Answer, ManyAnswer, RuleStep, Side } from "./answer.ts";
import type { ListedRule, PodOverview } from "./overview.ts";

/** In the direction, for a denial by default. */
function hitsOfStep(
  hits: Hits,
  direction: Direction,
  { policy, rule }: Pick<RuleStep, "policy" | "rule">,
): RuleHits {
  return hits.of({ policy, direction, index: rule?.index ?? null, action: rule?.action ?? "deny" });
}

/** `direction`: of those that are denials by default. */
export function rulesWithHits(
  hits: Hits,
  rules: readonly ListedRule[],
  direction: Direction,
): readonly ListedRule[] {
  return rules.map((one) => ({ ...one, hits: hitsOfStep(hits, one.rule?.direction ?? direction, one) }));
}

export function podWithHits(hits: Hits, overview: PodOverview): PodOverview {
  const { ingress, egress } = overview;
  return {
    ...overview,
    ingress: rulesWithHits(hits, ingress, "ingress"),
    egress: rulesWithHits(hits, egress, "egress"),
  };
}

/** With what packets met of what decides on each side. */
export function answerWithHits<A extends Answer | ManyAnswer>(hits: Hits, answer: A): A {
  const sides = ({ egress, ingress }: Readonly<Record<Direction, Side | null>>) => ({
    egress: sideWithHits(hits, egress, "egress"),
    ingress: sideWithHits(hits, ingress, "ingress"),
  });
  if (!("groups" in answer)) return { ...answer, ...sides(answer) };
  return { ...answer, groups: answer.groups.map((group) => ({ ...group, ...sides(group) })) };
}

function sideWithHits(hits: Hits, side: Side | null, direction: Direction): Side | null {
  if (side?.policy === undefined) return side;
  const { policy, rule = null } = side;
  return { ...side, hits: hitsOfStep(hits, direction, { policy, rule }) };
}
