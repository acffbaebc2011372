// The difference of the rows of two worlds, as `northgate render` prints them: rows by name, ACLs by their id. Where only the
// order of ACL priorities means something (docs/rows.md, Ranked places), a priority differs if its ACL has moved among the
// others, because an existing row keeps its number.

import type { Ref } from "../../analysis/ref.ts";
import type { AclRecord, Tables, Texts } from "../rows/records.ts";
import { idOf } from "../rows/records.ts";
import { countedChanges, opOf } from "../../plan/counted-changes.ts";
import type { RowChange, RowChanges } from "../../plan/report.ts";
import type { Both } from "../../verdicts/worlds.ts";

type Columns = Readonly<Record<string, unknown>>;

interface Row {
  /** The name; of an ACL the id. */
  readonly row: string;
  readonly id: string;
  readonly ids: Texts;
  readonly columns: Columns;
}

export interface RowsAsked {
  /** The policy whose row has these external_ids; null: several share it. */
  readonly policyOf: (ids: Texts) => Ref | null;
  readonly isRanked: (acl: AclRecord) => boolean;
}

export function rowChanges({ old, new: next }: Both<Tables>, asked: RowsAsked): RowChanges {
  const kept = settledPriorities(old.ACL, next.ACL, asked.isRanked);
  const acls = next.ACL.map((acl) => ({ ...acl, priority: kept.get(idIn(acl)) ?? acl.priority }));
  const changes = [
    ...changesIn("Port_Group", old.Port_Group.map(named), next.Port_Group.map(named)),
    ...changesIn("Address_Set", old.Address_Set.map(named), next.Address_Set.map(named)),
    ...changesIn("ACL", old.ACL.map(identified), acls.map(identified)),
  ].map(({ ids, ...change }): RowChange => ({ ...change, policy: asked.policyOf(ids) }));
  return countedChanges(changes);
}

function idIn(record: { readonly external_ids: Texts }): string {
  return idOf(record) ?? "";
}

function named(record: { readonly name: string; readonly external_ids: Texts }): Row {
  return { row: record.name, id: idIn(record), ids: record.external_ids, columns: { ...record } };
}

function identified(acl: AclRecord): Row {
  return { row: idIn(acl), id: idIn(acl), ids: acl.external_ids, columns: { ...acl } };
}

type Found = Omit<RowChange, "policy"> & { readonly ids: Texts };

function changesIn(table: string, old: readonly Row[], next: readonly Row[]): readonly Found[] {
  const [before, after] = [byName(old), byName(next)];
  const found: Found[] = [];
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(name), after.get(name)];
    const one = is ?? was;
    if (one === undefined) continue;
    const columns = differing(was?.columns ?? {}, is?.columns ?? {});
    if (Object.keys(columns).length === 0) continue;
    found.push({ op: opOf(was, is), table, row: one.row, id: one.id, ids: one.ids, columns });
  }
  return found;
}

function byName(rows: readonly Row[]): ReadonlyMap<string, Row> {
  return new Map(rows.map((row) => [row.row, row]));
}

function differing(old: Columns, next: Columns): RowChange["columns"] {
  const columns = [...new Set([...Object.keys(old), ...Object.keys(next)])];
  return Object.fromEntries(
    columns
      .map((column) => [column, { old: old[column] ?? null, new: next[column] ?? null }] as const)
      .filter(([, value]) => JSON.stringify(value.old) !== JSON.stringify(value.new)),
  );
}

/** By id, the old priority of each ranked ACL that has not moved among those that both worlds have. */
function settledPriorities(
  old: readonly AclRecord[],
  next: readonly AclRecord[],
  isRanked: RowsAsked["isRanked"],
): ReadonlyMap<string, number> {
  const before = new Map(old.filter(isRanked).map((acl) => [idIn(acl), acl]));
  const common = next.filter((acl) => isRanked(acl) && before.get(idIn(acl))?.tier === acl.tier);
  const kept = new Map<string, number>();
  for (const acls of Map.groupBy(common, ({ tier }) => tier).values()) {
    const moves = acls.map((acl) => ({
      id: idIn(acl),
      from: before.get(idIn(acl))?.priority ?? 0,
      to: acl.priority,
    }));
    for (const { id, from } of inPlace(moves)) kept.set(id, from);
  }
  return kept;
}

interface Move {
  readonly id: string;
  readonly from: number;
  readonly to: number;
}

/** The most that are in one order before and after: a longest ascending run over the levels that stay whole. */
function inPlace(moves: readonly Move[]): readonly Move[] {
  const levels = [...Map.groupBy(moves, ({ from }) => from)]
    .sort(([one], [other]) => one - other)
    .flatMap(([, level]) => (new Set(level.map(({ to }) => to)).size === 1 ? [level] : []));
  const toOf = (at: number | undefined) => (at === undefined ? -1 : (levels[at]?.[0]?.to ?? -1));
  /** By length, the level that ends the run of this length with the least number. */
  const ends: number[] = [];
  const before: (number | undefined)[] = [];
  for (const at of levels.keys()) {
    const length = ends.findLastIndex((end) => toOf(end) < toOf(at)) + 1;
    before[at] = ends[length - 1];
    ends[length] = at;
  }
  const run: Move[] = [];
  for (let at = ends.at(-1); at !== undefined; at = before[at]) run.push(...(levels[at] ?? []));
  return run;
}
