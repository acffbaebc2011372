// Networks in words, those of nodes by the nodes' names.

import { listed } from "../lib/text/few.ts";
import type { Cidr, IpAddress, IpFamily } from "../model/ip.ts";
import { familyOf } from "../model/ip.ts";
import { numberOf, rangeOf } from "./address-space.ts";

const shown = 3;
/** A network of more addresses is not told by its nodes. */
const mostNodes = 16n;

export class NodeNames {
  readonly #nodes: readonly (readonly [{ readonly number: bigint; readonly family: IpFamily }, string])[];

  /** Names by address. */
  constructor(nodes: ReadonlyMap<IpAddress, string>) {
    this.#nodes = Array.from(nodes, ([ip, name]) => [{ number: numberOf(ip), family: familyOf(ip) }, name]);
  }

  /** Each node once, whichever of its addresses is meant. */
  namesOf(networks: readonly Cidr[]): readonly string[] {
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
