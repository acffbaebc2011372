// The answer of `northgate plan`: the report, and the exit code by which a script knows it. Anything that keeps the answer from
// being whole is exit code 1, so that a script that looks for 0 or 2 never takes half an answer for a whole one; a gate
// (--fail-on) passes only where changed policies were judged.

import type { PlanConfig } from "../config/answers/plan.ts";
import { unjudgedForeign } from "../plan/foreign-policies.ts";
import { flowsReport } from "../flows/changes.ts";
import type { FlowsReport } from "../flows/report.ts";
import { readFlowsFile } from "../observe/record/record.ts";
import type { PlanReport } from "../plan/report.ts";
import { isFailure } from "../plan/gate.ts";
import { countedTurns } from "../plan/words.ts";
import { both } from "../verdicts/worlds.ts";
import { askedIn } from "./worlds/asked-world.ts";
import { readExisting } from "./worlds/existing-rows.ts";
import { reportOf, rowsReportOf } from "../worlds/plan-report.ts";
import { plannedWorlds } from "../worlds/plan-worlds.ts";
import { progressOf } from "./print/progress.ts";
import { loadWorld } from "../worlds/world.ts";

const nothingDiffers = 0;
/** Of wrong usage too. */
export const planFailed = 1;
const somethingDiffers = 2;

export interface PlanAnswer {
  readonly report: PlanReport;
  /** Of recorded connections; null: none are asked about. */
  readonly flows: FlowsReport | null;
  /** For standard error. */
  readonly lines: readonly string[];
  readonly code: number;
}

/** Throws an Error of one sentence when a world cannot be read. */
export async function planAnswer(config: PlanConfig): Promise<PlanAnswer> {
  const { report, flows, lines, refused, isWhole } = await planned(config);
  const isFailed = refused || (config.failOn.length === 0 && !isWhole);
  const code = isFailed ? planFailed : exitCodeOf(report, flows, config);
  const why = flows === null ? gateLines(report, config) : flowGateLines(flows, config);
  return { report, flows, lines: [...lines, ...why], code };
}

interface Planned extends Omit<PlanAnswer, "code"> {
  /** An object is in error. */
  readonly refused: boolean;
  /** No policy of a kind that is not read was edited. */
  readonly isWhole: boolean;
}

async function planned(config: PlanConfig): Promise<Planned> {
  const { against, given } = config;
  const record = config.flows === null ? null : readFlowsFile(config.flows);
  if (against.kind !== "rows") {
    const progress = progressOf("kinds of ends are compared");
    const worlds = await plannedWorlds(config, against);
    const report = reportOf(worlds.worlds, config, progress);
    return {
      ...worlds,
      report,
      flows:
        record === null
          ? null
          : flowsReport(
              record,
              both((age) => askedIn(worlds.worlds[age], config, [])),
            ),
      isWhole: unjudgedForeign(both((age) => worlds.worlds[age].notRead)).length === 0,
    };
  }
  const world = await loadWorld(given, { ...config, rowsOnly: true });
  const standing = await readExisting(config, against.rows);
  return { ...world, report: rowsReportOf(standing, world, config), flows: null, isWhole: true };
}

/** Why a gate does not pass: for logs in which the report itself is not. */
function gateLines({ verdicts }: PlanReport, { failOn }: PlanConfig): readonly string[] {
  return failOn.flatMap((failure) => {
    const lines = verdicts.summary.filter((one) => isFailure(failure, one));
    if (lines.length === 0) return [];
    return [`northgate: --fail-on ${failure}: ${countedTurns(lines).join(", ")}`];
  });
}

/** As above, of recorded connections. */
function flowGateLines({ changes }: FlowsReport, { failOn }: PlanConfig): readonly string[] {
  return failOn.flatMap((failure) => {
    const count = changes.filter((one) => isFailure(failure, one)).length;
    return count === 0 ? [] : [`northgate: --fail-on ${failure}: ${count} recorded connections`];
  });
}

function exitCodeOf(
  { rows, verdicts, unjudged }: PlanReport,
  flows: FlowsReport | null,
  { failOn, allowUnjudged }: PlanConfig,
): number {
  if (failOn.length === 0)
    return rows.changes.length > 0 || verdicts.changes.length > 0 ? somethingDiffers : nothingDiffers;
  const { changes } = flows ?? verdicts;
  if (changes.some((one) => failOn.some((failure) => isFailure(failure, one)))) return somethingDiffers;
  const isJudged = unjudged.length === 0 && (flows === null || flows.unjudged.length === 0);
  return isJudged || allowUnjudged ? nothingDiffers : planFailed;
}
