// What a process has needed at its highest. Not the kernel's maxRSS, which begins with that of the process that it was forked from.

import { readFileSync } from "node:fs";

/** In kB. `pid`: a number, or `self`. */
export function highestMemoryKb(pid: number | "self" | undefined): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}
