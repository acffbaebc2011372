// Plans the Sample of one ACL: a row of its own, to which both columns of the ACL refer and no other ACL does. What is there stays
// while it suits the ACL's text; otherwise a new row is made, and the database removes the one that nothing refers to. The Sample of
// another program is never ours, whatever number it has.

import type { Uuid } from "../../ovsdb/notation/description.ts";
import type { Operation } from "../../ovsdb/notation/operation.ts";
import type { ActualRow, Reference } from "../actual/actual.ts";
import type { ActualSamples } from "../actual/samples.ts";
import type { PlacedAcl } from "../desired/unit-state.ts";
import type { SampleNumbers } from "../rows/sampling/sampling.ts";
import { sampleText } from "../rows/sampling/sampling.ts";
import { northboundOperations } from "../rows/schema.ts";

export interface SampleContext {
  /** The Sample_Collector of ours. */
  readonly collector: Uuid;
  readonly numbers: Pick<SampleNumbers, "next" | "suits">;
  readonly actual: Pick<ActualSamples, "sample" | "sampledAcls">;
}

export interface SamplePlan {
  readonly operations: readonly Operation[];
  /** Columns of the ACL that get another value; none: they stay. */
  readonly columns: { readonly sample_new?: Reference; readonly sample_est?: Reference };
}

const nothing: SamplePlan = { operations: [], columns: {} };

/** `found`: the ACL's row; null: it is inserted. `samples` null: ACLs are not sampled, and nothing is known of what they refer to. */
export function planSample(
  { acl, named }: PlacedAcl,
  found: ActualRow<"ACL"> | null,
  samples: SampleContext | null,
  newName: () => string,
): SamplePlan {
  if (samples === null) return nothing;
  const text = sampleText(acl, named);
  if (found !== null && isSampled(found, text, samples)) return nothing;
  const row = { metadata: samples.numbers.next(text), collectors: [samples.collector] };
  const reference = { named: newName() };
  return {
    operations: [northboundOperations.insert("Sample", row, reference.named)],
    columns: { sample_new: reference, sample_est: reference },
  };
}

function isSampled({ row }: ActualRow<"ACL">, text: string, samples: SampleContext): boolean {
  const { sample_new: uuid, sample_est: established } = row;
  if (uuid === null || uuid !== established) return false;
  const sample = samples.actual.sample(uuid);
  if (sample === null || !samples.numbers.suits(sample.metadata, text)) return false;
  const { collectors } = sample;
  return (
    collectors.size === 1 && collectors.has(samples.collector) && samples.actual.sampledAcls(uuid).size === 1
  );
}
