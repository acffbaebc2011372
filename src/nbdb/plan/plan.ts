// Desired against actual, for one policy: the operations that make the difference go away, and none when there is none.
// Order inside a policy: address sets, ACLs, port group, then rows that go; one transaction holds them all.

import type { Operation } from "../../ovsdb/operation.ts";
import type { PolicyKey } from "../../policy/ir.ts";
import type { PolicyState } from "../desired/policy-state.ts";
import type { PendingElements } from "../../contents/pending-elements.ts";
import type { PolicyPending } from "../pending.ts";
import { planAcls } from "./acls.ts";
import { planAddressSet } from "./address-set.ts";
import { resolveNamedPorts } from "./named-ports.ts";
import { planPortGroup } from "./port-group.ts";
import type { PlanContext } from "./context.ts";
import type { DesiredAddressSet, NamedPortSet } from "../rows/render.ts";
import { northboundOperations } from "../rows/schema.ts";

export function planPolicy(
  key: PolicyKey,
  state: PolicyState | null,
  pending: PolicyPending,
  context: PlanContext,
): readonly Operation[] {
  const operations: Operation[] = [];
  const add = (planned: readonly Operation[]): void => {
    for (const operation of planned) operations.push(operation);
  };
  if (state !== null) {
    // ACLs live and die with the group that refers to them: without it all of them are to be made again.
    if (context.actual.portGroup(state.rows.portGroup.name) === null) pending.whole = true;
    resolveNamedPorts(state, pending, context);
    for (const [set, elements] of pendingSets(state, pending, context))
      add(planAddressSet(set, elements, context));
    const acls = planAcls(state, pending, context);
    add(acls.operations);
    add(planPortGroup(state, pending, acls, context));
  }
  add(planRemovals(key, state, pending, context));
  return operations;
}

/** The desired sets to look at, and where. */
function* pendingSets(
  state: PolicyState,
  pending: PolicyPending,
  { inFlight }: PlanContext,
): Generator<readonly [DesiredAddressSet | NamedPortSet, PendingElements<string>]> {
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

/** Rows that name the policy as their owner and are not desired. ACLs go with the reference to them (non-root table). */
function planRemovals(
  key: PolicyKey,
  state: PolicyState | null,
  pending: PolicyPending,
  { actual }: PlanContext,
): readonly Operation[] {
  const isWhole = state === null || pending.whole;
  const groups = isWhole ? actual.ownedBy("Port_Group", key) : [];
  // An ACL that referred to a set that goes now is written anew in the same transaction.
  const isStale = (name: string): boolean => (state?.addressSet(name) ?? null) === null;
  const sets = isWhole
    ? actual.ownedBy("Address_Set", key).filter(({ row }) => isStale(row.name))
    : [...pending.addressSets.keys()].filter(isStale).flatMap((name) => actual.addressSet(name) ?? []);
  return [
    ...groups
      .filter(({ row }) => row.name !== state?.rows.portGroup.name)
      .map(({ uuid }) => northboundOperations.remove("Port_Group", uuid)),
    ...sets.map(({ uuid }) => northboundOperations.remove("Address_Set", uuid)),
  ];
}
