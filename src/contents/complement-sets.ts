// Sets that hold what is outside of the addresses of groups, and of networks: which elements they should hold. Invariant: an answer
// is that of the membership as it was when the addresses that differed were last told.

import type { Cidr, IpAddress } from "../model/ip.ts";
import { familyOf } from "../model/ip.ts";
import type { Membership } from "../policy/contracts/membership.ts";
import type { AddressSources } from "./address-lists.ts";
import { Complement, elementsAround } from "./complement.ts";

interface Kept {
  readonly complement: Complement;
  /** Those of the complement. */
  readonly elements: Set<string>;
  /** Addresses of the groups. */
  readonly held: Set<IpAddress>;
}

export class ComplementSets {
  readonly #membership: Membership;
  readonly #keeps: boolean;
  readonly #known = new WeakMap<AddressSources, Kept>();

  /** `keeps`: every change of members is told with `touch`; otherwise a complement is made again for every question. */
  constructor(membership: Membership, keeps: boolean) {
    this.#membership = membership;
    this.#keeps = keeps;
  }

  /** Whether the set has this text as an element; any text may be asked for. */
  has(set: AddressSources, element: string): boolean {
    return this.#of(set).elements.has(element);
  }

  /**
   * Addresses of the set's family that a group may have or lack otherwise than before. Returns what may be an element, or not, otherwise
   * than before, some of it more than once.
   */
  touch(set: AddressSources, addresses: readonly IpAddress[]): Iterable<Cidr> {
    const kept = this.#known.get(set);
    if (kept === undefined) return around(addresses);
    const moved: Cidr[] = [];
    for (const address of addresses) {
      const isHeld = set.groups.some((group) => this.#membership.addresses(group).has(address));
      if (isHeld === kept.held.has(address)) continue;
      if (isHeld) kept.held.add(address);
      else kept.held.delete(address);
      const { left, came } = isHeld ? kept.complement.add(address) : kept.complement.remove(address);
      for (const element of left) kept.elements.delete(element);
      for (const element of came) kept.elements.add(element);
      moved.push(...left, ...came);
    }
    return moved;
  }

  #of(set: AddressSources): Kept {
    const known = this.#known.get(set);
    if (known !== undefined) return known;
    const held = new Set(heldBy(this.#membership, set));
    const complement = new Complement(set.family);
    for (const network of [...held, ...set.networks]) complement.add(network);
    const kept = { complement, elements: new Set<string>(complement.elements()), held };
    if (this.#keeps) this.#known.set(set, kept);
    return kept;
  }
}

function* around(addresses: readonly IpAddress[]): Generator<Cidr> {
  for (const address of addresses) yield* elementsAround(address);
}

/** The groups' addresses of the set's family; of several groups some twice. */
function* heldBy(membership: Membership, { family, groups }: AddressSources): Generator<IpAddress> {
  for (const group of groups)
    for (const address of membership.addresses(group).keys()) if (familyOf(address) === family) yield address;
}
