// Desired against actual, for one policy: the operations that make the difference go away, and none when there is none.
// Order inside a policy: address sets, ACLs, port group, then rows that go; one transaction holds them all.

import type { Operation } from "../ovsdb/operation.ts";
import type { PolicyKey } from "../policy/ir.ts";
import type { PolicyState } from "./desired.ts";
import type { PolicyDirt } from "./dirt.ts";
import { planAcls } from "./plan-acls.ts";
import { planAddressSet } from "./plan-address-set.ts";
import { resolveNamedPorts } from "./plan-named-ports.ts";
import { planPortGroup } from "./plan-port-group.ts";
import type { Plan, PlanContext } from "./plan-context.ts";
import { northboundOperations } from "./schema.ts";

export function planPolicy(
  key: PolicyKey,
  state: PolicyState | null,
  dirt: PolicyDirt,
  context: PlanContext,
): Plan {
  const operations: Operation[] = [];
  let weight = 0;
  const add = (plan: Plan): void => {
    operations.push(...plan.operations);
    weight += plan.weight;
  };
  if (state !== null) {
    // ACLs live and die with the group that refers to them: without it all of them are to be made again.
    if (context.actual.portGroup(state.rows.portGroup.name) === null) dirt.whole = true;
    resolveNamedPorts(state, dirt, context);
    for (const set of state.addressSets()) {
      const isOpen = dirt.whole && !context.echoes.isFresh(set.name);
      const elements = isOpen ? "all" : dirt.addressSets.get(set.name);
      if (elements !== undefined) add(planAddressSet(set, elements, context));
    }
    const acls = planAcls(state, dirt, context);
    add(acls);
    add(planPortGroup(state, dirt, acls, context));
  }
  add(planRemovals(key, state, dirt, context));
  return { operations, weight };
}

/** Rows that name the policy as their owner and are not desired. ACLs go with the reference to them (non-root table). */
function planRemovals(
  key: PolicyKey,
  state: PolicyState | null,
  dirt: PolicyDirt,
  { actual }: PlanContext,
): Plan {
  const operations: Operation[] = [];
  for (const { uuid, row } of actual.ownedBy("Port_Group", key)) {
    if (row.name !== state?.rows.portGroup.name)
      operations.push(northboundOperations.remove("Port_Group", uuid));
  }
  // An ACL that referred to a set that goes now is written anew in the same transaction.
  const kept = new Set(state?.addressSets().map((set) => set.name));
  const looked =
    state === null || dirt.whole
      ? actual.ownedBy("Address_Set", key)
      : [...dirt.addressSets.keys()].map((name) => (kept.has(name) ? null : actual.addressSet(name)));
  for (const found of looked) {
    if (found !== null && !kept.has(found.row.name))
      operations.push(northboundOperations.remove("Address_Set", found.uuid));
  }
  return { operations, weight: operations.length };
}
