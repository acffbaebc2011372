// The only place that builds ACL match text, in the documented grammar. Its inputs are hashed names, canonical
// addresses and numbers only: no user text can reach an expression (ovn-nb(5) ACL.match, ovn-sb(5) Logical_Flow.match).

import { ascending } from "../../../lib/ascending.ts";
import type { Cidr, IpAddress, IpFamily } from "../../../model/ip.ts";
import { everyAddress, familyOf } from "../../../model/ip.ts";
import type { Protocol } from "../../../model/facts.ts";
import type { Direction } from "../../../policy/ir.ts";

const ipField: Readonly<Record<IpFamily, string>> = { v4: "ip4", v6: "ip6" };

/** The subject's side: the port by which the packet leaves (ingress rules) or arrives (egress rules). */
export function subjectTerm(direction: Direction, portGroup: string): string {
  return `${direction === "ingress" ? "outport" : "inport"} == @${portGroup}`;
}

/**
 * The destination was replaced by a load balancer, in the connection tracking zone of the port by which the packet arrived
 * (ovn-sb(5), ct.dnat): of use only behind load balancing, and nowhere on the way to a port.
 */
export const translatedTerm = "ct.dnat";

function peerSide(direction: Direction): "src" | "dst" {
  return direction === "ingress" ? "src" : "dst";
}

/** The peer's side: one address set for each served family, whatever the sets hold. */
export function peerTerm(
  direction: Direction,
  addressSets: readonly { family: IpFamily; name: string }[],
): string {
  const side = peerSide(direction);
  return `((${addressSets.map(({ family, name }) => `${ipField[family]}.${side} == $${name}`).join(" || ")}))`;
}

/** What a rule's peers are in one family: names of address sets, and networks. */
export interface PeersOfFamily {
  readonly family: IpFamily;
  readonly sets: readonly string[];
  readonly networks: readonly Cidr[];
}

/**
 * The peer's side where a rule names several sets. A family in which there is nothing to name has no comparison: an empty
 * one would be an error. null: no family has any, and the rule matches nothing. Never a negated comparison: `!=` with an
 * empty set matches everything.
 */
export function peersTerm(direction: Direction, peers: readonly PeersOfFamily[]): string | null {
  const side = peerSide(direction);
  const terms = peers.flatMap(({ family, sets, networks }) => {
    if (networks.includes(everyAddress(family))) return [ipField[family]];
    const constants = [...ascending(sets).map((name) => `$${name}`), ...ascending(networks)];
    return constants.length === 0 ? [] : [`${ipField[family]}.${side} == {${constants.join(", ")}}`];
  });
  if (terms.length === 0) return null;
  return either(terms);
}

/** A network without some smaller ones inside. */
export interface Block {
  readonly cidr: Cidr;
  readonly except: readonly Cidr[];
}

/** The peer's side where a rule lists networks itself, one or more. What is excepted are constants, never a set. */
export function blocksTerm(direction: Direction, blocks: readonly Block[]): string {
  const side = peerSide(direction);
  const terms = blocks.map(({ cidr, except }) => {
    const field = `${ipField[familyOf(cidr)]}.${side}`;
    return except.length === 0
      ? `${field} == ${cidr}`
      : `(${field} == ${cidr} && ${field} != {${except.join(", ")}})`;
  });
  return either(terms);
}

/** ARP and neighbour discovery, without which no packet finds its way. */
export const neighbourTerm = "(arp || nd)";

export function either(terms: readonly string[]): string {
  return terms.length === 1 ? terms.join("") : `(${terms.join(" || ")})`;
}

/** One destination of a named port. */
export function namedPortElement(ip: IpAddress, protocol: Protocol, port: number): string {
  return `(${ipField[familyOf(ip)]}.dst == ${ip} && ${protocol}.dst == ${port})`;
}

/** All destinations of a named port that have one number, in one family. */
export function namedPortSetElement(set: {
  readonly name: string;
  readonly family: IpFamily;
  readonly protocol: Protocol;
  readonly port: number;
}): string {
  return `(${ipField[set.family]}.dst == $${set.name} && ${set.protocol}.dst == ${set.port})`;
}

export function namedPortTerm(protocol: Protocol, elements: readonly string[]): string {
  return `${protocol} && (${elements.join(" || ")})`;
}

export function conjunction(terms: readonly (string | null)[]): string {
  return terms.filter((term) => term !== null).join(" && ");
}
