// Elects the one program that writes to the database, in the database. A claim in NB_Global names the writer, and the head
// of every transaction checks it: a writer that lost the claim fails inside the database, whatever it believes and
// however long it slept. Clocks decide only when a claim looks abandoned. Invariant: `leads` is what the cache says.

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Clock, Timer } from "../../lib/clock.ts";
import { endsWithin } from "../../lib/deadline.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Operation } from "../../ovsdb/operation.ts";
import type { Claim } from "./claim.ts";
import {
  claimIn,
  claiming,
  heldBy,
  lockIn,
  noLock,
  placeOf,
  releasing,
  renewing,
  signOf,
  writerOf,
} from "./claim.ts";
import type { NorthboundLock, NorthboundView, NorthboundWriter } from "./northbound-writer.ts";
import { isWriteFailure } from "./northbound-writer.ts";
import type { Patience } from "./rival.ts";
import { Rival } from "./rival.ts";

/** The lock that every instance asks each server for. */
export const electionLock = "northgate";

/** A process's token, and where it runs: the name of the machine or pod, and the process. */
export function identity(): Pick<ElectionOptions, "token" | "place"> {
  return { token: randomUUID(), place: `${hostname()} pid ${process.pid}` };
}

/** All in milliseconds. */
export interface ElectionTimes extends Patience {
  /** Between two signs of life. A holder without a connection believes in its claim for `expire`. */
  readonly renew: number;
}

const defaultTimes: ElectionTimes = { renew: 4_000, expire: 12_000, grace: 1_500 };
/** Milliseconds before a failed transaction is tried again, and for which the end waits for an answer. */
const retryMs = 1_000;
const farewellMs = 2_000;

export interface ElectionOptions {
  readonly session: NorthboundView & NorthboundLock;
  /** Without a precondition: a claim is made by whoever does not hold it. */
  readonly writer: NorthboundWriter;
  /** Different for every process. */
  readonly token: string;
  /** Where the process runs, for people: as another instance's log shows it. */
  readonly place: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly times?: ElectionTimes;
}

/** Transactions by what they were for; refused ones included. */
export interface ElectionStats {
  claim: number;
  renewal: number;
  release: number;
}

export class Election {
  readonly stats: ElectionStats = { claim: 0, renewal: 0, release: 0 };
  readonly #options: ElectionOptions;
  readonly #times: ElectionTimes;
  readonly #writer: string;
  readonly #rival: Rival;
  readonly #unsubscribe: () => void;
  readonly #listeners: (() => void)[] = [];
  #leads = false;
  #signs = 0;
  #signedAtMs = 0;
  #failedAtMs = -Infinity;
  /** Since when there is no connection; null: there is one. */
  #lostAtMs: number | null = null;
  #shownRival: string | null = null;
  #timer: Timer | null = null;
  #sending: Promise<void> | null = null;
  #stopped = false;

