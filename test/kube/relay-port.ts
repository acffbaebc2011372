// The port at which a relay to an API server takes connections: all of them can be ended, and new ones refused for a while, as
// if the network were cut. Knows nothing of what passes: the relay makes the server, anew after each cut.

import { readFileSync, writeFileSync } from "node:fs";
import type { Server, Socket } from "node:net";
import { steadyPort } from "./background.ts";

export class RelayPort {
  readonly #port: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;

  private constructor(port: number) {
    this.#port = port;
  }

  /** A port that stays free while it is cut. It takes no connections before `listen`. */
  static async pick(): Promise<RelayPort> {
    return new RelayPort(await steadyPort());
  }

  /** Writes a kubeconfig like the given one that leads here instead of to `url`. */
  kubeconfig(from: string, to: string, url: string): void {
    const config = readFileSync(from, "utf8").replaceAll(url, `https://127.0.0.1:${this.#port}`);
    writeFileSync(to, config, { mode: 0o600 });
  }

  /** Takes connections with a server from `serve` when this resolves. Does nothing while it takes them. */
  async listen(serve: () => Server): Promise<void> {
    if (this.#server !== null) return;
    const server = serve();
    server.on("connection", (socket: Socket) => {
      this.track(socket);
    });
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(this.#port, "127.0.0.1", resolve);
    });
  }

  /** From now on `drop` and `cut` end this socket too. */
  track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }

  /** Ends every connection; new ones are taken. */
  drop(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Ends every connection and refuses new ones until `listen`. */
  async cut(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    const closed = new Promise((resolve) => {
      server.close(resolve);
    });
    this.drop();
    await closed;
  }
}
