// Which parts of a policy the in-memory filter has no room for, where it holds only so many sets, as ipset does: first the ends of
// tiers have theirs, then each rule in turn. A rule whose peers or ports have none takes none. Pure.

import type { IpFamily } from "../../src/model/ip.ts";
import type { Refusal } from "../../src/policy/contracts/backend.ts";
import type { Direction, Policy, Rule } from "../../src/policy/ir.ts";
import { directions } from "../../src/policy/ir.ts";
import { renderChain } from "./memory-chain.ts";
import type { SetName } from "./memory-store.ts";

/** `taken`: the sets of other policies. */
export function roomlessParts(
  policy: Policy,
  families: readonly IpFamily[],
  taken: ReadonlySet<SetName>,
  most: number,
): readonly Refusal[] {
  const message = `the filter has room for ${most} sets`;
  const used = new Set(taken);
  /** Takes the sets that the policy needs with these rules alone, or none if not all of them have room. */
  const fits = (rules: Partial<Policy["rules"]>): boolean => {
    const { sets } = renderChain({ ...policy, rules: { ingress: [], egress: [], ...rules } }, families);
    const after = used.union(new Set(sets.keys()));
    if (after.size > most) return false;
    for (const name of after) used.add(name);
    return true;
  };
  /** null: all of the rule has room. */
  const roomless = (direction: Direction, rule: Rule): Refusal["part"] | null => {
    const part = { kind: "rule", direction, index: rule.index } as const;
    const bare: Rule = { ...rule, peers: [{ kind: "everything" }], ports: null };
    if (!fits({ [direction]: [bare] }))
      return rule.subject === null ? { kind: "subject" } : { ...part, field: "subject" };
    if (!fits({ [direction]: [{ ...bare, peers: rule.peers }] })) return { ...part, field: "peers" };
    return fits({ [direction]: [rule] }) ? null : { ...part, field: "ports" };
  };
  // What the ends of tiers need comes first: nothing closes them.
  const parts = fits({})
    ? directions.flatMap((direction) => policy.rules[direction].map((rule) => roomless(direction, rule)))
    : [{ kind: "subject" } as const];
  return parts.flatMap((part) => (part === null ? [] : [{ code: "NoPlace", part, message }]));
}
