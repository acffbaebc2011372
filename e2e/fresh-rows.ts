// The question behind every suite: are the rows of a Northbound database those of a fresh start on the objects that the API server has
// now? The objects are read as kubectl does, the rows by a client of its own.

import { deepStrictEqual } from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { everyDialect, type Installed } from "../src/dialects.ts";
import { loadManifests } from "../src/informers/index.ts";
import type { WorldObject } from "../src/model/object.ts";
import { rowOwners } from "../src/nbdb/rows/owners.ts";
import type { Tables } from "../src/nbdb/rows/records.ts";
import type { ControlPlane } from "../test/kube/control-plane.ts";
import { listed } from "../test/kube/resources.ts";
import { actualTables } from "../test/support/actual-tables.ts";
import { freshTables, openNorthbound } from "../test/support/controller.ts";
import { patience } from "../test/support/patience.ts";
import { allByOrder, byOrder } from "../test/support/ranked-places.ts";

export interface Compared {
  readonly plane: ControlPlane;
  /** For a file of the moment. */
  readonly dir: string;
  /** The kinds beside namespaces, nodes and pods, as kubectl takes them. */
  readonly kinds: string;
  /** Of the database, as for any OVSDB client. */
  readonly nb: string;
  readonly installed: Installed;
  readonly zone: string | null;
}

interface HeldRows {
  /** Of ours. */
  readonly tables: Tables;
  /** The names of all ports. */
  readonly ports: ReadonlySet<string>;
}

/** The objects as the API server has them now, by way of a manifest. */
export async function objectsNow({
  plane,
  dir,
  kinds,
}: Pick<Compared, "plane" | "dir" | "kinds">): Promise<readonly WorldObject[]> {
  const file = join(dir, "now.json");
  const items = await listed(plane.api, `ns,nodes,pods,${kinds}`);
  writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  const { objects, problems } = loadManifests([file], everyDialect.policies, everyDialect.references);
  deepStrictEqual(problems, []);
  return objects;
}

export async function rowsNow({
  nb,
  installed: { dialects, owners },
}: Pick<Compared, "nb" | "installed">): Promise<HeldRows> {
  const session = openNorthbound(nb, {}, { installed: dialects });
  try {
    await session.opened();
    const ports = [...session.cache.table("Logical_Switch_Port").entries()].map(([, { name }]) => name);
    return { tables: actualTables(session.cache, rowOwners(owners)), ports: new Set(ports) };
  } finally {
    await session.close();
  }
}

/**
 * Resolves when the rows are those of a fresh start on the objects of now, ranked places by their order, with how long that took in
 * milliseconds. Nobody else may write objects meanwhile.
 */
export async function converged(compared: Compared, timeoutMs = 60_000): Promise<number> {
  const started = performance.now();
  const { dialects, tierLayout } = compared.installed;
  const rendering = { families: null, zone: compared.zone, installed: dialects, tierLayout };
  const ordered = tierLayout === "threeTiers" ? byOrder : allByOrder;
  const wanted = ordered(freshTables(await objectsNow(compared), rendering));
  for (;;) {
    const { tables: found, ports } = await rowsNow(compared);
    const tables = ordered(found);
    const known = { ...wanted, Port_Group: wanted.Port_Group.map((row) => withPorts(row, ports)) };
    if (isDeepStrictEqual(tables, known)) return performance.now() - started;
    // Says what differs.
    if (performance.now() - started > patience(timeoutMs)) deepStrictEqual(tables, known);
    await sleep(30);
  }
}

function withPorts<R extends { readonly ports: readonly string[] }>(row: R, known: ReadonlySet<string>): R {
  return { ...row, ports: row.ports.filter((name) => known.has(name)) };
}
