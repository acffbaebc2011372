// Whether a session has a connection with a filled cache, and why not. Decides which failures its owner reports.

import { ConnectionLostError, SchemaMismatchError } from "../notation/errors.ts";
import type { Link } from "./outbox.ts";
import type { ServerStatus } from "./server-status.ts";

export interface ReadyLink extends Link {
  readonly status: ServerStatus;
}

export class Readiness {
  #opened = newOpened();
  #link: ReadyLink | null = null;
  #failure: Error | null = null;
  // The last schema mismatch that was reported; cleared by a fill.
  #mismatch: string | null = null;

  get link(): ReadyLink | null {
    return this.#link;
  }

  /** Why the last connection or attempt failed; null while ready and before the first attempt has ended. */
  get failure(): Error | null {
    return this.#failure;
  }

  /** Resolves at the next fill, or at once while ready. Rejects at a schema that does not fit, and when closed. */
  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  filled(link: ReadyLink): void {
    this.#link = link;
    this.#failure = null;
    this.#mismatch = null;
    this.#opened.resolve(undefined);
  }

  /** Returns whether subscribers do not know the failure yet. A schema mismatch lasts until an operator acts: it is reported once. */
  failed(error: Error): boolean {
    const wasReady = this.#link !== null;
    const isNews = error instanceof SchemaMismatchError && error.message !== this.#mismatch;
    this.#link = null;
    this.#failure = error;
    if (wasReady) this.#opened = newOpened();
    if (error instanceof SchemaMismatchError) {
      this.#mismatch = error.message;
      this.#opened.reject(error);
      this.#opened = newOpened();
    }
    return wasReady || isNews;
  }

  closed(): void {
    this.#opened.reject(new ConnectionLostError("the session was closed"));
  }
}

function newOpened(): PromiseWithResolvers<undefined> {
  const opened = Promise.withResolvers<undefined>();
  // Callers need not await it.
  opened.promise.catch(() => undefined);
  return opened;
}
