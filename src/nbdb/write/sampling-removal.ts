// Removes what ACLs are sampled with, of every ACL and in one transaction: for a run without --observe, and for the cleanup. Asks
// the database itself, since such a run follows no Samples, and an older database has none. Rows of others stay: a Sample without
// our collector, and the applications while another collector may need them.

import type { Operation } from "../../ovsdb/notation/operation.ts";
import type { Uuid } from "../../ovsdb/notation/description.ts";
import { isUuid } from "../../ovsdb/notation/description.ts";
import { TransactionError } from "../../ovsdb/notation/errors.ts";
import type { ExternalIds } from "../rows/names.ts";
import { keys, ownerController, samplingOwnerType } from "../rows/names.ts";
import { northboundOperations } from "../rows/schema.ts";
import type { NorthboundWriter, SelectedRow as Row } from "./northbound-writer.ts";

type Asked = Pick<NorthboundWriter, "select">;

export interface SampledAcl {
  readonly uuid: Uuid;
  readonly externalIds: ExternalIds;
  /** Those that refer to a Sample with a collector of ours. */
  readonly columns: readonly ("sample_new" | "sample_est")[];
}

export interface FoundSampling {
  readonly collectors: readonly Uuid[];
  /** Applications that we made. */
  readonly apps: readonly Uuid[];
  /** Whether there is a collector of another program, which may need the applications. */
  readonly isShared: boolean;
  readonly acls: readonly SampledAcl[];
}

/** null: nothing of ours is there. Rejects as Session.transact does, but for a database that has no such tables. */
export async function findSampling(database: Asked): Promise<FoundSampling | null> {
  const [collectors, apps] = await unlessUnknown(
    database.select([
      { table: "Sample_Collector", columns: ["_uuid", "external_ids"] },
      { table: "Sampling_App", columns: ["_uuid", "external_ids"] },
    ]),
  );
  if (collectors === undefined || apps === undefined) return null;
  const ours = collectors.filter(isOurs).flatMap(uuidOf);
  const found = { collectors: ours, apps: apps.filter(isOurs).flatMap(uuidOf) };
  if (ours.length + found.apps.length === 0) return null;
  const acls = ours.length === 0 ? [] : await sampledAcls(database, new Set(ours));
  return { ...found, isShared: collectors.length > ours.length, acls };
}

/** The server looks for references to the collector before it removes Samples that nothing refers to: these are deleted by name. */
export function planRemoval({ collectors, apps, isShared, acls }: FoundSampling): readonly Operation[] {
  const { update, remove } = northboundOperations;
  return [
    ...acls.map(({ uuid, columns }) =>
      update("ACL", uuid, Object.fromEntries(columns.map((column) => [column, null]))),
    ),
    ...collectors.flatMap((uuid) => [samplesOf(uuid), remove("Sample_Collector", uuid)]),
    ...(isShared ? [] : apps.map((uuid) => remove("Sampling_App", uuid))),
  ];
}

function samplesOf(collector: Uuid): Operation {
  const where = [{ column: "collectors", function: "includes", value: [collector] }] as const;
  return { op: "delete", table: "Sample", where };
}

async function sampledAcls(
  database: Asked,
  collectors: ReadonlySet<unknown>,
): Promise<readonly SampledAcl[]> {
  const [samples = [], acls = []] = await database.select([
    { table: "Sample", columns: ["_uuid", "collectors"] },
    { table: "ACL", columns: ["_uuid", "external_ids", "sample_new", "sample_est"] },
  ]);
  const refers = ({ collectors: referred }: Row): boolean =>
    referred instanceof Set && !collectors.isDisjointFrom(referred);
  const ours = new Set<unknown>(samples.filter(refers).flatMap(uuidOf));
  return acls.flatMap((row) => {
    const columns = (["sample_new", "sample_est"] as const).filter((column) => ours.has(row[column]));
    const externalIds = idsOf(row);
    return columns.length === 0 ? [] : uuidOf(row).map((uuid) => ({ uuid, externalIds, columns }));
  });
}

async function unlessUnknown(
  rows: Promise<readonly (readonly Row[])[]>,
): Promise<readonly (readonly Row[])[]> {
  try {
    return await rows;
  } catch (error) {
    if (error instanceof TransactionError && !error.isServerTrouble) return [];
    throw error;
  }
}

function isOurs(row: Row): boolean {
  const ids = idsOf(row);
  return ids.get(keys.ownerType) === samplingOwnerType && ids.get(keys.ownerController) === ownerController;
}

function idsOf({ external_ids: ids }: Row): ExternalIds {
  return new Map(ids instanceof Map ? Array.from(ids, ([key, value]) => [String(key), String(value)]) : []);
}

function uuidOf({ _uuid: uuid }: Row): readonly Uuid[] {
  return isUuid(uuid) ? [uuid] : [];
}
