// The contest as a person reads it: medians, with the peer's time over ours, and ours over the floor.

import { median, ms } from "../report/text.ts";
import { mean, spread } from "../run/measurement.ts";
import type { Mode } from "../workloads/rendering.ts";
import type { ContestCold, ContestEvent, ContestResult } from "./contest.ts";

/** What the peer can write is the documented form. */
const formTitles: Partial<Record<Mode, string>> = { central: "documented", shared: "shared" };

const widths = { event: 34, number: 12 } as const;

interface Cells {
  readonly title: string;
  readonly n: number;
  readonly peer: readonly [ms: number | null, cpu: number];
  /** In the order of the modes. */
  readonly forms: readonly {
    readonly ms: number | null;
    readonly floor: number | null;
    readonly cpu: number;
  }[];
}

export function contestLines({ workload, modes, cold, events }: ContestResult): readonly string[] {
  const titles = modes.map((mode) => formTitles[mode] ?? mode);
  const memory = Math.max(...cold.map(({ peer }) => peer.peakRssBytes)) / 1e6;
  const ours = (mode: Mode) =>
    Math.max(...cold.map(({ forms }) => forms[mode]?.ours.peakRssBytes ?? 0)) / 1e6;
  return [
    `${workload.name}: medians in ms`,
    line(["", "n", "peer", "CPU", ...titles.flatMap((title) => [title, "CPU", "peer over", "over floor"])]),
    line(cells(coldCells("cold start, rows right", cold, modes, (one) => one.allMs))),
    line(cells(coldCells("cold start, quiet", cold, modes, (one) => one.quietMs))),
    ...Object.entries(events).map(([kind, list]) => line(cells(eventCells(kind, list, modes)))),
    "  quiet: until the contestant had nothing left to do; CPU of a start until then",
    `  the peer put ${cold.reduce((sum, { peer }) => sum + peer.retries, 0)} items back that had failed`,
    `  peak RSS after the start, MB: peer ${memory.toFixed(0)}, ${modes.map((mode, at) => `${titles[at] ?? ""} ${ours(mode).toFixed(0)}`).join(", ")}`,
  ];
}

function coldCells(
  title: string,
  cold: readonly ContestCold[],
  modes: readonly Mode[],
  of: (one: { readonly allMs: number; readonly quietMs: number }) => number,
): Cells {
  return {
    title,
    n: cold.length,
    peer: [median(cold.map(({ peer }) => of(peer))), mean(cold.map(({ peer }) => peer.cpuMs))],
    forms: modes.map((mode) => {
      const all = cold.map(({ forms }) => forms[mode]).filter((form) => form !== undefined);
      return {
        ms: median(all.map(({ ours }) => of(ours))),
        floor: median(all.map(({ floorMs }) => floorMs)),
        cpu: mean(all.map(({ ours }) => ours.cpuMs)),
      };
    }),
  };
}

function eventCells(title: string, events: readonly ContestEvent[], modes: readonly Mode[]): Cells {
  const p50 = (values: readonly (number | null)[]) => spread(values)?.p50 ?? null;
  return {
    title,
    n: events.length,
    peer: [p50(events.map(({ peer }) => peer.allMs)), mean(events.map(({ peer }) => peer.cpuMs))],
    forms: modes.map((mode) => {
      const all = events.map(({ forms }) => forms[mode]).filter((form) => form !== undefined);
      return {
        ms: p50(all.map(({ ours }) => ours.allMs)),
        floor: p50(all.map(({ floor }) => floor.allMs)),
        cpu: mean(all.map(({ ours }) => ours.cpuMs)),
      };
    }),
  };
}

function cells({ title, n, peer: [peerMs, peerCpu], forms }: Cells): readonly string[] {
  return [
    ...[title, String(n), ms(peerMs), ms(peerCpu)],
    ...forms.flatMap((form) => [
      ...[ms(form.ms), ms(form.cpu)],
      ...[over(peerMs, form.ms), over(form.ms, form.floor)],
    ]),
  ];
}

function over(one: number | null, other: number | null): string {
  if (one === null || other === null || other === 0) return "-";
  const ratio = one / other;
  return `${ratio < 10 ? ratio.toFixed(1) : ratio.toFixed(0)} x`;
}

function line(texts: readonly string[]): string {
  return texts
    .map((text, at) =>
      at === 0 ? `  ${text}`.padEnd(widths.event) : text.padStart(at === 1 ? 4 : widths.number),
    )
    .join("");
}
