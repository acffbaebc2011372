// How much of the program's own code runs: the executions of its blocks, as V8 counts them. Depends neither on the machine nor
// on what else runs there. Whatever is done for each of many things shows, wherever it is done. Import it before the code that
// is counted: V8 counts the blocks of functions that it compiles from then on, and of others only their calls.

import type { Profiler } from "node:inspector";
import { Session } from "node:inspector";

const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

/** Executions of blocks of `src/` since the last call. */
export function takeWork(): number {
  const taken: Profiler.ScriptCoverage[] = [];
  // Calls back before it returns.
  session.post("Profiler.takePreciseCoverage", (_, { result }) => taken.push(...result));
  return taken
    .filter(({ url }) => url.includes("/src/"))
    .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
    .reduce((sum, { count }) => sum + count, 0);
}

/** Ends the counting: what runs afterwards runs as fast as ever. */
export function endWork(): void {
  session.post("Profiler.stopPreciseCoverage");
  session.disconnect();
}
