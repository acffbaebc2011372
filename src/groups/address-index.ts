// Which members hold an address. Two members may share one for a moment: the next pod can get an address before the
// controller sees the last pod leave. Invariant: a holder is listed under an address once for each add without its
// remove.

import type { IpAddress } from "../model/ip.ts";
import { invariant } from "../lib/invariant.ts";
import { Multimap } from "../lib/multimap.ts";

export class AddressIndex<Holder> {
  /** Almost every address has one holder: that costs one map entry. */
  readonly #first = new Map<IpAddress, Holder>();
  readonly #others = new Multimap<IpAddress, Holder>();

  add(address: IpAddress, holder: Holder): void {
    const first = this.#first.get(address);
    if (first === undefined) {
      this.#first.set(address, holder);
      return;
    }
    invariant(first !== holder, "an address was added twice for one holder");
    this.#others.add(address, holder);
  }

  remove(address: IpAddress, holder: Holder): void {
    if (this.#first.get(address) !== holder) {
      this.#others.remove(address, holder);
      return;
    }
    const [next] = this.#others.get(address);
    if (next === undefined) {
      this.#first.delete(address);
      return;
    }
    this.#others.remove(address, next);
    this.#first.set(address, next);
  }

  /** Whether a holder of the address passes. */
  isHeld(address: IpAddress, passes: (holder: Holder) => boolean): boolean {
    const first = this.#first.get(address);
    if (first === undefined) return false;
    return passes(first) || this.#others.get(address).values().some(passes);
  }

  isShared(address: IpAddress): boolean {
    return this.#others.get(address).size > 0;
  }

  *holders(address: IpAddress): Generator<Holder, void> {
    const first = this.#first.get(address);
    if (first === undefined) return;
    yield first;
    yield* this.#others.get(address);
  }

  /** Addresses with more than one holder. */
  shared(): Iterable<IpAddress> {
    return this.#others.keys();
  }
}
