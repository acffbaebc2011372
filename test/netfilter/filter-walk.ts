// A packet's way through the rules of one node, as the kernel takes it: an independent reading of the printed text. It knows sets,
// chains and options, and neither policies nor groups.

import { contains } from "../../src/model/cidr.ts";
import type { Cidr } from "../../src/model/ip.ts";
import { familyOf, parseCidr } from "../../src/model/ip.ts";
import type { Packet } from "./packet.ts";
import { bytesOfPacket, runBpf, runU32 } from "./packet.ts";
import type { Option, Restored, RestoredRule } from "./restore-text.ts";

export type Hook = "FORWARD" | "INPUT";
export type Fate = "accepted" | "dropped" | "rejected";

const numbers: Readonly<Record<string, number>> = { icmp: 1, tcp: 6, udp: 17, "ipv6-icmp": 58, sctp: 132 };
const names: Readonly<Record<number, string>> = { 6: "tcp", 17: "udp", 132: "sctp" };

/** What an option needs before it. */
const modules: Readonly<Record<string, string>> = {
  ...{
    "--match-set": "set",
    "--ctstate": "conntrack",
    "--ctdir": "conntrack",
    "--icmp-type": "icmp",
    "--icmpv6-type": "icmp6",
  },
  ...{
    "--sports": "multiport",
    "--dports": "multiport",
    "--limit": "limit",
    "--limit-burst": "limit",
    "--bytecode": "bpf",
    "--u32": "u32",
  },
};

/** The chain's policy is to accept. Throws where a mark is left on a packet that is accepted. */
export function walk(restored: Restored, packet: Packet, hook: Hook): Fate {
  const state = { mark: 0, connection: 0 };
  const fate = new Walk(restored, packet, state).chain(hook);
  if (fate !== null) return fate;
  if (state.mark !== 0) throw new Error(`the mark ${state.mark} is left on an accepted packet`);
  return "accepted";
}

/** Of the packet, and of its connection. */
interface Marks {
  mark: number;
  connection: number;
}

class Walk {
  readonly #restored: Restored;
  readonly #packet: Packet;
  readonly #state: Marks;

