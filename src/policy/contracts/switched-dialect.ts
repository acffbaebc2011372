// A dialect as it is installed: the flag that switches its kinds on, and the flags that it has of its own. src/dialects.ts lists
// them; settings, help, claims, cleanup and the commands that read every kind follow from the list.

import type { Dialect } from "./dialect.ts";
import type { Chosen, FlagOptions, Flags } from "./flags.ts";
import { chosenOf } from "./flags.ts";

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

interface Description<O extends FlagOptions> {
  readonly switch: DialectSwitch;
  /** By flag without dashes. */
  readonly options: O;
  /** Whether a command that asks has an answer without the kinds, where it may not list them: few clusters have them. */
  readonly isSpared: boolean;
  readonly dialects: (options: Chosen<O>) => readonly Dialect[];
}

export interface SwitchedDialect extends Omit<Description<FlagOptions>, "dialects"> {
  /** Of flags that were checked against their choices; none where the kinds are off. */
  dialects(flags: Flags): readonly Dialect[];
}

export function switchedDialect<const O extends FlagOptions>(description: Description<O>): SwitchedDialect {
  const { switch: own, options } = description;
  return {
    ...description,
    dialects: (flags) =>
      (flags[own.flag] ?? String(own.isOn)) === "true" ? description.dialects(chosenOf(options, flags)) : [],
  };
}
