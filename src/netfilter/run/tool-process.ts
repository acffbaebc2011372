// Starts the tools of a node's packet filter, and runs them to their ends. The only file of this folder that starts processes.

import type { ChildProcessByStdio } from "node:child_process";
import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { FilterLostError, FilterRefusedError, isOfTools } from "../live/filter-tools.ts";

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

/** Milliseconds until a tool that does not end is ended. */
const patienceMs = 60_000;

/** A tool that stays, and takes lines; it says what is wrong on standard error. */
export function startFedTool(place: ToolsPlace, tool: string, args: readonly string[]): FedTool {
  const [command, words] = commandOf(place, tool, args);
  return spawn(command, words, { env: place.env, stdio: ["pipe", "ignore", "pipe"] });
}
export type FedTool = ChildProcessByStdio<Writable, null, Readable>;

/** A tool that stays, and prints lines. */
export function startPrintingTool(place: ToolsPlace, tool: string, args: readonly string[]): PrintingTool {
  const [command, words] = commandOf(place, tool, args);
  return spawn(command, words, { env: place.env, stdio: ["ignore", "pipe", "ignore"] });
}
export type PrintingTool = ChildProcessByStdio<null, Readable, null>;

/** iptables(8): another program holds the lock, or the kernel has no memory for it now. */
const resourceProblem = 4;

/** The program to start, and its arguments. */
function commandOf(
  { before, folder }: ToolsPlace,
  tool: string,
  args: readonly string[],
): readonly [command: string, args: readonly string[]] {
  const named = folder === "" ? tool : `${folder}/${tool}`;
  const [command, ...words] = [...before, named, ...args];
  return [command ?? named, words];
}

/** Resolves with what the tool prints. Rejects with a FilterRefusedError or a FilterLostError. */
export function runTool(
  place: ToolsPlace,
  tool: string,
  args: readonly string[],
  { input = "", signal }: { readonly input?: string; readonly signal?: AbortSignal } = {},
): Promise<string> {
  const [command, words] = commandOf(place, tool, args);
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, {
      ...{ env: place.env, timeout: patienceMs, killSignal: "SIGKILL", stdio: ["pipe", "pipe", "pipe"] },
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

/** "": the tool cannot be used, and so has written nothing. */
export async function printedOrNone(output: Promise<string>): Promise<string> {
  try {
    return await output;
  } catch (error) {
    if (isOfTools(error)) return "";
    throw error;
  }
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
