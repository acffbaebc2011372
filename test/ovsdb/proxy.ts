// Stands between a client and a server so that their connection can be cut, refused or left to starve without either
// noticing why. Bytes pass unchanged.

import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * The end of a client that was kept back comes so much later than its last words: a server of a cluster, which asks another
 * first, would not answer who is gone.
 */
const answersWithinMs = 1_000;

export class Proxy {
  readonly remote: string;
  readonly #target: string;
  readonly #at: string | number;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  readonly #heard: (chunk: Buffer) => void;
  #server: Server | null = null;
  /** Pairs whose client was kept back. */
  readonly #late = new WeakSet<readonly [Socket, Socket]>();
  #accepted = 0;
  #isHeld = false;

  /**
   * The path of the server's unix socket, and where to listen: another path, or a port of 127.0.0.1. `heard` gets what the
   * server says.
   */
  constructor(target: string, at: string | number, heard: (chunk: Buffer) => void = () => undefined) {
    this.#target = target;
    this.#at = at;
    this.#heard = heard;
    this.remote = typeof at === "string" ? `unix:${at}` : `tcp:127.0.0.1:${at}`;
  }

  /** Connections accepted so far. */
  get accepted(): number {
    return this.#accepted;
  }

  /** Takes connections; does nothing when it does already. */
  async listen(): Promise<void> {
    if (this.#server !== null) return;
    const server = createServer((client) => {
      this.#join(client, connect(this.#target));
    });
    this.#server = server;
    await new Promise<void>((resolve) => {
      if (typeof this.#at === "string") server.listen(this.#at, resolve);
      else server.listen(this.#at, "127.0.0.1", resolve);
    });
  }

  /** Ends every connection and refuses new ones. */
  async cut(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    for (const [client, target] of this.#pairs) {
      client.destroy();
      target.destroy();
    }
    this.#pairs.clear();
    if (server === null) return;
    await new Promise((resolve) => {
      server.close(resolve);
    });
  }

  /** Forwards nothing more on the open connections, and keeps them open. */
  starve(): void {
    for (const [client, target] of this.#pairs) {
      client.unpipe(target);
      target.unpipe(client);
      client.resume();
      target.resume();
    }
  }

  /** Keeps back all that either end says, on new connections too. */
  hold(): void {
    this.#isHeld = true;
    for (const [client, target] of this.#pairs) {
      client.unpipe(target);
      target.unpipe(client);
    }
  }

  /** Delivers what was kept back, however late: first what clients said, who may be gone, then what the server said. */
  async release(): Promise<void> {
    this.#isHeld = false;
    const kept = [...this.#pairs];
    for (const pair of kept) {
      const [client, target] = pair;
      this.#late.add(pair);
      client.pipe(target, { end: false });
    }
    await sleep(100);
    for (const [client, target] of kept) if (!client.destroyed) target.pipe(client);
  }

  /** The next byte of the server to the client is the last. */
  loseAnswers(): void {
    for (const [client, target] of this.#pairs) {
      target.unpipe(client);
      target.once("data", () => {
        client.destroy();
      });
      target.resume();
    }
  }

  #join(client: Socket, target: Socket): void {
    this.#accepted++;
    const pair = [client, target] as const;
    this.#pairs.add(pair);
    target.on("data", this.#heard);
    if (this.#isHeld) target.pause();
    else {
      client.pipe(target);
      target.pipe(client);
    }
    for (const [one, other] of [
      [client, target],
      [target, client],
    ] as const) {
      one.on("error", () => undefined);
      one.on("close", (isBroken) => {
        // What the other is still owed goes there first, and what it says then is heard.
        if (isBroken) other.destroy();
        else if (this.#late.has(pair)) setTimeout(() => other.end(), answersWithinMs).unref();
        else other.end();
        other.resume();
        this.#pairs.delete(pair);
      });
    }
  }
}
