// The controller as a process of its own, put together as src/wiring/assemble.ts does it, but for its source: a world in memory,
// made from the workload's name and changed by messages. Reports what it has used whenever it has nothing left to do.

import { performance } from "node:perf_hooks";
import { MemorySource } from "../../test/support/controller.ts";
import { Groups } from "../../src/groups/index.ts";
import { setV8Flags } from "../../src/v8-flags.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import { FactStore } from "../../src/model/fact-store.ts";
import { northboundMonitors } from "../../src/nbdb/actual/actual.ts";
import { NorthboundBackend } from "../../src/nbdb/backend.ts";
import { rowOwners } from "../../src/nbdb/rows/owners.ts";
import { Election, electionLock, identity, unconditional } from "../../src/nbdb/write/election.ts";
import { NorthboundWriter } from "../../src/nbdb/write/northbound-writer.ts";
import { northbound } from "../../src/nbdb/rows/schema.ts";
import { openSession } from "../../src/ovsdb/index.ts";
import { workloadOf } from "../workloads/catalogue.ts";
import { type Change, objectsOf, worldOf } from "../workloads/world.ts";
import { Recorder } from "../profile/recorder.ts";
import { installedFor, loopOf } from "./assembled.ts";
import { monotonicMs } from "./monotonic.ts";
import type { Answer, Recording, Report, Request, Setup } from "./protocol.ts";
import { Stalls } from "./stalls.ts";

setV8Flags();
const stalls = new Stalls(systemClock);

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Milliseconds since the epoch. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

function say(answer: Answer): void {
  process.send?.(answer);
}

class Controller {
  readonly #setup: Setup;
  readonly #source: MemorySource;
  readonly #facts = new FactStore();
  readonly #groups = new Groups(this.#facts);
  #running: ReturnType<typeof this.assemble> | null = null;
  #begunAt = 0;
  #quietAt = 0;
  #changed = { at: 0, cpuMs: 0 };

  constructor(setup: Setup) {
    this.#setup = setup;
    const workload = workloadOf(setup.workload);
    if (workload === null) throw new Error(`no workload ${setup.workload}`);
    this.#source = new MemorySource(objectsOf(worldOf(workload)));
    this.change(setup.amendments);
  }

  async start(filled: boolean): Promise<void> {
    stalls.begin();
    this.#running = this.assemble();
    if (filled) await this.#running.session.opened();
    this.#begunAt = now();
    this.#running.loop.start();
  }

  /** The clock starts. */
  event(changes: readonly Change[]): void {
    stalls.begin();
    const cpu = cpuMs();
    this.#changed = { at: monotonicMs(), cpuMs: cpu };
    this.change(changes);
  }

  change(changes: readonly Change[]): void {
    for (const { key, object } of changes) {
      if (object === null) this.#source.delete(key);
      else this.#source.set(object);
    }
  }

  /** Waits until nothing is left to do. */
  async report(): Promise<Report> {
    const { loop, session, writer } = this.#running ?? this.assemble();
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      await loop.idle();
      if (loop.reconciled && session.ready && loop.queue.size === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const { bytesSent, bytesReceived, fills, refusals } = session.stats;
    const { transactions, operations } = writer.stats;
    const lagMaxMs = stalls.end();
    return {
      cpuMs: cpuMs(),
      lagMaxMs,
      peakRssBytes: process.resourceUsage().maxRSS * 1024,
      changed: this.#changed,
      quietAt: this.#quietAt,
      begunAt: this.#begunAt,
      selectorEvaluations: this.#groups.stats.selectorEvaluations,
      ports: session.cache.table("Logical_Switch_Port").size,
      ...{ transactions, operations, bytesSent, bytesReceived, fills, refused: refusals },
    };
  }

  async stop(): Promise<void> {
    await this.#running?.loop.stop();
    await this.#running?.election.stop();
    await this.#running?.session.close();
  }

  assemble() {
    const { rendering, remote } = this.#setup;
    const { dialects, owners } = installedFor(workloadOf(this.#setup.workload));
    const session = openSession({
      remotes: remote,
      database: northbound,
      monitors: northboundMonitors(rowOwners(owners)),
      lock: electionLock,
    });
    const election = new Election({
      ...{ session, writer: new NorthboundWriter({ session }), ...identity() },
      ...{ clock: systemClock, logger: silentLogger, ...unconditional },
    });
    const writer = new NorthboundWriter({ session, precondition: () => election.precondition() });
    const backend = new NorthboundBackend({
      session,
      writer,
      election,
      membership: this.#groups,
      owners,
      ...rendering,
      logger: silentLogger,
      clock: systemClock,
      mayExist: (key) => this.#source.mayExist(key),
    });
    const loop = loopOf({
      ...{ source: this.#source, facts: this.#facts, groups: this.#groups, backend, dialects },
      pass: () => {
        this.#quietAt = now();
      },
    });
    return { session, writer, election, loop };
  }
}

let controller: Controller | null = null;
let staged: readonly Change[] = [];

const recorder = new Recorder();

async function record(what: Recording, path: string): Promise<void> {
  switch (what) {
    case "start":
      await recorder.start();
      break;
    case "stop":
      await recorder.stop(path);
      break;
    case "snapshot":
      recorder.snapshot(path);
      break;
  }
}

async function answer(request: Request): Promise<void> {
  switch (request.say) {
    case "prepare":
      controller = new Controller(request.setup);
      say({ said: "prepared", cpuMs: cpuMs() });
      break;
    case "start":
      await controller?.start(request.filled);
      break;
    case "stage":
      staged = request.changes;
      say({ said: "staged" });
      break;
    case "change":
      controller?.event(staged);
      break;
    case "report":
      if (controller !== null) say({ said: "report", report: await controller.report() });
      break;
    case "record":
      await record(request.what, request.path);
      say({ said: "recorded" });
      break;
    case "stop":
      await controller?.stop();
      process.disconnect();
      break;
  }
}

// Whoever started it is gone.
process.on("disconnect", () => process.exit());
process.on("message", (request: Request) => {
  void answer(request);
});
