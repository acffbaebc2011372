// What happens in a database while something is measured: each change of a set, how long its addresses took, and what it comes to.

import type { Spread } from "../run/measurement.ts";
import { spread } from "../run/measurement.ts";
import type { Ledger } from "./ledger.ts";
import type { SetsChange } from "./sets-sight.ts";

export interface Seen {
  readonly updates: number;
  readonly added: number;
  readonly removed: number;
  /** Milliseconds from when an address was sent until it was in the database. */
  readonly delayMs: Spread | null;
}

export class Window {
  readonly changes: SetsChange[] = [];
  readonly #ledger: Ledger;
  readonly #delays: number[] = [];
  readonly #waiting: ((sentAt: number, seenAt: number) => void)[] = [];
  #isOpen = false;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  open(): void {
    this.#isOpen = true;
    this.changes.length = 0;
    this.#delays.length = 0;
  }

  close(): Seen {
    this.#isOpen = false;
    const moved = this.changes.flatMap(({ sets }) => [...sets.values()]);
    return {
      updates: this.changes.length,
      added: moved.reduce((sum, { added }) => sum + added.length, 0),
      removed: moved.reduce((sum, { removed }) => sum + removed.length, 0),
      delayMs: spread(this.#delays),
    };
  }

  readonly take = (change: SetsChange): void => {
    if (!this.#isOpen) return;
    this.changes.push(change);
    for (const address of [...change.sets.values()].flatMap(({ added }) => added)) {
      const sentAt = this.#ledger.sentAt(address);
      if (sentAt === null) continue;
      this.#delays.push(change.at - sentAt);
      this.#waiting.shift()?.(sentAt, change.at);
    }
  };

  /** The next address that comes: when it was sent, and when it was seen. `then` runs at once when it is. */
  next(then: (sentAt: number, seenAt: number) => void): void {
    this.#waiting.push(then);
  }
}
