// Runs of workload P and of its tenth as one table: the range of the runs' medians, beside the goals. An event of P is held
// against the same event beside a tenth of the policies, of the same run.

import { counted } from "../../src/lib/counted.ts";
import type { OursCold } from "../run/cold.ts";
import type { EventSummary } from "../run/measurement.ts";
import type { WorkloadResult } from "../run/bench.ts";
import type { Results } from "./results.ts";
import { range } from "./range.ts";
import { floorMs, median } from "./text.ts";

interface Pair {
  readonly all: WorkloadResult;
  readonly tenth: WorkloadResult;
}

export function manyTable(runs: readonly Results[]): string {
  const pairs = runs.flatMap(({ workloads }): readonly Pair[] => {
    const all = workloads.find(({ workload: { part = 1 } }) => part === 1);
    const tenth = workloads.find(({ workload: { part = 1 } }) => part < 1);
    return all === undefined || tenth === undefined ? [] : [{ all, tenth }];
  });
  const [first] = runs;
  const [pair] = pairs;
  if (first === undefined || pair === undefined) return "No run of W=P.";
  const { portGroups, acls, addressSets, addresses } = pair.all.ends;
  const loads = runs.flatMap(({ load }) => load);
  const colds = (pick: (one: OursCold) => number) => pairs.map(({ all }) => coldOf(all, pick));
  return [
    `${counted(pairs.length, "run")}; ${[portGroups, acls, addressSets, addresses].map(count).join(" / ")} port groups, ACLs, address sets and ` +
      `addresses. ${first.machine}; Node ${first.node}, OVN ${first.ovn}; load ${range(loads, 1)}; ${first.when.slice(0, 10)}.`,
    "",
    "| cold start | P | P-tenth | goal for P |",
    "| --- | --- | --- | --- |",
    `| **over the floor** | **${range(
      pairs.map(({ all }) => overFloor(all)),
      2,
    )}** | ${range(
      pairs.map(({ tenth }) => overFloor(tenth)),
      2,
    )} | 3 |`,
    `| rows right, s | ${range(colds(seconds), 1)} | ${range(
      pairs.map(({ tenth }) => coldOf(tenth, seconds)),
      1,
    )} | |`,
    `| CPU, s | ${range(colds(cpuSeconds), 1)} | ${range(
      pairs.map(({ tenth }) => coldOf(tenth, cpuSeconds)),
      1,
    )} | |`,
    `| longest stall, ms | ${range(
      colds(({ lagMaxMs }) => lagMaxMs),
      0,
    )} | ${range(
      pairs.map(({ tenth }) => coldOf(tenth, ({ lagMaxMs }) => lagMaxMs)),
      0,
    )} | 500 |`,
    `| peak RSS, MB | ${range(colds(rss), 0)} | ${range(
      pairs.map(({ tenth }) => coldOf(tenth, rss)),
      0,
    )} | |`,
    "",
    "| event | rows | p50 beside all, ms | beside a tenth, ms | **all over a tenth** | CPU of both, ms | longest stall, ms |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...pair.all.events.map(({ kind }) => eventRow(kind, pairs)),
    "",
    "Goals: all over a tenth 1.5, in time and in CPU; no stall of an event over 200 ms.",
    "",
  ].join("\n");
}

function eventRow(kind: string, pairs: readonly Pair[]): string {
  const both = pairs.flatMap(({ all, tenth }) => {
    const [one, other] = [all, tenth].map(({ events }) => events.find((event) => event.kind === kind));
    return one === undefined || other === undefined ? [] : [{ one, other }];
  });
  const p50 = ({ ours }: EventSummary) => ours.allMs?.p50 ?? NaN;
  const cells = [
    kind,
    range(
      both.map(({ one }) => one.rows),
      0,
    ),
    range(
      both.map(({ one }) => p50(one)),
      1,
    ),
    range(
      both.map(({ other }) => p50(other)),
      1,
    ),
    `**${range(
      both.map(({ one, other }) => p50(one) / p50(other)),
      2,
    )}**`,
    `${range(
      both.map(({ one }) => one.ours.cpuMs),
      1,
    )}; ${range(
      both.map(({ other }) => other.ours.cpuMs),
      1,
    )}`,
    range(
      both.map(({ one }) => one.ours.lagMaxMs),
      0,
    ),
  ];
  return `| ${cells.join(" | ")} |`;
}

const seconds = ({ allMs }: OursCold) => allMs / 1000;
const cpuSeconds = ({ cpuMs }: OursCold) => cpuMs / 1000;
const rss = ({ peakRssBytes }: OursCold) => peakRssBytes / 1e6;

function coldOf({ cold }: WorkloadResult, pick: (one: OursCold) => number): number {
  return median(cold.map(({ ours }) => pick(ours)));
}

function overFloor(result: WorkloadResult): number {
  return coldOf(result, ({ allMs }) => allMs) / floorMs(result);
}

function count(value: number): string {
  return value.toLocaleString("en");
}
