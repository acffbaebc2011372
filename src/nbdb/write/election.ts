// Elects the one program that writes to the database, in the database. A claim in NB_Global names the writer, and the head
// of every transaction checks it: a writer that lost the claim fails inside the database, whatever it believes and
// however long it slept. Clocks decide only when a claim looks abandoned. Invariant: `leads` is what the cache says.

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Timer } from "../../lib/clock.ts";
import { endsWithin } from "../../lib/deadline.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Operation } from "../../ovsdb/notation/operation.ts";
import type { CandidacyOptions } from "./candidacy.ts";
import { Candidacy } from "./candidacy.ts";
import type { ClaimWritesOptions, ElectionStats } from "./claim-writes.ts";
import { ClaimWrites } from "./claim-writes.ts";
import type { Claim } from "./claim.ts";
import { claimIn, heldBy, lockIn, noLock, placeOf, writerOf } from "./claim.ts";
import type { NorthboundLock, NorthboundView } from "./northbound-writer.ts";
import type { ClaimTimeouts } from "./competing-writer.ts";
import { CompetingWriter } from "./competing-writer.ts";
import type { FlagDifference, WriterProfile } from "./writer-profile.ts";

/** The lock that every instance asks each server for. */
export const electionLock = "northgate";

/** A process's token, and where it runs: the name of the machine or pod, and the process. */
export function identity(): Pick<ElectionOptions, "token" | "place"> {
  return { token: randomUUID(), place: `${hostname()} pid ${process.pid}` };
}

/** All in milliseconds. */
export interface ElectionTimes extends ClaimTimeouts {
  /** Between two signs of life. A holder without a connection believes in its claim for `expire`. */
  readonly renew: number;
}

export const defaultTimes: ElectionTimes = { renew: 4_000, expire: 12_000, grace: 1_500 };
/** Milliseconds before a failed transaction is tried again, and for which the end waits for an answer. */
const retryMs = 1_000;
const farewellMs = 2_000;

export interface ElectionOptions extends CandidacyOptions, ClaimWritesOptions {
  readonly session: NorthboundView & NorthboundLock;
  readonly profile: WriterProfile | null;
  readonly logger: Logger;
  /** Different for every process. */
  readonly token: string;
  /** Where the process runs, for people: as another instance's log shows it. */
  readonly place: string;
  readonly times?: ElectionTimes;
  /** Another program that lives writes for another zone: this one must end. */
  readonly otherZone: (claim: Claim) => void;
}

/** Of a program that only removes rows: it is compatible with every other, and needs no source. */
export const unconditional = {
  profile: null,
  mayClaim: () => true,
  isBlind: () => false,
  heartbeat: null,
  takeOver: false,
  otherZone: () => undefined,
} as const satisfies Partial<ElectionOptions>;

export class Election {
  readonly #options: ElectionOptions;
  readonly #times: ElectionTimes;
  readonly #writer: string;
  readonly #writes: ClaimWrites;
  readonly #competing: CompetingWriter;
  readonly #candidacy: Candidacy;
  readonly #unsubscribe: () => void;
  readonly #listeners: (() => void)[] = [];
  #leads = false;
  /** Since when there is no connection; null: there is one. */
  #lostAtMs: number | null = null;
  #shownRival: string | null = null;
  #timer: Timer | null = null;
  #stopped = false;

