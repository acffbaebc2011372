// Desired rows with what ACLs are sampled with, for people and tests: as a database gets them that has no Samples of others.

import { samplingIds } from "../rows/names.ts";
import type { SampledTables, Tables } from "../rows/records.ts";
import { idOf } from "../rows/records.ts";
import type { Sampling } from "../rows/render-mode.ts";
import { SampleNumbers, samplingApps, sampleText } from "../rows/sampling/sampling.ts";
import { plain } from "./tables.ts";
import type { DesiredRows } from "./unit-state.ts";

const collector = "collector";

/** References to Samples are their numbers, one to the collector its `k8s.ovn.org/id`. */
export function sampledTables(
  tables: Tables,
  states: Iterable<DesiredRows>,
  { setId, probability }: Sampling,
): SampledTables {
  const numbers = new SampleNumbers({ has: () => false, size: Infinity });
  const texts = textsOf(states);
  const numbered = tables.ACL.map((acl) => ({ acl, number: numbers.next(texts.get(idOf(acl) ?? "") ?? "") }));
  const external_ids = plain(samplingIds(collector));
  const collectors = [external_ids["k8s.ovn.org/id"] ?? ""];
  return {
    ...tables,
    ACL: numbered.map(({ acl, number }) => ({ ...acl, sample_new: number, sample_est: number })),
    Sample: numbered.map(({ number }) => ({ metadata: number, collectors })),
    Sample_Collector: [{ id: 1, set_id: setId, probability, external_ids }],
    Sampling_App: Array.from(samplingApps, ([type, id]) => ({
      ...{ type, id },
      external_ids: plain(samplingIds(type)),
    })),
  };
}

/** By ACL id, the text that its number follows from. */
function textsOf(states: Iterable<DesiredRows>): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const state of states)
    for (const acl of state.acls()) texts.set(acl.id, sampleText(acl, state.acl(acl.id)?.named ?? null));
  return texts;
}
