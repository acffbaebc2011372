// What a process has used since it began, from /proc: CPU of all its threads in user and system mode, and memory.

import { readdirSync, readFileSync } from "node:fs";

/** The kernel's clock tick, which /proc counts in; 100 a second on every Linux. */
const tickMs = 10;

export interface Usage {
  readonly cpuMs: number;
  readonly rssBytes: number;
  readonly peakRssBytes: number;
}

export function usageOf(pid: number): Usage {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]);
  return {
    cpuMs: scheduledMs(pid) ?? tickedMs(pid),
    rssBytes: kilobytes("VmRSS") * 1024,
    peakRssBytes: kilobytes("VmHWM") * 1024,
  };
}

/** In nanoseconds where the kernel counts them: an event often takes less than a tick. null: it does not count them. */
function scheduledMs(pid: number): number | null {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const all = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8"));
    return all.reduce((sum, text) => sum + Number(text.split(" ")[0]) / 1e6, 0);
  } catch {
    return null;
  }
}

/** Of the thread that the process began with, in nanoseconds' accuracy; null: the kernel does not count them. */
export function mainThreadMs(pid: number): number | null {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  } catch {
    return null;
  }
}

/** Also of threads that have ended. */
export function tickedMs(pid: number): number {
  // The name in parentheses may hold spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}
