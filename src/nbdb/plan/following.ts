// Shared units that are no longer needed when a transaction is done: which ACLs name their rows until then, and how the
// database can check that those were removed. Their deletion is sent behind the transaction, without waiting for its answer.
// Invariant: it is done only when no ACL that named a row of the unit does so any more, whatever else refers to that ACL.

import type { Operation } from "../../ovsdb/notation/operation.ts";
import { rowIs } from "../../ovsdb/notation/operation.ts";
import type { Uuid } from "../../ovsdb/notation/description.ts";
import { isUuid } from "../../ovsdb/notation/description.ts";
import type { Actual } from "../actual/actual.ts";
import { namingAcls } from "../actual/references.ts";
import type { UnitKey } from "../rows/unit.ts";

/** Units that may go, and what must be true for it: the guards fail while an ACL that named a row of one still does. */
export interface Following {
  readonly units: readonly UnitKey[];
  readonly guards: readonly Operation[];
}

const nothing: Following = { units: [], guards: [] };

/** With more, the server has more work than a round of their own would be. */
const mostGuards = 32;

/** Of the units, those that no ACL of ours names after the operations; none where the operations change many ACLs. */
export function followingOf(
  units: readonly UnitKey[],
  operations: readonly Operation[],
  actual: Actual,
): Following {
  const becomes = matchesAfter(operations, actual);
  if (becomes.size > mostGuards) return nothing;
  const naming = namingAcls(units, actual);
  const aclsOf = (unit: UnitKey): readonly Uuid[] => naming.get(unit) ?? [];
  // The matches that we write are desired, and no desired rule names a unit that is removed.
  const free = units.filter((unit) => aclsOf(unit).every((uuid) => becomes.has(uuid)));
  const acls = new Set(free.flatMap(aclsOf));
  return { units: free, guards: Array.from(acls, (uuid) => guard(uuid, becomes.get(uuid) ?? null)) };
}

/** The matches of ACLs that the operations change; null: no port group of ours refers to the ACL any more. */
function matchesAfter(operations: readonly Operation[], actual: Actual): ReadonlyMap<Uuid, string | null> {
  const matches = new Map<Uuid, string | null>();
  for (const operation of operations) {
    if (!("where" in operation)) continue;
    const uuid = operation.where[0]?.value;
    if (!isUuid(uuid)) continue;
    if (operation.table === "Port_Group")
      for (const acl of releasedBy(operation, uuid, actual)) matches.set(acl, null);
    if (operation.op !== "update" || operation.table !== "ACL") continue;
    const { match } = operation.row;
    if (typeof match === "string") matches.set(uuid, match);
  }
  return matches;
}

/** ACLs to which the port group refers and does not after the operation. */
function releasedBy(operation: Operation, uuid: Uuid, actual: Actual): readonly Uuid[] {
  if (operation.op === "delete") return [...actual.portGroupAcls(uuid)];
  if (operation.op !== "mutate") return [];
  return operation.mutations.flatMap(({ column, mutator, value }) => {
    const isRelease = column === "acls" && mutator === "delete" && Array.isArray(value);
    return isRelease ? (value as readonly unknown[]).filter(isUuid) : [];
  });
}

/** A server of a cluster begins with the second transaction before it has agreed on the first with the others. */
const patienceMs = 250;

/** Fails unless the ACL was removed by then, or has the new match. */
function guard(uuid: Uuid, match: string | null): Operation {
  return {
    ...{ op: "wait", table: "ACL", where: rowIs(uuid), columns: ["match"], until: "==" },
    ...{ rows: match === null ? [] : [{ match }], timeoutMs: patienceMs },
  };
}
