// The ACL rows of one policy: inserted when missing, otherwise only the columns that differ are updated. Which rows the
// port group refers to is planned by plan-port-group.ts, from what is found and inserted here.

import type { Uuid } from "../../ovsdb/description.ts";
import type { Operation } from "../../ovsdb/operation.ts";
import type { Elements as SetElements } from "../../ovsdb/string-set.ts";
import type { DesiredAcl } from "../rows/acl.ts";
import type { ActualRow, Reference } from "../actual/actual.ts";
import { sameValue } from "../rows/compare.ts";
import type { PolicyState } from "../desired/policy-state.ts";
import type { PolicyPending } from "../pending.ts";
import type { PlanContext } from "./context.ts";
import type { AclRow } from "../rows/schema.ts";
import { northboundOperations as operation } from "../rows/schema.ts";

export interface AclPlan {
  readonly operations: readonly Operation[];
  /** True when the port group's references must be looked at: an ACL is new, or one is not desired any more. */
  readonly referencesChanged: boolean;
  /** Rows inserted by this plan, by ACL id. */
  readonly inserted: ReadonlyMap<string, Reference>;
}

export function planAcls(state: PolicyState, pending: PolicyPending, context: PlanContext): AclPlan {
  const ids = pendingIds(state, pending);
  if (ids.size === 0) return { operations: [], referencesChanged: false, inserted: new Map() };
  const referred = referredAcls(state, context);
  const operations: Operation[] = [];
  const inserted = new Map<string, Reference>();
  let referencesChanged = false;
  for (const id of ids) {
    const desired = state.acl(id);
    const found = chosenAcl(id, referred, context);
    if (desired === null) {
      referencesChanged ||= found !== null;
    } else if (found === null) {
      const name = context.newName();
      operations.push(operation.insert("ACL", desired.row, name));
      inserted.set(id, { named: name });
      referencesChanged = true;
    } else {
      const row = changedColumns(desired, found);
      if (row !== null) operations.push(operation.update("ACL", found.uuid, row));
    }
  }
  return { operations, referencesChanged, inserted };
}

function pendingIds(state: PolicyState, pending: PolicyPending): ReadonlySet<string> {
  const ids = new Set(pending.acls);
  if (pending.whole || pending.aclReferences) for (const acl of state.acls()) ids.add(acl.id);
  return ids;
}

/** The ACL rows that our port group refers to. */
export function referredAcls(state: PolicyState, { actual }: PlanContext): SetElements<Uuid> | null {
  return actual.portGroup(state.rows.portGroup.name)?.row.acls ?? null;
}

/** The row that stands for an ACL: the one our port group refers to, whoever else made a copy of it. */
export function chosenAcl(
  id: string,
  referred: SetElements<Uuid> | null,
  { actual }: PlanContext,
): ActualRow<"ACL"> | null {
  return actual.acls(id).find(({ uuid }) => referred?.has(uuid) === true) ?? null;
}

function changedColumns(desired: DesiredAcl, { row }: ActualRow<"ACL">): Partial<AclRow> | null {
  const changed = columns.filter((column) => !sameValue(row[column], desired.row[column]));
  if (changed.length === 0) return null;
  return Object.fromEntries(changed.map((column) => [column, desired.row[column]]));
}

const columns: readonly (keyof AclRow)[] = [
  "name",
  "action",
  "direction",
  "priority",
  "tier",
  "match",
  "log",
  "severity",
  "meter",
  "options",
  "external_ids",
];
