// The figures from exec as a person reads them: every start, not only their median, since a goal is met in each or not.

import { duration, megabytes } from "../report/text.ts";
import type { ExecResult } from "./measure.ts";

export function execLines({ workload, mode, starts, afterwards }: ExecResult): readonly string[] {
  const each = (texts: readonly string[]): string => texts.join(", ");
  const { updates, cpuMicrosAnUpdate, replacedPods, cpuMsAPod } = afterwards;
  return [
    `${workload} ${mode}, from exec`,
    `  rows right   ${each(starts.map(({ rowsMs }) => duration(rowsMs)))}`,
    `  CPU          ${each(starts.map(({ cpuMs }) => duration(cpuMs)))}, until nothing is left to do`,
    `  peak RSS     ${each(starts.map(({ peakRssBytes }) => megabytes(peakRssBytes)))}`,
    `  after ${updates} updates without effect: RSS ${megabytes(afterwards.rssBytes)}, peak ${megabytes(afterwards.peakRssBytes)}, ${Math.round(cpuMicrosAnUpdate)} µs of CPU an update`,
    `  after ${replacedPods} pods were replaced: RSS ${megabytes(afterwards.replacedRssBytes)}, peak ${megabytes(afterwards.replacedPeakRssBytes)}, ${duration(cpuMsAPod)} of CPU a pod`,
  ];
}
