// Which rule of nat POSTROUTING changes the source of packets from one pod to another: the other pod's node would see another address.
// A rule is named only where the text is certain. A packet is taken that no rule has marked; a condition that is not understood may be
// true or false; behind a rule that may have ended the packet's way, nothing is certain.

import { contains } from "../../../model/cidr.ts";
import type { IpAddress } from "../../../model/ip.ts";
import { parseCidr } from "../../../model/ip.ts";
import type { PodPacket } from "../../live/pod-packets.ts";

/** null: not known. */
type Truth = boolean | null;

/** After a rule or a chain: the packet goes to the next one, its way ends or is not known any more, or the rule that was found. */
type Way = "next" | "end" | { readonly rule: string };

interface Rule {
  readonly text: string;
  readonly isTrue: Truth;
  readonly target: string;
  readonly isGoto: boolean;
}

type Chains = ReadonlyMap<string, readonly string[]>;

const changing = new Set(["MASQUERADE", "SNAT"]);
/** The packet goes on to the next rule. */
const passing = new Set(["", "LOG", "NFLOG", "TRACE"]);
/** Chains may call chains; a loop is none that the kernel takes. */
const deepest = 32;

/** The first such rule of what iptables-save printed; null: none is certain. */
export function masqueradingRule(save: string, packet: PodPacket): string | null {
  const way = wayThrough("POSTROUTING", natChains(save), packet, 0);
  return typeof way === "string" ? null : way.rule;
}

function natChains(save: string): Chains {
  const table = /^\*nat$([^]*?)^COMMIT$/m.exec(save)?.[1] ?? "";
  const names = Array.from(table.matchAll(/^:(\S+)/gm), ([, name = ""]) => name);
  const rules = Map.groupBy(table.match(/^-A .*$/gm) ?? [], (line) => line.split(" ", 2)[1] ?? "");
  return new Map(names.map((name) => [name, rules.get(name) ?? []]));
}

function wayThrough(chain: string, chains: Chains, packet: PodPacket, depth: number): Way {
  if (depth > deepest) return "end";
  for (const line of chains.get(chain) ?? []) {
    const { text, isTrue, target, isGoto } = ruleOf(line, packet);
    if (isTrue === false || passing.has(target)) continue;
    if (changing.has(target)) {
      if (isTrue === true) return { rule: text };
      continue;
    }
    if (isTrue === null) return "end";
    if (target === "RETURN") return "next";
    if (!chains.has(target)) return "end";
    const way = wayThrough(target, chains, packet, depth + 1);
    if (way !== "next" || isGoto) return way;
  }
  return "next";
}

/** A word, or what stands between quotes. */
const words = /"(?:[^"\\]|\\.)*"|\S+/g;

function ruleOf(text: string, packet: PodPacket): Rule {
  const tokens = text.match(words) ?? [];
  const at = tokens.findIndex((token) => token === "-j" || token === "-g");
  const matches = tokens.slice(2, at === -1 ? undefined : at);
  const target = at === -1 ? "" : (tokens[at + 1] ?? "");
  return { text, isTrue: truthOf(matches, packet), target, isGoto: tokens[at] === "-g" };
}

function truthOf(matches: readonly string[], packet: PodPacket): Truth {
  const truths: Truth[] = [];
  const network = valueAfter(matches, "-s");
  for (let at = 0; at < matches.length; at++) {
    const isNot = matches[at] === "!";
    if (isNot) at++;
    const [option = "", value = ""] = matches.slice(at, at + 2);
    at++;
    const truth = conditionOf(option, value, { ...packet, isNot, network });
    truths.push(truth === null ? null : truth !== isNot);
  }
  if (truths.includes(false)) return false;
  return truths.includes(null) ? null : true;
}

function valueAfter(matches: readonly string[], option: string): string | null {
  const at = matches.indexOf(option);
  return at === -1 || matches[at - 1] === "!" ? null : (matches[at + 1] ?? null);
}

interface Asked extends PodPacket {
  readonly isNot: boolean;
  /** That the rule demands of the source. */
  readonly network: string | null;
}

/** Without its negation. */
function conditionOf(option: string, value: string, asked: Asked): Truth {
  switch (option) {
    case "-s":
      return isIn(value, asked.source);
    case "-d":
      return isIn(value, asked.destination);
    case "-m":
    case "--comment":
      return true;
    case "--mark": {
      const wanted = value.split("/", 1)[0] ?? "";
      return /^0x[0-9a-f]+$/.test(wanted) ? BigInt(wanted) === 0n : null;
    }
    case "--src-type":
    case "--dst-type":
      return value === "LOCAL" ? false : null;
    case "-o":
      return leavesBy(asked);
    default:
      return null;
  }
}

/** As docker writes it, from its bridge's network and not out of the bridge: what has no address there goes another way. */
function leavesBy({ isNot, network, destination }: Asked): Truth {
  return isNot && network !== null && isIn(network, destination) === false ? false : null;
}

function isIn(network: string, ip: IpAddress): Truth {
  const cidr = parseCidr(network);
  return cidr === null ? null : contains(cidr, ip);
}
