// The real iptables and ipset to test with, in network namespaces of their own: Debian's, which scripts/fetch-netfilter.sh fetches
// into .cache/netfilter. Runs in and outside of jest.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Flavour } from "../../src/netfilter/options.ts";
import type { ToolsPlace } from "../../src/netfilter/run/tool-process.ts";
import type { NamespaceProcess } from "../support/netns.ts";
import { namespacesMissing } from "../support/netns.ts";
import { patience } from "../support/patience.ts";

import { flavours } from "../../src/netfilter/options.ts";
import type { Tool } from "./nodes.ts";

export { type Flavour, flavours } from "../../src/netfilter/options.ts";

/** What texts are made for and loaded with; nftables beside iptables-nft. */
export interface Variant {
  readonly name: string;
  /** Of `--backend`. */
  readonly tool: Tool;
  readonly flavour: Flavour;
}

export const variants: readonly Variant[] = [
  ...flavours.map((flavour) => ({ name: `iptables-${flavour}`, tool: "iptables" as const, flavour })),
  { name: "nftables", tool: "nftables", flavour: "nft" },
];

/** The flags of `northgate run` for it. */
export function backendFlags({ tool, flavour }: Variant): readonly string[] {
  return [`--backend=${tool}`, ...(tool === "iptables" ? [`--iptables=${flavour}`] : [])];
}

const repository = fileURLToPath(new URL("../../", import.meta.url));
const folder = join(repository, ".cache", "netfilter");
const timeout = patience(60_000);
/** Bytes. A random filter can have some thousand rules, and Node's own limit is 1 MiB. */
const maxBuffer = 64 * 1024 * 1024;

/** Why the tools of the flavour cannot be used here; null: they can. */
export function netfilterMissing(flavour: Flavour): string | null {
  const namespaces = namespacesMissing();
  if (namespaces !== null) return namespaces;
  if (process.getuid?.() !== 0) return "netfilter needs root";
  const fetched = spawnSync("bash", [join(repository, "scripts", "fetch-netfilter.sh"), folder], {
    ...{ encoding: "utf8", timeout: patience(300_000) },
  });
  if (fetched.status !== 0) return fetched.stderr.trim().split("\n").at(-1) ?? "no tools";
  // What rules need are modules of the kernel.
  const tried = spawnSync("unshare", ["--net", "/bin/sh", "-ec", trial], {
    ...{ encoding: "utf8", input: trialText, timeout },
    env: { ...process.env, IPSET: toolAt("ipset"), RESTORE: toolAt(`iptables-${flavour}-restore`) },
  });
  return tried.status === 0 ? null : `iptables-${flavour}: ${tried.stderr.trim()}`;
}

const trial = `
"$IPSET" create ng4-trial hash:ip,port family inet
"$RESTORE" --noflush
ip link add br0 type bridge
[ -e /proc/sys/net/bridge/bridge-nf-call-ip6tables ] || { echo "the kernel has no br_netfilter" >&2; exit 1; }
`;
const trialText = `*filter
:NG-TRIAL - [0:0]
-A NG-TRIAL -m conntrack --ctstate DNAT -j RETURN
-A NG-TRIAL -m bpf --bytecode "1,6 0 0 1" -j RETURN
-A NG-TRIAL -m set --match-set ng4-trial dst,dst -m mark --mark 0x1/0x1 -j MARK --set-xmark 0x1/0x1
-A NG-TRIAL -m limit --limit 20/sec -m comment --comment "a trial" -j NFLOG --nflog-group 1
-A NG-TRIAL -p tcp -m u32 --u32 "0x6&0xff=0x6" -m multiport --dports 1,2 -j REJECT --reject-with tcp-reset
COMMIT
*nat
-A PREROUTING -d 192.0.2.1 -j DNAT --to-destination 192.0.2.2
-A POSTROUTING -s 192.0.2.2 -j MASQUERADE
COMMIT
`;

/** By what they are named on a node. */
export const toolsFolder = join(folder, "bin");

