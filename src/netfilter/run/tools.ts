// The tools of a node's packet filter as processes.

import type { IpFamily } from "../../model/ip.ts";
import { ipFamilies } from "../../model/ip.ts";
import type { FilterTools, Saves } from "../live/filter-tools.ts";
import { FilterRefusedError } from "../live/filter-tools.ts";
import type { Flavour } from "../options.ts";
import { IpsetPipe } from "./ipset-pipe.ts";
import type { ToolsPlace } from "./tool-process.ts";
import { runTool } from "./tool-process.ts";
import type { ToolRun } from "./tool-runs.ts";
import { runCounted } from "./tool-runs.ts";

export const toolNames: Readonly<Record<IpFamily, string>> = { v4: "iptables", v6: "ip6tables" };

/** Seconds to wait for the lock that all programs with iptables share. */
const lockSeconds = 5;

/** Lines that the ipset which stays gets at a time; more are faster in one process of their own. */
const mostPiped = 1000;

export interface ProcessToolsOptions {
  readonly place: ToolsPlace;
  readonly flavour: Flavour;
  /** Of others, a node whose tools refuse them has no rules; both, unless given. */
  readonly families?: readonly IpFamily[];
  readonly ran?: (run: ToolRun) => void;
}

export class ProcessTools implements FilterTools {
  readonly #place: ToolsPlace;
  readonly #flavour: Flavour;
  readonly #ran: (run: ToolRun) => void;
  readonly #families: readonly IpFamily[];
  readonly #stopping = new AbortController();
  readonly #pipe: IpsetPipe;

  constructor({ place, flavour, families = ipFamilies, ran = () => undefined }: ProcessToolsOptions) {
    this.#place = place;
    this.#pipe = new IpsetPipe(place);
    this.#flavour = flavour;
    this.#families = families;
    this.#ran = ran;
  }

  async read(): Promise<Saves> {
    const [v4, v6, sets] = await Promise.all([this.#saved("v4"), this.#saved("v6"), this.#ipset("save")]);
    return { rules: { v4, v6 }, sets };
  }

  async #saved(family: IpFamily): Promise<string> {
    try {
      return await this.#run(this.#named(family, "save"), ["-t", "filter"]);
    } catch (error) {
      if (!this.#families.includes(family) && error instanceof FilterRefusedError) return "";
      throw error;
    }
  }

  async setSizes(): Promise<ReadonlyMap<string, number>> {
    const text = await this.#ipset("list", ["-t"]);
    const sizes = text.matchAll(/^Name: (\S+)$[^]*?^Number of entries: (\d+)$/gm);
    return new Map(Array.from(sizes, ([, name = "", size]) => [name, Number(size)]));
  }

  /** `-exist`: an element that is there already, or is removed already, is no error. */
  async changeSets(script: string): Promise<void> {
    const lines = script.split("\n").slice(0, -1);
    const isSmall = lines.length <= mostPiped && lines.every((line) => /^(add|del) /.test(line));
    if (isSmall) await runCounted("ipset-pipe", this.#ran, () => this.#pipe.change(lines));
    else await this.#ipset("restore", ["-exist"], script);
  }

  async changeRules(family: IpFamily, text: string): Promise<void> {
    await this.#run(this.#named(family, "restore"), ["--noflush", "-w", String(lockSeconds)], text);
  }

  /** Ends the tools that run. */
  stop(): void {
    this.#stopping.abort();
    this.#pipe.stop();
  }

  #named(family: IpFamily, what: "save" | "restore"): string {
    return `${toolNames[family]}-${this.#flavour}-${what}`;
  }

  #ipset(command: string, args: readonly string[] = [], input = ""): Promise<string> {
    return this.#run("ipset", [command, ...args], input, `ipset-${command}`);
  }

  /** `counted`: what the run counts as. */
  #run(tool: string, args: readonly string[], input = "", counted = tool): Promise<string> {
    const { signal } = this.#stopping;
    return runCounted(counted, this.#ran, () => runTool(this.#place, tool, args, { input, signal }));
  }
}
