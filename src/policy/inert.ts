// Whether the rules of a policy can match any connection at all, whatever pods there are. Looks at the policy alone.

import type { Policy } from "./ir.ts";
import { directions } from "./ir.ts";

/** It has no rule that can match, and denies nothing besides: with rules or without. */
export function matchesNothing({ unmatched, rules }: Pick<Policy, "unmatched" | "rules">): boolean {
  if (directions.some((direction) => unmatched[direction] === "deny")) return false;
  const all = directions.flatMap((direction) => rules[direction]);
  return all.every(
    ({ own, peers, ports }) => own?.networks.length === 0 || peers.length === 0 || ports?.length === 0,
  );
}
