// What is not in force, for questions about all policies at once: lines for /readyz and counts for a metric. Says of
// a policy what its report says; decides nothing itself but for the zone that no Node has.

import type { PolicyRecord } from "../controller/engine.ts";
import type { FactStore } from "../model/fact-store.ts";
import type { ShownKey } from "../model/object.ts";
import { quote } from "../model/quote.ts";
import { matchesNothing } from "../policy/inert.ts";
import { directions } from "../policy/ir.ts";
import { stagedAnnotation } from "../policy/staged.ts";
import type { Backend } from "../policy/contracts/backend.ts";
import type { Unenforced } from "../policy/contracts/unenforced.ts";
import { isOfNames } from "../policy/contracts/unenforced.ts";
import type { NotInForceReason, ReportedPolicies } from "./reported.ts";

/** Policies that a line names. */
const namedPolicies = 3;

/**
 * Why no pod can be of the zone. Pods are local by the name of their Node: without the Node there is no local pod, and no
 * rule acts on one; in the database of another zone none has a port.
 */
export function zoneFault(
  zone: string | null,
  facts: Pick<FactStore, "hasNode">,
  backend: Pick<Backend, "unenforced">,
): Unenforced | null {
  if (zone === null) return null;
  if (!facts.hasNode(zone))
    return { reason: "NoNodeOfZone", message: `--zone is ${quote(zone)}, and no Node has that name` };
  const everywhere = backend.unenforced(null);
  return everywhere?.reason === "ZoneMismatch" ? everywhere : null;
}

/** Rules that are all without effect, such as those of domain names, which are not resolved here. */
export function noRuleInForce({ policy }: Pick<PolicyRecord, "policy">): Unenforced | null {
  if (policy === null || directions.every((direction) => policy.rules[direction].length === 0)) return null;
  if (!matchesNothing(policy)) return null;
  return { reason: "NoRuleInForce", message: "none of its rules can match a connection" };
}

/** Its object says that it is not to be in force. */
export function stagedOf({ isStaged }: Pick<PolicyRecord, "isStaged">): Unenforced | null {
  if (!isStaged) return null;
  return {
    reason: "Staged",
    message: `annotation ${stagedAnnotation} keeps it out of force: it has no rows`,
  };
}

/** One line for what holds for every policy, or one for each reason that some have. */
export function unenforcedLines(
  reported: Pick<ReportedPolicies, "unenforced">,
  everywhere: Unenforced | null,
  shown: ShownKey,
): readonly string[] {
  if (everywhere !== null) return [`no policy is enforced: ${everywhere.message}`];
  const byReason = Map.groupBy(reported.unenforced(), ([, { reason }]) => reason);
  // Its author wants it so.
  byReason.delete("Staged");
  return Array.from(byReason, ([reason, policies]) => {
    const named = policies.slice(0, namedPolicies).map(([key, { message }]) => `${shown(key)}: ${message}`);
    const rest = policies.length - named.length;
    const others = rest > 0 ? `; and ${rest} more policies` : "";
    const said = isOfNames(reason) ? "enforced in part" : "not enforced on all of its subject";
    return `${said} (${reason}): ${named.join("; ")}${others}`;
  });
}

/** How many policies are not in force as written for this reason; each has one at the most. */
export function countNotInForce(
  reason: NotInForceReason,
  records: Iterable<PolicyRecord>,
  reported: Pick<ReportedPolicies, "whyNotInForce">,
): number {
  let count = 0;
  for (const record of records) if (reported.whyNotInForce(record) === reason) count++;
  return count;
}
