// A row as one text under one key, for rows that are wanted and rows that are there, so that two databases differ by the
// keys whose texts differ. Invariant: a row that is there twice has two keys.

import { keys } from "../../src/nbdb/rows/names.ts";
import type { Tables } from "../../src/nbdb/rows/records.ts";

export type Images = ReadonlyMap<string, string>;

export function imagesOf(tables: Tables): Images {
  const images = new Map<string, string>();
  for (const [table, rows] of Object.entries(tables) as readonly [string, Tables[keyof Tables]][]) {
    for (const row of rows) {
      let key = `${table} ${row.external_ids[keys.id] ?? "?"}`;
      while (images.has(key)) key += " again";
      images.set(key, JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))));
    }
  }
  return images;
}

export interface Difference {
  readonly key: string;
  readonly before: string | null;
  readonly after: string | null;
}

export function differences(before: Images, after: Images): readonly Difference[] {
  const all = new Set([...before.keys(), ...after.keys()]);
  return [...all]
    .map((key) => ({ key, before: before.get(key) ?? null, after: after.get(key) ?? null }))
    .filter((one) => one.before !== one.after);
}

/** The policy that a row's key names. */
export function policyIn(key: string): string {
  return key.split(":")[2]?.split(" ")[0] ?? "";
}
