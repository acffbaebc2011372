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
  const threads = [...threadsMs(pid).values()];
  return threads.length === 0 ? null : threads.reduce((sum, one) => sum + one, 0);
}

/** Of each thread that is there, by its number; none where the kernel does not count it. */
export function threadsMs(pid: number): ReadonlyMap<string, number> {
  const folder = `/proc/${pid}/task`;
  return new Map(
    readdirSync(folder).flatMap((thread) => {
      try {
        const [ns] = readFileSync(`${folder}/${thread}/schedstat`, "utf8").split(" ");
        return [[thread, Number(ns) / 1e6] as const];
      } catch {
        // It has ended meanwhile.
        return [];
      }
    }),
  );
}

/** Also of threads that have ended. */
export function tickedMs(pid: number): number {
  // The name in parentheses may hold spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}