  constructor(options: ElectionOptions) {
    const { session, clock, token, place } = options;
    this.#options = options;
    this.#times = options.times ?? defaultTimes;
    this.#rival = new Rival(this.#times);
    this.#writer = writerOf(token, place);
    this.#unsubscribe = session.subscribe({
      ready: () => {
        this.#connected();
      },
      lost: () => {
        this.#lostAtMs ??= clock.now();
        this.#rival.lockedSince(null);
        this.#look();
      },
      lock: () => {
        this.#rival.lockedSince(session.lockedAt === null ? null : clock.now());
        this.#look();
      },
      changed: (changes) => {
        if (changes.some(({ table }) => table === "NB_Global")) this.#look();
      },
    });
    if (session.ready) this.#connected();
  }

  /** This program is the one that writes. */
  get leads(): boolean {
    return this.#leads;
  }

  /** Where the writer runs, when it is another program; null: it is this one, or none is known. */
  get other(): string | null {
    const { claim } = this.#rival;
    return claim === null ? null : placeOf(claim);
  }

  /** To be at the head of every transaction: it fails unless this program holds the claim. */
  precondition(): readonly Operation[] {
    return [heldBy(this.#writer)];
  }

  /** `callback` is called after each change of `leads`. */
  onChange(callback: () => void): void {
    this.#listeners.push(callback);
  }

  /** Gives the claim back, so that another can take it at once; waits for the answer for two seconds. Never rejects. */
  async stop(): Promise<void> {
    const { clock, session } = this.#options;
    this.#stopped = true;
    this.#timer?.cancel();
    this.#unsubscribe();
    const release = async (): Promise<void> => {
      await this.#sending;
      // A claim that was under way counts too: nobody looks at its answer any more.
      if (session.ready && claimIn(session.cache)?.writer === this.#writer)
        await this.#send("release", releasing(this.#writer));
    };
    await endsWithin(clock, farewellMs, release());
    this.#leads = false;
  }

  #connected(): void {
    this.#lostAtMs = null;
    this.#signedAtMs = -Infinity;
    this.#rival.forget();
    this.#look();
  }

  /** Compares what the database says with what was known, and sets the time of the next step. */
  #look(): void {
    if (this.#stopped) return;
    const { session, clock } = this.#options;
    const claim = session.ready ? claimIn(session.cache) : null;
    const isMine = claim?.writer === this.#writer;
    if (session.ready && this.#rival.see(isMine ? null : claim, clock.now()) && session.lockedAt !== null)
      session.giveWay();
    this.#become(session.ready ? isMine : this.#leads && !this.#isForgotten());
    this.#timer?.cancel();
    const dueAtMs = this.#dueAtMs(claim);
    if (dueAtMs === Infinity) return;
    this.#timer = clock.after(Math.max(0, dueAtMs - clock.now()), () => {
      this.#due();
    });
  }

  /** When something is to be done if nothing changes until then. */
  #dueAtMs(claim: Claim | null): number {
    const { session } = this.#options;
    if (!session.ready)
      return this.#leads && this.#lostAtMs !== null ? this.#lostAtMs + this.#times.expire : Infinity;
    const retryAtMs = this.#failedAtMs + retryMs;
    if (!this.#leads) return Math.max(retryAtMs, this.#rival.abandonedAtMs(this.#lock));
    // The others must know what the loss of our lock means.
    const isCurrent = claim !== null && lockIn(claim) === this.#lock;
    return Math.max(retryAtMs, isCurrent ? this.#signedAtMs + this.#times.renew : -Infinity);
  }

  get #lock(): string {
    return this.#options.session.lockedAt ?? noLock;
  }

  #isForgotten(): boolean {
    return this.#lostAtMs !== null && this.#options.clock.now() - this.#lostAtMs >= this.#times.expire;
  }

  /** One transaction at a time; the next look follows its answer. */
  #due(): void {
    const { session } = this.#options;
    if (!session.ready) {
      this.#look();
      return;
    }
    if (this.#stopped || this.#sending !== null) return;
    const mine = { writer: this.#writer, sign: signOf(++this.#signs, this.#lock) };
    const hasRow = session.cache.table("NB_Global").size > 0;
    const sending = this.#leads
      ? this.#send("renewal", renewing(mine))
      : this.#send("claim", claiming(mine, claimIn(session.cache), hasRow));
    this.#sending = sending.finally(() => {
      this.#sending = null;
      // Who lost a race has the winner's claim in its cache now.
      this.#look();
    });
  }

  async #send(what: keyof ElectionStats, operations: readonly Operation[]): Promise<void> {
    const { writer, clock, logger } = this.#options;
    this.stats[what]++;
    try {
      await writer.transact(operations);
      this.#signedAtMs = clock.now();
    } catch (error) {
      if (!isWriteFailure(error)) throw error;
      this.#failedAtMs = clock.now();
      logger.debug("a transaction of the election failed", { what, reason: error.message });
    }
  }

  #become(leads: boolean): void {
    const { logger, session, place } = this.#options;
    const { other } = this;
    if (!leads && other !== null && other !== this.#shownRival)
      logger.info("another instance writes to the Northbound database, this one stands by", {
        writer: other,
      });
    this.#shownRival = leads ? null : (other ?? this.#shownRival);
    if (leads === this.#leads) return;
    this.#leads = leads;
    if (leads) logger.info("this instance writes to the Northbound database", { writer: place });
    else {
      const reason = session.ready ? "it lost its claim" : "the database is away for too long";
      logger.warn("this instance does not write to the Northbound database any more", { reason });
      // The new holder shall have the lock.
      if (session.lockedAt !== null) session.giveWay();
    }
    for (const callback of this.#listeners) callback();
  }
}
