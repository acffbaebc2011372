// From nothing to right: the controller's start on an empty database, and the floor's rows written raw into the other,
// in one transaction a policy and in one for everything. Requests are bytes before the clock starts.

import { performance } from "node:perf_hooks";
import { insertion } from "../floor/operations.ts";
import type { Prepared } from "../observer/wire.ts";
import type { Arena } from "./arena.ts";
import { transaction } from "./database.ts";
import type { Reach } from "./reach.ts";

export interface OursCold {
  readonly firstMs: number | null;
  readonly allMs: number;
  /** Until the controller had nothing left to do. */
  readonly quietMs: number;
  readonly cpuMs: number;
  readonly peakRssBytes: number;
  readonly serverCpuMs: number;
  readonly serverPeakRssBytes: number;
  readonly transactions: number;
  readonly operations: number;
  readonly bytes: number;
  readonly selectorEvaluations: number;
  readonly lagMaxMs: number;
  readonly reach: Reach | null;
}

export interface FloorCold {
  readonly perPolicyMs: number;
  /** null: too large for one message. */
  readonly atOnceMs: number | null;
  readonly serverCpuMs: number;
  readonly serverPeakRssBytes: number;
  readonly operations: number;
  readonly bytes: number;
  /** Of one transaction a policy. */
  readonly reach: Reach | null;
}

/** Addresses of which one message can still hold all. */
const atOnceLimit = 4_000_000;

export async function oursCold({ ours, controller, expectations, options }: Arena): Promise<OursCold> {
  const { observer } = ours;
  observer.expect(expectations());
  const server = ours.usage();
  const { dataplane } = ours;
  const cpu = dataplane?.cpu();
  const started = performance.now();
  const watching = observer.watch(options.patienceMs);
  controller.start();
  const sighting = await watching;
  const reach = cpu && (await dataplane?.reach(started, sighting.all, cpu));
  const report = await controller.report();
  const { cpuMs, peakRssBytes } = ours.usage();
  return {
    firstMs: sighting.first === null ? null : sighting.first - started,
    allMs: sighting.all - started,
    quietMs: report.quietAt - performance.timeOrigin - started,
    cpuMs: report.cpuMs - controller.preparedCpuMs,
    peakRssBytes: report.peakRssBytes,
    serverCpuMs: cpuMs - server.cpuMs,
    serverPeakRssBytes: peakRssBytes,
    transactions: report.transactions,
    operations: report.operations,
    bytes: report.bytesSent,
    selectorEvaluations: report.selectorEvaluations,
    lagMaxMs: report.lagMaxMs,
    reach: reach ?? null,
  };
}

/** Leaves the rows written. */
export async function floorCold(arena: Arena): Promise<FloorCold> {
  const { model, floor } = arena;
  const perPolicy = [...model.units()].map((key) =>
    transaction([...model.rowsOf(key)].map((row) => insertion(row, model.view))),
  );
  const small = [...model.rows()].reduce((sum, row) => sum + ("size" in row ? row.size : 0), 0) < atOnceLimit;
  let atOnceMs: number | null = null;
  // Flows take long: with a chassis there is one way alone.
  if (small && floor.dataplane === null) {
    const all = transaction([...model.rows()].map((row) => insertion(row, model.view)));
    atOnceMs = (await write(arena, [all])).rowsMs;
    await clear(arena);
  }
  const server = floor.usage();
  const { rowsMs: perPolicyMs, reach } = await write(arena, perPolicy);
  const { cpuMs, peakRssBytes } = floor.usage();
  return {
    perPolicyMs,
    atOnceMs,
    serverCpuMs: cpuMs - server.cpuMs,
    serverPeakRssBytes: peakRssBytes,
    operations: perPolicy.reduce((sum, { operations }) => sum + operations, 0),
    bytes: perPolicy.reduce((sum, { bytes }) => sum + bytes.length, 0),
    reach,
  };
}

async function write(
  { floor, expectations, options }: Arena,
  requests: readonly Prepared[],
): Promise<{ readonly rowsMs: number; readonly reach: Reach | null }> {
  const { dataplane } = floor;
  const cpu = dataplane?.cpu();
  floor.observer.expect(expectations());
  const started = performance.now();
  const watching = floor.observer.watch(options.patienceMs);
  // All of them are on their way before the first answer: nothing is waited for.
  await Promise.all([...requests.map((request) => floor.transact(request)), watching]);
  const { all } = await watching;
  const reach = cpu && (await dataplane?.reach(started, all, cpu));
  return { rowsMs: all - started, reach: reach ?? null };
}

async function clear({ floor, options }: Arena): Promise<void> {
  floor.observer.expectNothing();
  const removal = transaction(
    ["Port_Group", "Address_Set"].map((table) => ({ op: "delete", table, where: [] })),
  );
  await Promise.all([floor.transact(removal), floor.observer.watch(options.patienceMs)]);
}
