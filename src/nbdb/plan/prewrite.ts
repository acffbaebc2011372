// The part of a large commit that can be written ahead, in pieces of any size, without effect on packets: first address
// sets that no expression in force refers to yet, then port groups without ports, with all their ACLs. What takes
// effect (ports, changes of existing rows, deletions) stays in the single transaction that follows.

import type { DesiredRows } from "../desired/unit-state.ts";
import type { DesiredAcl } from "../rows/acl.ts";
import { planAcls } from "./acls.ts";
import { planNewAddressSet } from "./address-set.ts";
import type { Piece, PlanContext } from "./context.ts";
import { planNewPortGroup } from "./port-group.ts";

/** Characters of a match that weigh as much as an address. */
const charactersPerElement = 20;
/** What names one destination in a match takes as many characters as so many elements. */
const elementsPerDestination = 3;

/** The total weight of what `planPrewrite` would yield, or more; walks no member. */
export function prewriteWeight(state: DesiredRows, context: PlanContext): number {
  let weight = 0;
  for (const { addressSets } of state.rows.parts.values()) {
    for (const set of addressSets) {
      if (isMissing("addressSet", set.name, context)) weight += 1 + context.contents.mostOf(set);
    }
  }
  for (const { name } of state.rows.portGroups) {
    if (!isMissing("portGroup", name, context)) continue;
    for (const { acls, namedPorts } of state.partsOf(name)) {
      weight += aclsWeight(acls);
      if (namedPorts !== null)
        weight += elementsPerDestination * context.contents.mostDestinations(namedPorts);
    }
  }
  return weight;
}

/**
 * One piece for each set, then one for each port group with its ACLs: references before referrers. Lazy: a row is
 * planned when the caller asks for it. Named ports must be resolved before.
 */
export function* planPrewrite(state: DesiredRows, context: PlanContext): Generator<Piece> {
  for (const set of state.addressSets()) {
    if (!isMissing("addressSet", set.name, context)) continue;
    const addresses = context.contents.of(set);
    yield { operations: planNewAddressSet(set, addresses, context), units: [], weight: addresses.length + 1 };
  }
  for (const portGroup of state.rows.portGroups) {
    if (!isMissing("portGroup", portGroup.name, context)) continue;
    const desired = [...state.aclsOf(portGroup.name)];
    const acls = planAcls(
      state,
      desired.map(({ id }) => id),
      context,
    );
    const row = planNewPortGroup(portGroup, state, { acls, ports: [] }, context);
    yield {
      operations: [...acls.operations, ...row],
      units: [],
      weight: aclsWeight(desired) + acls.inserted.size + 1,
    };
  }
}

/** A row of ours that left the cache does not count as missing: rows that refer to it may still be in force. */
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
