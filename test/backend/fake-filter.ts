// A node's packet filter as its tools show it, in memory: what the real tools refuse it refuses, rules of one text go in together or
// not at all, and a script for sets that fails leaves some of its lines behind.

import { isIP } from "node:net";
import type { IpFamily } from "../../src/model/ip.ts";
import type { FilterTools, Saves } from "../../src/netfilter/live/filter-tools.ts";
import { FilterRefusedError } from "../../src/netfilter/live/filter-tools.ts";

interface FakeSet {
  readonly type: string;
  readonly family: IpFamily;
  readonly elements: Set<string>;
}

type Chains = Map<string, string[]>;

const builtIn: ReadonlySet<string> = new Set(["INPUT", "FORWARD", "OUTPUT"]);
const targets: ReadonlySet<string> = new Set(["RETURN", "ACCEPT", "DROP", "REJECT", "MARK", "NFLOG"]);

export class FakeFilter implements FilterTools {
  readonly #chains: Record<IpFamily, Chains> = { v4: emptyTable(), v6: emptyTable() };
  readonly #sets = new Map<string, FakeSet>();

  async read(): Promise<Saves> {
    await new Promise((resolve) => setImmediate(resolve));
    const sets = [...this.#sets].flatMap(([name, { type, family, elements }]) => [
      `create ${name} ${type} family ${inetOf(family)} hashsize 1024 maxelem 1048576 bucketsize 12 initval 0x1`,
      ...Array.from(elements, (element) => `add ${name} ${element}`),
    ]);
    return {
      rules: { v4: saved(this.#chains.v4), v6: saved(this.#chains.v6) },
      sets: sets.map((line) => `${line}\n`).join(""),
    };
  }

  async setSizes(): Promise<ReadonlyMap<string, number>> {
    return new Map(Array.from(this.#sets, ([name, { elements }]) => [name, elements.size]));
  }

  async changeSets(script: string): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    const lines = script.split("\n");
    if (lines.pop() !== "") throw new Error("a script ends with a line");
    for (const [at, line] of lines.entries()) {
      const refusal = this.#changeSet(line);
      if (refusal === null) continue;
      for (const before of lines.slice(Math.max(0, at - 2), at)) this.#undo(before);
      throw new FilterRefusedError(`ipset: Error in line ${at + 1}: ${refusal}`);
    }
  }

  async changeRules(family: IpFamily, text: string): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    const chains = structuredClone(this.#chains[family]);
    const lines = text.split("\n");
    if (lines.shift() !== "*filter" || lines.pop() !== "" || lines.pop() !== "COMMIT")
      throw new Error("no whole table");
    for (const [at, line] of lines.entries()) {
      const refusal = this.#changeRule(chains, family, line);
      if (refusal !== null) throw new FilterRefusedError(`iptables-restore: line ${at + 2}: ${refusal}`);
    }
    const dangling = [...chains.values()]
      .flat()
      .map(targetOf)
      .find((target) => !targets.has(target) && !chains.has(target));
    if (dangling !== undefined) throw new FilterRefusedError(`iptables-restore: no chain ${dangling}`);
    this.#chains[family] = chains;
  }

  /** Empties everything. */
  clear(): void {
    this.#chains.v4 = emptyTable();
    this.#chains.v6 = emptyTable();
    this.#sets.clear();
  }

  /** As with `-exist`. Returns the refusal. */
  #changeSet(line: string): string | null {
    const [verb, name = "", word = ""] = line.split(" ");
    if (verb === "create") return this.#create(line, name, word);
    const known = this.#sets.get(name);
    if (known === undefined) return `The set with the given name does not exist: ${line}`;
    if (verb === "destroy") {
      if (this.#isUsed(name)) return "Set cannot be destroyed: it is in use by a kernel component";
      this.#sets.delete(name);
      return null;
    }
    if (!/^(add|del) \S+ \S+$/.test(line) || !isElement(word, known)) return `syntax: ${line}`;
    if (verb === "add") known.elements.add(word);
    else known.elements.delete(word);
    return null;
  }

  #create(line: string, name: string, type: string): string | null {
    const known = this.#sets.get(name);
    const form = /^create \S{1,31} (?:hash:ip(?:,port)?|hash:net) family (inet6?) maxelem 1048576$/;
    const [, inet] = form.exec(line) ?? [];
    if (inet === undefined) return `syntax: ${line}`;
    const family = inet === "inet" ? "v4" : "v6";
    if (known === undefined) this.#sets.set(name, { type, family, elements: new Set() });
    else if (known.type !== type || known.family !== family) return "set with the same name already exists";
    return null;
  }

  #undo(line: string): void {
    const [verb, name = "", word = ""] = line.split(" ");
    if (verb === "add") this.#sets.get(name)?.elements.delete(word);
  }

