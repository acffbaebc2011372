// The named ports of a policy's rules that no container port of their destinations has, whatever the rows are for: a
// database or a preview.

import type { PolicyKey } from "../../policy/ir.ts";
import type { UnmatchedPort } from "../../policy/contracts/unmatched-port.ts";
import type { NamedPortRule } from "../rows/unit.ts";
import { unitOfPolicy } from "../rows/unit.ts";
import type { Content } from "./content.ts";
import type { Desired } from "./desired.ts";

export function unmatchedPortsOf(
  key: PolicyKey,
  desired: Desired,
  { namedPorts }: Content,
): readonly UnmatchedPort[] {
  const named = desired.get(unitOfPolicy(key))?.namedPortRules() ?? [];
  return named.toSorted(inOrder).flatMap((query) => {
    const names = namedPorts.unmatched(query);
    return names.map((name) => ({ direction: query.direction, index: query.rule.index, name }));
  });
}

/** Ingress first, then by index and share: a policy's message is the same in whatever order its rules were read. */
function inOrder(a: NamedPortRule, b: NamedPortRule): number {
  if (a.direction !== b.direction) return a.direction === "ingress" ? -1 : 1;
  if (a.rule.index !== b.rule.index) return a.rule.index - b.rule.index;
  return (a.rule.share ?? "") < (b.rule.share ?? "") ? -1 : 1;
}
