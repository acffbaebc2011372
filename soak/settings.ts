// What a run is asked for, from `make`'s variables. Refuses what it does not know.

import type { SoakOptions } from "./run/soak.ts";

export class SettingsError extends Error {}

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

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
/** Less has no quarters to compare. */
const shortestMs = 30_000;

export function settingsOf(env: NodeJS.ProcessEnv): Settings {
  const text = (name: string, otherwise: string) => (env[name] ?? "") || otherwise;
  const duration = (name: string, otherwise: string) => {
    const value = text(name, otherwise);
    const [, number, unit = ""] = /^([1-9]\d{0,4})([smh])$/.exec(value) ?? [];
    const factor = unitMs[unit];
    if (factor === undefined) throw new SettingsError(`${name}=${value}: not a time such as 90s, 10m or 2h`);
    return Number(number) * factor;
  };
  const number = (name: string, otherwise: string) => {
    const value = text(name, otherwise);
    if (!/^[1-9]\d{0,2}$/.test(value)) throw new SettingsError(`${name}=${value}: not a number of 1 to 999`);
    return Number(value);
  };
  const durationMs = duration("SOAK", "30m");
  if (durationMs < shortestMs) throw new SettingsError(`SOAK: at least ${shortestMs / 1000}s`);
  const page = text("PAGE", "docs/soak.md");
  return {
    durationMs,
    faultEveryMs: duration("FAULT", "20s"),
    sampleMs: duration("SAMPLE", "2s"),
    changesPerSecond: number("RATE", "10"),
    seed: number("SEED", "1"),
    out: text("OUT", "soak/results/soak.json"),
    page: page === "none" ? null : page,
  };
}
