// The only place that builds ACL match text, in the documented grammar. Its inputs are hashed names, canonical
// addresses and numbers only: no user text can reach an expression (ovn-nb(5) ACL.match, ovn-sb(5) Logical_Flow.match).

import type { IpAddress, IpFamily } from "../../model/ip.ts";
import { familyOf } from "../../model/ip.ts";
import type { Protocol } from "../../model/facts.ts";
import type { Direction } from "../../policy/ir.ts";

const ipField: Readonly<Record<IpFamily, string>> = { v4: "ip4", v6: "ip6" };

/** The subject's side: the port the packet leaves by (ingress rules) or came in by (egress rules). */
export function subjectTerm(direction: Direction, portGroup: string): string {
  return `${direction === "ingress" ? "outport" : "inport"} == @${portGroup}`;
}

/** The peer's side: one address set for each served family, whatever the sets hold. */
export function peerTerm(
  direction: Direction,
  addressSets: readonly { family: IpFamily; name: string }[],
): string {
  const side = direction === "ingress" ? "src" : "dst";
  return `((${addressSets.map(({ family, name }) => `${ipField[family]}.${side} == $${name}`).join(" || ")}))`;
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
