// The texts of a command's settings: a flag wins over the environment, the environment over the file, the file over that of the
// repository, and this over the default. Each value carries its origin; refuses settings that a file may not hold, and values that are not allowed.

import { readFileSync } from "node:fs";
import { parse as parseYaml } from "yaml";
import type { Flags } from "../policy/contracts/flags.ts";
import type { CommandName, Setting } from "./setting.ts";
import { variableOf } from "./setting.ts";
import type { FlagOf } from "./settings.ts";
import { settings, settingsOf } from "./settings.ts";

/** Wrong usage: exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export interface Value {
  readonly text: string;
  /** All values of a flag that may be repeated. */
  readonly texts: readonly string[];
  /** For error messages: `--nb`, `NORTHGATE_NB`, `config.yaml: nb`. */
  readonly from: string;
  /** Whether the value is the default. */
  readonly isDefault: boolean;
}

export interface ConfigInput {
  /** As given on the command line, in order, by flag name without dashes; a switch that is given is "true". */
  readonly flags: Readonly<Record<string, readonly string[] | undefined>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What a repository's file sets, by flag; nothing unless given. It counts less than all of these. */
  readonly project?: ReadonlyMap<string, ProjectValue>;
}

export interface ProjectValue {
  readonly text: string;
  /** For error messages: `.northgate.yaml: cni`. */
  readonly from: string;
}

export interface Values<C extends CommandName> {
  /** Throws UsageError for a missing required flag and for a value that is not allowed. */
  readonly value: (flag: FlagOf<C>) => Value;
  /** As `value`; "" for a required flag that is missing. */
  readonly optional: (flag: FlagOf<C>) => Value;
  /** Of a flag that a dialect or a backend has; null: the command does not take it, or has its default. Throws as `value` does. */
  readonly given: (flag: string) => Value | null;
  /** The values of flags that the table has for a dialect or a backend; of one that the command does not take, the given. Throws as `value` does. */
  readonly flagsOf: (otherwise: Flags) => Flags;
  /** By flag, the text of every setting that is not empty, defaults and `config` included. Throws as `optional` does. */
  readonly effective: () => Readonly<Record<string, string>>;
}

/** Reads the file that `--config` names; throws UsageError for it. */
export function valuesOf<C extends CommandName>(
  command: C,
  { flags, environment, project }: ConfigInput,
): Values<C> {
  const path = flags["config"]?.at(-1);
  const filed = path === undefined ? new Map<string, Value>() : readFile(path);
  const taken = new Map(settingsOf(command).map((setting) => [setting.flag, setting]));
  const given = ({ flag, onLineOnly, fallback }: Setting): Value | null => {
    const onLine = flags[flag] ?? [];
    if (onLine.length > 0) return valueOf(onLine, `--${flag}`);
    const variable = variableOf(flag);
    const inEnvironment = onLineOnly === true ? "" : (environment[variable] ?? "");
    if (inEnvironment !== "") return valueOf([inEnvironment], variable);
    const inFile = filed.get(flag);
    if (inFile !== undefined) return inFile;
    const inProject = project?.get(flag);
    if (inProject !== undefined) return valueOf([inProject.text], inProject.from);
    return fallback === null ? null : defaultOf(flag, fallback);
  };
  const find = (flag: string, missing: (setting: Setting) => Value): Value => {
    const setting = taken.get(flag);
    if (setting === undefined) throw new UsageError(`--${flag} is no flag of ${command}`);
    const found = given(setting) ?? missing(setting);
    const { choices } = setting;
    if (choices !== undefined && !choices.includes(found.text)) {
      throw new UsageError(`${found.from}: ${JSON.stringify(found.text)} is not ${choices.join(", ")}`);
    }
    const fault = setting.fault?.(found.text) ?? null;
    if (fault !== null) throw new UsageError(`${found.from}: ${JSON.stringify(found.text)} ${fault}`);
    return found;
  };
  const value = (flag: string): Value =>
    find(flag, ({ onLineOnly }) => {
      const otherwise = onLineOnly === true ? "" : ` (or ${variableOf(flag)}, or ${flag}: in a config file)`;
      throw new UsageError(`--${flag} is needed${otherwise}`);
    });
  const optional = (flag: string): Value => find(flag, () => defaultOf(flag, ""));
  const flagsOf = (otherwise: Flags) =>
    Object.fromEntries(
      Object.entries(otherwise).map(([flag, text]) => [flag, taken.has(flag) ? value(flag).text : text]),
    );
  const effective = () => {
    const texts = [...taken.keys()].map((flag) => [flag, optional(flag).text] as const);
    const config = ["config", path ?? ""] as const;
    return Object.fromEntries([config, ...texts].filter(([, text]) => text !== ""));
  };
  const givenOf = (flag: string): Value | null => {
    const found = taken.has(flag) ? value(flag) : null;
    return found?.isDefault === false ? found : null;
  };
  return { value, optional, given: givenOf, flagsOf, effective };
}

function valueOf(texts: readonly string[], from: string): Value {
  return { text: texts.at(-1) ?? "", texts, from, isDefault: false };
}

function defaultOf(flag: string, text: string): Value {
  return { ...valueOf([text], `--${flag}`), isDefault: true };
}

/** One file serves every command: settings of other commands are accepted too. */
function readFile(path: string): ReadonlyMap<string, Value> {
  let parsed: unknown;
  try {
    parsed = parseYaml(readFileSync(path, "utf8"));
  } catch (error) {
    throw new UsageError(
      `--config ${path}: ${error instanceof Error ? firstLine(error.message) : String(error)}`,
    );
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new UsageError(`--config ${path}: not a mapping of settings`);
  }
  const known = new Set(settings.filter(({ onLineOnly }) => onLineOnly !== true).map(({ flag }) => flag));
  const values = new Map<string, Value>();
  for (const [key, entry] of Object.entries(parsed)) {
    if (!known.has(key)) throw new UsageError(`--config ${path}: unknown setting ${JSON.stringify(key)}`);
    if (!["string", "number", "boolean"].includes(typeof entry)) {
      throw new UsageError(`--config ${path}: ${key}: not a string`);
    }
    values.set(key, valueOf([String(entry)], `${path}: ${key}`));
  }
  return values;
}

function firstLine(text: string): string {
  return text.split("\n")[0] ?? "";
}
