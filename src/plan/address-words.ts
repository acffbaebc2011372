// Networks in words: nodes by their names, every address, and every address but a few.

import { gapsIn } from "../analysis/address-space.ts";
import { NodeNames } from "../analysis/node-names.ts";
import { excerptOf, listed } from "../lib/text/few.ts";
import type { Cidr, IpAddress } from "../model/ip.ts";
import { familyOf, ipFamilies } from "../model/ip.ts";

const shown = 3;
export const everyAddress = "every address that is no pod's";

export class AddressWords {
  readonly #nodes: NodeNames;
  readonly #gaps = new WeakMap<readonly Cidr[], readonly Cidr[]>();

  /** Names by address. */
  constructor(nodes: ReadonlyMap<IpAddress, string>) {
    this.#nodes = new NodeNames(nodes);
  }

  /** What the networks leave out of all addresses, in words; null: it is much, or there is no network. */
  gapsOf(networks: readonly Cidr[]): readonly string[] | null {
    if (networks.length === 0) return null;
    const gaps = this.#gapsOf(networks);
    const isFew = gaps.length < networks.length || gaps.length === 0;
    const names = this.#nodes.namesOf(gaps);
    return isFew && names.length <= shown ? names : null;
  }

  /** null: there is no network. */
  of(networks: readonly Cidr[]): string | null {
    if (networks.length === 0) return null;
    const gaps = this.gapsOf(networks);
    if (gaps !== null) return gaps.length === 0 ? everyAddress : `every address but ${listed(gaps)}`;
    const names = this.#nodes.namesOf(networks);
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
}
