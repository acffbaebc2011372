// The commands of a page of docs/, so that a test runs what a reader runs: the fenced `sh` block behind `<!-- run: NAME -->`.
// Refuses a name that the page has not, or has twice. A block runs as one bash script that ends with its first failure.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { patience } from "../../test/support/patience.ts";

const marked = /<!-- run: (\S+) -->\n+```sh\n(.*?)\n```/gs;

/** The blocks of the page, by name. */
export function commandsOf(page: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, name = "", text = ""] of readFileSync(page, "utf8").matchAll(marked)) {
    if (found.has(name)) throw new Error(`${page}: two blocks are called ${name}`);
    found.set(name, text);
  }
  return found;
}

/** Where a reader would sit: a folder, and what the environment says. */
export interface Shell {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** What the block printed; rejects with all of it when it fails. */
export async function runBlock(text: string, { cwd, env }: Shell): Promise<string> {
  const ran = promisify(execFile);
  try {
    const { stdout, stderr } = await ran("bash", ["--norc", "-euo", "pipefail", "-c", text], {
      cwd,
      env,
      timeout: patience(120_000),
    });
    return `${stdout}${stderr}`;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${text}\n${stdout}${stderr}`, { cause: error });
  }
}
