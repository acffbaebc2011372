// The backend of a node's packet filter under the contract, on the strict double of its tools and on the real ones. What is in force is
// read from what the tools print, and judged by a walk through those rules.

import { systemClock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import { NetfilterBackend } from "../../src/netfilter/live/backend.ts";
import type { FilterTools, Saves } from "../../src/netfilter/live/filter-tools.ts";
import { FilterLostError } from "../../src/netfilter/live/filter-tools.ts";
import { FilterWatch } from "../../src/netfilter/live/filter-watch.ts";
import { lower } from "../../src/netfilter/lower.ts";
import { NodeFilter } from "../../src/netfilter/live/node-filter.ts";
import { filterFormOf } from "../../src/netfilter/options.ts";
import { headOf, nodeSetsOf } from "../../src/netfilter/set-contents.ts";
import { readNodeProtocols } from "../../src/netfilter/run/protocols.ts";
import type { Policy } from "../../src/policy/ir.ts";
import { walk } from "../netfilter/filter-walk.ts";
import { packetOf } from "../netfilter/packet.ts";
import { withNumber } from "../netfilter/protocol-numbers.ts";
import { readRestoreText } from "../netfilter/restore-text.ts";
import { FakeFilter } from "./fake-filter.ts";
import type { Harness, Snapshot } from "./harness.ts";
import { contractOwners } from "./policies.ts";

/** Tools, and the way to an empty node. */
export interface TestFilter {
  readonly tools: FilterTools;
  /** Milliseconds between two readings. */
  readonly intervalMs: number;
  clear(): Promise<void>;
  dispose(): Promise<void>;
}

const refuses = new Set([
  "a rule about a load balancer's connections that follows none",
  "allows that follow no connections, before a deny",
]);

export function fakeFilterHarness(): Harness {
  const tools = new FakeFilter();
  return netfilterHarness({
    ...{ tools, intervalMs: 5 },
    clear: async () => {
      tools.clear();
    },
    dispose: async () => undefined,
  });
}

export function netfilterHarness({ tools, intervalMs, ...node }: TestFilter): Harness {
  const lossy = new LossyTools(tools);
  let watch: FilterWatch | null = null;
  const end = async () => {
    await watch?.stop();
    watch = null;
    lossy.restore();
    lossy.written = 0;
  };
  return {
    connect: end,
    backend: ({ membership, mayExist }) => {
      const fatal = (error: unknown) => {
        throw error;
      };
      const backend = new NetfilterBackend({
        ...{ filter: new NodeFilter(lossy, readNodeProtocols()), membership, mayExist, zone: null },
        ...{
          form: filterFormOf({}),
          clock: systemClock,
          kinds: [...contractOwners.values()],
          logger: silentLogger,
        },
      });
      watch = new FilterWatch({
        sight: backend.sight,
        clock: systemClock,
        intervalMs,
        glanceMs: intervalMs / 3,
        retryMs: intervalMs,
        fatal,
      });
      return backend;
    },
    refuses,
    snapshot: async () => snapshotOf(await tools.read()),
    written: () => lossy.written,
    plantForeign: async () => {
      await tools.changeSets("create others hash:ip family inet maxelem 1048576\nadd others 192.0.2.1\n");
      for (const family of ["v4", "v6"] as const)
        await tools.changeRules(
          family,
          "*filter\n:OTHERS - [0:0]\n-A OTHERS -p 47 -j ACCEPT\n-A FORWARD -j OTHERS\nCOMMIT\n",
        );
    },
    block: async (policy) => {
      const { sets } = await tools.read();
      const name = setsNeeded(policy).findLast((one) => !sets.includes(`create ${one} `));
      if (name === undefined) throw new Error("the policy needs no set that is not there");
      await tools.changeSets(`create ${name} hash:net family inet maxelem 1048576\n`);
      const rule = `-A BLOCK -m set --match-set ${name} src -j RETURN`;
      await tools.changeRules("v4", `*filter\n:BLOCK - [0:0]\n${rule}\nCOMMIT\n`);
    },
    unblock: async (policy) => {
      const { sets } = await tools.read();
      await tools.changeRules("v4", "*filter\n:BLOCK - [0:0]\n-X BLOCK\nCOMMIT\n");
      const blocked = setsNeeded(policy).filter((one) => sets.includes(`create ${one} hash:net `));
      await tools.changeSets(blocked.map((name) => `destroy ${name}\n`).join(""));
    },
    cut: () => {
      lossy.cut();
    },
    restore: () => {
      lossy.restore();
    },
    loseNextAnswer: () => {
      lossy.losesNext = true;
    },
    clear: async () => {
      await end();
      await node.clear();
    },
    dispose: async () => {
      await end();
      await node.dispose();
    },
  };
}

/** The tools, as a program meets them that cannot always run them. Counts the lines that were in force. */
class LossyTools implements FilterTools {
  readonly #tools: FilterTools;
  #isCut = false;
  losesNext = false;
  written = 0;

  constructor(tools: FilterTools) {
    this.#tools = tools;
  }

  cut(): void {
    this.#isCut = true;
  }

  restore(): void {
    this.#isCut = false;
    this.losesNext = false;
  }

  read(): Promise<Saves> {
    return this.#with(0, () => this.#tools.read());
  }

  setSizes(): Promise<ReadonlyMap<string, number>> {
    return this.#with(0, () => this.#tools.setSizes());
  }

  changeSets(script: string): Promise<void> {
    return this.#with(linesIn(script), () => this.#tools.changeSets(script));
  }

  /** The text for IPv6 is the last one of a commit that removes nothing. */
  async changeRules(family: "v4" | "v6", text: string): Promise<void> {
    await this.#with(linesIn(text), () => this.#tools.changeRules(family, text));
    if (family === "v4" || !this.losesNext) return;
    this.losesNext = false;
    this.#isCut = true;
    throw new FilterLostError("the tool ended without an answer");
  }

  async #with<T>(lines: number, ask: () => Promise<T>): Promise<T> {
    if (this.#isCut) throw new FilterLostError("the tool cannot be run");
    const answer = await ask();
    this.written += lines;
    return answer;
  }
}

function linesIn(text: string): number {
  return text.split("\n").length - 1;
}

/** Of IPv4. */
function setsNeeded(policy: Policy): readonly string[] {
  return nodeSetsOf(lower([policy])).map((set) => headOf(set, "v4").name);
}

function snapshotOf({ rules, sets }: Saves): Snapshot {
  const setLines = sets
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.replaceAll(/ (hashsize|bucketsize|initval) \S+/g, ""));
  const theirs = new Set(setLines.flatMap((line) => /^create (\S+) hash:net /.exec(line)?.[1] ?? []));
  const isOurSet = (line: string) => {
    const [, name = ""] = line.split(" ");
    return /^ng[46]-/.test(name) && !theirs.has(name);
  };
  const tables = [rules.v4, rules.v6].map(linesOfTable);
  const ourSets = setLines.filter(isOurSet).toSorted();
  const ours = tables.map((lines) => lines.filter(isOurs));
  const text = ["# ipset", ...ourSets.toSorted(byVerb)];
  for (const [at, lines] of ours.entries())
    text.push(at === 0 ? "# iptables" : "# ip6tables", "*filter", ...lines, "COMMIT");
  const state = JSON.stringify([ourSets, ours.map((lines) => lines.toSorted(byChain))]);
  const restored = readRestoreText(`${text.join("\n")}\n`);
  return {
    state,
    fresh: state,
    foreign: JSON.stringify([
      setLines.filter((line) => !isOurSet(line)),
      tables.map((lines) => lines.filter((line) => !isOurs(line))),
    ]),
    judge: (connection) =>
      walk(restored, packetOf(connection), "FORWARD") === "accepted" ? "allow" : "deny",
  };
}

function byVerb(a: string, b: string): number {
  return Number(a.startsWith("add ")) - Number(b.startsWith("add "));
}

/** Chains in any order, the rules of each in theirs. */
function byChain(a: string, b: string): number {
  const [one = "", other = ""] = [a, b].map((line) => line.replace(/^:(\S+).*|^-A (\S+).*$/, "$1$2"));
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Without counters; protocols as numbers. */
function linesOfTable(save: string): readonly string[] {
  const lines = save.split("\n").filter((line) => /^(:|-A )/.test(line));
  return lines.map((line) => withNumber(line.replace(/^(:\S+ \S+) .*/, "$1 [0:0]")));
}

function isOurs(line: string): boolean {
  return /^:NG-|^-A NG-|^-A (FORWARD|INPUT) -j NG-/.test(line);
}
