// One workload as its users meet it: the program from exec until the rows are right, what it holds after many updates that
// concern no policy, and after every pod was replaced by a new one.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PodFact } from "../../src/model/facts.ts";
import { pod } from "../../test/support/facts.ts";
import { Model } from "../observer/model.ts";
import { expectationOf } from "../observer/observer.ts";
import { Database } from "../run/database.ts";
import type { Usage } from "../run/usage.ts";
import type { Workload } from "../workloads/catalogue.ts";
import { type Mode, type Rendering, renderingOf } from "../workloads/rendering.ts";
import { gone, made, objectsOf, type World, worldOf } from "../workloads/world.ts";
import { ApiProcess } from "./api-process.ts";
import { Program } from "./program.ts";

export interface ExecOptions {
  readonly workload: Workload;
  readonly mode: Mode;
  readonly coldStarts: number;
  /** Updates of pods that concern no policy. */
  readonly updates: number;
  /** Pods that are replaced, at the most. */
  readonly replaced: number;
  readonly patienceMs: number;
}

/** From exec; CPU is of all threads, memory the peak of the process. */
export interface Start {
  readonly rowsMs: number;
  readonly cpuMs: number;
  readonly peakRssBytes: number;
  readonly rssBytes: number;
}

/** What came after the last start. */
export interface Afterwards {
  readonly updates: number;
  readonly cpuMicrosAnUpdate: number;
  readonly rssBytes: number;
  readonly peakRssBytes: number;
  readonly replacedPods: number;
  readonly cpuMsAPod: number;
  readonly replacedRssBytes: number;
  readonly replacedPeakRssBytes: number;
}

export interface ExecResult {
  readonly workload: string;
  readonly mode: Mode;
  readonly starts: readonly Start[];
  readonly afterwards: Afterwards;
}

/** Parts of all pods that are replaced at once, as a rolling restart of many Deployments does. */
const parts = 100;

export async function measureExec(options: ExecOptions, tell: (line: string) => void): Promise<ExecResult> {
  const { workload, coldStarts, mode } = options;
  const starts: Start[] = [];
  for (let round = 1; ; round++) {
    tell(`${workload.name}: start ${round} of ${coldStarts}`);
    const stage = await Stage.open(options);
    try {
      starts.push(await stage.start());
      if (round < coldStarts) continue;
      tell(`${workload.name}: ${options.updates} updates without effect`);
      const touched = await stage.touch();
      tell(`${workload.name}: pods are replaced`);
      const afterwards = { ...touched, ...(await stage.replace(tell)) };
      return { workload: workload.name, mode, starts, afterwards };
    } finally {
      await stage.close();
    }
  }
}

class Stage {
  readonly #options: ExecOptions;
  readonly #rendering: Rendering;
  readonly #folder: string;
  readonly #world: World;
  readonly #model: Model;
  readonly #database: Database;
  readonly #api: ApiProcess;
  #program: Program | null = null;

  private constructor(
    options: ExecOptions,
    world: World,
    { folder, database, api }: { folder: string; database: Database; api: ApiProcess },
  ) {
    this.#options = options;
    this.#rendering = renderingOf(options.mode, options.workload.kind);
    this.#folder = folder;
    this.#world = world;
    this.#model = new Model(this.#rendering);
    this.#model.start(objectsOf(world).map(made));
    this.#database = database;
    this.#api = api;
  }

  static async open(options: ExecOptions): Promise<Stage> {
    const { workload, mode, patienceMs } = options;
    const world = worldOf(workload);
    const folder = mkdtempSync(join(tmpdir(), "northgate-exec-"));
    const database = await Database.open(world, renderingOf(mode, workload.kind), { patienceMs });
    try {
      return new Stage(options, world, {
        folder,
        database,
        api: await ApiProcess.open(workload.name, folder),
      });
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  async start(): Promise<Start> {
    const { patienceMs, workload } = this.#options;
    const rendering = this.#rendering;
    this.#database.observer.expect(
      [...this.#model.rows()].map((after) => expectationOf({ before: null, after })),
    );
    const watching = this.#database.observer.watch(patienceMs);
    const started = performance.now();
    const places = { kubeconfig: this.#api.kubeconfig, nb: this.#database.remote, folder: this.#folder };
    this.#program = Program.start({ ...places, rendering, kind: workload.kind });
    const { all } = await this.#seen(watching);
    const { cpuMs, peakRssBytes, rssBytes } = await this.#program.quiet();
    return { rowsMs: all - started, cpuMs, peakRssBytes, rssBytes };
  }

  async touch(): Promise<Pick<Afterwards, "updates" | "cpuMicrosAnUpdate" | "rssBytes" | "peakRssBytes">> {
    const { updates } = this.#options;
    const before = await this.#used();
    await this.#api.touch(updates);
    const { cpuMs, rssBytes, peakRssBytes } = await this.#used();
    return { updates, cpuMicrosAnUpdate: ((cpuMs - before.cpuMs) * 1000) / updates, rssBytes, peakRssBytes };
  }

  /** Every pod is deleted, and another of the same labels with another address comes in its place. */
  async replace(
    tell: (line: string) => void,
  ): Promise<Pick<Afterwards, "replacedPods" | "cpuMsAPod" | "replacedRssBytes" | "replacedPeakRssBytes">> {
    const pods = this.#world.pods.slice(0, this.#options.replaced);
    const size = Math.ceil(pods.length / parts);
    const before = await this.#used();
    for (let at = 0; at < pods.length; at += size) {
      const old = pods.slice(at, at + size);
      const born = old.map((one, place) => successor(one, at + place));
      await this.#database.ports("insert", born);
      const changes = old.flatMap((one, place) => [gone(one), made(born[place] ?? one)]);
      this.#database.observer.expect(this.#model.apply(changes).map(expectationOf));
      const watching = this.#database.observer.watch(this.#options.patienceMs);
      await this.#api.change(changes);
      await this.#seen(watching);
      await this.#database.ports("delete", old);
      if (at % (size * 20) === 0)
        tell(`${this.#options.workload.name}: ${at + old.length} pods are replaced`);
    }
    const { cpuMs, rssBytes: replacedRssBytes, peakRssBytes: replacedPeakRssBytes } = await this.#used();
    const cpuMsAPod = (cpuMs - before.cpuMs) / pods.length;
    return { replacedPods: pods.length, cpuMsAPod, replacedRssBytes, replacedPeakRssBytes };
  }

  async close(): Promise<void> {
    await this.#program?.stop();
    await Promise.all([this.#api.close(), this.#database.close()]);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Names what the program said, when the rows do not come. */
  async #seen<T>(watching: Promise<T>): Promise<T> {
    try {
      return await watching;
    } catch (error) {
      throw new Error(`the rows did not come; the program said: ${this.#program?.log() ?? "nothing"}`, {
        cause: error,
      });
    }
  }

  async #used(): Promise<Usage> {
    if (this.#program === null) throw new Error("the program was not started");
    return this.#program.quiet();
  }
}

/** Addresses of pod networks that no other pod of a workload has. */
function successor({ namespace, labels, node, ports }: PodFact, g: number): PodFact {
  const address = `10.${200 + (g >> 16)}.${(g >> 8) & 255}.${g & 255}`;
  return pod(namespace, `pod-${g}-again`, {
    labels: Object.fromEntries(labels),
    node,
    ips: [address],
    ports,
  });
}
