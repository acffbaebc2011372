// One workload from beginning to end: cold starts of both contestants in turn, then events, then restarts. Tells how far
// it is; returns what the report needs.

import { scenarios } from "../events/catalogue.ts";
import type { Scene } from "../events/step.ts";
import type { Workload } from "../workloads/catalogue.ts";
import { type Mode, type Rendering, renderingOf } from "../workloads/rendering.ts";
import { Arena } from "./arena.ts";
import { type FloorCold, floorCold, type OursCold, oursCold } from "./cold.ts";
import { type EventSummary, type Measurement, summarise } from "./measurement.ts";
import { reconnect, restart, type Resumption } from "./resume.ts";

const progressMs = 5000;

export interface BenchOptions {
  readonly workload: Workload;
  readonly mode: Mode;
  readonly events: readonly string[];
  readonly coldStarts: number;
  readonly repetitions: number;
  /** Pods of one event, at the most. */
  readonly largest: number;
  readonly patienceMs: number;
  /** Nodes whose pods are on a chassis behind each database; 0: there is none. */
  readonly chassis: number;
}

export interface Ends {
  readonly portGroups: number;
  readonly acls: number;
  readonly addressSets: number;
  readonly addresses: number;
  /** OpenFlow rows, with those of no policy's; null: there is no chassis. */
  readonly flows: number | null;
  /** Of them, those that were there before the first policy. */
  readonly flowsWithoutPolicies: number | null;
}

export interface WorkloadResult {
  readonly workload: Workload;
  readonly mode: Mode;
  readonly ends: Ends;
  readonly cold: readonly { readonly ours: OursCold; readonly floor: FloorCold }[];
  readonly events: readonly EventSummary[];
  readonly resumptions: readonly Resumption[];
}

export async function bench(options: BenchOptions, tell: (line: string) => void): Promise<WorkloadResult> {
  const { workload, mode, patienceMs, coldStarts, chassis } = options;
  const rendering = renderingOf(mode, workload.kind);
  const cold: { ours: OursCold; floor: FloorCold }[] = [];
  for (let round = 1; ; round++) {
    tell(`${workload.name} ${mode}: cold start ${round} of ${coldStarts}, building the world`);
    const arena = await Arena.open({ workload, rendering, patienceMs, chassis });
    try {
      const bare = (await arena.ours.dataplane?.flows()) ?? null;
      const floorTurn = () => {
        tell(`${workload.name}: the floor writes its rows raw`);
        return floorCold(arena);
      };
      const early = round % 2 === 0 ? await floorTurn() : null;
      tell(`${workload.name}: the controller starts`);
      const ours = await oursCold(arena);
      cold.push({ ours, floor: early ?? (await floorTurn()) });
      if (round < coldStarts) continue;
      const ends = {
        ...checkedEnds(arena, workload, rendering),
        ...{ flows: await checkedFlows(arena), flowsWithoutPolicies: bare },
      };
      const events = await runEvents(arena, options, tell);
      const resumptions: Resumption[] = [];
      if (options.events.includes("restart")) resumptions.push(await restart(arena));
      if (options.events.includes("reconnect")) resumptions.push(await reconnect(arena));
      return { workload, mode, ends, cold, events, resumptions };
    } finally {
      await arena.close();
    }
  }
}

async function runEvents(
  arena: Arena,
  { events, repetitions, largest, workload }: BenchOptions,
  tell: (line: string) => void,
): Promise<readonly EventSummary[]> {
  const scene: Scene = { workload, world: arena.world, repetitions, largest };
  const measured = new Map<string, Measurement[]>();
  let told = performance.now();
  for (const step of events
    .flatMap((name) => scenarios[name] ?? [])
    .flatMap((scenario) => [...scenario(scene)])) {
    const measurement = await arena.perform(step);
    if (step.kind === null) continue;
    const list = measured.get(step.kind) ?? [];
    measured.set(step.kind, list);
    list.push(measurement);
    if (performance.now() - told < progressMs) continue;
    told = performance.now();
    tell(`${workload.name}: ${step.kind}, ${list.length} times so far`);
  }
  return [...measured].map(([kind, list]) => summarise(kind, list));
}

type RowEnds = Omit<Ends, "flows" | "flowsWithoutPolicies">;

/** Throws when the same rows have led to other flows behind the floor's database. */
async function checkedFlows({ ours, floor }: Arena): Promise<number | null> {
  const [flows, raw] = await Promise.all([ours.dataplane?.flows(), floor.dataplane?.flows()]);
  if (flows !== raw)
    throw new Error(`${flows} flows of the controller's rows, ${raw} of the same rows written raw`);
  return flows ?? null;
}

/** Throws when the generator and arithmetic disagree: then nothing that was measured means what it says. */
function checkedEnds(arena: Arena, { ends, sharedEnds, name }: Workload, rendering: Rendering): RowEnds {
  const { zone, namedPorts, addressSets } = rendering;
  const counts = { Port_Group: 0, ACL: 0, Address_Set: 0 };
  let addresses = 0;
  for (const row of arena.model.rows()) {
    counts[row.table]++;
    if (row.table === "Address_Set") addresses += row.size;
  }
  const found = [counts.Port_Group, counts.ACL, counts.Address_Set, addresses];
  // The formulas' counts are those of rows in one database for all nodes, with the addresses of named ports in matches.
  const isCounted = zone === null && namedPorts === "list";
  const expected = addressSets === "shared" ? sharedEnds : ends;
  if (expected !== null && isCounted && found.join() !== expected.join()) {
    throw new Error(`${name} ends in ${found.join(" / ")} and not in ${expected.join(" / ")}`);
  }
  return {
    portGroups: counts.Port_Group,
    acls: counts.ACL,
    addressSets: counts.Address_Set,
    addresses,
  };
}
