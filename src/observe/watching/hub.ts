// Who watches, and what was seen lately: a ring of events in memory, and a queue of nobody: what a watcher does not take in time is
// not kept for it.

import type { SeenEvent } from "../decode/event.ts";
import type { EventFilter } from "../decode/filter.ts";
import { isWanted } from "../decode/filter.ts";

/** Events that are kept. */
export const mostKept = 10_000;

interface Watcher {
  readonly filter: EventFilter;
  readonly take: (event: SeenEvent) => void;
}

export class Hub {
  readonly #watchers = new Set<Watcher>();
  readonly #ring: SeenEvent[] = [];
  readonly #changed: (watchers: number) => void;
  #next = 0;

  /** `changed`: is called when a watcher has come or left. */
  constructor(changed: (watchers: number) => void) {
    this.#changed = changed;
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  add(event: SeenEvent): void {
    this.#ring[this.#next] = event;
    this.#next = (this.#next + 1) % mostKept;
    for (const { filter, take } of this.#watchers) if (isWanted(event, filter)) take(event);
  }

  /** In the order in which they came. `fromMs`: milliseconds since 1970. */
  kept(filter: EventFilter, fromMs: number): readonly SeenEvent[] {
    const all = [...this.#ring.slice(this.#next), ...this.#ring.slice(0, this.#next)];
    return all.filter((event) => Date.parse(event.time) >= fromMs && isWanted(event, filter));
  }

  /** Calls `take` with what is seen from now on, until the function that it returns is called. */
  watch(filter: EventFilter, take: (event: SeenEvent) => void): () => void {
    const watcher = { filter, take };
    this.#watchers.add(watcher);
    this.#changed(this.#watchers.size);
    return () => {
      if (this.#watchers.delete(watcher)) this.#changed(this.#watchers.size);
    };
  }
}
