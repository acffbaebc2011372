// What a process has used since it began, from /proc: CPU of all its threads in user and system mode, and memory.

import { readFileSync } from "node:fs";

/** The kernel's clock tick, which /proc counts in; 100 a second on every Linux. */
const tickMs = 10;

export interface Usage {
  readonly cpuMs: number;
  readonly rssBytes: number;
  readonly peakRssBytes: number;
}

export function usageOf(pid: number): Usage {
  // The name in parentheses may hold spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]);
  return {
    cpuMs: (Number(fields[11]) + Number(fields[12])) * tickMs,
    rssBytes: kilobytes("VmRSS") * 1024,
    peakRssBytes: kilobytes("VmHWM") * 1024,
  };
}
