// The election's transactions: takes the claim, gives its signs of life, gives it back. One at a time, each counted. Remembers
// when the last sign was given and when a transaction failed; election.ts decides when there is to be another.

import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Operation } from "../../ovsdb/notation/operation.ts";
import type { OwnClaim } from "./claim.ts";
import { claimIn, claiming, releasing, renewing, signOf } from "./claim.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { NorthboundView, NorthboundWriter } from "./northbound-writer.ts";
import { isWriteFailure } from "./northbound-writer.ts";
import type { WriterProfile } from "./writer-profile.ts";

export interface ClaimWritesOptions {
  readonly session: NorthboundView;
  /** Without a precondition: a claim is made by a program that does not hold it. */
  readonly writer: NorthboundWriter;
  readonly profile: WriterProfile | null;
  /** The source is out of contact: the claim says so. */
  readonly isBlind: () => boolean;
  /** Renews the claim from outside the event loop; null: nothing does. */
  readonly heartbeat: Pick<Heartbeat, "signedAgoMs" | "signed" | "lost"> | null;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Transactions by what they were for; refused ones included. */
export interface ElectionStats {
  claim: number;
  renewal: number;
  release: number;
}

export class ClaimWrites {
  readonly stats: ElectionStats = { claim: 0, renewal: 0, release: 0 };
  readonly #options: ClaimWritesOptions;
  /** The text of this program in a claim. */
  readonly #holder: string;
  #signs = 0;
  #signedAtMs = -Infinity;
  #failedAtMs = -Infinity;
  #sending: Promise<void> | null = null;

  constructor(options: ClaimWritesOptions, holder: string) {
    this.#options = options;
    this.#holder = holder;
  }

  /** When the last sign of life was given by this loop, on this connection. */
  get signedAtMs(): number {
    return this.#signedAtMs;
  }

  /** How long ago the last sign was given, by this loop or by the heartbeat. */
  get signedAgoMs(): number {
    const { clock, heartbeat } = this.#options;
    return Math.min(clock.now() - this.#signedAtMs, heartbeat?.signedAgoMs ?? Infinity);
  }

  get failedAtMs(): number {
    return this.#failedAtMs;
  }

  /** Settles with the transaction under way; null: there is none. */
  get sending(): Promise<void> | null {
    return this.#sending;
  }

  /** There is a new connection: whether its server knows the last sign is not known. */
  connected(): void {
    this.#signedAtMs = -Infinity;
  }

  /** `lock`: the server that gave us its lock. */
  claim(lock: string): Promise<void> {
    const { cache } = this.#options.session;
    const mine = this.#next(lock);
    return this.#sign("claim", mine, claiming(mine, claimIn(cache), cache.table("NB_Global").size > 0));
  }

  renew(lock: string): Promise<void> {
    const mine = this.#next(lock);
    return this.#sign("renewal", mine, renewing(mine));
  }

  async release(): Promise<void> {
    await this.#send("release", releasing(this.#holder));
  }

  #next(lock: string): OwnClaim {
    const { profile, isBlind } = this.#options;
    return { writer: this.#holder, sign: signOf(++this.#signs, lock), isBlind: isBlind(), profile };
  }

  #sign(what: keyof ElectionStats, mine: OwnClaim, operations: readonly Operation[]): Promise<void> {
    const sending = this.#send(what, operations).then((isDone) => {
      this.#sending = null;
      if (!isDone) return;
      this.#signedAtMs = this.#options.clock.now();
      this.#options.heartbeat?.signed(mine);
    });
    this.#sending = sending;
    return sending;
  }

  /** Returns whether the database has done it. */
  async #send(what: keyof ElectionStats, operations: readonly Operation[]): Promise<boolean> {
    const { writer, clock, logger } = this.#options;
    this.stats[what]++;
    try {
      await writer.transact(operations);
      return true;
    } catch (error) {
      if (!isWriteFailure(error)) throw error;
      this.#failedAtMs = clock.now();
      logger.debug("a transaction of the election failed", { what, reason: error.message });
      return false;
    }
  }
}
