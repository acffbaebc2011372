// The functions of a .cpuprofile by the time in which they themselves ran, and by the time in which they or what they
// called did.

import type { Profiler } from "node:inspector";

export interface FunctionTime {
  /** Name, file and line. */
  readonly place: string;
  readonly selfMs: number;
  readonly totalMs: number;
}

export interface Times {
  readonly bySelf: readonly FunctionTime[];
  readonly byTotal: readonly FunctionTime[];
}

export function functionTimes({ nodes, samples, timeDeltas }: Profiler.Profile): Times {
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id])));
  const places = new Map(nodes.map((node) => [node.id, placeOf(node.callFrame)]));
  const self = new Map<string, number>();
  const total = new Map<string, number>();
  for (const [at, id] of (samples ?? []).entries()) {
    const ms = (timeDeltas?.[at] ?? 0) / 1000;
    add(self, places.get(id) ?? "", ms);
    // A function that calls itself has its time once.
    const stack = new Set<string>();
    for (let node: number | undefined = id; node !== undefined; node = parents.get(node)) {
      stack.add(places.get(node) ?? "");
    }
    for (const place of stack) add(total, place, ms);
  }
  const all = [...total].map(([place, totalMs]) => ({ place, selfMs: self.get(place) ?? 0, totalMs }));
  return {
    bySelf: all.toSorted((a, b) => b.selfMs - a.selfMs),
    byTotal: all.toSorted((a, b) => b.totalMs - a.totalMs),
  };
}

function placeOf({ functionName, url, lineNumber }: Profiler.ProfileNode["callFrame"]): string {
  const file = url.replace(/^.*\/\.cache\/bench\//, "").replace(/^.*\/node_modules\//, "");
  return `${functionName === "" ? "(anonymous)" : functionName}${file === "" ? "" : ` ${file}:${lineNumber + 1}`}`;
}

function add(times: Map<string, number>, place: string, ms: number): void {
  times.set(place, (times.get(place) ?? 0) + ms);
}
