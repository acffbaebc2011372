// The answer of `northgate recommend`: policies, their coverage, and the proof: what is printed is read again, laid over the world, and
// the record is asked there by the code of `plan --flows`.

import type { RecommendConfig } from "../../config/answers/recommend.ts";
import { flowsReport } from "../../flows/changes.ts";
import { readFlowsFile } from "../../observe/record/record.ts";
import { serviceKind } from "../../model/service.ts";
import { ExistingPolicies } from "../../recommend/existing.ts";
import type { PolicyManifest } from "../../recommend/manifest.ts";
import { recommend } from "../../recommend/recommend.ts";
import type { RecommendReport } from "../../recommend/report.ts";
import { recommendSchema } from "../../recommend/report.ts";
import { withPolicies } from "../../worlds/with-policies.ts";
import { recordedLines } from "../../worlds/names-file.ts";
import { ignoredLines, modelled, readWorld } from "../../worlds/world.ts";
import { formatData } from "../print/data.ts";
import { sayMany } from "../print/progress.ts";
import { askedIn } from "../worlds/asked-world.ts";

export interface RecommendAnswer {
  readonly report: RecommendReport;
  /** For standard error. */
  readonly lines: readonly string[];
  readonly code: 0 | 1;
}

/** Throws an Error of one sentence when the world or the record cannot be read. */
export async function recommendAnswer(config: RecommendConfig): Promise<RecommendAnswer> {
  const { source, ...mode } = config.world;
  const options = { ...mode, alsoRead: [serviceKind] };
  const record = readFlowsFile(config.flows);
  const read = await readWorld(source, options);
  const world = modelled(read, { ...options, many: sayMany });
  const asked = askedIn(world, mode, []);
  const found = recommend(record, asked, new ExistingPolicies(world.objects), config.namespaces);
  const text = { name: "(recommended)", text: manifestsText(found.policies) };
  const next = modelled(withPolicies(read, text, options), options);
  const proof = flowsReport(record, { old: asked, new: askedIn(next, mode, []) });
  const refused = world.refused || next.refused;
  const isProven = proof.changes.length === 0 && (proof.unjudged.length === 0 || config.allowUnjudged);
  return {
    report: { schema: recommendSchema, ...found, proof },
    lines: [...new Set([...ignoredLines(read), ...recordedLines(options), ...world.lines, ...next.lines])],
    code: refused || !isProven ? 1 : 0,
  };
}

/** As `kubectl apply -f` reads them. */
export function manifestsText(policies: readonly PolicyManifest[]): string {
  return policies.map((policy) => formatData(policy, "yaml")).join("---\n");
}
