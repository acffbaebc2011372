// One Address_Set row: inserted whole when it is missing, otherwise only the elements that differ are mutated.

import type { Operation } from "../../ovsdb/notation/operation.ts";
import type { Elements as SetElements } from "../../ovsdb/notation/string-set.ts";
import { isExactly } from "../../ovsdb/notation/string-set.ts";
import { sameMap } from "../rows/compare.ts";
import { isOfAnother } from "../rows/names.ts";
import type { PlanContext } from "./context.ts";
import type { DesiredAddressSet, NamedPortSet } from "../rows/unit.ts";
import { northboundOperations as operation } from "../rows/schema.ts";

export function planAddressSet(
  set: DesiredAddressSet | NamedPortSet,
  elements: ReadonlySet<string> | "all",
  context: PlanContext,
): readonly Operation[] {
  const { actual, content, contents } = context;
  const found = actual.addressSet(set.name);
  if (found === null || isOfAnother(found.row, set.externalIds))
    return planNewAddressSet(set, contents.of(set), context);
  const { uuid, row } = found;
  const { added, removed } =
    elements === "all"
      ? addressDifference(contents.of(set), row.addresses)
      : wantedOf(elements, (address) => content.hasAddress(set, address), row.addresses);
  const operations: Operation[] = [];
  if (elements === "all" && !sameMap(row.external_ids, set.externalIds)) {
    operations.push(operation.update("Address_Set", uuid, { external_ids: set.externalIds }));
  }
  if (added.length > 0 || removed.length > 0) {
    operations.push(
      operation.mutate("Address_Set", uuid, [
        ...(removed.length > 0 ? [{ column: "addresses", mutator: "delete", value: removed } as const] : []),
        ...(added.length > 0 ? [{ column: "addresses", mutator: "insert", value: added } as const] : []),
      ]),
    );
  }
  return operations;
}

/** The set with all its addresses, replacing a row that was lost. */
export function planNewAddressSet(
  set: DesiredAddressSet | NamedPortSet,
  addresses: readonly string[],
  { lost }: PlanContext,
): readonly Operation[] {
  const before = lost.get(set.name);
  const removal = before === undefined ? [] : [operation.remove("Address_Set", before)];
  const row = { name: set.name, addresses, external_ids: set.externalIds };
  return [...removal, operation.insert("Address_Set", row)];
}

/** Like `difference`, for an ascending list most of whose elements the set already holds. */
function addressDifference(want: readonly string[], have: SetElements<string>): Difference<string> {
  return isExactly(have, want) ? { added: [], removed: [] } : difference(new Set(want), have);
}

interface Difference<T> {
  readonly added: readonly T[];
  readonly removed: readonly T[];
}

/** The elements to add and to remove to make `have` equal to `want`. */
export function difference<T>(want: SetElements<T>, have: SetElements<T>): Difference<T> {
  const added: T[] = [];
  const removed: T[] = [];
  for (const value of want) if (!have.has(value)) added.push(value);
  for (const value of have) if (!want.has(value)) removed.push(value);
  return { added, removed };
}

function wantedOf<T>(
  elements: Iterable<T>,
  wanted: (value: T) => boolean,
  have: SetElements<T>,
): Difference<T> {
  const added: T[] = [];
  const removed: T[] = [];
  for (const value of elements) {
    const want = wanted(value);
    if (want === have.has(value)) continue;
    (want ? added : removed).push(value);
  }
  return { added, removed };
}
