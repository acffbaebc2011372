// Compares the desired and actual rows of one unit: the operations that remove the difference, none when there is none.
// Order inside a unit: address sets, ACLs, port groups, then deletions; one transaction holds them all.

import type { Operation } from "../../ovsdb/notation/operation.ts";
import type { DesiredRows } from "../desired/unit-state.ts";
import type { ReadonlyPending } from "../pending.ts";
import { northboundOperations } from "../rows/schema.ts";
import type { DesiredAddressSet, DesiredPortGroup, NamedPortSet, UnitKey } from "../rows/unit.ts";
import type { AclPlan } from "./acls.ts";
import { planAcls } from "./acls.ts";
import { planAddressSet } from "./address-set.ts";
import type { PlanContext } from "./context.ts";
import { planKeptPorts, planPortGroup } from "./port-group.ts";

/**
 * `state`: null when the unit has no desired rows. An ACL lives and dies with the group that refers to it: where a
 * desired group has no row, `pending` must be whole, or have the group.
 */
export function planUnit(
  unit: UnitKey,
  state: DesiredRows | null,
  pending: ReadonlyPending,
  context: PlanContext,
): readonly Operation[] {
  const operations: Operation[] = [];
  const add = (planned: readonly Operation[]): void => {
    for (const operation of planned) operations.push(operation);
  };
  if (state === null && context.keptPorts.size > 0) return planKeptPorts(unit, context);
  if (state !== null && isOfElements(pending)) {
    planElements(state, pending, context, add);
    return operations;
  }
  if (state !== null) {
    for (const [set, elements] of pendingSets(state, pending, context))
      add(planAddressSet(set, elements, context));
    const acls = planAcls(state, pendingAcls(state, pending), context);
    add(acls.operations);
    for (const group of pendingGroups(state, pending, acls))
      add(planPortGroup(group, { state, pending, acls, context }));
  }
  add(planRemovals(unit, state, pending, context));
  return operations;
}

/** Whether nothing but what sets and port groups hold is pending, as after most changes of a pod. */
function isOfElements({ whole, portGroups, aclReferences, acls }: ReadonlyPending): boolean {
  return !whole && portGroups.size === 0 && aclReferences.size === 0 && acls.size === 0;
}

/** What planUnit plans where nothing else is pending: it looks at no ACL. */
function planElements(
  state: DesiredRows,
  pending: ReadonlyPending,
  context: PlanContext,
  add: (planned: readonly Operation[]) => void,
): void {
  for (const [name, elements] of pending.addressSets) {
    const set = state.addressSet(name);
    if (set !== null) add(planAddressSet(set, elements, context));
  }
  for (const name of pending.ports.keys()) {
    const group = state.portGroup(name);
    if (group !== null) add(planPortGroup(group, { state, pending, acls: noAcls, context }));
  }
  add(staleSets(state, pending, context));
}

const noAcls: AclPlan = { operations: [], portGroups: new Set(), inserted: new Map() };

/** The desired sets to compare, and their elements to compare. */
function* pendingSets(
  state: DesiredRows,
  pending: ReadonlyPending,
  { inFlight }: PlanContext,
): Generator<readonly [DesiredAddressSet | NamedPortSet, ReadonlySet<string> | "all"]> {
  if (pending.whole) {
    for (const set of state.addressSets()) {
      const elements = inFlight.isFresh(set.name) ? pending.addressSets.get(set.name) : "all";
      if (elements !== undefined) yield [set, elements];
    }
    return;
  }
  for (const [name, elements] of pending.addressSets) {
    const set = state.addressSet(name);
    if (set !== null) yield [set, elements];
  }
}

function pendingAcls(state: DesiredRows, pending: ReadonlyPending): ReadonlySet<string> {
  const ids = new Set(pending.acls);
  if (pending.whole) for (const { id } of state.acls()) ids.add(id);
  else
    for (const group of [...pending.portGroups, ...pending.aclReferences])
      for (const { id } of state.aclsOf(group)) ids.add(id);
  return ids;
}

function pendingGroups(
  state: DesiredRows,
  pending: ReadonlyPending,
  acls: AclPlan,
): readonly DesiredPortGroup[] {
  if (pending.whole) return state.rows.portGroups;
  const { portGroups, ports, aclReferences } = pending;
  const names = new Set([...portGroups, ...ports.keys(), ...aclReferences, ...acls.portGroups]);
  return Array.from(names).flatMap((name) => state.portGroup(name) ?? []);
}

/**
 * Deletes rows that name the unit as their owner and are not desired. ACLs go with the reference to them (non-root
 * table).
 */
function planRemovals(
  unit: UnitKey,
  state: DesiredRows | null,
  pending: ReadonlyPending,
  context: PlanContext,
): readonly Operation[] {
  const { actual } = context;
  const isWhole = state === null || pending.whole;
  const groups = isWhole ? actual.ownedBy("Port_Group", unit) : actual.ownedAmong(pending.portGroups, unit);
  const sets = isWhole
    ? actual
        .ownedBy("Address_Set", unit)
        .filter(({ row }) => (state?.addressSet(row.name) ?? null) === null)
        .map(({ uuid }) => northboundOperations.remove("Address_Set", uuid))
    : staleSets(state, pending, context);
  return [
    ...groups
      .filter(({ row }) => (state?.portGroup(row.name) ?? null) === null)
      .map(({ uuid }) => northboundOperations.remove("Port_Group", uuid)),
    ...sets,
  ];
}

/** Deletes pending sets that are not desired. An ACL that referred to one gets a new match in the same transaction. */
function staleSets(
  state: DesiredRows,
  pending: ReadonlyPending,
  { actual }: PlanContext,
): readonly Operation[] {
  const operations: Operation[] = [];
  for (const name of pending.addressSets.keys()) {
    const found = state.addressSet(name) === null ? actual.addressSet(name) : null;
    if (found !== null) operations.push(northboundOperations.remove("Address_Set", found.uuid));
  }
  return operations;
}
