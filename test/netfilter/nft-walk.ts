// A packet's way through the table of one node, as nftables takes it: an independent reading of the printed script.

import { contains } from "../../src/model/cidr.ts";
import type { IpAddress } from "../../src/model/ip.ts";
import { familyOf, parseCidr } from "../../src/model/ip.ts";
import type { Fate, Hook } from "./filter-walk.ts";
import type { NftText } from "./nft-text.ts";
import type { Packet } from "./packet.ts";

/** What a rule says of a packet that it matches: a word, and a chain. */
type Ended = Fate | null;

/** Every chain of the hook, by priority: a packet that one accepts is asked of by the next. */
export function walkNft(text: NftText, packet: Packet, hook: Hook): Fate {
  const bases = [...text.chains]
    .filter(([, chain]) => chain.hook?.name === hook.toLowerCase())
    .toSorted(([, a], [, b]) => (a.hook?.priority ?? 0) - (b.hook?.priority ?? 0));
  const fates = bases.map(([name]) => new NftWalk(text, packet).chain(name) ?? "accepted");
  return fates.find((fate) => fate !== "accepted") ?? "accepted";
}

const protocols: Readonly<Record<string, number>> = { tcp: 6, udp: 17, sctp: 132 };
const icmps: Readonly<Record<string, number>> = { icmp: 1, icmpv6: 58 };
const versions: Readonly<Record<string, string>> = { ip: "v4", ip6: "v6" };

class NftWalk {
  readonly #text: NftText;
  readonly #packet: Packet;

  /** From the beginning of a rule: what follows a match, and whether the packet has its values. */
  readonly #matchers: readonly (readonly [RegExp, (one: string, two: string, three: string) => boolean])[] = [
    // The first packet of a connection is neither, and its connection has no mark.
    [/^ct state (?:0x2|0x4|0x2,0x4) /, () => false],
    [/^ct mark 0x[\da-f]{2}000000\/8 /, () => false],
    [/^ct status 0x20 /, () => this.#packet.isTranslated],
    [/^limit rate 20\/second burst 100 packets /, () => true],
    [/^meta l4proto (\d+) /, (number) => this.#packet.protocol === Number(number)],
    [/^(ip) protocol (0) /, (ip, number) => this.#is(ip) && this.#packet.protocol === Number(number)],
    [/^(ip6) nexthdr (0) /, (ip, number) => this.#is(ip) && this.#packet.protocol === Number(number)],
    [/^(ip6?) saddr \. \1 daddr @([\w-]+) /, (ip, name) => this.#isPairIn(ip, name)],
    [/^(ip6?) daddr \. meta l4proto \. th dport @([\w-]+) /, (ip, name) => this.#isPortIn(ip, name)],
    [/^(ip6?) ([sd]addr) @([\w-]+) /, (ip, end, name) => this.#isAddressIn(ip, end, name)],
    [/^(ip6?) ([sd]addr) ([\da-f.:/]+) /, (ip, end, network) => this.#isOf(ip, end, network)],
    [
      /^(icmp|icmpv6) (type|code) (\{ [\d, -]+ \}|[\d-]+) /,
      (icmp, field, list) => this.#isIcmp(icmp, field === "type" ? "type" : "code", list),
    ],
    [
      /^(tcp|udp|sctp) ([sd])port (\{ [\d, -]+ \}|[\d-]+) /,
      (name, end, list) => this.#hasPort(name, end === "s" ? "source" : "destination", list),
    ],
  ];

  constructor(text: NftText, packet: Packet) {
    this.#text = text;
    this.#packet = packet;
  }

  /** null: the packet returns from the chain. */
  chain(name: string, depth = 1): Ended {
    if (depth > 16) throw new Error("more jumps than the kernel makes");
    for (const rule of this.#rules(name)) {
      const verdict = this.#verdictOf(rule);
      if (verdict === null) continue;
      const [word = "", chain = ""] = verdict.split(" ");
      if (word === "accept" || word === "drop") return word === "accept" ? "accepted" : "dropped";
      if (word === "return") return null;
      if (word === "reject") return this.#rejected(verdict);
      const fate = this.chain(chain, depth + 1);
      if (fate !== null || word === "goto") return fate;
    }
    return null;
  }

  #rules(name: string): readonly string[] {
    return this.#text.chains.get(name)?.rules ?? [];
  }

  #rejected(verdict: string): Fate {
    if (verdict === "reject with tcp reset" && this.#packet.protocol !== 6)
      throw new Error("a reset of what is no TCP");
    return "rejected";
  }

  /** null: the rule does not match, or says nothing. */
  #verdictOf(rule: string): string | null {
    const comment = / comment "([^"]*)"$/.exec(rule);
    if ((comment?.[1]?.length ?? 0) > 128) throw new Error("a comment that nft refuses");
    const rest = this.#behindMatches(rule.slice(0, comment?.index));
    if (rest === null) return null;
    const map = /^(ip6?) ([sd]addr) vmap @([\w-]+)$/.exec(rest);
    if (map !== null) return this.#mapped(map[1], map[2], map[3]);
    if (/^log prefix "[^"]{1,63}" group \d+$/.test(rest)) return null;
    if (/^ct mark set ct mark & 0x([\da-f]{2})ffffff \| 0x(?:\1)000000$/.test(rest)) return null;
    const isVerdict = /^(accept|drop|return|reject|reject with tcp reset|(jump|goto) [\w-]+)$/.test(rest);
    if (!isVerdict) throw new Error(`words that no walk knows: ${rest}`);
    return rest;
  }

  /** What follows the matches; null: the packet has not the values of one. */
  #behindMatches(text: string): string | null {
    const found = this.#matchers.find(([pattern]) => pattern.test(text));
    if (found === undefined) return text;
    const [pattern, matches] = found;
    const [whole, one = "", two = "", three = ""] = pattern.exec(text) ?? [""];
    return matches(one, two, three) ? this.#behindMatches(text.slice(whole.length)) : null;
  }

  #mapped(ip?: string, end?: string, name = ""): string | null {
    const map = this.#text.maps.get(name);
    if (map?.type !== addressType(ip)) throw new Error(`no map ${name} of ${ip ?? ""}`);
    return this.#is(ip) ? (map.verdicts.get(this.#at(end)) ?? null) : null;
  }

  #is(ip?: string): boolean {
    return versions[ip ?? ""] === this.#packet.family;
  }

