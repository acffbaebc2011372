// A policy as lists of the page have it: as `get -o json`, with its key and why it is not in force as it is written.

import type { OrderedPolicy } from "../explain/overview.ts";
import { listedPolicy, orderedPolicies } from "../explain/overview.ts";
import type { Policy } from "../policy/ir.ts";
import { policyKey } from "../policy/ir.ts";
import type { PolicyShown } from "./shown.ts";
import type { ShownWorld } from "./world.ts";

/** Why a policy is not in force as its object says. */
export const troubles = ["refused", "kept", "in part"] as const;
export type Trouble = (typeof troubles)[number];

/** A policy of the list. */
export function shownPolicy(world: ShownWorld, one: OrderedPolicy): PolicyShown {
  const { asked, membership, live } = world;
  const key = policyKey(one.policy.ref);
  return {
    ...listedPolicy(asked, membership, one),
    key,
    notInForce: live?.whyNotInForce(key) ?? null,
    inPart: isInPart(world, one.policy),
  };
}

/** Whether an error was found in a policy that is not refused: the rest of it is in force. */
function isInPart(world: ShownWorld, { key }: Policy): boolean {
  const found = world.record(key);
  return found !== null && !found.rejected && found.problems.some(({ severity }) => severity === "error");
}

/** Policies that are not in force as their objects say, with the reason, in the order of evaluation. */
export function troubled(world: ShownWorld): readonly (OrderedPolicy & { readonly trouble: Trouble })[] {
  const { asked } = world;
  const unread = new Set(asked.unknowns.unread.map(({ key }) => key));
  const troubleOf = ({ policy, isRefused }: OrderedPolicy): Trouble | null => {
    if (isRefused) return "refused";
    if (unread.has(policy.key)) return "kept";
    return isInPart(world, policy) ? "in part" : null;
  };
  return orderedPolicies(asked).flatMap((one) => {
    const trouble = troubleOf(one);
    return trouble === null ? [] : [{ ...one, trouble }];
  });
}
