// The first packet of a connection as the symbols of a match see it. What is unknown about it, as its TTL or the MAC
// addresses, stays open. A source port that is not given is one that no ACL names.

import type { Protocol } from "../../model/facts.ts";
import type { IpAddress } from "../../model/ip.ts";
import { familyOf } from "../../model/ip.ts";
import { icmpNumbers, protocolNumbers } from "../../model/protocols.ts";
import { ipv4Value, ipv6Value } from "./match/integers.ts";
import type { FieldValue, Packet } from "./match/meets.ts";
import { unnamed } from "./match/meets.ts";

/** An end of a connection in the database. */
export interface RowEnd {
  readonly ip: IpAddress;
  /** The name of its logical switch port; null: it has none here. */
  readonly port: string | null;
}

export interface RowConnection {
  readonly from: RowEnd;
  readonly to: RowEnd;
  /** `icmp`: of the addresses' own family; a number: another IP protocol (IANA). */
  readonly protocol: Protocol | "icmp" | number;
  /** Destination port; without meaning where the protocol has none. */
  readonly port: number;
  /** Absent: one that no ACL names. */
  readonly sourcePort?: number;
  /** Of icmp; absent: an echo request (RFC 792, RFC 4443). */
  readonly icmp?: { readonly type: number; readonly code: number };
  /** True: the source named a Service, and the load balancer of its switch has replaced it by `to` and `port`. */
  readonly translated?: true;
}

/** Elsewhere: another port's connection tracking does not know what the load balancer did. */
export type Balancing = "before" | "behind" | "elsewhere";

/** The names that a port may have; none: the packet has not reached one. */
export interface Ports {
  readonly inport: readonly string[];
  readonly outport: readonly string[];
}

/** What a packet carries at a stage. */
export interface Situation extends Ports {
  readonly balancing: Balancing;
}

export function packetOf(connection: RowConnection, { inport, outport, balancing }: Situation): Packet {
  const fields = new Map<string, FieldValue>([
    ["inport", inport],
    ["outport", outport],
    ...ipFields(connection),
    ...trafficFields(connection),
    ...balancedFields(connection, balancing),
  ]);
  return { valueOf: (field) => fields.get(field) ?? null };
}

type Fields = readonly (readonly [string, FieldValue])[];

function ipFields(connection: RowConnection): Fields {
  const { from, to } = connection;
  const family = familyOf(to.ip);
  const [symbol, etherType, valueOf] =
    family === "v4" ? (["ip4", 0x800n, ipv4Value] as const) : (["ip6", 0x86ddn, ipv6Value] as const);
  return [
    ["eth.type", etherType],
    [`${symbol}.src`, valueOf(from.ip)],
    [`${symbol}.dst`, valueOf(to.ip)],
    ["ip.proto", BigInt(protocolNumber(connection))],
    // Whole, and to one receiver.
    ["ip.frag", 0n],
    ["eth.mcast", 0n],
  ];
}

/** Before the load balancer, the packet of a translated connection is addressed to a Service whose address is not known. */
function balancedFields({ translated, protocol }: RowConnection, balancing: Balancing): Fields {
  if (translated !== true) return [["ct.dnat", 0n]];
  if (balancing === "elsewhere") return [];
  if (balancing === "before")
    return ["ip4.dst", "ip6.dst", `${protocol}.dst`].map((field) => [field, null] as const);
  return [
    ["ct.trk", 1n],
    ["ct.dnat", 1n],
  ];
}

function trafficFields({ protocol, port, sourcePort, icmp, to }: RowConnection): Fields {
  if (typeof protocol === "number") return [];
  if (protocol !== "icmp")
    return [
      [`${protocol}.src`, sourcePort === undefined ? unnamed : BigInt(sourcePort)],
      [`${protocol}.dst`, BigInt(port)],
    ];
  const isV4 = familyOf(to.ip) === "v4";
  const { type, code } = icmp ?? { type: isV4 ? 8 : 128, code: 0 };
  const symbol = isV4 ? "icmp4" : "icmp6";
  return [
    [`${symbol}.type`, BigInt(type)],
    [`${symbol}.code`, BigInt(code)],
  ];
}

function protocolNumber({ protocol, to }: RowConnection): number {
  if (typeof protocol === "number") return protocol;
  return protocol === "icmp" ? icmpNumbers[familyOf(to.ip)] : protocolNumbers[protocol];
}
