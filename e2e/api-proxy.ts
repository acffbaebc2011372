// Stands between the program and the API server so that its connections can be ended, or refused, while the server runs
// on. Bytes pass unchanged, so that TLS is between the two ends as before.

import { connect, createServer, type Socket } from "node:net";
import { RelayPort } from "../test/kube/relay-port.ts";

export class ApiProxy {
  readonly #relay: RelayPort;
  readonly #target: number;

  private constructor(relay: RelayPort, target: number) {
    this.#relay = relay;
    this.#target = target;
  }

  /** Takes connections when this resolves. */
  static async open(serverUrl: string): Promise<ApiProxy> {
    const proxy = new ApiProxy(await RelayPort.pick(), Number(new URL(serverUrl).port));
    await proxy.listen();
    return proxy;
  }

  /** Writes a kubeconfig like the given one that leads through here. */
  kubeconfig(from: string, to: string): void {
    this.#relay.kubeconfig(from, to, `https://127.0.0.1:${this.#target}`);
  }

  /** Takes connections when this resolves. */
  async listen(): Promise<void> {
    await this.#relay.listen(() =>
      createServer((client) => {
        this.#join(client, connect(this.#target, "127.0.0.1"));
      }),
    );
  }

  /** Ends every connection; new ones are taken. */
  drop(): void {
    this.#relay.drop();
  }

  /** Ends every connection and refuses new ones until `listen`. */
  async cut(): Promise<void> {
    await this.#relay.cut();
  }

  #join(client: Socket, target: Socket): void {
    this.#relay.track(target);
    client.pipe(target);
    target.pipe(client);
    for (const [one, other] of [
      [client, target],
      [target, client],
    ] as const) {
      one.on("error", () => {
        other.destroy();
      });
      one.on("close", () => {
        other.destroy();
      });
    }
  }
}
