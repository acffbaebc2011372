// The packet filter of a node in a run: the lock of its one writer, its tools, the backend on them, and what the node itself must be
// like. Nothing is read or written before this program is the writer.

import type { Timer } from "../../lib/clock.ts";
import { every } from "../../lib/every.ts";
import { ipFamilies } from "../../model/ip.ts";
import type { IpAddress } from "../../model/ip.ts";
import type { ObjectKind } from "../../model/object.ts";
import { isSameKind, splitKey } from "../../model/object.ts";
import type { RunningBackend, RunRequest, WriterRole } from "../../running-backend.ts";
import { NetfilterBackend } from "../live/backend.ts";
import { FilterWatch } from "../live/filter-watch.ts";
import { countsOf } from "../live/actual.ts";
import type { LiveFilter } from "../live/live-filter.ts";
import { MasqueradeNote } from "./masquerade/masquerade-note.ts";
import { bypasses, kernelFiles } from "./checks/node-checks.ts";
import { NodeLock } from "./node-lock.ts";
import { natTables } from "./masquerade/nat-tables.ts";
import type { NodeSide, OpenNodeSide } from "./node-side.ts";
import { ownedRules } from "./owned-policies.ts";
import { ToolRuns } from "./tool-runs.ts";
import { nodePlace } from "./tool-process.ts";

/** Milliseconds between two readings of everything: as long may stay what nothing reports. */
const intervalMs = 30_000;
/** Milliseconds between two looks at the sizes of sets. */
const glanceMs = 1_000;
/** Milliseconds until the next try, while the filter cannot be read. */
const retryMs = 1_000;
/** Milliseconds between two looks at the node's settings. */
const checkMs = 5_000;

export class NetfilterRun implements RunningBackend {
  readonly backend: NetfilterBackend;
  readonly filter: LiveFilter;
  readonly role: WriterRole;
  readonly runs = new ToolRuns();
  readonly askProof = null;
  readonly #request: RunRequest;
  readonly #side: NodeSide;
  readonly #lock: NodeLock;
  readonly #masquerade: MasqueradeNote;
  readonly #checks: Timer;
  #watch: FilterWatch | null = null;
  #ready: () => void = () => undefined;

  /** `open`: the way to the tool. */
  constructor(request: RunRequest, open: OpenNodeSide) {
    const { settings, membership, clock, logger, mayExist, owners, fatal, committed } = request;
    const families = settings.families ?? ipFamilies;
    this.#request = request;
    this.#side = open({
      ...{ place: nodePlace, flags: settings.backendFlags, families, clock },
      ran: (run) => {
        this.runs.add(run);
      },
      changed: () => {
        this.#watch?.changed();
      },
    });
    const { filter, language } = this.#side;
    this.filter = filter;
    this.backend = new NetfilterBackend({
      ...{ filter, language, membership, mayExist, logger, zone: settings.zone },
      kinds: [...owners.values()],
      isWriter: () => this.#lock.isHeld,
      known: () => {
        this.#ready();
      },
      committed: (milliseconds) => {
        committed([], milliseconds);
      },
      clock,
    });
    this.#lock = new NodeLock(clock, () => {
      this.#look();
    });
    this.role = roleOf(this.#lock);
    this.#masquerade = new MasqueradeNote({
      read: () => natTables(nodePlace, families),
      packets: () => this.backend.packets(),
      ...{ clock, logger },
    });
    const check = () => {
      this.#check().catch(fatal);
    };
    this.#checks = every(clock, checkMs, check, fatal);
    check();
  }

  countPolicies(kind: ObjectKind): number | null {
    const { known } = this.filter;
    if (known === null) return null;
    const owned = ownedRules([...known.values()].map(({ chains }) => chains));
    return [...owned.rules.keys()].filter((key) => isSameKind(splitKey(key), kind)).length;
  }

  /** Sets of a node are filled anew at a start. */
  heldAddresses(): readonly IpAddress[] {
    return [];
  }

  totals(): readonly { readonly name: string; readonly value: number }[] {
    const { chains, rules, sets } = countsOf(this.filter.known);
    return [
      { name: "chains", value: chains },
      { name: "rules", value: rules },
      { name: "sets", value: sets },
    ];
  }

  pending(): readonly string[] {
    const { sight, isStandby, bypassed } = this.backend;
    return [...(sight.isClear || isStandby ? [] : [`packet filter: ${sight.failure}`]), ...bypassed];
  }

  notes(): readonly string[] {
    return [...this.#side.notes(), ...this.#masquerade.lines];
  }

  onReady(callback: () => void): void {
    this.#ready = callback;
  }

  /** The lock asks again by itself. */
  reconsider(): void {
    // Nothing that the source shows decides which program writes.
  }

  async release(): Promise<void> {
    await this.#watch?.stop();
    await this.#lock.release();
  }

  abandon(): Promise<void> {
    this.#side.stop();
    return Promise.resolve();
  }

  async halt(): Promise<void> {
    this.#checks.cancel();
    await this.#watch?.stop();
    this.#side.stop();
  }

  async close(): Promise<void> {
    this.#checks.cancel();
    await this.release();
  }

  /** The lock has changed. */
  #look(): void {
    const { clock, fatal } = this.#request;
    if (this.#lock.isHeld)
      this.#watch ??= new FilterWatch({
        sight: this.backend.sight,
        clock,
        intervalMs,
        glanceMs,
        retryMs,
        fatal,
      });
    this.backend.lookAtAll();
  }

  async #check(): Promise<void> {
    this.backend.bypassedFor(await bypasses(kernelFiles));
    await this.#masquerade.look();
  }
}

function roleOf(lock: NodeLock): WriterRole {
  return {
    get leads() {
      return lock.isHeld;
    },
    get other() {
      return lock.isHeld ? null : lock.failure;
    },
    otherFlags: () => [],
  };
}
