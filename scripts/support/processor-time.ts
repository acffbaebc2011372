// How much processor time a test file takes: of the process that runs it, and of the programs that it has started and that have ended.
// What a run of the tests takes in all is bounded by this, not by how long its files wait (docs/testing.md).

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";

/** Names the file that test processes append to, a JSON object on each line; without it nothing is measured. */
export const processorTimesVariable = "NORTHGATE_PROCESSOR_TIMES";

interface Entry {
  readonly file: string;
  readonly seconds: number;
}

/** What a clock of the kernel counts in a second, as user space sees it (proc_pid_stat(5)). */
const ticksPerSecond = 100;

/** Seconds of this process and of its children that have ended and were waited for; null: the machine has no /proc. */
export function processorSeconds(): number | null {
  if (!existsSync("/proc/self/stat")) return null;
  // The name of the process is in parentheses and may hold anything; utime, stime, cutime and cstime are the fields 14 to 17.
  const [, after = ""] = /\)([^)]*)$/.exec(readFileSync("/proc/self/stat", "utf8")) ?? [];
  const ticks = after.trim().split(" ").slice(11, 15).map(Number);
  return ticks.reduce((sum, one) => sum + one, 0) / ticksPerSecond;
}

export function recordProcessorTime(path: string, since: number | null): void {
  const into = process.env[processorTimesVariable];
  const now = processorSeconds();
  if (into === undefined || since === null || now === null) return;
  const entry: Entry = { file: relative(process.cwd(), path), seconds: now - since };
  appendFileSync(into, `${JSON.stringify(entry)}\n`);
}

/** The files that took most, and all of them together, as a line of text; null: nothing was measured. */
export function processorTimes(path: string, shown: number): string | null {
  if (!existsSync(path)) return null;
  const entries = readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Entry)
    .sort((a, b) => b.seconds - a.seconds);
  const all = entries.reduce((sum, { seconds }) => sum + seconds, 0);
  const most = entries.slice(0, shown).map(({ file, seconds }) => `${file} ${seconds.toFixed(0)} s`);
  return `processor time: ${all.toFixed(0)} s; most by ${most.join(", ")}`;
}
