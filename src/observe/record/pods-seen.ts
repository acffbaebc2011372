// Which pod had an address, by what the readers of all nodes have seen. The databases of a node may know its own pods alone: a
// connection between two nodes has its client's name on one of them and its server's on the other.

import type { IpAddress } from "../../model/ip.ts";
import type { PodName, SeenEnd } from "../decode/event.ts";

/** An address is given to another pod later than this, as a rule. */
const graceMs = 30_000;

interface PodAt {
  readonly pod: PodName;
  firstMs: number;
  lastMs: number;
}

export class PodsSeen {
  /** null: more than one pod had the address. */
  readonly #pods = new Map<IpAddress, PodAt | null>();
  readonly #most: number;

  /** `most`: addresses; of more nothing is known. */
  constructor(most: number) {
    this.#most = most;
  }

  add({ ip, pod }: SeenEnd, time: string): void {
    if (pod === null) return;
    const atMs = Date.parse(time);
    const known = this.#pods.get(ip);
    if (known === undefined) {
      if (this.#pods.size < this.#most) this.#pods.set(ip, { pod, firstMs: atMs, lastMs: atMs });
    } else if (known !== null && isSame(known.pod, pod)) {
      known.firstMs = Math.min(known.firstMs, atMs);
      known.lastMs = Math.max(known.lastMs, atMs);
    } else this.#pods.set(ip, null);
  }

  /** The end with its pod, where one pod alone had the address all the time between the two, as far as anybody has seen. */
  named(end: SeenEnd, first: string, last: string): SeenEnd {
    const known = this.#pods.get(end.ip) ?? null;
    if (end.pod !== null || known === null) return end;
    const isWithin =
      Date.parse(first) >= known.firstMs - graceMs && Date.parse(last) <= known.lastMs + graceMs;
    return isWithin ? { ip: end.ip, pod: known.pod } : end;
  }
}

function isSame(a: PodName, b: PodName): boolean {
  return a.namespace === b.namespace && a.name === b.name;
}
