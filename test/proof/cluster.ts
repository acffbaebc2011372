// One private OVN with the stand-in for the CNI and the real controller on it, brought from world to world by edits, by
// restarts of the controller, or while the database goes away. Whoever wants to look at every committed state is asked in
// after each transaction, and before the first one on a database that came back.

import { isDeepStrictEqual } from "node:util";
import { dialects } from "../../src/dialects.ts";
import type { Dialect } from "../../src/policy/contracts/dialect.ts";
import type { TierLayout } from "../../src/policy/contracts/tier-layout.ts";
import type { WorldObject } from "../../src/model/object.ts";
import type { Northbound } from "../../src/nbdb/rows/schema.ts";
import type { AddressSetForm, NamedPortForm, Sampling } from "../../src/nbdb/rows/render-mode.ts";
import type { Operation, OperationResult, Session, SocketSession } from "../../src/ovsdb/index.ts";
import { applyCni } from "../../tools/sandbox/cni.ts";
import { LogListener } from "../../tools/sandbox/complaints.ts";
import { end } from "../../tools/sandbox/daemon.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import type { Facts, Topology } from "../../tools/sandbox/topology.ts";
import { topologyOf } from "../../tools/sandbox/topology.ts";
import type { TestController } from "../support/controller.ts";
import { MemorySource, openNorthbound, startController } from "../support/controller.ts";
import { sessionWith } from "../support/watched-session.ts";
import type { Answered } from "./names/answers.ts";
import { graceSeconds, StagedNames, usualTtl } from "./names/staged-names.ts";
import type { Moment } from "./severed.ts";
import { Severable } from "./severed.ts";
import { sorted } from "./worlds.ts";

interface Running {
  readonly session: SocketSession<Northbound>;
  readonly controller: TestController;
  /** null: it resolves none. */
  readonly names: StagedNames | null;
}

export interface ClusterOptions {
  /** The node whose pods alone have ports, as in a database for one node; null: one database for all. */
  readonly zone?: string | null;
  /** `list` unless given. */
  readonly namedPorts?: NamedPortForm;
  /** `rule` unless given. */
  readonly addressSets?: AddressSetForm;
  /** The real ones unless given. */
  readonly installed?: readonly Dialect[];
  /** Of explain and of the meaning as compiled; `installed` unless given. */
  readonly judging?: readonly Dialect[];
  /** As they share OVN's tiers; three tiers unless given. */
  readonly tierLayout?: TierLayout;
  /** Whether the controller resolves names itself, from answers; else facts of names are objects like others. */
  readonly resolves?: boolean;
  /** Whether rows may log; then the meter is there that OVN-Kubernetes makes for them. */
  readonly logs?: boolean;
  /** Rows have samples then, and the samples of judged packets are a judge of their own; not unless given. */
  readonly sampling?: Sampling;
  /** Of one transaction of the controller; its own unless given. */
  readonly transactionWeight?: number;
  /** Above this, a start from nothing goes in order; the controller's own unless given. */
  readonly orderedWeight?: number;
}

interface Restart {
  readonly whileDown?: () => Promise<unknown>;
  /** What the next controller is told; as before unless given. */
  readonly namedPorts?: NamedPortForm;
  readonly addressSets?: AddressSetForm;
}

/** Of the controller's connection: no walk shall wait for it. */
const retry = { initialMs: 10, maxMs: 100 };

/** What northd says when its database goes away under it. */
const cutOff =
  /: (reconnect|ovsdb_cs|stream_unix|fatal_signal)\||: jsonrpc\|WARN\|.*: (receive|send) error: (Connection reset by peer|Broken pipe)$/;

export class Cluster {
  readonly ovn: Ovn;
  readonly zone: string | null;
  /** Called when a transaction of the controller has landed, before the controller hears of it, and as said above. */
  committed: (state: "landed" | "found") => Promise<void> = async () => {};
  readonly #options: ClusterOptions;
  readonly #server: Severable;
  readonly #northd: LogListener;
  #running: Running | null = null;
  #addressSets: AddressSetForm;
  #ports: Topology | null = null;
  /** The database came back, and nobody has looked at it yet. */
  #found = false;

  private constructor(ovn: Ovn, server: Severable, options: ClusterOptions) {
    this.ovn = ovn;
    this.zone = options.zone ?? null;
    this.#server = server;
    this.#options = options;
    this.#addressSets = options.addressSets ?? "rule";
    this.#northd = new LogListener("ovn-northd", ovn.logPath("northd"));
  }

  static async open(options: ClusterOptions = {}): Promise<Cluster> {
    const ovn = await startOvn();
    if (options.logs === true) await ovn.nbctl("meter-add", "acl-logging", "drop", "20", "pktps");
    const cluster = new Cluster(ovn, await Severable.open(ovn), options);
    await cluster.#hearAll();
    await cluster.restart([]);
    return cluster;
  }

  async close(): Promise<void> {
    await this.#stop();
    await this.#server.close();
    await this.ovn.stop();
  }

  /** The form that the controller was last told. */
  get addressSets(): AddressSetForm {
    return this.#addressSets;
  }

