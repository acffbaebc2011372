// What one flag is, and which commands take flags together.

/** The commands that have settings. */
export const commandNames = [
  "run",
  "render",
  "plan",
  "migrate",
  "explain",
  "can",
  "matrix",
  "recommend",
  "get",
  "lint",
  "ui",
  "doctor",
  "support-bundle",
  "observe",
  "observe-node",
  "cleanup",
] as const;
export type CommandName = (typeof commandNames)[number];

export function isCommandName(text: string): text is CommandName {
  return commandNames.some((name) => name === text);
}

/** One flag: its name is also the key in a config file; the environment variable is NORTHGATE_ and the name. */
export interface Setting {
  readonly flag: string;
  readonly commands: readonly CommandName[];
  /** One letter. */
  readonly short?: string;
  /** The value's placeholder in the help; null: a switch, whose value is "true" when it is given. */
  readonly argument: string | null;
  readonly help: string;
  /** The allowed values; absent: config.ts parses the value. */
  readonly choices?: readonly string[];
  /** As in FlagOption. */
  readonly fault?: (text: string) => string | null;
  /** null: the flag is required. */
  readonly fallback: string | null;
  /** The flag may be repeated and all its values count; otherwise the last counts. */
  readonly isList?: true;
  /** Only allowed on the command line, because it confirms this one run: not in the environment or a file. */
  readonly onLineOnly?: true;
  /** The value of the chart that says it: it is no key of the chart's `settings`. null: the chart never says another. */
  readonly chartValue?: string | null;
}

export const askers = ["explain", "get", "lint"] as const;
/** The commands that read a cluster whole. */
export const readers = [...askers, "can", "matrix", "recommend", "ui"] as const;
/** The commands that examine one installation. */
export const examiners = ["doctor", "support-bundle"] as const;
export const everyCommand = ["run", "render", "cleanup", "plan", ...examiners, ...readers] as const;
export const writers = ["run", "cleanup"] as const;
/** The commands that compute what is to be enforced, and write nothing. */
export const previewers = ["render", "plan", ...readers] as const;
export const sourced = ["run", "cleanup", "plan", ...examiners, ...readers] as const;
/** The commands that can ask a Northbound database. */
export const connected = ["run", "cleanup", "plan", ...examiners, "observe-node", ...askers] as const;
/** The commands that show what rules have met. */
export const hitReaders = [...askers, "ui"] as const;
/** The commands that judge, and compare what they judge with rows. */
export const comparing = ["plan", ...askers] as const;
/** The commands that take manifests in every form. */
export const judging = [...comparing, "can", "matrix", "recommend"] as const;
/** The commands that serve the page. */
export const pageServers = ["run", "ui"] as const;
/** The commands that take the flags of what is enforced. */
export const renderers = ["run", ...examiners, ...previewers] as const;
/** A run, and what examines one with the same flags. */
export const runners = ["run", ...examiners] as const;

export function variableOf(flag: string): string {
  return `NORTHGATE_${flag.toUpperCase().replaceAll("-", "_")}`;
}
