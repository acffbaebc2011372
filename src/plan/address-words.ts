// Networks in words: nodes by their names, every address, and every address but a few.

import { gapsIn, numberOf, rangeOf } from "../analysis/address-space.ts";
import { excerptOf, listed } from "../lib/few.ts";
import type { Cidr, IpAddress, IpFamily } from "../model/ip.ts";
import { familyOf, ipFamilies } from "../model/ip.ts";

const shown = 3;
/** A network of more addresses is not told by its nodes. */
const mostNodes = 16n;
export const everyAddress = "every address that is no pod's";

export class AddressWords {
  readonly #nodes: readonly (readonly [{ readonly number: bigint; readonly family: IpFamily }, string])[];
  readonly #gaps = new WeakMap<readonly Cidr[], readonly Cidr[]>();

  /** Names by address. */
  constructor(nodes: ReadonlyMap<IpAddress, string>) {
    this.#nodes = Array.from(nodes, ([ip, name]) => [{ number: numberOf(ip), family: familyOf(ip) }, name]);
  }

  /** What the networks leave out of all addresses, in words; null: it is much, or there is no network. */
  gapsOf(networks: readonly Cidr[]): readonly string[] | null {
    if (networks.length === 0) return null;
    const gaps = this.#gapsOf(networks);
    const isFew = gaps.length < networks.length || gaps.length === 0;
    const names = this.#namesOf(gaps);
    return isFew && names.length <= shown ? names : null;
  }

  /** null: there is no network. */
  of(networks: readonly Cidr[]): string | null {
    if (networks.length === 0) return null;
    const gaps = this.gapsOf(networks);
    if (gaps !== null) return gaps.length === 0 ? everyAddress : `every address but ${listed(gaps)}`;
    const names = this.#namesOf(networks);
    return excerptOf(names.length, names.slice(0, shown));
  }

  #gapsOf(networks: readonly Cidr[]): readonly Cidr[] {
    const known = this.#gaps.get(networks);
    if (known !== undefined) return known;
    const families = ipFamilies.filter((family) => networks.some((one) => familyOf(one) === family));
    const gaps = families.flatMap((family) => gapsIn(networks, family));
    this.#gaps.set(networks, gaps);
    return gaps;
  }

  /** Each node once, whichever of its addresses is meant. */
  #namesOf(networks: readonly Cidr[]): readonly string[] {
    const nodes = networks.map((network) => this.#nodesOf(network));
    const names = [...new Set(nodes.flatMap((some) => some ?? []))].sort();
    const own = names.length === 0 ? [] : [nodesText(names)];
    return [...own, ...networks.filter((_, at) => nodes[at] === null)];
  }

  /** null: an address in the network is no node's. */
  #nodesOf(network: Cidr): readonly string[] | null {
    const { first, last } = rangeOf(network);
    if (last - first > mostNodes) return null;
    const names = this.#nodes.filter(
      ([{ number, family }]) => family === familyOf(network) && first <= number && number <= last,
    );
    return BigInt(names.length) === last - first + 1n ? names.map(([, name]) => name) : null;
  }
}

function nodesText(names: readonly string[]): string {
  if (names.length > shown) return `${names.length} nodes`;
  return `${names.length === 1 ? "node" : "nodes"} ${listed(names)}`;
}