  constructor(options: ElectionOptions) {
    const { session, clock, token, place } = options;
    this.#options = options;
    this.#times = options.times ?? defaultTimes;
    this.#competing = new CompetingWriter(this.#times);
    this.#writer = writerOf(token, place);
    this.#writes = new ClaimWrites(options, this.#writer);
    this.#candidacy = new Candidacy(options);
    this.#unsubscribe = session.subscribe({
      ready: () => {
        this.#connected();
      },
      lost: () => {
        this.#lostAtMs ??= clock.now();
        this.#competing.lockedSince(null);
        this.#look();
      },
      lock: () => {
        this.#competing.lockedSince(session.lockedAt === null ? null : clock.now());
        this.#look();
      },
      changed: (changes) => {
        if (changes.some(({ table }) => table === "NB_Global")) this.#look();
      },
    });
    if (session.ready) this.#connected();
  }

  get stats(): ElectionStats {
    return this.#writes.stats;
  }

  /** This program is the one that writes. */
  get leads(): boolean {
    return this.#leads;
  }

  /** Where the writer runs, when it is another program; null: it is this one, or none is known. */
  get other(): string | null {
    const { claim } = this.#competing;
    return claim === null || this.#isLeftOver() ? null : placeOf(claim);
  }

  /** Flags that the writer has otherwise, when it is another program. */
  get differences(): readonly FlagDifference[] {
    return this.#candidacy.differences(this.#competing.claim);
  }

  /** What `mayClaim` or `isBlind` answers may be another than before. Cheap. */
  reconsider(): void {
    this.#look();
  }

  /**
   * Before a transaction: null, unless the last sign of life is so old that others may take the claim for abandoned. Then it is
   * renewed first, and the promise resolves with the answer, whatever it is. Never rejects.
   */
  confirm(): Promise<void> | null {
    if (!this.#leads || this.#stopped || this.#writes.signedAgoMs < this.#times.expire) return null;
    this.#due();
    return this.#writes.sending;
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
    this.#options.heartbeat?.lost();
    // Sent behind what is under way, whose answer may never arrive. That may be a claim: its answer is no longer read.
    const isMine = this.#writes.sending !== null || claimIn(session.cache)?.writer === this.#writer;
    if (session.ready && isMine) await endsWithin(clock, farewellMs, this.#writes.release());
    this.#leads = false;
  }

  #connected(): void {
    this.#lostAtMs = null;
    this.#writes.connected();
    this.#competing.forget();
    this.#look();
  }

  /** Compares what the database says with what was known, and sets the time of the next step. */
  #look(): void {
    if (this.#stopped) return;
    const { session, clock } = this.#options;
    const claim = session.ready ? claimIn(session.cache) : null;
    const isMine = claim?.writer === this.#writer;
    if (session.ready && this.#competing.see(isMine ? null : claim, clock.now())) this.#renewed(claim);
    this.#become(session.ready ? isMine : this.#leads && !this.#isForgotten());
    this.#timer?.cancel();
    const dueAtMs = this.#dueAtMs(claim);
    if (dueAtMs === Infinity) return;
    this.#timer = clock.after(Math.max(0, dueAtMs - clock.now()), () => {
      this.#due();
    });
  }

  /** Another program has just given a sign of life. */
  #renewed(claim: Claim | null): void {
    const { session, otherZone } = this.#options;
    if (claim === null) return;
    // Or the end of a holder without the lock would be noticed late.
    if (lockIn(claim) === noLock && session.lockedAt !== null) session.unlock();
    if (this.#candidacy.isOfOtherZone(claim)) otherZone(claim);
  }

  /** When something is to be done if nothing changes until then. */
  #dueAtMs(claim: Claim | null): number {
    const { session } = this.#options;
    if (!session.ready)
      return this.#leads && this.#lostAtMs !== null ? this.#lostAtMs + this.#times.expire : Infinity;
    const retryAtMs = this.#writes.failedAtMs + retryMs;
    if (!this.#leads) return Math.max(retryAtMs, this.#candidacy.claimableAtMs(this.#competing, this.#lock));
    // The others must know what the loss of our lock means, and whether we see.
    const isCurrent =
      claim !== null && lockIn(claim) === this.#lock && claim.isBlind === this.#options.isBlind();
    return Math.max(retryAtMs, isCurrent ? this.#writes.signedAtMs + this.#times.renew : -Infinity);
  }

  /** Nobody writes: the holder of the claim has given no sign for too long, and since then this program could not take its place. */
  #isLeftOver(): boolean {
    return this.#writes.failedAtMs >= this.#competing.abandonedAtMs(this.#lock);
  }

  get #lock(): string {
    return this.#options.session.lockedAt ?? noLock;
  }

  #isForgotten(): boolean {
    return this.#lostAtMs !== null && this.#options.clock.now() - this.#lostAtMs >= this.#times.expire;
  }

  /** One transaction at a time; the next look follows its answer. */
  #due(): void {
    if (!this.#options.session.ready) {
      this.#look();
      return;
    }
    if (this.#stopped || this.#writes.sending !== null) return;
    const sending = this.#leads ? this.#writes.renew(this.#lock) : this.#writes.claim(this.#lock);
    void sending.finally(() => {
      // A program that lost a race has the winner's claim in its cache now.
      this.#look();
    });
  }

  #become(leads: boolean): void {
    const { logger, session, place } = this.#options;
    const { other } = this;
    if (!leads && other !== null && other !== this.#shownRival)
      logger.info("another instance writes to the Northbound database, this one is on standby", {
        writer: other,
      });
    this.#shownRival = leads ? null : (other ?? this.#shownRival);
    if (!leads) this.#candidacy.report(this.#competing.claim);
    if (leads === this.#leads) return;
    this.#leads = leads;
    if (leads) this.#candidacy.won();
    if (leads) logger.info("this instance writes to the Northbound database", { writer: place });
    else {
      this.#options.heartbeat?.lost();
      const reason = session.ready ? "it lost its claim" : "the database is away for too long";
      logger.warn("this instance no longer writes to the Northbound database", { reason });
      // The new holder shall have the lock.
      if (session.lockedAt !== null) session.unlock();
    }
    for (const callback of this.#listeners) callback();
  }
}
