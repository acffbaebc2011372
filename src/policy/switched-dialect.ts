// A dialect as it is installed: the flag that switches its kinds on, and the flags that it has of its own. src/dialects.ts lists
// them; settings, help, claims, cleanup and the commands that read every kind follow from the list.

import { invariant } from "../lib/invariant.ts";
import type { Dialect } from "./dialect.ts";

/** By flag without dashes, its value. A flag that is absent has its default. */
export type DialectFlags = Readonly<Record<string, string>>;

/** The flag, `true` or `false`, that says whether `run` and `render` follow the kinds. Commands that ask read every kind. */
export interface DialectSwitch {
  readonly flag: string;
  /** Whether `run` follows the kinds by default. */
  readonly isOn: boolean;
  /** One line of the help of `run`. */
  readonly help: string;
  /** Of `render`, which reads them by default; null: it always does. */
  readonly renderHelp: string | null;
  /** The value of the chart that sets it; absent: a key of the chart's `settings`. */
  readonly chartValue?: string;
}

/** A flag of every command that computes rows. */
export interface DialectOption<V extends string = string> {
  /** The value's placeholder in the help. */
  readonly argument: string;
  readonly help: string;
  readonly choices: readonly V[];
  readonly fallback: V;
}

type DialectOptions = Readonly<Record<string, DialectOption>>;
type Chosen<O extends DialectOptions> = {
  readonly [F in keyof O]: O[F] extends DialectOption<infer V> ? V : never;
};

interface Description<O extends DialectOptions> {
  readonly switch: DialectSwitch;
  /** By flag without dashes. */
  readonly options: O;
  /** Whether a command that asks has an answer without the kinds, where it may not list them: few clusters have them. */
  readonly isSpared: boolean;
  readonly dialects: (options: Chosen<O>) => readonly Dialect[];
}

export interface SwitchedDialect extends Omit<Description<DialectOptions>, "dialects"> {
  /** Of flags that were checked against their choices; none where the kinds are off. */
  dialects(flags: DialectFlags): readonly Dialect[];
}

export function switchedDialect<const O extends DialectOptions>(
  description: Description<O>,
): SwitchedDialect {
  const { switch: own, options } = description;
  const chosen = (flags: DialectFlags): Chosen<O> => {
    const values = Object.entries(options).map(([flag, { choices, fallback }]) => {
      const value = flags[flag] ?? fallback;
      invariant(choices.includes(value), `--${flag} is ${value}`);
      return [flag, value] as const;
    });
    return Object.fromEntries(values) as Chosen<O>;
  };
  return {
    ...description,
    dialects: (flags) =>
      (flags[own.flag] ?? String(own.isOn)) === "true" ? description.dialects(chosen(flags)) : [],
  };
}
