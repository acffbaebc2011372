// One private OVN with the stand-in for the CNI and the real controller on it, brought from world to world by edits or by
// restarts of the controller. Whoever wants to look at every committed state is asked in after each transaction.

import type { WorldObject } from "../../src/model/object.ts";
import type { Northbound } from "../../src/nbdb/schema.ts";
import type { NamedPortForm } from "../../src/nbdb/render.ts";
import type { Session } from "../../src/ovsdb/index.ts";
import { applyCni } from "../../src/sandbox/cni.ts";
import type { Ovn } from "../../src/sandbox/ovn.ts";
import { startOvn } from "../../src/sandbox/ovn.ts";
import type { TestController } from "../support/controller.ts";
import { MemorySource, openNorthbound, startController } from "../support/controller.ts";
import { watchedSession } from "../support/watched-session.ts";
import { sorted } from "./worlds.ts";

interface Running {
  readonly session: Session<Northbound>;
  readonly controller: TestController;
}

export class Cluster {
  readonly ovn: Ovn;
  /** Called when a transaction of the controller has landed, before the controller hears of it. */
  committed: () => Promise<void> = async () => {};
  #running: Running | null = null;

  private constructor(ovn: Ovn) {
    this.ovn = ovn;
  }

  static async open(namedPorts: NamedPortForm = "list"): Promise<Cluster> {
    const cluster = new Cluster(await startOvn());
    await cluster.restart([], namedPorts);
    return cluster;
  }

  async close(): Promise<void> {
    await this.#stop();
    await this.ovn.stop();
  }

  /** A port for every pod that has one, as a CNI gives them before a pod is ready. */
  async connect(objects: readonly WorldObject[]): Promise<void> {
    await applyCni(this.ovn, sorted(objects));
    // Whatever the server has told before it answers is in the cache then: the ports.
    await this.#now.session.transact([{ op: "select", table: "NB_Global", where: [], columns: [] }]);
  }

  /** Edits every object that differs, at once. */
  async become(objects: readonly WorldObject[]): Promise<void> {
    this.#now.controller.source.become(objects);
    await this.#settle();
  }

  /** Ends the controller and starts another one, which finds the rows that are there and these objects. */
  async restart(objects: readonly WorldObject[], namedPorts: NamedPortForm): Promise<void> {
    await this.#stop();
    const session = openNorthbound(this.ovn.nb);
    await session.opened();
    const options = { families: null, zone: null, namedPorts };
    const watched = watchedSession(session, () => this.committed());
    const controller = startController(watched, new MemorySource(objects), options);
    this.#running = { session, controller };
    await this.#settle();
  }

  /** What northd said about expressions since it was started. */
  complaints(): readonly string[] {
    return this.ovn
      .log("northd")
      .split("\n")
      .filter((line) => /\|(WARN|ERR|EMER)\|/.test(line) && /match|pars|syntax|expr|acl/i.test(line));
  }

  get #now(): Running {
    if (this.#running === null) throw new Error("the controller does not run");
    return this.#running;
  }

  async #settle(): Promise<void> {
    const { loop, refused } = this.#now.controller;
    await loop.idle();
    for (const [policy, problems] of refused) throw new Error(`${policy}: ${JSON.stringify(problems)}`);
  }

  async #stop(): Promise<void> {
    await this.#running?.controller.stop();
    await this.#running?.session.close();
    this.#running = null;
  }
}
