// Reads what `northgate render -o restore` prints, as ipset and iptables-restore would: whatever those would refuse is refused, and so
// is every option that the walk through the rules does not know.

import type { IpFamily } from "../../src/model/ip.ts";

export interface IpSet {
  readonly family: IpFamily;
  readonly type: string;
  readonly elements: ReadonlySet<string>;
}

/** One option of a rule: `--dport 80`, `! --mark 0x0/0x1`. */
export interface Option {
  readonly name: string;
  readonly values: readonly string[];
  readonly isNegated: boolean;
}

export interface RestoredRule {
  readonly matches: readonly Option[];
  readonly verdict: {
    readonly isGoto: boolean;
    readonly target: string;
    readonly options: readonly Option[];
  };
}

export interface Restored {
  readonly sets: ReadonlyMap<string, IpSet>;
  readonly chains: Readonly<Record<IpFamily, ReadonlyMap<string, readonly RestoredRule[]>>>;
}

/** How many values an option takes. */
const arities: ReadonlyMap<string, number> = new Map([
  ...["-s", "-d", "-p", "--ctstate", "--ctdir", "--icmp-type", "--icmpv6-type", "--sport", "--dport"].map(
    takesOne,
  ),
  ...["--sports", "--dports", "--mark", "--bytecode", "--u32", "--comment", "-m"].map(takesOne),
  ...["--set-xmark", "--reject-with", "--limit", "--limit-burst", "--nflog-prefix", "--nflog-group"].map(
    takesOne,
  ),
  ["--match-set", 2],
]);

function takesOne(name: string): readonly [string, number] {
  return [name, 1];
}

const builtIn = ["FORWARD", "INPUT"];

export function readRestoreText(text: string): Restored {
  const parts = new Map(
    text.split(/^# /m).flatMap((part) => {
      const end = part.indexOf("\n");
      return end < 0 ? [] : [[part.slice(0, end), part.slice(end + 1)] as const];
    }),
  );
  const { ipset = "", iptables, ip6tables } = Object.fromEntries(parts);
  return {
    sets: readSets(ipset),
    chains: { v4: readTable(iptables ?? ""), v6: readTable(ip6tables ?? "") },
  };
}

function readSets(text: string): ReadonlyMap<string, IpSet> {
  const sets = new Map<string, IpSet & { elements: Set<string> }>();
  for (const line of text.split("\n").filter((line) => line !== "")) {
    const words = line.split(" ");
    const [verb, name = ""] = words;
    const known = sets.get(name);
    if (verb === "create") {
      const create = /^create (\S{1,31}) (hash:ip|hash:ip,port) family (inet6?) maxelem \d+$/.exec(line);
      if (create === null || known !== undefined) throw new Error(`ipset refuses: ${line}`);
      sets.set(name, {
        type: create[2] ?? "",
        family: create[3] === "inet" ? "v4" : "v6",
        elements: new Set(),
      });
    } else if (verb === "add" && words.length === 3 && known !== undefined)
      known.elements.add(words[2] ?? "");
    else throw new Error(`ipset refuses: ${line}`);
  }
  return sets;
}

function readTable(text: string): ReadonlyMap<string, readonly RestoredRule[]> {
  const chains = new Map<string, RestoredRule[]>(builtIn.map((name) => [name, []]));
  const lines = text.split("\n").filter((line) => line !== "");
  if (lines.length === 0) return chains;
  if (lines[0] !== "*filter" || lines.at(-1) !== "COMMIT") throw new Error("no whole table");
  for (const line of lines.slice(1, -1)) readLine(line, chains);
  const targets = [...chains.values()].flat().map(({ verdict }) => verdict.target);
  const missing = targets.find((target) => target.startsWith("NG-") && !chains.has(target));
  if (missing !== undefined) throw new Error(`iptables-restore refuses: no chain ${missing}`);
  return chains;
}

function readLine(line: string, chains: Map<string, RestoredRule[]>): void {
  const [, declared] = /^:(\S{1,28}) - \[0:0\]$/.exec(line) ?? [];
  if (declared !== undefined && !chains.has(declared)) {
    chains.set(declared, []);
    return;
  }
  const [, verb, chain = "", rule = ""] = /^(-A|-I) (\S+)(?: 1(?= ))? (.*)$/.exec(line) ?? [];
  const rules = chains.get(chain);
  if (rules === undefined) throw new Error(`iptables-restore refuses: ${line}`);
  if (verb === "-A") rules.push(readRule(rule));
  else rules.unshift(readRule(rule));
}

function readRule(text: string): RestoredRule {
  const words = [...text.matchAll(/"([^"]*)"|(\S+)/g)].map((word) => word[1] ?? word[2] ?? "");
  const at = words.findIndex((word) => word === "-j" || word === "-g");
  const [isGoto, target] = [words[at] === "-g", words[at + 1]];
  if (at < 0 || target === undefined) throw new Error(`no target: ${text}`);
  return {
    matches: optionsOf(words.slice(0, at)),
    verdict: { isGoto, target, options: optionsOf(words.slice(at + 2)) },
  };
}

function optionsOf(words: readonly string[]): readonly Option[] {
  const options: Option[] = [];
  for (let at = 0; at < words.length;) {
    const isNegated = words[at] === "!";
    if (isNegated) at++;
    const name = words[at] ?? "";
    const count = arities.get(name);
    if (count === undefined) throw new Error(`an option that is not known: ${name}`);
    options.push({ name, values: words.slice(at + 1, at + 1 + count), isNegated });
    at += 1 + count;
  }
  return options;
}
