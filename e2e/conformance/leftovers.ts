// What processes there are, in which network namespaces, and what interfaces: for tests that nothing of a cluster is left.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { run } from "../../tools/sandbox/program.ts";

export interface Found {
  readonly pid: number;
  readonly parent: number;
  /** As the kernel tells namespaces apart; empty: the process has just ended. */
  readonly namespace: string;
  readonly command: string;
  /** When it began, in ticks since the machine started. */
  readonly since: number;
}

/** As Linux counts for programs: USER_HZ. */
const ticksPerSecond = 100;

/**
 * The present, in the same ticks. The kernel gives a namespace's number away again as soon as the namespace has ended: a process that
 * begins later may be of another test.
 */
export function ticksNow(): number {
  return Math.floor(Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]) * ticksPerSecond);
}

export function processes(): readonly Found[] {
  return readdirSync("/proc").flatMap((name) => {
    const pid = Number(name);
    const stat = Number.isInteger(pid) ? read(`/proc/${name}/stat`) : "";
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state, parent] = fields;
    if (stat === "" || state === "Z") return [];
    return [
      {
        pid,
        parent: Number(parent),
        namespace: linked(`/proc/${name}/ns/net`),
        command: read(`/proc/${name}/cmdline`).replaceAll("\0", " "),
        since: Number(fields[19]), // proc(5), starttime
      },
    ];
  });
}

/** The processes that this one started, and those that they did. */
export function below(pid: number): readonly Found[] {
  const all = processes();
  const found: Found[] = [];
  const parents = new Set([pid]);
  for (let grew = true; grew;) {
    const more = all.filter((one) => parents.has(one.parent) && !parents.has(one.pid));
    for (const one of more) parents.add(one.pid);
    found.push(...more);
    grew = more.length > 0;
  }
  return found;
}

/** Of this network namespace, by name. */
export async function interfaces(): Promise<readonly string[]> {
  const { stdout } = await run("ip", ["-oneline", "link"]);
  return stdout.split("\n").map((line) => line.split(": ")[1] ?? "");
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // It has just ended.
  }
}

function linked(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
