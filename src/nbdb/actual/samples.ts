// The rows by which ACLs are sampled, read from the session's cache: every Sample, since their numbers are unique whoever owns
// them, and the collectors and applications, of which those with our external_ids are ours. Read where the session follows them.

import type { Uuid } from "../../ovsdb/notation/description.ts";
import type { Cache, Monitors, TableIndex } from "../../ovsdb/session/session.ts";
import type { ExternalIds } from "../rows/names.ts";
import { keys, samplingIds } from "../rows/names.ts";
import type { Numbered } from "../rows/sampling/sampling.ts";
import type { Northbound, NorthboundRow } from "../rows/schema.ts";

/** The tables beside those of policies' rows. */
export const sampleMonitors: Monitors<Northbound> = {
  Sample: { indexes: { number: { columns: ["metadata"], keyOf: ({ metadata }) => String(metadata) } } },
  Sample_Collector: {},
  Sampling_App: {},
};

interface Found<T extends "Sample_Collector" | "Sampling_App"> {
  readonly uuid: Uuid;
  readonly row: NorthboundRow<T>;
}

/** Index of ACLs by the Samples that they refer to. */
export const sampled: TableIndex<Northbound, "ACL"> = {
  columns: ["sample_new", "sample_est"],
  keyOf: ({ sample_new, sample_est }) => new Set([sample_new, sample_est].filter((uuid) => uuid !== null)),
};

export class ActualSamples implements Numbered {
  readonly #cache: Cache<Northbound>;

  constructor(cache: Cache<Northbound>) {
    this.#cache = cache;
  }

  get size(): number {
    return this.#cache.table("Sample").size;
  }

  /** Whether a Sample has the number, whoever owns it. */
  has(number: number): boolean {
    return this.#cache.table("Sample").findOne("number", String(number)) !== undefined;
  }

  sample(uuid: Uuid): NorthboundRow<"Sample"> | null {
    return this.#cache.table("Sample").get(uuid) ?? null;
  }

  /** The ACLs that refer to a Sample, among those that the session follows. */
  sampledAcls(uuid: Uuid): ReadonlySet<Uuid> {
    return this.#cache.table("ACL").find("sampled", uuid);
  }

  collectors(): readonly Found<"Sample_Collector">[] {
    return rowsOf(this.#cache, "Sample_Collector");
  }

  apps(): readonly Found<"Sampling_App">[] {
    return rowsOf(this.#cache, "Sampling_App");
  }

  /** Our collector; of several the one with the least id. */
  get collector(): Found<"Sample_Collector"> | null {
    const ours = this.collectors().filter(({ row }) => isOurs(row.external_ids, "collector"));
    return ours.sort((a, b) => a.row.id - b.row.id)[0] ?? null;
  }
}

/** Whether a row has our external_ids of this name. */
function isOurs(externalIds: ExternalIds, name: string): boolean {
  return externalIds.get(keys.id) === samplingIds(name).get(keys.id);
}

function rowsOf<T extends "Sample_Collector" | "Sampling_App">(
  cache: Cache<Northbound>,
  table: T,
): readonly Found<T>[] {
  return Array.from(cache.table(table).entries(), ([uuid, row]) => ({ uuid, row }));
}
