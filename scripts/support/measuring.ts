// What `make bench`, `faults`, `soak` and `profile` share: the help, the exit codes, what is told on the way, and where the
// figures were measured.

import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import { dirname } from "node:path";
import { findOvn, OvnMissingError } from "../../tools/sandbox/find-ovn.ts";
import { SettingsError } from "./variables.ts";

/** The machine and the programs that a measurement ran with. */
export interface Circumstances {
  readonly machine: string;
  readonly node: string;
  readonly ovn: string;
}

export async function circumstances(): Promise<Circumstances> {
  const { version } = await findOvn();
  const [cpu] = cpus();
  const machine = `${availableParallelism()} cores, ${cpu?.model.trim() ?? "unknown CPU"}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  return { machine, node: process.versions.node, ovn: version };
}

/** Processes that were running or waiting to, on average over a minute. */
export function load(): number {
  return loadavg()[0] ?? 0;
}

/** Hands each line on with the seconds since now before it. */
export function telling(write: (line: string) => void): (line: string) => void {
  const started = performance.now();
  return (line) => {
    const seconds = String(Math.round((performance.now() - started) / 1000)).padStart(5);
    write(`${seconds} s  ${line}\n`);
  };
}

/** Makes the folder too. */
export function writeResults(path: string, results: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`);
}

/**
 * Runs a program of the kind: prints its help when asked for it, and sets the exit code: 0 or 1 by what `measure` resolves
 * to, 2 for a SettingsError, 3 without an OVN.
 */
export async function measuring(
  help: string,
  measure: (env: NodeJS.ProcessEnv) => Promise<boolean>,
): Promise<void> {
  if (process.argv.includes("--help")) {
    process.stdout.write(help);
    return;
  }
  try {
    process.exitCode = (await measure(process.env)) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof SettingsError || error instanceof OvnMissingError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = error instanceof SettingsError ? 2 : 3;
  }
}
