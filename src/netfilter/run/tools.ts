// The tools of a node's packet filter as processes. The only file of this folder that starts any.

import { spawn } from "node:child_process";
import type { IpFamily } from "../../model/ip.ts";
import type { FilterTools, Saves } from "../live/filter-tools.ts";
import type { Flavour } from "../options.ts";
import { FilterLostError, FilterRefusedError } from "../live/filter-tools.ts";

/** How the tools are run. */
export interface ToolsPlace {
  /** What comes before a tool's name: the way into another network namespace. */
  readonly before: readonly string[];
  /** The folder of the tools; "": they are found by PATH. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The node that this process runs on. */
export const nodePlace: ToolsPlace = { before: [], folder: "", env: process.env };

/** What a tool did: metrics count it. */
export interface ToolRun {
  readonly tool: string;
  readonly outcome: "ok" | "refused" | "lost";
  readonly milliseconds: number;
}

const toolNames: Readonly<Record<IpFamily, string>> = { v4: "iptables", v6: "ip6tables" };

/** Seconds to wait for the lock that all programs with iptables share. */
const lockSeconds = 5;

/** Milliseconds until a tool that does not end is ended. */
const patienceMs = 60_000;

export class ProcessTools implements FilterTools {
  readonly #place: ToolsPlace;
  readonly #flavour: Flavour;
  readonly #ran: (run: ToolRun) => void;
  readonly #stopping = new AbortController();

  constructor(place: ToolsPlace, flavour: Flavour, ran: (run: ToolRun) => void = () => undefined) {
    this.#place = place;
    this.#flavour = flavour;
    this.#ran = ran;
  }

  async read(): Promise<Saves> {
    const saved = (family: IpFamily) => this.#run(this.#named(family, "save"), ["-t", "filter"]);
    const [v4, v6, sets] = await Promise.all([saved("v4"), saved("v6"), this.#ipset("save")]);
    return { rules: { v4, v6 }, sets };
  }

  async setSizes(): Promise<ReadonlyMap<string, number>> {
    const text = await this.#ipset("list", ["-t"]);
    const sizes = text.matchAll(/^Name: (\S+)$[^]*?^Number of entries: (\d+)$/gm);
    return new Map(Array.from(sizes, ([, name = "", size]) => [name, Number(size)]));
  }

  /** `-exist`: an element that is there already, or is removed already, is no error. */
  async changeSets(script: string): Promise<void> {
    await this.#ipset("restore", ["-exist"], script);
  }

  async changeRules(family: IpFamily, text: string): Promise<void> {
    await this.#run(this.#named(family, "restore"), ["--noflush", "-w", String(lockSeconds)], text);
  }

  /** Ends the tools that run. */
  stop(): void {
    this.#stopping.abort();
  }

  #named(family: IpFamily, what: "save" | "restore"): string {
    return `${toolNames[family]}-${this.#flavour}-${what}`;
  }

  #ipset(command: string, args: readonly string[] = [], input = ""): Promise<string> {
    return this.#run("ipset", [command, ...args], input, `ipset-${command}`);
  }

  /** `counted`: what the run counts as. */
  async #run(tool: string, args: readonly string[], input = "", counted = tool): Promise<string> {
    const begun = performance.now();
    const ended = (outcome: ToolRun["outcome"]) => {
      this.#ran({ tool: counted, outcome, milliseconds: performance.now() - begun });
    };
    try {
      const output = await runTool(this.#place, tool, args, { input, signal: this.#stopping.signal });
      ended("ok");
      return output;
    } catch (error) {
      ended(error instanceof FilterRefusedError ? "refused" : "lost");
      throw error;
    }
  }
}

/** iptables(8): another program holds the lock, or the kernel has no memory for it now. */
const resourceProblem = 4;

/** Resolves with what the tool prints. Rejects with a FilterRefusedError or a FilterLostError. */
export function runTool(
  { before, folder, env }: ToolsPlace,
  tool: string,
  args: readonly string[],
  { input = "", signal }: { readonly input?: string; readonly signal?: AbortSignal } = {},
): Promise<string> {
  const named = folder === "" ? tool : `${folder}/${tool}`;
  const [command = named, ...words] = [...before, named, ...args];
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, {
      ...{ env, timeout: patienceMs, killSignal: "SIGKILL", stdio: ["pipe", "pipe", "pipe"] },
      ...(signal === undefined ? {} : { signal }),
    });
    const [output, errors] = [collected(child.stdout), collected(child.stderr)];
    child.on("error", (error) => {
      reject(new FilterLostError(`${tool} cannot be run: ${error.message}`));
    });
    child.on("close", (code, by) => {
      if (code === 0) resolve(output());
      else if (code === null) reject(new FilterLostError(`${tool} was ended by ${by ?? "a signal"}`));
      else {
        const why = `${tool}: ${sentence(errors()) || `exit code ${code}`}`;
        reject(code === resourceProblem ? new FilterLostError(why) : new FilterRefusedError(why));
      }
    });
    // A tool that ends before it has read everything says why itself.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}

function collected(stream: NodeJS.ReadableStream): () => string {
  const pieces: Buffer[] = [];
  stream.on("data", (piece: Buffer) => pieces.push(piece));
  return () => Buffer.concat(pieces).toString();
}

const longestReason = 300;

/** The tool's own words in one line, without a full stop. */
function sentence(text: string): string {
  const words = text
    .replaceAll(/[^\x20-\x7e]+/g, " ")
    .trim()
    .slice(0, longestReason);
  return words.replace(/[.\s]+$/, "");
}
