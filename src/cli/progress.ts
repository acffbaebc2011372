// Says on standard error how far a long piece of work is, once it has taken two seconds. Nothing before, so that quick
// commands are quiet.

import type { Clock } from "../lib/clock.ts";

const quietMs = 2_000;
const everyMs = 1_000;

export interface Progress {
  /** So many are done. */
  at(done: number): void;
}

/** `of`: what is counted, as "connections"; `write` gets whole lines. */
export function progressOf(
  { total, of }: { readonly total: number; readonly of: string },
  clock: Pick<Clock, "now">,
  write: (line: string) => void,
): Progress {
  let nextMs = clock.now() + quietMs;
  return {
    at: (done) => {
      const now = clock.now();
      if (now < nextMs) return;
      nextMs = now + everyMs;
      write(`northgate: ${done} of ${total} ${of}\n`);
    },
  };
}

/** For WorldOptions. */
export function sayMany(objects: number): void {
  process.stderr.write(`northgate: ${objects} objects are read, and the policies are being compiled\n`);
}
