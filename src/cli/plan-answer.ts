// The answer of `northgate plan`: the report, and the exit code by which a script knows it. Anything that keeps the answer from
// being whole is exit code 1, so that a script that looks for 0 or 2 never takes half an answer for a whole one; a gate
// (--fail-on) passes only where changed policies were judged.

import type { PlanConfig } from "../config/answers/plan.ts";
import { unjudgedForeign } from "../plan/foreign-policies.ts";
import type { PlanReport } from "../plan/report.ts";
import { isFailure } from "../plan/gate.ts";
import { countedTurns } from "../plan/words.ts";
import { both } from "../verdicts/worlds.ts";
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
  /** For standard error. */
  readonly lines: readonly string[];
  readonly code: number;
}

/** Throws an Error of one sentence when a world cannot be read. */
export async function planAnswer(config: PlanConfig): Promise<PlanAnswer> {
  const { report, lines, refused, isWhole } = await planned(config);
  const isFailed = refused || (config.failOn.length === 0 && !isWhole);
  const code = isFailed ? planFailed : exitCodeOf(report, config);
  return { report, lines: [...lines, ...gateLines(report, config)], code };
}

interface Planned extends Omit<PlanAnswer, "code"> {
  /** An object is in error. */
  readonly refused: boolean;
  /** No policy of a kind that is not read was edited. */
  readonly isWhole: boolean;
}

async function planned(config: PlanConfig): Promise<Planned> {
  const { against, given } = config;
  if (against.kind !== "rows") {
    const progress = progressOf("kinds of ends are compared");
    const worlds = await plannedWorlds(config, against);
    const report = reportOf(worlds.worlds, config, progress);
    return {
      ...worlds,
      report,
      isWhole: unjudgedForeign(both((age) => worlds.worlds[age].notRead)).length === 0,
    };
  }
  const world = await loadWorld(given, { ...config, rowsOnly: true });
  const standing = await readExisting(config, against.rows);
  return { ...world, report: rowsReportOf(standing, world, config), isWhole: true };
}

/** Why a gate does not pass: for logs in which the report itself is not. */
function gateLines({ verdicts }: PlanReport, { failOn }: PlanConfig): readonly string[] {
  return failOn.flatMap((failure) => {
    const lines = verdicts.summary.filter((one) => isFailure(failure, one));
    if (lines.length === 0) return [];
    return [`northgate: --fail-on ${failure}: ${countedTurns(lines).join(", ")}`];
  });
}

function exitCodeOf(report: PlanReport, { failOn, allowUnjudged }: PlanConfig): number {
  const { rows, verdicts, unjudged } = report;
  if (failOn.length === 0)
    return rows.changes.length > 0 || verdicts.changes.length > 0 ? somethingDiffers : nothingDiffers;
  if (verdicts.changes.some((one) => failOn.some((failure) => isFailure(failure, one))))
    return somethingDiffers;
  return unjudged.length > 0 && !allowUnjudged ? planFailed : nothingDiffers;
}
