// Watches the claim of another program and answers when it looks abandoned: when the holder's signs stop, or soon after
// its connection to our own server has ended. Looks at no clock by itself.

import type { Claim } from "./claim.ts";
import { lockIn, noLock } from "./claim.ts";

/** All in milliseconds. */
export interface ClaimTimeouts {
  /** Without a sign of the holder. */
  readonly expire: number;
  /** Without a sign, after the server has passed on the lock of a holder whose connection ended. */
  readonly grace: number;
}

interface Watched extends Claim {
  /** Since when it has not changed. */
  readonly sinceMs: number;
  /** Since when its holder says that it does not see its source; null: it does not say so. */
  readonly blindSinceMs: number | null;
}

export class CompetingWriter {
  readonly #timeouts: ClaimTimeouts;
  #claim: Watched | null = null;
  #lockedSinceMs: number | null = null;

  constructor(patience: ClaimTimeouts) {
    this.#timeouts = patience;
  }

  get claim(): Watched | null {
    return this.#claim;
  }

  /** Takes note of the present claim; null: there is none of another. Returns whether its holder has just given a sign of life. */
  see(claim: Claim | null, nowMs: number): boolean {
    const before = this.#claim;
    if (claim !== null && before?.writer === claim.writer && before.sign === claim.sign) return false;
    const isSame = claim !== null && before?.writer === claim.writer;
    const blindSinceMs = claim?.isBlind === true ? ((isSame ? before.blindSinceMs : null) ?? nowMs) : null;
    this.#claim = claim && { ...claim, sinceMs: nowMs, blindSinceMs };
    return isSame;
  }

  /** What happened to it meanwhile was not seen: its time starts again. */
  forget(): void {
    this.#claim = null;
  }

  /** Since when this program has its server's lock; null: it has not. */
  lockedSince(nowMs: number | null): void {
    this.#lockedSinceMs = nowMs;
  }

  /** When the claim looks abandoned if no sign arrives; `lock`: the server that gave us its lock. In the past without a claim. */
  abandonedAtMs(lock: string): number {
    if (this.#claim === null) return -Infinity;
    const { sinceMs } = this.#claim;
    const isGone = lock !== noLock && lock === lockIn(this.#claim);
    if (!isGone || this.#lockedSinceMs === null) return sinceMs + this.#timeouts.expire;
    return Math.max(sinceMs, this.#lockedSinceMs) + this.#timeouts.grace;
  }
}
