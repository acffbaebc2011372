// IANA numbers (Assigned Internet Protocol Numbers) of the IP protocols that the program knows by name.

import type { Protocol } from "./facts.ts";
import type { IpFamily } from "./ip.ts";

export const protocolNumbers: Readonly<Record<Protocol, number>> = { tcp: 6, udp: 17, sctp: 132 };

/** Of the protocols that have ports. */
export const transportNumbers: readonly number[] = Object.values(protocolNumbers);

/** ICMP for IPv4 and for IPv6. */
export const icmpNumbers: Readonly<Record<IpFamily, number>> = { v4: 1, v6: 58 };

/** What a connection can be asked about in words; `icmp` is that of the addresses' family. */
export const askedProtocols = ["tcp", "udp", "sctp", "icmp"] as const satisfies readonly (
  Protocol | "icmp"
)[];
export type AskedProtocol = (typeof askedProtocols)[number];
