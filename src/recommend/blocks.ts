// Addresses outside the cluster as few networks: each alone while there are few, else networks of one prefix length that hold them.
// Invariant: every address is in a network, and none of `avoided` is where the networks are wider than the addresses.

import { aloneIn, blockOf, blockOfAddress, partsWithin } from "../model/cidr.ts";
import type { PartOfNetwork } from "../model/cidr.ts";
import type { Cidr, IpAddress } from "../model/ip.ts";
import { familyOf, ipFamilies, networkOf, parseCidr } from "../model/ip.ts";
import { invariant } from "../lib/invariant.ts";

/** Of one family. */
const mostBlocks = 32;

export interface Blocks {
  readonly parts: readonly PartOfNetwork[];
  /** Networks that hold more than the addresses. */
  readonly wider: readonly Cidr[];
}

/** `avoided`: networks of pods, and addresses of pods in none of these. */
export function blocksOf(addresses: readonly IpAddress[], avoided: () => readonly Cidr[]): Blocks {
  const found = ipFamilies.map((family) => {
    const own = [...new Set(addresses.filter((ip) => familyOf(ip) === family))];
    return own.length <= mostBlocks ? alone(own) : joined(own, avoided);
  });
  return { parts: found.flatMap(({ parts }) => parts), wider: found.flatMap(({ wider }) => wider) };
}

function alone(addresses: readonly IpAddress[]): Blocks {
  return { parts: ordered(addresses.map(aloneIn)).map((cidr) => ({ cidr, except: [] })), wider: [] };
}

function joined(addresses: readonly IpAddress[], avoided: () => readonly Cidr[]): Blocks {
  const [first] = addresses;
  invariant(first !== undefined, "no address");
  const around = (length: number) => [...new Set(addresses.map((ip) => networkAround(ip, length)))];
  let length = blockOfAddress(first).length - 1;
  let networks = around(length);
  while (networks.length > mostBlocks) networks = around(--length);
  const [cidrs, holes] = [ordered(networks), avoided()];
  // Each of them is in no avoided network, which would hold the address, too.
  const parts = cidrs.map((cidr) => ({ cidr, except: exceptIn(cidr, holes) }));
  return { parts, wider: cidrs };
}

function exceptIn(cidr: Cidr, holes: readonly Cidr[]): readonly Cidr[] {
  return ordered(partsWithin(holes, [cidr], []).map((part) => part.cidr)).filter((one) => one !== cidr);
}

function networkAround(ip: IpAddress, length: number): Cidr {
  const cidr = parseCidr(`${ip}/${length}`);
  invariant(cidr !== null, `not an address: ${ip}`);
  return cidr;
}

/** By their addresses. */
function ordered(networks: readonly Cidr[]): readonly Cidr[] {
  const keyed = networks.map((cidr) => ({ cidr, ...blockOf(cidr) }));
  return keyed
    .sort((a, b) => compared(a.bytes, b.bytes) || a.length - b.length)
    .map(({ bytes, length }) => networkOf(bytes, length));
}

function compared(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((byte, place) => byte !== b[place]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