  #isUsed(name: string): boolean {
    const rules = [...this.#chains.v4.values(), ...this.#chains.v6.values()].flat();
    return rules.some((rule) => setsIn(rule).includes(name));
  }

  /** Returns the refusal. */
  #changeRule(chains: Chains, family: IpFamily, line: string): string | null {
    const [, declared] = /^:(\S{1,28}) - \[0:0\]$/.exec(line) ?? [];
    if (declared !== undefined) {
      if (builtIn.has(declared)) return `the policy of ${declared} would be changed`;
      chains.set(declared, []);
      return null;
    }
    const [, verb, chain = "", rest = ""] = /^-([AIDX]) (\S+)(?: (.*))?$/.exec(line) ?? [];
    const rules = chains.get(chain);
    if (rules === undefined) return `No chain by that name: ${line}`;
    if (verb === "X") return removeChain(chains, chain);
    const rule = verb === "I" ? rest.replace(/^1 /, "") : rest;
    const missing = setsIn(rule).find((name) => this.#sets.get(name)?.family !== family);
    if (missing !== undefined) return `Set ${missing} doesn't exist`;
    return changeRules(rules, verb ?? "", rule);
  }
}

function removeChain(chains: Chains, name: string): string | null {
  const isCalled = [...chains.values()].flat().some((rule) => targetOf(rule) === name);
  if (isCalled || chains.get(name)?.length !== 0 || builtIn.has(name)) return `CHAIN_DEL failed: ${name}`;
  chains.delete(name);
  return null;
}

function changeRules(rules: string[], verb: string, rule: string): string | null {
  if (targetOf(rule) === "") return `no target: ${rule}`;
  if (verb === "A") rules.push(rule);
  else if (verb === "I") rules.unshift(rule);
  else {
    const at = rules.indexOf(rule);
    if (at < 0) return `Bad rule: ${rule}`;
    rules.splice(at, 1);
  }
  return null;
}

function emptyTable(): Chains {
  return new Map([...builtIn].map((name) => [name, []]));
}

function inetOf(family: IpFamily): string {
  return family === "v4" ? "inet" : "inet6";
}

function targetOf(rule: string): string {
  return /-[jg] (\S+)/.exec(rule)?.[1] ?? "";
}

function setsIn(rule: string): readonly string[] {
  return Array.from(rule.matchAll(/--match-set (\S+)/g), ([, name = ""]) => name);
}

function isElement(word: string, { type, family }: FakeSet): boolean {
  const [, ip = "", port] = /^([^,]+)(,(?:tcp|udp|sctp):\d+)?$/.exec(word) ?? [];
  return isIP(ip) === (family === "v4" ? 4 : 6) && (port !== undefined) === (type === "hash:ip,port");
}

/** As iptables-save prints it: protocols by their names. */
function saved(chains: Chains): string {
  const named = (rule: string) => rule.replace(/-p 47\b/, "-p gre");
  return [
    "# Generated by a double",
    "*filter",
    ...Array.from(chains.keys(), (name) => `:${name} ${builtIn.has(name) ? "ACCEPT" : "-"} [0:0]`),
    ...[...chains].flatMap(([name, rules]) => rules.map((rule) => `-A ${name} ${named(rule)}`)),
    "COMMIT",
    "",
  ].join("\n");
}
