// The port groups that a plan of what is pending may reach, where the unit is not compared whole: those whose ports,
// references or ACLs are.

import type { UnitState } from "../desired/unit-state.ts";
import type { UnitPending } from "../pending.ts";

/** Names of desired groups. ACLs of named ports become pending when those are resolved, which is later. */
export function groupsConcerned(state: UnitState, pending: UnitPending): IteratorObject<string> {
  return new Set(namesOf(state, pending)).values().filter((name) => state.portGroup(name) !== null);
}

function* namesOf(state: UnitState, pending: UnitPending): Generator<string, void> {
  yield* pending.ports.keys();
  yield* pending.aclReferences;
  for (const id of pending.acls) {
    const name = state.acl(id)?.portGroup ?? null;
    if (name !== null) yield name;
  }
  for (const { portGroup } of pending.namedPorts.keys()) yield portGroup;
  for (const { name, named } of state.namedPortSets())
    if (pending.addressSets.has(name)) yield named.portGroup;
}
