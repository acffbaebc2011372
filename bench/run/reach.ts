// How far rows have come behind a Northbound database, and what that took: the Southbound database, and the flows in
// ovs-vswitchd. OVN's own protocol says it, as for `ovn-nbctl --wait=hv sync`: a number that is raised in NB when the rows are
// there goes the way of the rows (ovn-nb(5) NB_Global), and is watched for in SB, where northd and ovn-controller write it.

import { performance } from "node:perf_hooks";
import { isRecord } from "../../src/ovsdb/notation/schema.ts";
import { type Chassis, startChassis } from "../../tools/sandbox/chassis.ts";
import { pidOf } from "../../tools/sandbox/daemon.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { prepare, Wire } from "../observer/wire.ts";
import { usageOf } from "./usage.ts";

/** By the names of their pid files; in the order of a row's way. */
const processes = ["nb", "northd", "sb", "controller", "vswitchd"] as const;
export type ProcessName = (typeof processes)[number];
export const processTitles: Readonly<Record<ProcessName, string>> = {
  nb: "NB",
  northd: "northd",
  sb: "SB",
  controller: "ovn-controller",
  vswitchd: "ovs-vswitchd",
};

/** Milliseconds of CPU, by process. */
export type ProcessCpu = Readonly<Record<ProcessName, number>>;

/** Of one event; times from its beginning. */
export interface Reach {
  /** All rows right in NB. */
  readonly nbMs: number;
  /** SB has what northd made of them. */
  readonly sbMs: number;
  /** Every flow stands in ovs-vswitchd. */
  readonly flowsMs: number;
  readonly cpu: ProcessCpu;
}

/** Names of the columns that say how far the number has come, by table of SB. */
const stages = ["SB_Global", "Chassis_Private"] as const;
type StageTable = (typeof stages)[number];

export class Dataplane {
  readonly #ovn: Ovn;
  readonly #chassis: Chassis;
  readonly #nb: Wire;
  readonly #sb: Wire;
  readonly #patienceMs: number;
  readonly #seen: Record<StageTable, number> = { SB_Global: 0, Chassis_Private: 0 };
  readonly #waiting: { table: StageTable; number: number; resolve: (at: number) => void }[] = [];

  private constructor(ovn: Ovn, chassis: Chassis, wires: readonly [Wire, Wire], patienceMs: number) {
    this.#ovn = ovn;
    this.#chassis = chassis;
    [this.#nb, this.#sb] = wires;
    this.#patienceMs = patienceMs;
  }

  /** A chassis with these ports; the OVN must run northd and have their rows. */
  static async open(ovn: Ovn, ports: Iterable<string>, patienceMs: number): Promise<Dataplane> {
    const chassis = await startChassis(ovn, { datapath: "dummy" });
    await chassis.plug(ports);
    let take: (updates: unknown) => void = () => undefined;
    const nb = await Wire.open(ovn.nb);
    const sb = await Wire.open(ovn.sb, (params) => {
      take(params[1]);
    });
    const dataplane = new Dataplane(ovn, chassis, [nb, sb], patienceMs);
    take = (updates) => {
      dataplane.#take(updates);
    };
    const requests = Object.fromEntries(stages.map((table) => [table, { columns: ["nb_cfg"] }]));
    take(await sb.send(prepare("monitor", ["OVN_Southbound", "bench", requests])));
    await dataplane.settled();
    return dataplane;
  }

  /** What each process has used so far. */
  cpu(): ProcessCpu {
    const of = (name: ProcessName) => {
      const pid = pidOf(this.#ovn.dir, name);
      if (pid === null) throw new Error(`${processTitles[name]} does not run`);
      return usageOf(pid).cpuMs;
    };
    return each(of);
  }

  /**
   * `started`: when the event began, on the clock of `performance`; `nb`: when its rows were right. Call it at once when they
   * are. `before`: what the processes had used when it began.
   */
  async reach(started: number, nb: number, before: ProcessCpu): Promise<Reach> {
    const number = await this.#raise();
    const [sb, flows] = await Promise.all(stages.map((table) => this.#reached(table, number)));
    const after = this.cpu();
    return {
      nbMs: nb - started,
      sbMs: (sb ?? nb) - started,
      flowsMs: (flows ?? nb) - started,
      cpu: each((name) => after[name] - before[name]),
    };
  }

  /** Resolves when what NB has now stands as flows. */
  async settled(): Promise<void> {
    await this.#reached("Chassis_Private", await this.#raise());
  }

  /** OpenFlow rows of the switch. */
  async flows(): Promise<number> {
    const text = await this.#chassis.appctl("memory/show");
    const rules = /\brules:(\d+)/.exec(text)?.[1];
    if (rules === undefined) throw new Error(`ovs-vswitchd does not say how many flows it has: ${text}`);
    return Number(rules);
  }

  async close(): Promise<void> {
    this.#nb.close();
    this.#sb.close();
    await this.#chassis.stop();
  }

  async #raise(): Promise<number> {
    const mutation = { op: "mutate", table: "NB_Global", where: [], mutations: [["nb_cfg", "+=", 1]] };
    const select = { op: "select", table: "NB_Global", where: [], columns: ["nb_cfg"] };
    const answer = await this.#nb.send(prepare("transact", ["OVN_Northbound", mutation, select]));
    const [, selected] = Array.isArray(answer) ? (answer as readonly unknown[]) : [];
    const rows: unknown = isRecord(selected) ? selected["rows"] : null;
    const [row] = Array.isArray(rows) ? (rows as readonly unknown[]) : [];
    const number = isRecord(row) ? row["nb_cfg"] : null;
    if (typeof number !== "number") throw new Error(`NB has no number: ${JSON.stringify(answer)}`);
    return number;
  }

  #reached(table: StageTable, number: number): Promise<number> {
    if (this.#seen[table] >= number) return Promise.resolve(performance.now());
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.#waiting.push({ table, number, resolve });
    const timer = setTimeout(() => {
      reject(new Error(`after ${this.#patienceMs / 1000} s ${table} has not reached ${number}`));
    }, this.#patienceMs);
    return promise.finally(() => {
      clearTimeout(timer);
    });
  }

  #take(updates: unknown): void {
    const now = performance.now();
    for (const table of stages) {
      const rows: unknown = isRecord(updates) ? updates[table] : null;
      for (const update of isRecord(rows) ? Object.values(rows) : []) {
        const row: unknown = isRecord(update) ? update["new"] : null;
        const number = isRecord(row) ? row["nb_cfg"] : null;
        if (typeof number === "number") this.#seen[table] = Math.max(this.#seen[table], number);
      }
    }
    const reached = this.#waiting.filter(({ table, number }) => this.#seen[table] >= number);
    for (const one of reached) {
      this.#waiting.splice(this.#waiting.indexOf(one), 1);
      one.resolve(now);
    }
  }
}

export function each(of: (name: ProcessName) => number): ProcessCpu {
  return Object.fromEntries(processes.map((name) => [name, of(name)])) as Record<ProcessName, number>;
}
