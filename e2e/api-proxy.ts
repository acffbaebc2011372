// Stands between the program and the API server so that its connections can be ended, or refused, while the server runs
// on. Bytes pass unchanged, so that TLS is between the two ends as before.

import { readFileSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { steadyPort } from "../test/kube/background.ts";

export class ApiProxy {
  readonly #port: number;
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;

  private constructor(port: number, target: number) {
    this.#port = port;
    this.#target = target;
  }

  /** Takes connections when this resolves. */
  static async open(serverUrl: string): Promise<ApiProxy> {
    const proxy = new ApiProxy(await steadyPort(), Number(new URL(serverUrl).port));
    await proxy.listen();
    return proxy;
  }

  /** Writes a kubeconfig like the given one that leads through here. */
  kubeconfig(from: string, to: string): void {
    const config = readFileSync(from, "utf8").replaceAll(
      `https://127.0.0.1:${this.#target}`,
      `https://127.0.0.1:${this.#port}`,
    );
    writeFileSync(to, config, { mode: 0o600 });
  }

  async listen(): Promise<void> {
    if (this.#server !== null) return;
    const server = createServer((client) => {
      this.#join(client, connect(this.#target, "127.0.0.1"));
    });
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(this.#port, "127.0.0.1", resolve);
    });
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

  #join(client: Socket, target: Socket): void {
    client.pipe(target);
    target.pipe(client);
    for (const [one, other] of [
      [client, target],
      [target, client],
    ] as const) {
      this.#sockets.add(one);
      one.on("error", () => {
        other.destroy();
      });
      one.on("close", () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
  }
}
