// The ACL rows of one policy: inserted when missing, otherwise only the columns that differ are updated. Which rows the
// port group refers to is planned by plan-port-group.ts, from what is found and inserted here.

import type { Operation } from "../ovsdb/operation.ts";
import type { DesiredAcl } from "./acl.ts";
import type { Reference } from "./actual.ts";
import { sameValue } from "./compare.ts";
import type { PolicyState } from "./desired.ts";
import type { PolicyDirt } from "./dirt.ts";
import type { PlanContext } from "./plan-context.ts";
import type { AclRow } from "./schema.ts";
import { northboundOperations as operation } from "./schema.ts";

export interface AclPlan {
  readonly operations: readonly Operation[];
  /** True when the port group's references must be looked at: an ACL is new, or one is not desired any more. */
  readonly referencesChanged: boolean;
  /** Rows inserted by this plan, by ACL id. */
  readonly inserted: ReadonlyMap<string, Reference>;
}

export function planAcls(state: PolicyState, dirt: PolicyDirt, context: PlanContext): AclPlan {
  const ids = dirtyIds(state, dirt);
  const operations: Operation[] = [];
  const inserted = new Map<string, Reference>();
  let referencesChanged = false;
  for (const id of ids) {
    const desired = state.acl(id);
    const uuid = chosenAcl(state, id, context);
    if (desired === null) {
      referencesChanged ||= uuid !== null;
    } else if (uuid === null) {
      const name = context.newName();
      operations.push(operation.insert("ACL", desired.row, name));
      inserted.set(id, { named: name });
      referencesChanged = true;
    } else {
      operations.push(...planUpdate(desired, uuid, context));
    }
  }
  return { operations, referencesChanged, inserted };
}

function dirtyIds(state: PolicyState, dirt: PolicyDirt): ReadonlySet<string> {
  const ids = new Set(dirt.acls);
  if (dirt.whole || dirt.aclReferences) for (const acl of state.acls()) ids.add(acl.id);
  return ids;
}

/** The row that stands for an ACL: the one our port group refers to, whoever else made a copy of it. */
export function chosenAcl(state: PolicyState, id: string, { actual }: PlanContext): Reference | null {
  const found = actual.acls(id);
  if (found.length === 0) return null;
  const referred = actual.portGroup(state.rows.portGroup.name)?.row.acls;
  return found.find(({ uuid }) => referred?.has(uuid) === true)?.uuid ?? null;
}

function planUpdate(desired: DesiredAcl, uuid: Reference, { actual }: PlanContext): readonly Operation[] {
  const found = actual.acls(desired.id).find((row) => row.uuid === uuid);
  if (found === undefined) return [];
  const changed = columns.filter((column) => !sameValue(found.row[column], desired.row[column]));
  if (changed.length === 0) return [];
  const row = Object.fromEntries(changed.map((column) => [column, desired.row[column]]));
  return [operation.update("ACL", found.uuid, row)];
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
