// Plans the ACL rows of one unit: inserts missing ones, otherwise updates only the columns that differ. port-group.ts
// plans the references to them, from the rows found and inserted here.

import type { Uuid } from "../../ovsdb/notation/description.ts";
import type { Operation } from "../../ovsdb/notation/operation.ts";
import type { Elements as SetElements } from "../../ovsdb/notation/string-set.ts";
import type { ActualRow, Reference } from "../actual/actual.ts";
import type { DesiredRows } from "../desired/unit-state.ts";
import type { DesiredAcl } from "../rows/acl.ts";
import { sameValue } from "../rows/compare.ts";
import type { AclRow } from "../rows/schema.ts";
import { aclColumns, northboundOperations as operation } from "../rows/schema.ts";
import type { PlanContext } from "./context.ts";
import { planSample } from "./samples.ts";

export interface AclPlan {
  readonly operations: readonly Operation[];
  /** Names of port groups whose references must be compared: they get a new ACL or lose one. */
  readonly portGroups: ReadonlySet<string>;
  /** Rows inserted by this plan, by ACL id. */
  readonly inserted: ReadonlyMap<string, Reference>;
}

/** `ids`: of the ACLs to look at, desired or not. */
export function planAcls(state: DesiredRows, ids: Iterable<string>, context: PlanContext): AclPlan {
  const operations: Operation[] = [];
  const inserted = new Map<string, Reference>();
  const portGroups = new Set<string>();
  for (const id of ids) {
    const desired = state.acl(id);
    const portGroup = desired?.portGroup ?? null;
    const rows = context.actual.acls(id);
    const found = portGroup === null ? null : chosenAcl(rows, referredAcls(portGroup, context));
    const others = rows.filter((row) => row !== found);
    for (const name of holdersOf(others, state, context)) portGroups.add(name);
    if (desired === null || portGroup === null) continue;
    const sample = planSample(desired, found, context.samples, () => context.newName());
    for (const one of sample.operations) operations.push(one);
    if (found === null) {
      const name = context.newName();
      operations.push(operation.insert("ACL", { ...desired.acl.row, ...sample.columns }, name));
      inserted.set(id, { named: name });
      portGroups.add(portGroup);
    } else {
      const row = { ...changedColumns(desired.acl, found), ...sample.columns };
      if (Object.keys(row).length > 0) operations.push(operation.update("ACL", found.uuid, row));
    }
  }
  return { operations, portGroups, inserted };
}

/** The ACL rows that our port group of this name refers to. */
export function referredAcls(portGroup: string, { actual }: PlanContext): SetElements<Uuid> | null {
  return actual.portGroup(portGroup)?.row.acls ?? null;
}

/** Of all rows with one ACL id, the one that our port group refers to; the others are copies by other clients. */
export function chosenAcl(
  rows: readonly ActualRow<"ACL">[],
  referred: SetElements<Uuid> | null,
): ActualRow<"ACL"> | null {
  return rows.find(({ uuid }) => referred?.has(uuid) === true) ?? null;
}

/** Names of the unit's port groups that refer to any of the rows. */
function holdersOf(
  acls: readonly ActualRow<"ACL">[],
  { rows }: DesiredRows,
  context: PlanContext,
): readonly string[] {
  if (acls.length === 0) return [];
  const names = rows.portGroups.map(({ name }) => name);
  return names.filter((name) => acls.some(({ uuid }) => referredAcls(name, context)?.has(uuid) === true));
}

function changedColumns(desired: DesiredAcl, { row }: ActualRow<"ACL">): Partial<AclRow> {
  const changed = aclColumns.filter((column) => !sameValue(row[column], desired.row[column]));
  return Object.fromEntries(changed.map((column) => [column, desired.row[column]]));
}
