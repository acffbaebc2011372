// A soak as a person reads it on a terminal.

import { spread } from "../../bench/run/measurement.ts";
import type { Verdict } from "../judge.ts";
import type { FaultRun, SoakResult } from "../run/soak.ts";

export interface FaultSummary {
  readonly name: string;
  readonly count: number;
  readonly medianMs: number;
  readonly maxMs: number;
}

export function summaryOf(faults: readonly FaultRun[]): readonly FaultSummary[] {
  return [...Map.groupBy(faults, ({ name }) => name)].map(([name, some]) => {
    const took = spread(some.map(({ tookMs }) => tookMs));
    return { name, count: some.length, medianMs: took?.p50 ?? 0, maxMs: took?.max ?? 0 };
  });
}

/** How long it was asked to take: "15 min", "90 s". */
export function durationOf({ options }: SoakResult): string {
  const seconds = options.durationMs / 1000;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}

/** What happened, in one sentence. */
export function workOf({ options, changes, samples, missedSamples, faults }: SoakResult): string {
  const last = samples.at(-1);
  return (
    `${changes} changes of objects (${options.changesPerSecond} a second), ${faults.length} faults, ` +
    `${samples.length} samples (${missedSamples} missed), ${last?.operations ?? 0} operations written, ` +
    `${last?.cacheRows ?? 0} rows at the end, queue ${last?.queueDepth ?? 0}`
  );
}

export function isGood({ verdicts }: SoakResult): boolean {
  return verdicts.every((verdict) => verdict.isGood);
}

export function lines(result: SoakResult): readonly string[] {
  return [
    `${durationOf(result)}: ${workOf(result)}`,
    "",
    ...table(
      ["", "found", "bound", ""],
      result.verdicts.map(({ what, found, wanted, isGood: good }: Verdict) => [
        ...[what, found, wanted],
        good ? "yes" : "NO",
      ]),
    ),
    "",
    ...table(
      ["fault", "times", "took, median", "max"],
      summaryOf(result.faults).map(({ name, count, medianMs, maxMs }) => [
        ...[name, String(count)],
        ...[`${(medianMs / 1000).toFixed(1)} s`, `${(maxMs / 1000).toFixed(1)} s`],
      ]),
    ),
    "",
    isGood(result) ? "flat, and right at the end" : "NOT good",
  ];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
