// A lock of the server (RFC 7047 sections 4.1.8 to 4.1.12): one client of a server holds it, the others wait in their order,
// and the end of the holder's connection passes it on. A hint that another client is there, never a protection: in a
// cluster each member has locks of its own.

import type { Limit } from "../wire/pending-requests.ts";
import type { Connection } from "../wire/connection.ts";

/** What is only a hint ends no connection. */
const atLeisure: Limit = { limitMs: 0 };

export class ServerLock {
  readonly #name: string;
  readonly #changed: () => void;
  #connection: Connection | null = null;
  #held = false;

  /** `changed` is called whenever `held` has changed on a living connection. */
  constructor(name: string, changed: () => void) {
    this.#name = name;
    this.#changed = changed;
  }

  get held(): boolean {
    return this.#held;
  }

  /** Asks the server for the lock, from now on until the connection ends. */
  request(connection: Connection): void {
    this.#connection = connection;
    this.#ask(connection);
  }

  /** Lets the next client in line have it and waits behind the others. Without a connection it does nothing. */
  unlock(): void {
    const connection = this.#connection;
    if (connection === null) return;
    this.#become(false);
    // The server answers in order. A failed request ends with its connection, and the next one asks again.
    connection.request("unlock", [this.#name], atLeisure).catch(() => undefined);
    this.#ask(connection);
  }

  lost(): void {
    this.#connection = null;
    this.#held = false;
  }

  /** The server's word on the lock of this name; those of other names are none of ours. */
  notified(method: "locked" | "stolen", name: unknown): void {
    if (name === this.#name) this.#become(method === "locked");
  }

  #ask(connection: Connection): void {
    connection.request("lock", [this.#name], atLeisure).then(
      (answer) => {
        if (connection === this.#connection && isLocked(answer)) this.#become(true);
      },
      () => undefined,
    );
  }

  #become(held: boolean): void {
    if (held === this.#held) return;
    this.#held = held;
    this.#changed();
  }
}

function isLocked(answer: unknown): boolean {
  return typeof answer === "object" && answer !== null && "locked" in answer && answer.locked === true;
}
