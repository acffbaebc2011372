// A private Northbound server whose connection to the controller can be taken away at a named moment of a transaction, by
// killing the server. The controller's session knows nothing of it: it loses a connection as it would in a cluster.

import { join } from "node:path";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { Proxy } from "../ovsdb/proxy.ts";

/**
 * When the server is killed: before the transaction is sent; when it is sent, so that it arrives nowhere; when the server
 * has answered, so that it is committed and the controller does not hear of it.
 */
export const moments = ["before it is sent", "when it is sent", "when it is answered"] as const;
export type Moment = (typeof moments)[number];

export class Severable {
  readonly #ovn: Ovn;
  readonly #proxy: Proxy;
  #next: Moment | null = null;

  private constructor(ovn: Ovn) {
    this.#ovn = ovn;
    this.#proxy = new Proxy(ovn.nb.slice("unix:".length), join(ovn.dir, "severable.sock"));
  }

  static async open(ovn: Ovn): Promise<Severable> {
    const severable = new Severable(ovn);
    await severable.#proxy.listen();
    return severable;
  }

  /** Where the controller finds the server. */
  get remote(): string {
    return this.#proxy.remote;
  }

  close(): Promise<void> {
    return this.#proxy.cut();
  }

  /** The next transaction meets this. */
  arm(moment: Moment): void {
    this.#next = moment;
  }

  /** Whether the server is still to be killed: no transaction came. */
  disarm(): boolean {
    const armed = this.#next !== null;
    this.#next = null;
    return armed;
  }

  /** Sends a transaction, and kills the server when that was asked for; then the transaction rejects. */
  async send<T>(transact: () => Promise<T>): Promise<T> {
    const moment = this.#next;
    this.#next = null;
    if (moment === null) return transact();
    if (moment === "before it is sent") {
      await this.#ovn.killNb();
      return transact();
    }
    if (moment === "when it is answered") this.#proxy.loseAnswers();
    const answer = transact();
    // The signal goes out in this turn of the event loop, the bytes leave the proxy in a later one.
    if (moment === "when it is sent") await Promise.allSettled([this.#ovn.killNb(), answer]);
    else await answer.catch(() => this.#ovn.killNb());
    return answer;
  }
}
