// What of a large commit can be written ahead of it, in pieces of any size, without any packet noticing: address sets that
// no expression in force refers to yet, then port groups that hold no port yet, with all their ACLs. What takes effect
// (ports, elements and ACLs of rows that are there, and what goes) is left to the one transaction that follows.

import type { DesiredAcl } from "../rows/acl.ts";
import type { PolicyState } from "../desired/policy-state.ts";
import { PolicyPending } from "../pending.ts";
import { planAcls } from "./acls.ts";
import { planNewAddressSet } from "./address-set.ts";
import { resolveNamedPorts } from "./named-ports.ts";
import { planNewPortGroup } from "./port-group.ts";
import type { Piece, PlanContext } from "./context.ts";
import { allRules } from "../rows/render.ts";

/** Characters of a match that weigh as much as an address. */
const charactersPerElement = 20;
/** What names one destination in a match takes as many characters as so many elements. */
const elementsPerDestination = 3;

/** What `planPrewrite` would yield in all, in elements and rows, or more; walks no member. */
export function prewriteWeight(state: PolicyState, context: PlanContext): number {
  let weight = 0;
  const rules = allRules(state.rows);
  for (const set of rules.flatMap(({ addressSets }) => addressSets)) {
    if (isMissing("addressSet", set.name, context)) weight += 1 + context.contents.mostOf(set);
  }
  if (!isMissing("portGroup", state.rows.portGroup.name, context)) return weight;
  for (const named of state.namedPortRules())
    weight += elementsPerDestination * context.contents.mostDestinations(named);
  return weight + aclsWeight(rules.flatMap(({ acls }) => acls));
}

/** One piece a set, then the port group with its ACLs: references before referrers. Lazy: rows are rendered when they are asked for. */
export function* planPrewrite(state: PolicyState, context: PlanContext): Generator<Piece> {
  const whole = new PolicyPending();
  whole.whole = true;
  resolveNamedPorts(state, whole, context);
  for (const set of state.addressSets()) {
    if (!isMissing("addressSet", set.name, context)) continue;
    const addresses = context.contents.of(set);
    yield { operations: planNewAddressSet(set, addresses, context), weight: addresses.length + 1 };
  }
  if (!isMissing("portGroup", state.rows.portGroup.name, context)) return;
  const acls = planAcls(state, whole, context);
  yield {
    operations: [...acls.operations, ...planNewPortGroup(state, acls, [], context)],
    weight: aclsWeight(state.acls()) + acls.inserted.size + 1,
  };
}

/** A row of ours that left the cache is not missing: whoever refers to it may still be in force. */
function isMissing(
  row: "addressSet" | "portGroup",
  name: string,
  { actual, lost }: Pick<PlanContext, "actual" | "lost">,
): boolean {
  return actual[row](name) === null && !lost.has(name);
}

function aclsWeight(acls: Iterable<DesiredAcl>): number {
  let weight = 0;
  for (const { row } of acls) weight += 1 + Math.ceil(row.match.length / charactersPerElement);
  return weight;
}
