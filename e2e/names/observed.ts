// What a run with names of domains shows: its pages, and what it wrote.

import { invariant } from "../../src/lib/invariant.ts";
import { owners } from "../../src/dialects.ts";
import { nameSetsOf } from "../../src/nbdb/rows/sets/name-sets.ts";
import { namesPeer } from "../../src/policy/contracts/names.ts";
import type { openNorthbound } from "../../test/support/controller.ts";
import type { Running } from "../../test/support/program.ts";

export type Northbound = ReturnType<typeof openNorthbound>;

/** A page of the server of metrics. */
export async function served(one: Running, path: string): Promise<string> {
  const line = one.log().find(({ message }) => message === "metrics are served");
  return (await fetch(`${String(line?.["address"])}/${path}`)).text();
}

/** What the sets of the name or the wildcard hold. */
export function held(session: Northbound, name: string): readonly string[] {
  const peer = namesPeer(name, "dnstap");
  const names = peer === null ? [] : nameSetsOf(peer, owners.values());
  const rows = Array.from(session.cache.table("Address_Set").entries(), ([, row]) => row);
  return rows.flatMap((row) => (names.includes(row.name) ? [...row.addresses] : [])).sort();
}

/** All of them, as one text. */
export function acls(session: Northbound): string {
  return JSON.stringify(Array.from(session.cache.table("ACL").entries(), ([uuid, row]) => [uuid, row.match]));
}

/** The lines of the metric that say that rows of rules or sets were written since the start. */
export async function writtenRows(one: Running): Promise<readonly string[]> {
  const lines = (await served(one, "metrics"))
    .split("\n")
    .filter((line) => /^northgate_nb_operations_total\{table="(ACL|Address_Set|Port_Group)"/.test(line));
  invariant(lines.length > 3, "operations are counted for each table");
  return lines.filter((line) => !line.endsWith(" 0"));
}
