// NG030: rules that no packet has met, by the counts of nodes' readers. Counted long enough on every node that counts it; what is not
// counted, or not long enough, is not judged. A rule that closes its policy is there for what must not come.

import type { Counted, Hits, RuleHits } from "../../hits/hits.ts";
import { hitsOfRule } from "../../hits/hits.ts";
import { counted } from "../../lib/counted.ts";
import type { Policy } from "../../policy/ir.ts";
import { directions } from "../../policy/ir.ts";
import { isOwnPolicy } from "../../policy/outside.ts";
import { effectOfRule } from "../../verdicts/row.ts";
import { isClosing } from "../closing.ts";
import type { Context } from "../context.ts";
import type { Draft } from "../draft.ts";
import { ofRule, partOf } from "../draft.ts";

/** Counting for a shorter time says nothing. */
const leastMs = 3_600_000;

export function* neverHit(context: Context): Generator<Draft> {
  const { hits } = context;
  if (hits === null) return;
  const unread = unreadNodes(hits, context);
  const seen = new Set<string>();
  for (const entry of context.entries()) {
    const { policy, direction, rule } = entry;
    const place = `${policy.key} ${direction} ${rule.index}`;
    if (seen.has(place) || isClosing(entry)) continue;
    seen.add(place);
    const found = hitsOfRule(hits, policy, direction, rule);
    if (found.packets !== 0 || isYoung(found)) continue;
    const isDenied = effectOfRule(rule) === "deny";
    yield {
      ...{ severity: "info", target: ofRule(entry), field: partOf(entry) },
      message: `no packet has met it since ${found.allSince}, on ${counted(found.nodes, "node")} that ${found.nodes === 1 ? "counts" : "count"} it${unread}`,
      fix: isDenied
        ? "keep it if it is there for what must not happen"
        : "delete it if nothing needs it: what connects once a month may not have come yet",
    };
  }
}

/** Nodes that the counts are not of. */
function unreadNodes(hits: Hits, { facts }: Context): string {
  const read = new Set(hits.nodes);
  const others = [...facts.nodes].filter(({ name }) => !read.has(name)).length;
  return others === 0 ? "" : `; the counts of ${counted(others, "node")} were not given`;
}

function isYoung({ allSince, until }: Counted): boolean {
  return Date.parse(until) - Date.parse(allSince) < leastMs;
}

/** Which rules NG030 does not judge, in sentences without a full stop. */
export function hitsNotes(hits: Hits, policies: readonly Policy[]): readonly string[] {
  const rules = new Map<string, RuleHits>();
  for (const policy of policies.filter(({ key }) => !isOwnPolicy(key)))
    for (const direction of directions)
      for (const rule of policy.rules[direction])
        rules.set(`${policy.key} ${direction} ${rule.index}`, hitsOfRule(hits, policy, direction, rule));
  const all = [...rules.values()];
  const without = all.filter(({ packets }) => packets === null).length;
  const young = all.filter((one) => one.packets === 0 && isYoung(one)).length;
  return [
    ...unjudged(without, "not counted"),
    ...unjudged(young, "without a packet, counted for less than an hour"),
  ];
}

function unjudged(count: number, why: string): readonly string[] {
  if (count === 0) return [];
  return [`${counted(count, "rule")} ${why}: NG030 does not judge ${count === 1 ? "it" : "them"}`];
}
