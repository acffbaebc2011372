// What differs between two filters of one node, for plans: chains and sets by name and family.

import type { Ref } from "../analysis/ref.ts";
import { splitKey } from "../model/object.ts";
import { countedChanges, opOf } from "../plan/counted-changes.ts";
import type { RowChange, RowChanges } from "../plan/report.ts";
import type { FilterPart } from "./preview.ts";

interface Piece {
  readonly table: "chain" | "set";
  readonly name: string;
  readonly policy: Ref | null;
  /** Canonical. */
  readonly column: readonly [string, readonly string[]];
}

export function changesOf(old: readonly FilterPart[], next: readonly FilterPart[]): RowChanges {
  const [was, is] = [piecesOf(old), piecesOf(next)];
  const changes = [...new Set([...was.keys(), ...is.keys()])].flatMap((id) => {
    const change = changeOf(id, was.get(id), is.get(id));
    return change === null ? [] : [change];
  });
  return countedChanges(changes);
}

function piecesOf(filters: readonly FilterPart[]): ReadonlyMap<string, Piece> {
  const pieces = filters.flatMap(({ family, chains, sets }) => [
    ...chains.map(({ name, policy, rules }): readonly [string, Piece] => [
      `${family} ${name}`,
      { table: "chain", name, policy: policy && splitKey(policy), column: ["rules", rules] },
    ]),
    ...sets.map(({ name, elements }): readonly [string, Piece] => [
      name,
      { table: "set", name, policy: null, column: ["elements", elements] },
    ]),
  ]);
  return new Map(pieces);
}

function changeOf(id: string, was: Piece | undefined, is: Piece | undefined): RowChange | null {
  const piece = is ?? was;
  if (piece === undefined) return null;
  const [column] = piece.column;
  const [old, now] = [was, is].map((one) => one?.column[1] ?? null);
  if (was !== undefined && is !== undefined && JSON.stringify(old) === JSON.stringify(now)) return null;
  const op = opOf(was, is);
  const { table, name, policy } = piece;
  return { op, table, row: name, id, policy, columns: { [column]: { old, new: now } } };
}
