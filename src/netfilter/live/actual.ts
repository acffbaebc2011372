// What a node has of ours, read from what `iptables-save`, `ip6tables-save` and `ipset save` print. Chains and sets of others are not
// looked at, but for the places of our jumps in FORWARD and INPUT.

import { Multimap } from "../../lib/multimap.ts";
import type { IpFamily } from "../../model/ip.ts";
import { chainPrefix, setPrefix } from "../names.ts";
import type { ChainText } from "../print-hooks.ts";
import type { SetHead } from "../print-ipset.ts";

export const hooks = ["FORWARD", "INPUT"] as const;
export type Hook = (typeof hooks)[number];

/** By address; an element of a set of ports is `ADDRESS,PROTOCOL:PORT`. */
export type ActualSet = Multimap<string, string>;

/** By chain, the rules as ChainText has them. */
export type ActualChains = ReadonlyMap<string, readonly string[]>;

/** Of one family. */
export interface ActualFilter {
  readonly chains: ActualChains;
  /** The places, from 0, of our jumps among the hook's rules. */
  readonly jumps: Readonly<Record<Hook, readonly number[]>>;
  readonly sets: ReadonlyMap<string, ActualSet>;
  /** The chains that were written last; null: they were read. */
  readonly madeOf: readonly ChainText[] | null;
}

/** Numbers of protocols by the names that the tools print for them. */
export type ProtocolNumbers = ReadonlyMap<string, number>;

/** Of /etc/protocols. */
export function readProtocols(text: string): ProtocolNumbers {
  const lines = text.split("\n").map((line) => line.split(/\s+/));
  return new Map(
    lines.flatMap(([name = "", number = ""]) =>
      /^\d+$/.test(number) ? [[name, Number(number)] as const] : [],
    ),
  );
}

/** Of what the tool prints of the filter table. */
export function readChains(save: string, protocols: ProtocolNumbers): Pick<ActualFilter, "chains" | "jumps"> {
  const chains = new Map<string, string[]>();
  const rulesOf: Record<Hook, string[]> = { FORWARD: [], INPUT: [] };
  for (const line of save.split("\n")) {
    const [, declared] = /^:(\S+) /.exec(line) ?? [];
    if (declared?.startsWith(chainPrefix) === true) chains.set(declared, []);
    const [, chain = "", rule = ""] = /^-A (\S+) (.*)$/.exec(line) ?? [];
    if (chain === "FORWARD" || chain === "INPUT") rulesOf[chain].push(rule);
    else chains.get(chain)?.push(numbered(rule, protocols));
  }
  const jumpsOf = (hook: Hook) =>
    rulesOf[hook].flatMap((rule, at) => (rule === `-j ${chainPrefix}${hook}` ? [at] : []));
  return { chains, jumps: { FORWARD: jumpsOf("FORWARD"), INPUT: jumpsOf("INPUT") } };
}

/** The tools know these by themselves, and rules are written with them. */
const named: ReadonlySet<string> = new Set(["icmp", "tcp", "udp", "ipv6-icmp", "sctp"]);

function numbered(rule: string, protocols: ProtocolNumbers): string {
  return rule.replace(/(^| )-p (\S+)/, (whole, before: string, name: string) => {
    const number = named.has(name) ? undefined : protocols.get(name);
    return number === undefined ? whole : `${before}-p ${number}`;
  });
}

/** A set of another type is somebody else's, whatever its name. */
const types: ReadonlySet<string> = new Set<SetHead["type"]>(["hash:ip", "hash:ip,port"]);

export function readSets(save: string, family: IpFamily): ActualFilter["sets"] {
  const sets = new Map<string, ActualSet>();
  for (const line of save.split("\n")) {
    const [verb, name = "", word = ""] = line.split(" ");
    if (!name.startsWith(setPrefix(family))) continue;
    if (verb === "create" && types.has(word)) sets.set(name, new Multimap());
    else if (verb === "add") sets.get(name)?.add(addressOf(word), word);
  }
  return sets;
}

/** Of an element. */
export function addressOf(element: string): string {
  const [address = ""] = element.split(",");
  return address;
}

export function isSameFilter(one: ActualFilter, other: ActualFilter): boolean {
  return (
    JSON.stringify([one.jumps, [...one.chains]]) === JSON.stringify([other.jumps, [...other.chains]]) &&
    one.sets.size === other.sets.size &&
    [...one.sets].every(([name, set]) => isSameSet(set, other.sets.get(name)))
  );
}

function isSameSet(one: ActualSet, other: ActualSet | undefined): boolean {
  if (one.size !== other?.size) return false;
  return [...one.keys()].every((address) => {
    const [mine, theirs] = [one.get(address), other.get(address)];
    return mine.size === theirs.size && mine.isSubsetOf(theirs);
  });
}
