// The claim to be the database's one writer, in NB_Global.external_ids: who holds it, and the sign that the holder lives.
// Only operations and readers of the row; election.ts decides when. northd does not compute anything anew for a change of
// external_ids (docs/decisions/0026 has the measurement).

import type { Operation } from "../../ovsdb/operation.ts";
import type { NorthboundView } from "./northbound-writer.ts";

/** Keys of NB_Global.external_ids. */
const keys = { writer: "northgate-writer", sign: "northgate-writer-sign" } as const;

export interface Claim {
  /** Differs for each process; the text in the database. */
  readonly writer: string;
  /** Changes as long as the holder lives. */
  readonly sign: string;
}

/** In the sign of a holder that has no lock of a server. */
export const noLock = "-";

/** The text of a holder: a token that differs for each process, and where the process runs, for people. */
export function writerOf(token: string, place: string): string {
  return `${token} ${place}`;
}

export function placeOf({ writer }: Claim): string {
  return writer.slice(writer.indexOf(" ") + 1);
}

/** A sign of life, which says which server's lock the holder has. */
export function signOf(count: number, lock: string): string {
  return `${count} ${lock}`;
}

export function lockIn({ sign }: Claim): string {
  return sign.slice(sign.indexOf(" ") + 1);
}

/** The claim in the session's cache; null: nobody holds it. */
export function claimIn(cache: NorthboundView["cache"]): Claim | null {
  for (const [, { external_ids: ids }] of cache.table("NB_Global").entries()) {
    const writer = ids.get(keys.writer);
    if (writer !== undefined) return { writer, sign: ids.get(keys.sign) ?? "" };
  }
  return null;
}

/** Fails with `timed out` unless the writer holds the claim. Changes nothing. */
export function heldBy(writer: string): Operation {
  return hasIds(new Map([[keys.writer, writer]]));
}

/**
 * Gives the claim to a writer, unless it has changed since it was `seen`: then it fails. `hasRow`: the database has its
 * row of NB_Global, which the first client of OVN makes.
 */
export function claiming(mine: Claim, seen: Claim | null, hasRow: boolean): readonly Operation[] {
  const ids = idsOf(mine);
  // There can be only one row, so that of two inserts one fails.
  if (!hasRow) return [{ op: "insert", table: "NB_Global", row: { external_ids: ids } }];
  // An insert into a map leaves a key that is there as it is (RFC 7047 section 5.1): then the claim is another's.
  if (seen === null) return [edit(new Set(), ids), heldBy(mine.writer)];
  return [hasIds(idsOf(seen)), edit(new Set(ids.keys()), ids)];
}

/** Replaces the sign of the writer's own claim; fails when it is not the writer's any more. */
export function renewing({ writer, sign }: Claim): readonly Operation[] {
  return [heldBy(writer), edit(new Set([keys.sign]), new Map([[keys.sign, sign]]))];
}

/** Gives the writer's own claim back; fails when it is not the writer's any more. */
export function releasing(writer: string): readonly Operation[] {
  return [heldBy(writer), edit(new Set([keys.writer, keys.sign]), new Map())];
}

function idsOf({ writer, sign }: Claim): ReadonlyMap<string, string> {
  return new Map([
    [keys.writer, writer],
    [keys.sign, sign],
  ]);
}

function hasIds(ids: ReadonlyMap<string, string>): Operation {
  return {
    op: "wait",
    table: "NB_Global",
    where: [{ column: "external_ids", function: "includes", value: ids }],
    columns: ["external_ids"],
    until: "!=",
    rows: [],
    timeoutMs: 0,
  };
}

function edit(removed: ReadonlySet<string>, added: ReadonlyMap<string, string>): Operation {
  const column = "external_ids";
  return {
    op: "mutate",
    table: "NB_Global",
    where: [],
    mutations: [
      { column, mutator: "delete", value: removed },
      { column, mutator: "insert", value: added },
    ],
  };
}
