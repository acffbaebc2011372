// Tells of a unit whether one of its rows would have the name that a row of another unit has already. Documented names are
// hashes of 64 bits of texts that users choose, so that a second text of one hash can be found. The existing row keeps its
// name, whichever is compiled first after a restart: to take it over would put addresses of one policy's choice into another's
// rules.

import { printable } from "../../model/quote.ts";
import type { Problem } from "../../model/problem.ts";
import type { Actual } from "../actual/actual.ts";
import type { DesiredRows } from "../desired/unit-state.ts";
import type { ReadonlyPending } from "../pending.ts";
import type { ExternalIds } from "../rows/names.ts";
import { isOfAnother, keys, podSelectorOwnerType } from "../rows/names.ts";

interface Named {
  readonly name: string;
  readonly externalIds: ExternalIds;
}

/** Characters of the text that are shown. */
const shown = 200;

/** Why the unit must not be written; null: no row of another unit has a name that it may want for the first time. */
export function clashOf(
  state: DesiredRows,
  pending: ReadonlyPending,
  actual: Pick<Actual, "addressSet" | "portGroup">,
): Problem | null {
  for (const group of groupsToName(state, pending))
    if (isTaken(actual.portGroup(group.name)?.row, group)) return refusalOf(group);
  for (const set of setsToName(state, pending))
    if (isTaken(actual.addressSet(set.name)?.row, set)) return refusalOf(set);
  return null;
}

function groupsToName(state: DesiredRows, { whole, portGroups }: ReadonlyPending): Iterable<Named> {
  return whole
    ? state.rows.portGroups
    : Array.from(portGroups).flatMap((name) => state.portGroup(name) ?? []);
}

function setsToName(state: DesiredRows, { whole, addressSets }: ReadonlyPending): Iterable<Named> {
  return whole
    ? state.addressSets()
    : Array.from(addressSets.keys()).flatMap((name) => state.addressSet(name) ?? []);
}

function isTaken(row: Parameters<typeof isOfAnother>[0] | undefined, { externalIds }: Named): boolean {
  return row !== undefined && isOfAnother(row, externalIds);
}

/** Says nothing about the other row: the reader may not be allowed to know about it. */
function refusalOf({ externalIds }: Named): Problem {
  const text = printable(externalIds.get(keys.name) ?? "", shown);
  const isSelector = externalIds.get(keys.ownerType) === podSelectorOwnerType;
  const message = isSelector
    ? `the selectors of a peer, ${text}, have the same hash as others, whose rows exist in the database: write them in another way`
    : `the name ${text} has the same hash as another, whose rows exist in the database: choose another name`;
  return {
    ...{ code: "RowRefused", severity: "error", field: isSelector ? "spec" : "metadata.name" },
    message,
  };
}
