// Named ports resolved again where they may resolve otherwise; what comes of it is pending like anything else, for the planners of
// sets and ACLs. Writes nothing itself.

import type { PolicyState } from "../desired/policy-state.ts";
import type { PolicyPending } from "../pending.ts";
import type { PlanContext } from "./context.ts";

export function resolveNamedPorts(
  state: PolicyState,
  pending: PolicyPending,
  { actual, content, contents }: PlanContext,
): void {
  // One walk finds the contents of all sets of a rule.
  for (const { name, named } of state.namedPortSets()) {
    if (pending.addressSets.get(name) === "all") pending.namedPorts.mark(named, "all");
  }
  if (pending.whole) for (const named of state.namedPortRules()) pending.namedPorts.mark(named, "all");
  const present = (set: string): Iterable<string> => actual.addressSet(set)?.row.addresses ?? [];
  for (const [named, addresses] of pending.namedPorts) {
    const resolution = state.resolved(named)?.resolve(addresses, content.namedPorts, present);
    if (resolution === undefined) continue;
    for (const id of resolution.acls) pending.acls.add(id);
    for (const [set, elements] of resolution.sets) pending.addressSets.mark(set, elements);
    for (const [set, addresses] of resolution.contents) contents.know(set, addresses);
  }
}
