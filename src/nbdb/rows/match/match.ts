// The only place that builds ACL match text, in the documented grammar. Its inputs are hashed names, canonical
// addresses and numbers only: no user text can reach an expression (ovn-nb(5) ACL.match, ovn-sb(5) Logical_Flow.match).

import { ascending } from "../../../lib/ascending.ts";
import type { Cidr, IpAddress, IpFamily } from "../../../model/ip.ts";
import { everyAddress, familyOf } from "../../../model/ip.ts";
import type { Protocol } from "../../../model/facts.ts";
import type { Direction } from "../../../policy/ir.ts";

const ipField: Readonly<Record<IpFamily, string>> = { v4: "ip4", v6: "ip6" };

/** The end of a packet that a field is about. */
export type Side = "src" | "dst";

/** The subject's side: the port by which the packet leaves (ingress rules) or arrives (egress rules). */
export function subjectTerm(direction: Direction, portGroup: string): string {
  return `${direction === "ingress" ? "outport" : "inport"} == @${portGroup}`;
}

/**
 * The destination was replaced by a load balancer, in the connection tracking zone of the port by which the packet arrived
 * (ovn-sb(5), ct.dnat): of use only behind load balancing, and nowhere on the way to a port.
 */
export const translatedTerm = "ct.dnat";

function peerSide(direction: Direction): Side {
  return direction === "ingress" ? "src" : "dst";
}

function ownSide(direction: Direction): Side {
  return direction === "ingress" ? "dst" : "src";
}

/** The peer's side: one address set for each served family, whatever the sets hold. */
export function peerTerm(
  direction: Direction,
  addressSets: readonly { family: IpFamily; name: string }[],
): string {
  const side = peerSide(direction);
  return `((${addressSets.map(({ family, name }) => `${ipField[family]}.${side} == $${name}`).join(" || ")}))`;
}

/** Names of address sets, and networks. */
interface Named {
  readonly sets: readonly string[];
  readonly networks: readonly Cidr[];
}

/** What a rule's peers are in one family. */
export interface PeersOfFamily extends Named {
  readonly family: IpFamily;
  /** What is in a set and in a network of the same entry. */
  readonly narrowed?: readonly Named[];
  /** Where the subject's own address is; absent: anywhere. */
  readonly own?: readonly Cidr[];
}

/**
 * The peer's side where a rule names several sets, and the subject's where the rule restricts its addresses; family by family. A
 * family in which there is nothing to name has no comparison: an empty one would be an error. null: no family has any, and the
 * rule matches nothing. Never a negated comparison: `!=` with an empty set matches everything.
 */
export function peersTerm(direction: Direction, peers: readonly PeersOfFamily[]): string | null {
  const families = peers
    .map((one) => conjuncts(direction, one))
    .filter((conditions) => conditions.length > 0);
  if (families.length === 0) return null;
  return either(families.length === 1 ? families.map(conjunction) : families.map(bracketed));
}

function bracketed(conditions: readonly string[]): string {
  return conditions.length === 1 ? conditions.join("") : `(${conjunction(conditions)})`;
}

/** Conditions that all hold; none: nothing of the family matches. */
function conjuncts(direction: Direction, peers: PeersOfFamily): readonly string[] {
  const { family, own = [everyAddress(family)] } = peers;
  const whom = alternatives(peerSide(direction), peers);
  const where = comparison(family, ownSide(direction), { sets: [], networks: own });
  if (whom.length === 0 || where === null) return [];
  const [first = [], ...others] = whom;
  const conditions = [...(others.length === 0 ? first : [either(whom.map(bracketed))]), where].filter(
    (condition) => condition !== ipField[family],
  );
  return conditions.length === 0 ? [ipField[family]] : conditions;
}

/** Lists of conditions: of one of them all hold. */
function alternatives(
  side: Side,
  { family, narrowed = [], ...plain }: PeersOfFamily,
): readonly (readonly string[])[] {
  const first = comparison(family, side, plain);
  if (first === ipField[family]) return [[first]];
  const within = narrowed.flatMap(({ sets, networks }) => {
    const limit = comparison(family, side, { sets: [], networks });
    const among = comparison(family, side, { sets, networks: [] });
    if (limit === null || among === null) return [];
    return [limit === ipField[family] ? [among] : [among, limit]];
  });
  return first === null ? within : [[first], ...within];
}

/** The family's field alone: every address of it; null: none. */
function comparison(family: IpFamily, side: Side, { sets, networks }: Named): string | null {
  if (networks.includes(everyAddress(family))) return ipField[family];
  const constants = [...ascending(sets).map((name) => `$${name}`), ...ascending(networks)];
  return constants.length === 0 ? null : `${ipField[family]}.${side} == {${constants.join(", ")}}`;
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

/** A number at some addresses or networks of one family; null: at any of it. */
export function numberElement({ family, port, at }: NumberAt, protocol: Protocol, side: Side): string {
  const where = at === null ? ipField[family] : `${ipField[family]}.${side} == {${at.join(", ")}}`;
  return `(${where} && ${protocol}.${side} == ${port})`;
}

export interface NumberAt {
  readonly family: IpFamily;
  readonly port: number;
  readonly at: readonly (IpAddress | Cidr)[] | null;
}

/** An element that is the protocol itself matches all of it. */
export function namedPortTerm(protocol: Protocol, elements: readonly string[]): string {
  if (elements.includes(protocol)) return protocol;
  return `${protocol} && (${elements.join(" || ")})`;
}

export function conjunction(terms: readonly (string | null)[]): string {
  return terms.filter((term) => term !== null).join(" && ");
}
