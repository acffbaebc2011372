// The port groups that a plan of what is pending may reach, where the unit is not compared whole: those whose ports,
// references or ACLs are.

import type { UnitState } from "../desired/unit-state.ts";
import type { UnitPending } from "../pending.ts";

/** Names of desired groups. ACLs of named ports become pending when those are resolved, which is later. */
export function groupsConcerned(state: UnitState, pending: UnitPending): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (name: string | null): void => {
    if (name !== null && state.portGroup(name) !== null) names.add(name);
  };
  for (const name of pending.ports.keys()) add(name);
  for (const name of pending.aclReferences) add(name);
  for (const id of pending.acls) add(state.acl(id)?.portGroup ?? null);
  for (const { portGroup } of pending.namedPorts.keys()) add(portGroup);
  if (!state.namesPorts) return names;
  for (const { name, named } of state.namedPortSets())
    if (pending.addressSets.has(name)) add(named.portGroup);
  return names;
}
