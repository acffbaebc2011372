// Connections that are tried one after the other, in both families, while something else goes on: each must always have the same end.

import type { IpAddress } from "../../src/model/ip.ts";
import { patience } from "../support/patience.ts";
import type { Stack, TestNode } from "./node.ts";

/** Nothing but silence takes so long: what is denied is rejected at once. */
const silenceMs = patience(3000);

export interface Streamed {
  /** Names of ends. */
  readonly from: string;
  readonly to: string;
  readonly isAllowed: boolean;
}

/** A pod or a node at these addresses that answers on TCP port 80. */
export function stackAt(name: string, ips: readonly IpAddress[]): Stack {
  return {
    ...{ name, ips, isBridged: false },
    listens: ips.map((ip) => ({ protocol: "tcp", ip, port: 80 }) as const),
  };
}

export class Stream {
  readonly #node: TestNode;
  readonly #ipsOf: (name: string) => readonly IpAddress[];
  readonly #running: Promise<unknown>;
  #isStopped = false;
  /** Connections that were tried. */
  tried = 0;
  /** Connections with another end than they must have. */
  readonly wrong: string[] = [];

  constructor(
    node: TestNode,
    ipsOf: (name: string) => readonly IpAddress[],
    connections: readonly Streamed[],
  ) {
    this.#node = node;
    this.#ipsOf = ipsOf;
    this.#running = Promise.all(connections.map((one) => this.#run(one)));
  }

  /** Resolves when the last connection has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #run(one: Streamed): Promise<void> {
    while (!this.#isStopped) await this.#once(one);
  }

  async #once({ from, to, isAllowed }: Streamed): Promise<void> {
    for (const ip of this.#ipsOf(to)) {
      const own = this.#ipsOf(from).find((other) => other.includes(":") === ip.includes(":")) ?? ip;
      const word = await this.#node.of(from).ask("probe", "tcp", ip, 80, silenceMs, own);
      this.tried++;
      if ((word === "allow") !== isAllowed) this.wrong.push(`${from} → ${to} ${ip}: ${word}`);
    }
  }
}
