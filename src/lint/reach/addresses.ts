// The addresses of both families cut where networks begin and end and at every node's address: in one interval all
// addresses are in the same networks. Exact, by binary search. An address as a number is its bytes in network order.

import ipaddr from "ipaddr.js";
import type { Cidr, IpAddress, IpFamily } from "../../model/ip.ts";
import { familyOf, parseIp } from "../../model/ip.ts";

const bits: Readonly<Record<IpFamily, number>> = { v4: 32, v6: 128 };

/** Both ends belong to it. */
export interface AddressRange {
  readonly first: bigint;
  readonly last: bigint;
}

export function numberOf(ip: IpAddress): bigint {
  return ofBytes(ipaddr.parse(ip).toByteArray());
}

export function rangeOf(cidr: Cidr): AddressRange {
  const [address, length] = ipaddr.parseCIDR(cidr);
  const first = ofBytes(address.toByteArray());
  return { first, last: first + (1n << BigInt(bits[familyOf(cidr)] - length)) - 1n };
}

/** null: an address of IPv6 that stands for one of IPv4 is no address of its own. */
export function addressAt(family: IpFamily, number: bigint): IpAddress | null {
  const count = bits[family] / 8;
  const address = Array.from({ length: count }, (_, at) =>
    Number((number >> BigInt(8 * (count - 1 - at))) & 255n),
  );
  const ip = parseIp(ipaddr.fromByteArray(address).toString());
  return ip !== null && familyOf(ip) === family ? ip : null;
}

export class AddressCuts {
  readonly #starts: Readonly<Record<IpFamily, readonly bigint[]>>;

  constructor(networks: Iterable<Cidr>, addresses: Iterable<IpAddress>) {
    const cuts: Record<IpFamily, bigint[]> = { v4: [0n], v6: [0n] };
    const cut = (family: IpFamily, { first, last }: AddressRange): void => {
      cuts[family].push(first, last + 1n);
    };
    for (const cidr of networks) cut(familyOf(cidr), rangeOf(cidr));
    for (const ip of addresses) cut(familyOf(ip), { first: numberOf(ip), last: numberOf(ip) });
    this.#starts = { v4: sorted(cuts.v4, "v4"), v6: sorted(cuts.v6, "v6") };
  }

  /** Every interval of the family, ascending. */
  intervals(family: IpFamily): readonly AddressRange[] {
    const starts = this.#starts[family];
    const end = 1n << BigInt(bits[family]);
    return starts.map((first, at) => ({ first, last: (starts[at + 1] ?? end) - 1n }));
  }

  /** The place, among the intervals of its family, of the one that holds the address. */
  intervalOf(ip: IpAddress): number {
    const starts = this.#starts[familyOf(ip)];
    const number = numberOf(ip);
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0n) <= number) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

function ofBytes(address: readonly number[]): bigint {
  return address.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);
}

function sorted(cuts: readonly bigint[], family: IpFamily): readonly bigint[] {
  const end = 1n << BigInt(bits[family]);
  const ascending = [...new Set(cuts)].filter((cut) => cut < end);
  return ascending.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}
