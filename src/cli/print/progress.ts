// Says on standard error how far a long piece of work is, once it has taken two seconds. Nothing before, so that quick
// commands are quiet.

import type { Clock } from "../../lib/clock.ts";
import { systemClock } from "../../lib/clock.ts";

const quietMs = 2_000;
const everyMs = 1_000;

/** So many are done of so many. */
export type Progress = (done: number, total: number) => void;

/** From now on. `what`: what is counted, as "connections"; `write` gets whole lines. */
export function progressOf(
  what: string,
  clock: Pick<Clock, "now"> = systemClock,
  write: (line: string) => void = (line) => process.stderr.write(line),
): Progress {
  let nextMs = clock.now() + quietMs;
  return (done, total) => {
    const now = clock.now();
    if (now < nextMs) return;
    nextMs = now + everyMs;
    write(`northgate: ${done} of ${total} ${what}\n`);
  };
}

/** For WorldOptions. */
export function sayMany(objects: number): void {
  process.stderr.write(`northgate: ${objects} objects are read, and the policies are being compiled\n`);
}
