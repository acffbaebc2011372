// What a run is asked for, from `make`'s variables. Refuses what it does not know.

import { SettingsError, Variables } from "../scripts/support/variables.ts";
import type { SoakOptions } from "./run/soak.ts";

export interface Settings extends SoakOptions {
  /** Where the results go as JSON. */
  readonly out: string;
  /** The page whose figures are replaced, with a plot beside it; null: none. */
  readonly page: string | null;
}

export const help = `make soak [SOAK=30m] [RATE=10] [FAULT=20s] [SAMPLE=2s] [SEED=1] [OUT=soak/results/soak.json] [PAGE=docs/soak.md]

Runs \`northgate run\` on a directory and a private ovsdb-server while objects change all the time and faults happen, and
judges at the end: memory and descriptors flat over the second half, the event loop never held up for long, rows equal
to those of a fresh start, rows of other owners as they were.

  SOAK    how long: 90s, 10m, 2h
  RATE    changes of objects a second
  FAULT   from the end of one fault to the next
  SAMPLE  between two samples
  SEED    of the changes; the same seed makes the same changes
  PAGE    the page whose figures are replaced, its plot beside it as .svg; none: no page

Exit codes: 0 flat and right, 1 not, 2 an argument is wrong, 3 no OVN to be had.
`;

/** Less has no quarters to compare. */
const shortestMs = 30_000;
const most = 999;

export function settingsOf(env: NodeJS.ProcessEnv): Settings {
  const variables = new Variables(env);
  const durationMs = variables.durationMs("SOAK", "30m");
  if (durationMs < shortestMs) throw new SettingsError(`SOAK: at least ${shortestMs / 1000}s`);
  return {
    durationMs,
    faultEveryMs: variables.durationMs("FAULT", "20s"),
    sampleMs: variables.durationMs("SAMPLE", "2s"),
    changesPerSecond: variables.number("RATE", 10, most),
    seed: variables.number("SEED", 1, most),
    out: variables.text("OUT", "soak/results/soak.json"),
    page: variables.page("docs/soak.md"),
  };
}
