// One workload with both contestants: the controller on its own database, and the floor on another, each with an observer
// of its own, and one model that says how the rows must end. They run one after the other, and who is first alternates.

import { performance } from "node:perf_hooks";
import type { PodFact } from "../../src/model/facts.ts";
import { operationsOf } from "../floor/operations.ts";
import { Model } from "../observer/model.ts";
import { type Expectation, expectationOf } from "../observer/observer.ts";
import { imageOf, type RowChange } from "../observer/rows.ts";
import type { Workload } from "../workloads/catalogue.ts";
import { type Change, made, objectsOf, type World, worldOf } from "../workloads/world.ts";
import type { Step } from "../events/step.ts";
import { chassisNodes } from "../workloads/churn.ts";
import type { Rendering } from "../workloads/rendering.ts";
import { ControllerProcess } from "./controller-process.ts";
import { Database, transaction } from "./database.ts";
import { asPerformance } from "./monotonic.ts";
import type { Measurement, Ours, Raw } from "./measurement.ts";
import type { Reach } from "./reach.ts";

export interface ArenaOptions {
  readonly workload: Workload;
  readonly rendering: Rendering;
  readonly patienceMs: number;
  /** Nodes whose pods are on a chassis behind each database; 0: there is none. */
  readonly chassis?: number;
}

export class Arena {
  readonly options: ArenaOptions;
  readonly world: World;
  readonly model: Model;
  readonly ours: Database;
  readonly floor: Database;
  #controller: ControllerProcess;
  readonly #amendments = new Map<string, Change>();
  #turn = 0;

  private constructor(
    options: ArenaOptions,
    world: World,
    model: Model,
    databases: { readonly ours: Database; readonly floor: Database },
    controller: ControllerProcess,
  ) {
    this.options = options;
    this.world = world;
    this.model = model;
    this.ours = databases.ours;
    this.floor = databases.floor;
    this.#controller = controller;
  }

  /** Both databases have their ports and no row of a policy; the controller waits for its start. */
  static async open(options: ArenaOptions): Promise<Arena> {
    const world = worldOf(options.workload);
    const model = new Model(options.rendering);
    model.start(objectsOf(world).map(made));
    const { workload, rendering, patienceMs, chassis = 0 } = options;
    const behind = { patienceMs, chassisOf: chassisNodes(chassis, world, workload) };
    const ours = await Database.open(world, rendering, behind);
    try {
      const floor = await Database.open(world, rendering, { ...behind, install: ours.ovn.install });
      try {
        const controller = await prepareController(options, ours.remote, []);
        return new Arena(options, world, model, { ours, floor }, controller);
      } catch (error) {
        await floor.close();
        throw error;
      }
    } catch (error) {
      await ours.close();
      throw error;
    }
  }

  get controller(): ControllerProcess {
    return this.#controller;
  }

  /** Ends the controller's process and makes a new one, of the world as it is now; it waits for its start. */
  async renewController(): Promise<void> {
    await this.#controller.stop();
    this.#controller = await prepareController(this.options, this.ours.remote, [
      ...this.#amendments.values(),
    ]);
  }

  /** How every row must be now. */
  readonly expectations = (): readonly Expectation[] =>
    [...this.model.rows()].map((row) => ({ id: row.id, image: imageOf(row) }));

  async perform(step: Step): Promise<Measurement> {
    await this.#ports("insert", step.portsBefore);
    for (const change of step.changes) this.#amendments.set(change.key, change);
    const rows = this.model.apply(step.changes);
    const contestants = [
      async () => ({ ours: await this.#ours(step.changes, rows) }),
      async () => ({ floor: await this.#raw(rows) }),
    ];
    if (this.#turn++ % 2 === 1) contestants.reverse();
    let measured: { ours?: Ours; floor?: Raw } = {};
    for (const contestant of contestants) measured = { ...measured, ...(await contestant()) };
    const { ours, floor } = measured;
    if (ours === undefined || floor === undefined) throw new Error("a contestant did not run");
    await this.#ports("delete", step.portsAfter);
    return { ours, floor, rows: rows.length };
  }

  async close(): Promise<void> {
    await this.#controller.stop();
    await Promise.all([this.ours.close(), this.floor.close()]);
  }

  async #ours(changes: readonly Change[], rows: readonly RowChange[]): Promise<Ours> {
    const { observer } = this.ours;
    await this.#controller.stage(changes);
    const [before, server] = [await this.#controller.report(), this.ours.usage()];
    const { dataplane } = this.ours;
    const cpu = dataplane?.cpu();
    observer.expect(rows.map(expectationOf));
    const told = performance.now();
    const watching = rows.length === 0 ? null : observer.watch(this.options.patienceMs);
    this.#controller.change();
    const sighting = await watching;
    const reach = cpu && sighting && (await dataplane?.reach(told, sighting.all, cpu));
    const after = await this.#controller.report();
    const started = asPerformance(after.changed.at);
    if (!observer.right) throw new Error(`the controller left rows wrong: ${observer.wrong().join(", ")}`);
    return {
      firstMs: sighting?.first == null ? null : sighting.first - started,
      allMs: sighting === null ? null : sighting.all - started,
      cpuMs: after.cpuMs - after.changed.cpuMs,
      serverCpuMs: this.ours.usage().cpuMs - server.cpuMs,
      transactions: after.transactions - before.transactions,
      operations: after.operations - before.operations,
      bytes: after.bytesSent - before.bytesSent,
      selectorEvaluations: after.selectorEvaluations - before.selectorEvaluations,
      lagMaxMs: after.lagMaxMs,
      reach: reach ?? null,
    };
  }

  async #raw(rows: readonly RowChange[]): Promise<Raw> {
    const request = transaction(rows.flatMap((row) => operationsOf(row, this.model.view)));
    const { observer } = this.floor;
    const server = this.floor.usage();
    observer.expect(rows.map(expectationOf));
    const started = performance.now();
    const { dataplane } = this.floor;
    const cpu = dataplane?.cpu();
    let all: number | null = null;
    let reach: Reach | null = null;
    if (rows.length > 0) {
      const watching = observer.watch(this.options.patienceMs);
      const [sighting] = await Promise.all([watching, this.floor.transact(request)]);
      all = sighting.all - started;
      if (cpu !== undefined) reach = (await dataplane?.reach(started, sighting.all, cpu)) ?? null;
    }
    return {
      allMs: all,
      serverCpuMs: this.floor.usage().cpuMs - server.cpuMs,
      operations: request.operations,
      bytes: rows.length === 0 ? 0 : request.bytes.length,
      reach,
    };
  }

  /** Resolves when the controller has seen them too: what it does with a late port would count as its event's. */
  async #ports(mutator: "insert" | "delete", all: readonly PodFact[]): Promise<void> {
    const { zone } = this.options.rendering;
    const pods = zone === null ? all : all.filter((pod) => pod.node === zone);
    if (pods.length === 0) return;
    const before = (await this.#controller.report()).ports;
    const after = mutator === "insert" ? before + pods.length : before - pods.length;
    await Promise.all([this.ours.ports(mutator, pods), this.floor.ports(mutator, pods)]);
    for (let tries = 0; (await this.#controller.report()).ports !== after; tries++) {
      if (tries * 5 > this.options.patienceMs) throw new Error("the controller does not see the ports");
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await Promise.all([this.ours.dataplane?.settled(), this.floor.dataplane?.settled()]);
  }
}

function prepareController(
  { workload, rendering }: ArenaOptions,
  remote: string,
  amendments: readonly Change[],
): Promise<ControllerProcess> {
  return ControllerProcess.prepare({ workload: workload.name, rendering, remote, amendments });
}
