// The addresses that the sandboxes of one node have: one of each of the node's networks. Refuses to give one twice.

import ipaddr from "ipaddr.js";

/** The network's own address and the gateway's are not given. */
const first = 2;

export class PodAddresses {
  readonly #networks: readonly [ipaddr.IPv4 | ipaddr.IPv6, number][];
  readonly #numbers = new Map<string, number>();

  constructor(podCIDRs: readonly string[]) {
    this.#networks = podCIDRs.map((cidr) => ipaddr.parseCIDR(cidr));
  }

  /** Of a sandbox, by its id: those that it has already, or the next that are free. */
  give(sandbox: string): readonly string[] {
    const known = this.#numbers.get(sandbox);
    if (known !== undefined) return this.#addresses(known);
    const taken = new Set(this.#numbers.values());
    let number = first;
    while (taken.has(number)) number += 1;
    const addresses = this.#addresses(number);
    this.#numbers.set(sandbox, number);
    return addresses;
  }

  takeBack(sandbox: string): void {
    this.#numbers.delete(sandbox);
  }

  #addresses(number: number): readonly string[] {
    return this.#networks.map(([network, length]) => {
      const bytes = network.toByteArray();
      for (let at = bytes.length - 1, rest = number; rest > 0 && at >= 0; at -= 1) {
        const sum = (bytes[at] ?? 0) + rest;
        bytes[at] = sum & 0xff;
        rest = sum >> 8;
      }
      const address = ipaddr.fromByteArray(bytes);
      if (!address.match(network, length))
        throw new Error(`${network.toString()}/${length} has no address left`);
      return address.toString();
    });
  }
}