  #at(end?: string): IpAddress {
    return end === "saddr" ? this.#packet.source : this.#packet.destination;
  }

  #elements(name: string | undefined, type: string): ReadonlySet<string> {
    const set = this.#text.sets.get(name ?? "");
    if (set?.type !== type) throw new Error(`${name ?? ""} is no set of ${type}`);
    return set.elements;
  }

  #isAddressIn(ip?: string, end?: string, name?: string): boolean {
    return this.#elements(name, addressType(ip)).has(this.#at(end)) && this.#is(ip);
  }

  #isPairIn(ip?: string, name?: string): boolean {
    const elements = this.#elements(name, `${addressType(ip)} . ${addressType(ip)}`);
    return this.#is(ip) && elements.has(`${this.#packet.source} . ${this.#packet.destination}`);
  }

  #isPortIn(ip?: string, name?: string): boolean {
    const elements = this.#elements(name, `${addressType(ip)} . inet_proto . inet_service`);
    const { destination, protocol, ports } = this.#packet;
    return (
      this.#is(ip) && ports !== null && elements.has(`${destination} . ${protocol} . ${ports.destination}`)
    );
  }

  #isOf(ip: string | undefined, end: string | undefined, text: string): boolean {
    const cidr = parseCidr(text.includes("/") ? text : `${text}/${ip === "ip" ? 32 : 128}`);
    if (cidr === null || versions[ip ?? ""] !== familyOf(cidr)) throw new Error(`no network of ${text}`);
    return this.#is(ip) && contains(cidr, this.#at(end));
  }

  #isIcmp(name: string, field: "type" | "code", list: string): boolean {
    const { icmp, protocol } = this.#packet;
    return icmp !== null && protocol === icmps[name] && isInList(icmp[field], list);
  }

  #hasPort(name: string, end: "source" | "destination", list: string): boolean {
    const { ports, protocol } = this.#packet;
    return ports !== null && protocol === protocols[name] && isInList(ports[end], list);
  }
}

function addressType(ip?: string): string {
  return ip === "ip" ? "ipv4_addr" : "ipv6_addr";
}

function isInList(value: number, list: string): boolean {
  const ranges = list.replaceAll(/[{} ]/g, "").split(",");
  return ranges.some((range) => {
    const [start = NaN, end = start] = range.split("-").map(Number);
    if (start > end) throw new Error(`a range that ends before it starts: ${range}`);
    return start <= value && value <= end;
  });
}