  /** By option, whether the packet has these values. */
  readonly #matchers: Readonly<Record<string, (value: string, second: string) => boolean>> = {
    "-m": () => true,
    "--limit": () => true,
    "--limit-burst": () => true,
    "--comment": (text) => {
      if (text.length > 255) throw new Error("a comment that is cut");
      return true;
    },
    "-s": (text) => contains(this.#networkOf(text), this.#packet.source),
    "-d": (text) => contains(this.#networkOf(text), this.#packet.destination),
    "-p": (text) => this.#packet.protocol === (numbers[text] ?? Number(text)),
    "--match-set": (name, ends) => this.#isInSet(name, ends),
    // Of a new connection.
    "--ctdir": (direction) => direction === "ORIGINAL",
    "--ctstate": (states) => states.split(",").includes("DNAT") && this.#packet.isTranslated,
    "--icmp-type": (text) => this.#isIcmp(text),
    "--icmpv6-type": (text) => this.#isIcmp(text),
    "--sport": (range) => this.#hasPort(true, [range]),
    "--dport": (range) => this.#hasPort(false, [range]),
    "--sports": (list) => this.#hasPort(true, listed(list)),
    "--dports": (list) => this.#hasPort(false, listed(list)),
    "--bytecode": (text) => runBpf(text, bytesOfPacket(this.#packet)),
    "--u32": (text) => runU32(text, bytesOfPacket(this.#packet)),
  };

  constructor(restored: Restored, packet: Packet, state: Marks) {
    this.#restored = restored;
    this.#packet = packet;
    this.#state = state;
  }

  /** null: the packet returns from the chain. */
  chain(name: string): Fate | null {
    const rules = this.#restored.chains[this.#packet.family].get(name);
    if (rules === undefined) throw new Error(`no chain ${name}`);
    for (const rule of rules) {
      if (!this.#matches(rule)) continue;
      const { target, isGoto } = rule.verdict;
      if (target === "RETURN") return null;
      const fate = this.#target(rule);
      if (fate !== null) return fate;
      if (isGoto) return null;
    }
    return null;
  }

  #target({ verdict: { target, options } }: RestoredRule): Fate | null {
    switch (target) {
      case "DROP":
        return "dropped";
      case "REJECT":
        if (options[0]?.values[0] === "tcp-reset" && this.#packet.protocol !== 6)
          throw new Error("a reset of what is no TCP");
        return "rejected";
      case "NFLOG":
        return null;
      case "MARK":
      case "CONNMARK": {
        const [value = 0, mask = 0] = (options[0]?.values[0] ?? "").split("/").map(Number);
        const of = target === "MARK" ? "mark" : "connection";
        // `--set-xmark`: zeroes the mask's bits, then XORs.
        this.#state[of] = ((this.#state[of] & ~mask) ^ value) >>> 0;
        return null;
      }
      default:
        return this.chain(target);
    }
  }

  #matches({ matches }: RestoredRule): boolean {
    const loaded = new Set<string>();
    return matches.every((option) => {
      if (option.name === "-m") loaded.add(option.values[0] ?? "");
      return this.#matchesOption(option, loaded) !== option.isNegated;
    });
  }

  #matchesOption({ name, values: [value = "", second = ""] }: Option, loaded: ReadonlySet<string>): boolean {
    if (name === "--mark") return this.#isMarked(value, [...loaded].at(-1));
    const matches = this.#matchers[name];
    if (matches === undefined) throw new Error(`an option that no walk knows: ${name}`);
    const module = name === "--sport" || name === "--dport" ? names[this.#packet.protocol] : modules[name];
    if (module !== undefined && !loaded.has(module)) throw new Error(`${name} without -m ${module}`);
    return matches(value, second);
  }

  #isMarked(text: string, module = ""): boolean {
    if (module !== "mark" && module !== "connmark") throw new Error(`--mark behind -m ${module}`);
    const [wanted = 0, mask = 0] = text.split("/").map(Number);
    return (this.#state[module === "mark" ? "mark" : "connection"] & mask) >>> 0 === wanted;
  }

  #isIcmp(value: string): boolean {
    const [type, code] = value.split("/").map(Number);
    const { icmp, family } = this.#packet;
    if (icmp === null) return false;
    // The kernel's match takes this type of ICMP for any.
    if (family === "v4" && type === 255) return true;
    return icmp.type === type && (code ?? icmp.code) === icmp.code;
  }

  #hasPort(isSource: boolean, ranges: readonly string[]): boolean {
    const port = isSource ? this.#packet.ports?.source : this.#packet.ports?.destination;
    return ranges.some((range) => {
      const [start = NaN, end = start] = range.split(":").map(Number);
      if (start > end) throw new Error(`a range that ends before it starts: ${range}`);
      return port !== undefined && start <= port && port <= end;
    });
  }

  #isInSet(name: string, ends: string): boolean {
    const set = this.#restored.sets.get(name);
    const { family, source, destination, protocol, ports } = this.#packet;
    if (set?.family !== family) throw new Error(`no set ${name} of ${family}`);
    if (set.type === "hash:ip" && (ends === "src" || ends === "dst"))
      return set.elements.has(ends === "src" ? source : destination);
    if (set.type !== "hash:ip,port" || ends !== "dst,dst") throw new Error(`${ends} of a ${set.type}`);
    return set.elements.has(`${destination},${names[protocol] ?? ""}:${ports?.destination ?? ""}`);
  }

  #networkOf(text: string): Cidr {
    const cidr = parseCidr(text);
    if (cidr === null || cidr !== text) throw new Error(`no network in canonical form: ${text}`);
    if (familyOf(cidr) !== this.#packet.family)
      throw new Error(`${text} is of another family than its table`);
    return cidr;
  }
}

function listed(text: string): readonly string[] {
  if (text.split(/[,:]/).length > 15) throw new Error(`more than 15 ports: ${text}`);
  return text.split(",");
}
