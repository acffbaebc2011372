// Plans the rows that Samples need: the applications whose numbers the samples bear, and our collector. An application that is there
// stays as it is, whoever owns it: its number is what the readers of all samples know. Without the application of new connections
// OVN gives samples no number of one. Pure.

import type { Operation } from "../../ovsdb/notation/operation.ts";
import type { ActualSamples } from "../actual/samples.ts";
import type { Problem } from "../../model/problem.ts";
import { sameMap } from "../rows/compare.ts";
import { samplingIds } from "../rows/names.ts";
import type { Sampling } from "../rows/render-mode.ts";
import { mostIds, samplingApps } from "../rows/sampling/sampling.ts";
import { northboundOperations as operation } from "../rows/schema.ts";

type Rows = Pick<ActualSamples, "apps" | "collectors" | "collector">;

/** None when nothing differs, or when there is no room: `samplingFault` says so. */
export function planSampling({ setId, probability }: Sampling, actual: Rows): readonly Operation[] {
  const wanted = { set_id: setId, probability, external_ids: samplingIds("collector") };
  const { collector } = actual;
  if (collector === null) {
    const id = freeId(1, actual.collectors());
    return id === null ? [] : [...planApps(actual), operation.insert("Sample_Collector", { id, ...wanted })];
  }
  const { row, uuid } = collector;
  const isSame =
    row.set_id === setId && row.probability === probability && sameMap(row.external_ids, wanted.external_ids);
  return [...planApps(actual), ...(isSame ? [] : [operation.update("Sample_Collector", uuid, wanted)])];
}

/** Why ACLs cannot be sampled; null: nothing is against it. */
export function samplingFault(actual: Rows): Problem | null {
  if (actual.collector !== null || freeId(1, actual.collectors()) !== null) return null;
  const message = `every id of Sample_Collector, 1 to ${mostIds}, is taken`;
  return { code: "RowRefused", severity: "error", field: "", message };
}

function planApps(actual: Rows): readonly Operation[] {
  const apps = [...actual.apps()];
  return Array.from(samplingApps, ([type, preferred]) => {
    if (apps.some(({ row }) => row.type === type)) return [];
    const id = freeId(preferred, apps);
    if (id === null) return [];
    const row = { type, id, external_ids: samplingIds(type) };
    return [operation.insert("Sampling_App", row)];
  }).flat();
}

/** The first free one from `preferred` on, then from 1; null: all are taken. */
function freeId(
  preferred: number,
  rows: readonly { readonly row: { readonly id: number } }[],
): number | null {
  const taken = new Set(rows.map(({ row }) => row.id));
  for (let step = 0; step < mostIds; step++) {
    const id = ((preferred - 1 + step) % mostIds) + 1;
    if (!taken.has(id)) return id;
  }
  return null;
}
