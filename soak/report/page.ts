// A soak as the figures of docs/soak.md and a plot beside the page.

import { writeFileSync } from "node:fs";
import { basename } from "node:path";
import { writeFigures } from "../../bench/report/page.ts";
import { minima } from "../judge.ts";
import type { SoakResult } from "../run/soak.ts";
import { lineChart } from "./lines.ts";
import { durationOf, isGood, summaryOf, workOf } from "./text.ts";

/** What one run of `make soak` leaves behind as JSON. */
export interface SoakRun {
  readonly when: string;
  readonly machine: string;
  readonly node: string;
  readonly ovn: string;
  /** Load before and after: other work on the machine holds the event loop up. */
  readonly load: readonly [number, number];
  readonly result: SoakResult;
}

/** The plot stands beside the page, under its name. Returns what is wrong with the page; null: both are written. */
export async function writePage(page: string, run: SoakRun): Promise<string | null> {
  const plot = page.replace(/\.md$/, ".svg");
  const complaint = await writeFigures(page, markdown(run, basename(plot)));
  if (complaint === null) writeFileSync(plot, plotOf(run.result));
  return complaint;
}

function markdown({ when, machine, node, ovn, load, result }: SoakRun, plot: string): string {
  return [
    `**${durationOf(result)} run of ${when.slice(0, 10)}: ${isGood(result) ? "flat, and right at the end" : "not good"}.** ` +
      `${workOf(result)}. ${machine}; Node ${node}, OVN ${ovn}; load ${load.map((one) => one.toFixed(1)).join(" to ")}.`,
    "",
    `![heap, resident memory, descriptors and event-loop lag over time](${plot})`,
    "",
    "| | found | bound | |",
    "| --- | --- | --- | --- |",
    ...result.verdicts.map(
      ({ what, found, wanted, isGood: good }) =>
        `| ${what} | ${escapedCell(found)} | ${wanted} | ${good ? "yes" : "**no**"} |`,
    ),
    "",
    "| fault | times | took, median | max |",
    "| --- | --- | --- | --- |",
    ...summaryOf(result.faults).map(
      ({ name, count, medianMs, maxMs }) =>
        `| ${name} | ${count} | ${(medianMs / 1000).toFixed(1)} s | ${(maxMs / 1000).toFixed(1)} s |`,
    ),
    "",
  ].join("\n");
}

function escapedCell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function plotOf(result: SoakResult): string {
  const { samples, faults } = result;
  const minutes = (ms: number) => ms / 60_000;
  const of = (pick: (sample: (typeof samples)[number]) => number) =>
    samples.map((sample) => [minutes(sample.atMs), pick(sample)] as const);
  const least = minima(samples.map(({ heapBytes }) => heapBytes));
  const middleOf = (window: number) =>
    minutes(samples[Math.floor(((window + 0.5) * samples.length) / least.length)]?.atMs ?? 0);
  const mib = 2 ** 20;
  const own = samples.filter(({ isHeld }) => !isHeld);
  return lineChart(
    `${durationOf(result)} of changes and faults: ${result.changes} changes, ${faults.length} faults`,
    [
      {
        title: "heap, MiB",
        lines: [
          { label: "least of a window", points: least.map((value, at) => [middleOf(at), value / mib]) },
          { label: "used", points: of(({ heapBytes }) => heapBytes / mib) },
        ],
      },
      {
        title: "resident memory, MiB",
        lines: [{ label: "RSS", points: of(({ rssBytes }) => rssBytes / mib) }],
      },
      { title: "descriptors", lines: [{ label: "open", points: of(({ descriptors }) => descriptors) }] },
      {
        title: "event loop held up, ms",
        lines: [
          { label: "p99 of a sample", points: own.map(({ atMs, lagP99Ms }) => [minutes(atMs), lagP99Ms]) },
          { label: "longest", points: own.map(({ atMs, lagMaxMs }) => [minutes(atMs), lagMaxMs]) },
        ],
      },
    ],
    faults.map(({ atMs }) => minutes(atMs)),
    "grey marks: a fault begins; lags of the time in which the program was held by SIGSTOP are left out",
  );
}
