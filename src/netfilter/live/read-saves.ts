// What a node has of ours, read from what `iptables-save`, `ip6tables-save` and `ipset save` print. Chains and sets of others are not
// looked at, but for the places of our jumps in FORWARD and INPUT.

import { isSameList } from "../../lib/same-list.ts";
import { Multimap } from "../../lib/multimap.ts";
import type { IpFamily } from "../../model/ip.ts";
import { chainPrefix, setPrefix } from "../names.ts";
import type { SetType } from "../print-ipset.ts";
import type { ActualFilter, ActualSet } from "./actual.ts";
import { addressOf, isSameFilter } from "./actual.ts";

export const hooks = ["FORWARD", "INPUT"] as const;
export type Hook = (typeof hooks)[number];

/** The filter table of one family, and the sets of its addresses. */
export interface ActualTable extends ActualFilter {
  /** The places, from 0, of our jumps among the hook's rules. */
  readonly jumps: Readonly<Record<Hook, readonly number[]>>;
}

export function isSameTable(one: ActualTable, other: ActualTable): boolean {
  return hooks.every((hook) => isSameList(one.jumps[hook], other.jumps[hook])) && isSameFilter(one, other);
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
export function readChains(save: string, protocols: ProtocolNumbers): Pick<ActualTable, "chains" | "jumps"> {
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
const types: ReadonlySet<string> = new Set<SetType>(["hash:ip", "hash:ip,port"]);

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
