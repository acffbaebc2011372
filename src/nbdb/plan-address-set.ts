// One Address_Set row: inserted whole when it is missing, otherwise only the elements that differ are mutated.

import type { Operation } from "../ovsdb/operation.ts";
import type { Elements as SetElements } from "../ovsdb/string-set.ts";
import { isExactly } from "../ovsdb/string-set.ts";
import { sameMap } from "./compare.ts";
import type { Elements } from "./dirt.ts";
import type { Plan, PlanContext } from "./plan-context.ts";
import type { DesiredAddressSet, NamedPortSet } from "./render.ts";
import { northboundOperations as operation } from "./schema.ts";

const nothing: Plan = { operations: [], weight: 0 };

export function planAddressSet(
  set: DesiredAddressSet | NamedPortSet,
  elements: Elements,
  context: PlanContext,
): Plan {
  const { actual, content, addresses: lists, lost, echoes } = context;
  const found = actual.addressSet(set.name);
  if (found === null) {
    const addresses = lists.of(set);
    const row = { name: set.name, addresses, external_ids: set.externalIds };
    echoes.await(set.name, addresses.length);
    const before = lost.get(set.name);
    const removal = before === undefined ? [] : [operation.remove("Address_Set", before)];
    return {
      operations: [...removal, operation.insert("Address_Set", row)],
      weight: addresses.length + 1,
    };
  }
  const { uuid, row } = found;
  const { added, removed } =
    elements === "all"
      ? addressDifference(lists.of(set), row.addresses)
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
  return operations.length === 0 ? nothing : { operations, weight: added.length + removed.length + 1 };
}

/** As `difference`, for a list in ascending order that is mostly what the set holds. */
function addressDifference(want: readonly string[], have: SetElements<string>): Difference<string> {
  return isExactly(have, want) ? { added: [], removed: [] } : difference(new Set(want), have);
}

interface Difference<T> {
  readonly added: readonly T[];
  readonly removed: readonly T[];
}

/** What has to come and go to make `have` equal to `want`. */
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
