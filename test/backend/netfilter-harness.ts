// The backend of a node's packet filter under the contract, on the strict double of iptables and ipset and on the real ones. What is in
// force is read from what the tools print, and judged by a walk through those rules.

import type { IpFamily } from "../../src/model/ip.ts";
import type { FilterTools, Saves } from "../../src/netfilter/live/filter-tools.ts";
import { iptablesLanguage } from "../../src/netfilter/live/iptables-language.ts";
import { NodeFilter } from "../../src/netfilter/live/node-filter.ts";
import { lower } from "../../src/netfilter/lower.ts";
import { filterFormOf } from "../../src/netfilter/options.ts";
import { readNodeProtocols } from "../../src/netfilter/run/protocols.ts";
import { ipsetForm } from "../../src/netfilter/set-contents.ts";
import type { Policy } from "../../src/policy/ir.ts";
import { walk } from "../netfilter/filter-walk.ts";
import { packetOf } from "../netfilter/packet.ts";
import { withNumber } from "../netfilter/protocol-numbers.ts";
import { readRestoreText } from "../netfilter/restore-text.ts";
import { FakeFilter } from "./fake-filter.ts";
import type { TestNode } from "./filter-harness.ts";
import { filterHarness, Gate } from "./filter-harness.ts";
import type { Harness, Snapshot } from "./harness.ts";

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

export function netfilterHarness({ tools, intervalMs, clear, dispose }: TestNode<FilterTools>): Harness {
  const gate = new Gate();
  return filterHarness({
    ...{ gate, intervalMs, clear, dispose, language: iptablesLanguage(filterFormOf({})) },
    filter: () => new NodeFilter(new GatedTools(tools, gate), readNodeProtocols()),
    snapshot: async () => snapshotOf(await tools.read()),
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
  });
}

class GatedTools implements FilterTools {
  readonly #tools: FilterTools;
  readonly #gate: Gate;

  constructor(tools: FilterTools, gate: Gate) {
    this.#tools = tools;
    this.#gate = gate;
  }

  read(): Promise<Saves> {
    return this.#gate.read(() => this.#tools.read());
  }

  setSizes(): Promise<ReadonlyMap<string, number>> {
    return this.#gate.read(() => this.#tools.setSizes());
  }

  changeSets(script: string): Promise<void> {
    return this.#gate.write(script, false, () => this.#tools.changeSets(script));
  }

  /** The text for IPv6 is the last one of a commit that removes nothing. */
  changeRules(family: IpFamily, text: string): Promise<void> {
    return this.#gate.write(text, family === "v6", () => this.#tools.changeRules(family, text));
  }
}

/** Of IPv4. */
function setsNeeded(policy: Policy): readonly string[] {
  return ipsetForm.of(lower([policy])).map((set) => ipsetForm.head(set, "v4").name);
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
