// Services as OVN's load balancers, on the switch of every node: what the node agent says, or a look at the API server's objects, becomes what NB has, with one
// command for what differs and none when nothing does. A virtual address without endpoints drops, as OVN does it.

import type { Ovn } from "../../tools/sandbox/ovn.ts";

/** One Service and protocol: endpoints by virtual address, both "address:port"; as in e2e/node-agent/network.go. */
export interface Balancer {
  readonly name: string;
  readonly protocol: string;
  readonly vips: Readonly<Record<string, readonly string[]>>;
}

export class Balancers {
  readonly #ovn: Ovn;
  readonly #switches: readonly string[];
  /** In NB, as JSON, by name. */
  #held: ReadonlyMap<string, string> = new Map();

  constructor(ovn: Ovn, switches: readonly string[]) {
    this.#ovn = ovn;
    this.#switches = switches;
  }

  /** Makes these the only ones. Call it when the last call has resolved. */
  async become(wanted: readonly Balancer[]): Promise<void> {
    const next = new Map(wanted.map((one) => [one.name, JSON.stringify(one)]));
    const gone = [...this.#held.keys()].filter((name) => next.get(name) !== this.#held.get(name));
    const come = wanted.filter(({ name }) => next.get(name) !== this.#held.get(name));
    const commands = [
      ...gone.map((name) => ["--if-exists", "lb-del", name]),
      ...come.flatMap((one) => this.#adding(one)),
    ];
    if (commands.length > 0) await this.#ovn.nbctl(...commands.flatMap((command) => ["--", ...command]));
    this.#held = next;
  }

  #adding({ name, protocol, vips }: Balancer): readonly (readonly string[])[] {
    return [
      ...Object.entries(vips).map(([vip, endpoints]) => ["lb-add", name, vip, endpoints.join(","), protocol]),
      ...this.#switches.map((one) => ["ls-lb-add", one, name]),
    ];
  }
}
