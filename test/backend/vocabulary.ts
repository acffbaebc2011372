// The few words that worlds and policies of the generators share, so that rules meet connections.

import type { Protocol } from "../../src/model/facts.ts";
import type { Cidr } from "../../src/model/ip.ts";
import { parseCidr } from "../../src/model/ip.ts";

export const protocols: readonly Protocol[] = ["tcp", "udp", "sctp"];
export const portNumbers = [79, 80, 81, 8080] as const;
export const portNames = ["http", "dns"] as const;
export const hostNames = ["a.example.org", "b.example.org", "example.org", "a.example.net"] as const;
export const labelKeys = ["app", "tier"] as const;
export const labelValues = ["a", "b"] as const;

export function cidr(text: string): Cidr {
  const parsed = parseCidr(text);
  if (parsed === null) throw new Error(`not a network: ${text}`);
  return parsed;
}

/** They cover all pods, some, one, nodes, addresses outside, and everything of a family. */
export const networks = [
  ...["0.0.0.0/0", "10.0.0.0/8", "10.0.0.0/24", "10.0.1.0/24", "10.0.0.1/32", "172.18.0.0/16"],
  ...["198.51.100.0/24", "::/0", "fd00::/16", "fd00::1/128", "fd00:0:0:1::/64", "2001:db8::/32"],
].map(cidr);
