// The claim to be the database's one writer, in NB_Global.external_ids: its holder, the sign that the holder lives, and what
// it writes. Only operations and readers of the row; election.ts decides when. northd does not compute anything again for a
// change of external_ids (docs/decisions/0026 has the measurement).

import type { Operation } from "../../ovsdb/notation/operation.ts";
import type { NorthboundView } from "./northbound-writer.ts";
import type { WriterProfile } from "./writer-profile.ts";
import { flagsFrom, flagsText, zoneFrom, zoneText } from "./writer-profile.ts";

/** Keys of NB_Global.external_ids. Values of the last three begin with the holder's token: others are of an earlier holder. */
const keys = {
  writer: "northgate-writer",
  sign: "northgate-writer-sign",
  zone: "northgate-writer-zone",
  flags: "northgate-writer-flags",
  source: "northgate-writer-source",
} as const;
const allKeys: ReadonlySet<string> = new Set(Object.values(keys));

export interface Claim {
  /** Differs for each process; the text in the database. */
  readonly writer: string;
  /** Changes as long as the holder lives; null: there is none, as in a claim that was written by hand. */
  readonly sign: string | null;
  /** undefined: the holder does not say; so does a Northgate from before these fields. */
  readonly zone: string | null | undefined;
  readonly flags: WriterProfile["flags"];
  /** The holder's source is out of contact: it gives the claim to an instance that sees. */
  readonly isBlind: boolean;
}

/** In the sign of a holder that has no lock of a server. */
export const noLock = "-";

/** The text of a holder: a token that differs for each process, and where the process runs, for people. */
export function writerOf(token: string, place: string): string {
  return `${token} ${place}`;
}

export function placeOf({ writer }: Pick<Claim, "writer">): string {
  return afterSpace(writer);
}

/** A sign of life, which says which server's lock the holder has. */
export function signOf(count: number | string, lock: string): string {
  return `${count} ${lock}`;
}

export function lockIn({ sign }: Pick<Claim, "sign">): string {
  return sign === null ? noLock : afterSpace(sign);
}

/** The claim in the session's cache; null: there is no holder. */
export function claimIn(cache: NorthboundView["cache"]): Claim | null {
  for (const [, { external_ids: ids }] of cache.table("NB_Global").entries()) {
    const writer = ids.get(keys.writer);
    if (writer !== undefined) return claimOf(ids, writer);
  }
  return null;
}

function claimOf(ids: ReadonlyMap<string, string>, writer: string): Claim {
  const own = (key: string): string => {
    const text = ids.get(key) ?? "";
    return text.startsWith(`${tokenIn(writer)} `) ? afterSpace(text) : "";
  };
  return {
    writer,
    sign: ids.get(keys.sign) ?? null,
    zone: zoneFrom(own(keys.zone)),
    flags: flagsFrom(own(keys.flags)),
    isBlind: own(keys.source) !== "",
  };
}

/** Fails with `timed out` unless the writer holds the claim. Changes nothing. */
export function heldBy(writer: string): Operation {
  return hasIds(new Map([[keys.writer, writer]]));
}

/** A claim as its own holder makes it. */
export interface OwnClaim extends Pick<Claim, "writer" | "isBlind"> {
  readonly sign: string;
  /** null: it does not say what it writes. */
  readonly profile: WriterProfile | null;
}

/**
 * Gives the claim to a writer, unless it has changed since it was `seen`: then it fails. `hasRow`: the database has its
 * row of NB_Global, which the first client of OVN makes.
 */
export function claiming(
  mine: OwnClaim,
  seen: Pick<Claim, "writer" | "sign"> | null,
  hasRow: boolean,
): readonly Operation[] {
  const ids = idsOf(mine);
  // There can be only one row, so that of two inserts one fails.
  if (!hasRow) return [{ op: "insert", table: "NB_Global", row: { external_ids: ids } }];
  // An insert into a map leaves a key that is there as it is (RFC 7047 section 5.1): then the claim is another's.
  if (seen === null) return [edit(allKeys.difference(new Set([keys.writer])), ids), heldBy(mine.writer)];
  return [...unchanged(seen, mine.writer), edit(allKeys, ids)];
}

/** Fails unless the claim is as it was seen. `mark`: a text that is no holder's sign. */
function unchanged({ writer, sign }: Pick<Claim, "writer" | "sign">, mark: string): readonly Operation[] {
  if (sign !== null) return [hasIds(signOfLife(writer, sign))];
  // No condition says that a key is absent. The mark becomes the sign only where there is none, and is overwritten at once.
  return [edit(new Set(), new Map([[keys.sign, mark]])), hasIds(signOfLife(writer, mark))];
}

/** Replaces the sign of the writer's own claim; fails when it is not the writer's any more. */
export function renewing(mine: OwnClaim): readonly Operation[] {
  const renewed = new Set<string>([keys.sign, keys.source]);
  const ids = new Map([...idsOf(mine)].filter(([key]) => renewed.has(key)));
  return [heldBy(mine.writer), edit(renewed, ids)];
}

/** Gives the writer's own claim back; fails when it is not the writer's any more. */
export function releasing(writer: string): readonly Operation[] {
  return [heldBy(writer), edit(allKeys, new Map())];
}

function idsOf({ writer, sign, isBlind, profile }: OwnClaim): ReadonlyMap<string, string> {
  const own = (text: string): string => `${tokenIn(writer)} ${text}`;
  return new Map([
    ...signOfLife(writer, sign),
    ...(profile === null ? [] : [[keys.zone, own(zoneText(profile))] as const]),
    ...(profile === null ? [] : [[keys.flags, own(flagsText(profile))] as const]),
    ...(isBlind ? [[keys.source, own("out of contact")] as const] : []),
  ]);
}

function signOfLife(writer: string, sign: string): ReadonlyMap<string, string> {
  return new Map([
    [keys.writer, writer],
    [keys.sign, sign],
  ]);
}

function tokenIn(writer: string): string {
  return writer.split(" ", 1)[0] ?? "";
}

function afterSpace(text: string): string {
  return text.slice(text.indexOf(" ") + 1);
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
