// Desired against actual, for one policy: the operations that make the difference go away, and none when there is none.
// Order inside a policy: address sets, ACLs, port group, then rows that go; one transaction holds them all.

import type { Operation } from "../ovsdb/operation.ts";
import type { PolicyKey } from "../policy/ir.ts";
import type { PolicyState } from "./policy-state.ts";
import type { Elements, PolicyDirt } from "./dirt.ts";
import { planAcls } from "./plan-acls.ts";
import { planAddressSet } from "./plan-address-set.ts";
import { resolveNamedPorts } from "./plan-named-ports.ts";
import { planPortGroup } from "./plan-port-group.ts";
import type { PlanContext } from "./plan-context.ts";
import type { DesiredAddressSet, NamedPortSet } from "./render.ts";
import { northboundOperations } from "./schema.ts";

export function planPolicy(
  key: PolicyKey,
  state: PolicyState | null,
  dirt: PolicyDirt,
  context: PlanContext,
): readonly Operation[] {
  const operations: Operation[] = [];
  const add = (planned: readonly Operation[]): void => {
    for (const operation of planned) operations.push(operation);
  };
  if (state !== null) {
    // ACLs live and die with the group that refers to them: without it all of them are to be made again.
    if (context.actual.portGroup(state.rows.portGroup.name) === null) dirt.whole = true;
    resolveNamedPorts(state, dirt, context);
    for (const [set, elements] of dirtySets(state, dirt, context))
      add(planAddressSet(set, elements, context));
    const acls = planAcls(state, dirt, context);
    add(acls.operations);
    add(planPortGroup(state, dirt, acls, context));
  }
  add(planRemovals(key, state, dirt, context));
  return operations;
}

/** The desired sets to look at, and where. */
function* dirtySets(
  state: PolicyState,
  dirt: PolicyDirt,
  { echoes }: PlanContext,
): Generator<readonly [DesiredAddressSet | NamedPortSet, Elements]> {
  if (dirt.whole) {
    for (const set of state.addressSets()) {
      const elements = echoes.isFresh(set.name) ? dirt.addressSets.get(set.name) : "all";
      if (elements !== undefined) yield [set, elements];
    }
    return;
  }
  for (const [name, elements] of dirt.addressSets) {
    const set = state.addressSet(name);
    if (set !== null) yield [set, elements];
  }
}

/** Rows that name the policy as their owner and are not desired. ACLs go with the reference to them (non-root table). */
function planRemovals(
  key: PolicyKey,
  state: PolicyState | null,
  dirt: PolicyDirt,
  { actual }: PlanContext,
): readonly Operation[] {
  const isWhole = state === null || dirt.whole;
  const groups = isWhole ? actual.ownedBy("Port_Group", key) : [];
  // An ACL that referred to a set that goes now is written anew in the same transaction.
  const isStale = (name: string): boolean => (state?.addressSet(name) ?? null) === null;
  const sets = isWhole
    ? actual.ownedBy("Address_Set", key).filter(({ row }) => isStale(row.name))
    : [...dirt.addressSets.keys()].filter(isStale).flatMap((name) => actual.addressSet(name) ?? []);
  return [
    ...groups
      .filter(({ row }) => row.name !== state?.rows.portGroup.name)
      .map(({ uuid }) => northboundOperations.remove("Port_Group", uuid)),
    ...sets.map(({ uuid }) => northboundOperations.remove("Address_Set", uuid)),
  ];
}
