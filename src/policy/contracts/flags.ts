// Flags that a dialect or a backend brings along, as data: settings, their help and the flags in a claim follow from it.

import { invariant } from "../../lib/invariant.ts";

/** By flag without dashes, its value. A flag that is absent has its default. */
export type Flags = Readonly<Record<string, string>>;

/** A flag of every command that computes what is to be enforced. */
export interface FlagOption<V extends string = string> {
  /** The value's placeholder in the help. */
  readonly argument: string;
  readonly help: string;
  /** The allowed values; absent: `fault` says which are. */
  readonly choices?: readonly V[];
  /** What is wrong with a value, to follow it in a sentence: "is not a number"; null: nothing. */
  readonly fault?: (text: string) => string | null;
  readonly fallback: V;
}

/** By flag without dashes. */
export type FlagOptions = Readonly<Record<string, FlagOption>>;

export type Chosen<O extends FlagOptions> = {
  readonly [F in keyof O]: O[F] extends FlagOption<infer V> ? V : never;
};

/** Of flags that were checked against their choices. */
export function chosenOf<O extends FlagOptions>(options: O, flags: Flags): Chosen<O> {
  const values = Object.entries(options).map(([flag, { choices, fallback }]) => {
    const value = flags[flag] ?? fallback;
    invariant(choices?.includes(value) ?? true, `--${flag} is ${value}`);
    return [flag, value] as const;
  });
  return Object.fromEntries(values) as Chosen<O>;
}

export function defaultsOf(options: FlagOptions): Flags {
  return Object.fromEntries(Object.entries(options).map(([flag, { fallback }]) => [flag, fallback]));
}
