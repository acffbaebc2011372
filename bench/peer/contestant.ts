// The peer on a database of its own, with an observer and a model of the documented rows: its cold start, and its events. Its
// rows must be right after each event that it can see.

import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { PodFact } from "../../src/model/facts.ts";
import type { Step } from "../events/step.ts";
import type { Image } from "../observer/image.ts";
import { Model } from "../observer/model.ts";
import { type Expectation, expectationOf } from "../observer/observer.ts";
import { imageOf } from "../observer/rows.ts";
import { duration } from "../report/text.ts";
import { Database } from "../run/database.ts";
import { asPerformance } from "../run/monotonic.ts";
import type { Workload } from "../workloads/catalogue.ts";
import { type Rendering, renderingOf } from "../workloads/rendering.ts";
import { made, nodeName, objectsOf, worldOf } from "../workloads/world.ts";
import { peerChangeOf } from "./objects.ts";
import { PeerProcess } from "./process.ts";
import type { PeerReport } from "./protocol.ts";

/** Every pod is on this one, or its ports are none of the peer's. */
const node = nodeName(0);

/** Events that the peer does not see: an address that changes without a change of count. */
const unseen: ReadonlySet<string> = new Set(["pod's address changed"]);

/**
 * All of a row but the match of an ACL of named ports, where the two differ on purpose (docs/rows.md): it is in one transaction
 * with the policy's other rows.
 */
export function commonTo(id: string, image: Image): Image {
  return id.endsWith("-namedPort") && "match" in image ? { ...image, match: "" } : image;
}

export interface PeerCold {
  readonly allMs: number;
  readonly quietMs: number;
  readonly cpuMs: number;
  readonly peakRssBytes: number;
  /** Items that failed and were put back. */
  readonly retries: number;
}

export interface PeerEvent {
  /** Until all rows were right; null: no row moves, or it does not see such an event. */
  readonly allMs: number | null;
  readonly cpuMs: number;
}

export interface PeerOptions {
  readonly program: string;
  readonly workload: Workload;
  readonly patienceMs: number;
}

export class PeerContestant {
  readonly #model: Model;
  readonly #database: Database;
  readonly #process: PeerProcess;
  readonly #patienceMs: number;
  /** Of events that it has not seen: what its rows must become with the next one. */
  readonly #late = new Map<string, Expectation>();

  private constructor(model: Model, database: Database, process: PeerProcess, patienceMs: number) {
    this.#model = model;
    this.#database = database;
    this.#process = process;
    this.#patienceMs = patienceMs;
  }

  /** The database has its ports and no row of a policy; the peer waits for its start. */
  static async open({ program, workload, patienceMs }: PeerOptions): Promise<PeerContestant> {
    const world = worldOf(workload);
    const rendering: Rendering = renderingOf("central", workload.kind);
    const all = objectsOf(world).map(made);
    const model = new Model(rendering);
    model.start(all);
    const database = await Database.open(world, rendering, { patienceMs, sees: commonTo });
    try {
      const changes = all.map((change) => peerChangeOf(change, node));
      const setup = { nb: database.remote, node, changes };
      return new PeerContestant(model, database, await PeerProcess.prepare(program, setup), patienceMs);
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  /** `told` hears when its rows are right: until it is quiet, minutes may pass. */
  async cold(told: (line: string) => void): Promise<PeerCold> {
    const { observer } = this.#database;
    observer.expect([...this.#model.rows()].map((row) => ({ id: row.id, image: imageOf(row) })));
    const started = performance.now();
    const watching = observer.watch(this.#patienceMs);
    this.#process.start();
    const { all } = await this.#process.whileRunning(watching);
    told(`the peer's rows are right after ${duration(all - started)}, until it is quiet`);
    const report = await this.#quiet();
    this.#check();
    return {
      allMs: all - started,
      quietMs: asPerformance(report.quietAt) - started,
      cpuMs: report.cpuMs - this.#process.preparedCpuMs,
      peakRssBytes: report.peakRssBytes,
      retries: report.retries,
    };
  }

  async perform({ kind, changes, portsBefore, portsAfter }: Step): Promise<PeerEvent> {
    await this.#ports("insert", portsBefore);
    const sees = kind === null || !unseen.has(kind);
    for (const row of this.#model.apply(changes)) {
      const expectation = expectationOf(row);
      this.#late.set(expectation.id, expectation);
    }
    await this.#process.stage(changes.map((change) => peerChangeOf(change, node)));
    const { observer } = this.#database;
    const expected = sees ? [...this.#late.values()] : [];
    if (sees) this.#late.clear();
    observer.expect(expected);
    const watching = observer.right ? null : observer.watch(this.#patienceMs);
    this.#process.change();
    const sighting = watching === null ? null : await this.#process.whileRunning(watching);
    const { cpuMs, changed } = await this.#quiet();
    this.#check();
    await this.#ports("delete", portsAfter);
    return {
      allMs: sighting === null ? null : sighting.all - asPerformance(changed.at),
      cpuMs: cpuMs - changed.cpuMs,
    };
  }

  async close(): Promise<void> {
    await this.#process.stop();
    await this.#database.close();
  }

  /** The peer's report when it has nothing left to do; rejects when that takes too long. */
  async #quiet(): Promise<PeerReport> {
    const stopping = new AbortController();
    const tooLong = sleep(this.#patienceMs, null, { signal: stopping.signal }).catch(() => null);
    const report = await Promise.race([this.#process.report(), tooLong]);
    stopping.abort();
    if (report === null) throw new Error(`after ${this.#patienceMs / 1000} s the peer is not quiet`);
    return report;
  }

  #check(): void {
    const { observer } = this.#database;
    if (!observer.right) throw new Error(`the peer left rows wrong: ${observer.wrong().join(", ")}`);
  }

  /** Resolves when the peer knows them too. */
  async #ports(mutator: "insert" | "delete", pods: readonly PodFact[]): Promise<void> {
    if (pods.length === 0) return;
    const before = (await this.#quiet()).ports;
    const after = mutator === "insert" ? before + pods.length : before - pods.length;
    await this.#database.ports(mutator, pods);
    const since = performance.now();
    while ((await this.#quiet()).ports !== after) {
      if (performance.now() - since > this.#patienceMs) throw new Error("the peer does not see the ports");
    }
  }
}