function toolAt(name: string): string {
  return join(toolsFolder, name);
}

/** How a program runs the tools in the namespace. */
export function placeOf({ enter }: Pick<NamespaceProcess, "enter">): ToolsPlace {
  return { before: enter, folder: toolsFolder, env: process.env };
}

/** The filter of one network namespace. */
export class RealFilter {
  readonly #enter: readonly string[];
  readonly #flavour: Flavour;

  constructor({ enter }: Pick<NamespaceProcess, "enter">, flavour: Flavour) {
    this.#enter = enter;
    this.#flavour = flavour;
  }

  /** Loads a text of `render -o restore`: three parts, or one for nftables. */
  load(text: string): void {
    if (text.startsWith("table ")) {
      this.#run("nft", ["-f", "-"], text);
      return;
    }
    for (const part of text.split(/^# /m).filter((one) => one !== "")) {
      const [tool = ""] = part.split("\n", 1);
      const input = part.slice(tool.length + 1);
      if (tool === "ipset") this.#run("ipset", ["restore"], input);
      else this.#run(`${tool}-${this.#flavour}-restore`, ["--noflush"], input);
    }
  }

  /** What iptables-save prints of the filter table, without comments and counters. */
  saved(tool: "iptables" | "ip6tables"): readonly string[] {
    const text = this.#run(`${tool}-${this.#flavour}-save`, ["-t", "filter"]);
    return text.split("\n").filter((line) => line.startsWith("-A "));
  }

  /** What nft prints of the table, with numbers in place of names. */
  savedTable(): string {
    return this.#run("nft", ["-n", "list", "table", "inet", "northgate"]);
  }

  /** Every table of nftables, as nft prints it. */
  tables(): readonly string[] {
    return this.#run("nft", ["-n", "list", "ruleset"]).split(/^(?=table )/m);
  }

  clearTables(): void {
    this.#run("nft", ["flush", "ruleset"]);
  }

  /** A script for sets. */
  ipset(text: string): void {
    this.#run("ipset", ["restore"], text);
  }

  /** How many packets each rule that logs with the prefix has seen: of iptables for IPv4, of nftables one that has a counter. */
  logged(prefix: string): readonly number[] {
    const tables = this.#run("nft", ["list", "tables"]).includes("inet northgate");
    const text = tables
      ? this.savedTable()
      : this.#run(`iptables-${this.#flavour}-save`, ["-c", "-t", "filter"]);
    return text.split("\n").flatMap((line) => {
      const [, count] = /(?:^\[| counter packets )(\d+)/.exec(line) ?? [];
      return count === undefined || !line.includes(`prefix "${prefix}"`) || line.includes("ip6 ")
        ? []
        : [Number(count)];
    });
  }

  /** As `ipset save` prints them, without what the kernel chose itself. */
  savedSets(): readonly string[] {
    const lines = this.#run("ipset", ["save"]).split("\n");
    return lines
      .filter((line) => line !== "")
      .map((line) => line.replaceAll(/ (hashsize|bucketsize|initval) \S+/g, ""));
  }

  /** A text of somebody else for a table. */
  restore(tool: "iptables" | "ip6tables", text: string): void {
    this.#run(`${tool}-${this.#flavour}-restore`, ["--noflush"], text);
  }

  /** Empties the filter table and removes every set. */
  clear(): void {
    for (const tool of ["iptables", "ip6tables"])
      this.#run(`${tool}-${this.#flavour}-restore`, [], "*filter\nCOMMIT\n");
    this.#run("ipset", ["destroy"]);
  }

  #run(tool: string, args: readonly string[], input = ""): string {
    const [enter = "", ...words] = this.#enter;
    const all = [...words, toolAt(tool), ...args];
    const options = { encoding: "utf8", input, timeout, maxBuffer } as const;
    const { error, status, stdout, stderr } = spawnSync(enter, all, options);
    if (status !== 0)
      throw new Error(`${tool} ${args.join(" ")}: exit code ${status}: ${stderr.trim()}`, { cause: error });
    return stdout;
  }
}
