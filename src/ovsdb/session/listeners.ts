// The subscribers of a session, each called for every event.

import type { DatabaseDescription } from "../notation/description.ts";
import type { SessionListener } from "./session.ts";

export class Listeners<D extends DatabaseDescription> {
  readonly #listeners = new Set<SessionListener<D>>();

  /** Returns the function that ends the subscription. */
  add(listener: SessionListener<D>): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** One listener's exception affects neither the next one nor the connection: it surfaces as an uncaught exception. */
  notify(call: (listener: SessionListener<D>) => void): void {
    for (const listener of [...this.#listeners]) {
      try {
        call(listener);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
