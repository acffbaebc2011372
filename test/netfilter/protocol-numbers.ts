// Rules as iptables-save prints them, with numbers in place of the names that /etc/protocols has for protocols.

import { readNodeProtocols } from "../../src/netfilter/run/protocols.ts";

const protocols = readNodeProtocols();
/** The tools' own names of these need no /etc/protocols, and are written as they are. */
const always = new Set(["icmp", "tcp", "udp", "ipv6-icmp", "sctp"]);

export function withNumber(line: string): string {
  return line.replace(/-p (\S+)/, (whole, name: string) => {
    const number = always.has(name) ? undefined : protocols.get(name);
    return number === undefined ? whole : `-p ${number}`;
  });
}
