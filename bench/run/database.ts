// A private NB server with the switches and ports of a workload's nodes, written raw before anything is measured, and an
// observer on it. What its process has used is read from /proc.

import type { PodFact } from "../../src/model/facts.ts";
import { macOf, portOf } from "../../tools/sandbox/topology.ts";
import { type Ovn, type OvnOptions, startOvn } from "../../tools/sandbox/ovn.ts";
import { Observer, type Sees } from "../observer/observer.ts";
import { prepare, type Prepared, Wire } from "../observer/wire.ts";
import { type WireOperation } from "../floor/operations.ts";
import { uuidOf } from "../floor/uuid.ts";
import type { Rendering } from "../workloads/rendering.ts";
import type { World } from "../workloads/world.ts";
import { Dataplane } from "./reach.ts";
import { type Usage, usageOf } from "./usage.ts";

export interface DatabaseOptions extends OvnOptions {
  /** Of the pods on these nodes ports are plugged into a chassis behind the database; none: there is no chassis. */
  readonly chassisOf?: ReadonlySet<string>;
  readonly patienceMs?: number;
  /** What its observer compares of a row; all of it unless given. */
  readonly sees?: Sees;
}

export function transaction(operations: readonly WireOperation[]): Prepared {
  return prepare("transact", ["OVN_Northbound", ...operations]);
}

export class Database {
  readonly observer: Observer;
  readonly ovn: Ovn;
  #wire: Wire;
  #dataplane: Dataplane | null = null;

  private constructor(ovn: Ovn, wire: Wire, sees?: Sees) {
    this.observer = new Observer(sees);
    this.ovn = ovn;
    this.#wire = wire;
  }

  static async open(
    world: World,
    { zone }: Rendering,
    { chassisOf = new Set(), patienceMs = 300_000, sees, ...options }: DatabaseOptions,
  ): Promise<Database> {
    const ovn = await startOvn({ ...options, northd: chassisOf.size > 0 });
    try {
      const database = new Database(ovn, await Wire.open(ovn.nb), sees);
      await database.#writeTopology(world, zone);
      await database.observer.attach(ovn.nb);
      const plugged = world.pods.filter(({ node }) => node !== null && chassisOf.has(node)).map(portOf);
      if (plugged.length > 0) database.#dataplane = await Dataplane.open(ovn, plugged, patienceMs);
      return database;
    } catch (error) {
      await ovn.stop();
      throw error;
    }
  }

  get remote(): string {
    return this.ovn.nb;
  }

  /** null: there is no chassis behind it. */
  get dataplane(): Dataplane | null {
    return this.#dataplane;
  }

  transact(request: Prepared): Promise<void> {
    return this.#wire.transact(request);
  }

  /** Brings ports of pods that come, or takes away those of pods that went. */
  async ports(mutator: "insert" | "delete", pods: readonly PodFact[]): Promise<void> {
    if (pods.length === 0) return;
    const inserts = mutator === "insert" ? pods.map(portRow) : [];
    const mutates = pods.map((pod) => ({
      op: "mutate",
      table: "Logical_Switch",
      where: [["name", "==", pod.node]],
      mutations: [["ports", mutator, ["uuid", uuidOf(portOf(pod))]]],
    }));
    await this.transact(transaction([...inserts, ...mutates]));
  }

  /** Ends the server and starts it on the same file; the observer looks anew. */
  async restart(): Promise<void> {
    await this.ovn.restartNb();
    this.#wire.close();
    this.#wire = await Wire.open(this.ovn.nb);
    await this.observer.attach(this.ovn.nb);
  }

  usage(): Usage {
    const pid = this.ovn.pids().get("nb");
    if (pid === undefined) throw new Error("the NB server does not run");
    return usageOf(pid);
  }

  async close(): Promise<void> {
    this.observer.close();
    this.#wire.close();
    await this.#dataplane?.close();
    await this.ovn.stop();
  }

  async #writeTopology({ nodes, pods }: World, zone: string | null): Promise<void> {
    const byNode = Map.groupBy(pods, (pod) => pod.node ?? "");
    for (const { name } of nodes) {
      if (zone !== null && zone !== name) continue;
      const local = byNode.get(name) ?? [];
      const ports = ["set", local.map((pod) => ["uuid", uuidOf(portOf(pod))])];
      const row = { op: "insert", table: "Logical_Switch", row: { name, ports } };
      await this.transact(transaction([...local.map(portRow), row]));
    }
  }
}

function portRow(pod: PodFact): WireOperation {
  const name = portOf(pod);
  const addresses = [macOf(pod), ...pod.ips].join(" ");
  return { op: "insert", table: "Logical_Switch_Port", uuid: uuidOf(name), row: { name, addresses } };
}