  /** The pods that have ports here, and all nodes. */
  here(objects: readonly WorldObject[]): Facts {
    const { pods, nodes } = sorted(objects);
    return { pods: pods.filter((pod) => this.zone === null || pod.node === this.zone), nodes };
  }

  /** A port for every pod that has one, as a CNI gives them before a pod is ready. False: all were as they are to be. */
  async connect(objects: readonly WorldObject[]): Promise<boolean> {
    const ports = topologyOf(this.here(objects));
    if (isDeepStrictEqual(ports, this.#ports)) return false;
    await applyCni(this.ovn, this.here(objects));
    this.#ports = ports;
    if (this.#running === null) return true;
    // Whatever the server has told before it answers is in the cache then: the ports.
    await this.#running.session.transact([{ op: "select", table: "NB_Global", where: [], columns: [] }]);
    await this.#settle();
    return true;
  }

  /** Edits every object that differs, at once. The others are not told again: who depends on what changed must know it. */
  async become(objects: readonly WorldObject[]): Promise<void> {
    this.#now.controller.source.edit(this.#read(objects));
    await this.#settle();
  }

  /** Time goes by until no answer counts any more; then these come, of a TTL. Returns the names that lead elsewhere than `meant`. */
  async answer(answered: readonly Answered[], meant: readonly WorldObject[]): Promise<readonly string[]> {
    const { names } = this.#now;
    if (names === null) return [];
    names.elapse(usualTtl + graceSeconds + 1);
    names.learn(answered);
    await this.#settle();
    return names.misheard(sorted(meant).names);
  }

  /** Ends the controller and starts another one, which finds the rows that are there and these objects. */
  async restart(
    objects: readonly WorldObject[],
    { whileDown, namedPorts, addressSets = this.#addressSets }: Restart = {},
  ): Promise<void> {
    await this.#stop();
    this.#addressSets = addressSets;
    await whileDown?.();
    const { installed = dialects, sampling = null } = this.#options;
    const session = openNorthbound(this.#server.remote, { retry }, { installed, sampling });
    await session.opened();
    const named = namedPorts ?? this.#options.namedPorts ?? "list";
    const options = { ...this.#options, families: null, zone: this.zone, namedPorts: named, addressSets };
    const names: { staged: StagedNames | null } = { staged: null };
    const controller = startController(this.#watched(session), new MemorySource(this.#read(objects)), {
      ...options,
      ...(this.#options.resolves === true && {
        resolve: (parts) => (names.staged = new StagedNames(parts)).names,
      }),
    });
    this.#running = { session, controller, names: names.staged };
    await this.#settle();
  }

  /** The same edits, while no database is there. */
  async becomeAway(objects: readonly WorldObject[]): Promise<void> {
    const lost = this.#next("lost");
    await this.ovn.killNb();
    await lost;
    await this.become(objects);
    await this.#reconnect();
  }

  /** The same edits, with the database killed around their first transaction. False: there was none. */
  async becomeSevered(objects: readonly WorldObject[], moment: Moment): Promise<boolean> {
    this.#server.arm(moment);
    await this.become(objects);
    if (this.#server.disarm()) return false;
    await this.#reconnect();
    return true;
  }

  /** What northd complained of since this was asked last, but for being cut off and ended, as is done here on purpose. */
  complaints(): readonly string[] {
    return this.#northd.news().filter((line) => !cutOff.test(line));
  }

  /** What the controller's source has. */
  #read(objects: readonly WorldObject[]): readonly WorldObject[] {
    return this.#options.resolves === true ? objects.filter((one) => one.kind !== "HostName") : objects;
  }

  get #now(): Running {
    if (this.#running === null) throw new Error("the controller does not run");
    return this.#running;
  }

  /** A complaint that is not written is a complaint that nobody reads. */
  async #hearAll(): Promise<void> {
    await this.ovn.appctl("northd", "vlog/disable-rate-limit");
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

  async #reconnect(): Promise<void> {
    const ready = this.#next("ready");
    this.#found = true;
    // One that runs would come back when it likes: it waits longer each time, up to eight seconds.
    await end(this.ovn.dir, "northd");
    await this.ovn.start();
    await this.#hearAll();
    await ready;
    await this.#settle();
    this.#found = false;
  }

  /** The backend subscribed earlier: it has heard of it, too. */
  #next(event: "ready" | "lost"): Promise<void> {
    return new Promise((resolve) => {
      const unsubscribe = this.#now.session.subscribe({
        [event]: () => {
          unsubscribe();
          resolve();
        },
      });
    });
  }

  /** Several transactions may be under way: the next one is sent when the state after this one was looked at. */
  #watched(session: Session<Northbound>): Session<Northbound> {
    const send = async (operations: readonly Operation[]): Promise<readonly OperationResult[]> => {
      if (this.#found) {
        this.#found = false;
        await this.committed("found");
      }
      const results = await this.#server.send(() => session.transact(operations));
      await this.committed("landed");
      return results;
    };
    let last: Promise<unknown> = Promise.resolve();
    return sessionWith(session, (operations) => {
      const sent = last.then(() => send(operations));
      last = sent.catch(() => undefined);
      return sent;
    });
  }
}
