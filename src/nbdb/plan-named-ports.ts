// Named ports resolved again where they may resolve otherwise; what comes of it is dirt like any other, for the planners of
// sets and ACLs. Writes nothing itself.

import type { PolicyState } from "./policy-state.ts";
import type { PolicyDirt } from "./dirt.ts";
import type { PlanContext } from "./plan-context.ts";

export function resolveNamedPorts(
  state: PolicyState,
  dirt: PolicyDirt,
  { actual, content, addresses: lists }: PlanContext,
): void {
  // One walk finds the contents of all sets of a rule.
  for (const { name, named } of state.namedPortSets()) {
    if (dirt.addressSets.get(name) === "all") dirt.namedPorts.set(named, "all");
  }
  if (dirt.whole) for (const named of state.namedPortRules()) dirt.namedPorts.set(named, "all");
  const present = (set: string): Iterable<string> => actual.addressSet(set)?.row.addresses ?? [];
  for (const [named, addresses] of dirt.namedPorts) {
    const resolution = state.resolved(named)?.resolve(addresses, content.namedPorts, present);
    if (resolution === undefined) continue;
    for (const id of resolution.acls) dirt.acls.add(id);
    for (const [set, elements] of resolution.sets) dirt.addresses(set, elements);
    for (const [set, contents] of resolution.contents) lists.know(set, contents);
  }
}
