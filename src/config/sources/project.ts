// The settings of a repository: the file .northgate.yaml, in the folder that a command runs in or in one above it, up to the root of
// the repository. What is given on the command line, in the environment or by --config counts more. Read strictly: what is not
// known here is an error that names the file and the field.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseDocument } from "yaml";
import { Field, Problems } from "../../model/reader.ts";
import { lintLevels, lintSeverities } from "../choices.ts";
import { cniFlag, cniNames } from "../../cni/answers.ts";
import type { ProjectValue } from "../values.ts";
import { UsageError } from "../values.ts";

export const projectFile = ".northgate.yaml";

export type LintLevel = (typeof lintLevels)[number];

/** How bad the findings of a rule are. */
export interface Severed {
  readonly id: string;
  readonly level: LintLevel;
  /** For error messages: `--severity`, `.northgate.yaml: lint.severity`. */
  readonly from: string;
}

export interface ProjectSettings {
  /** The network plugin of the clusters that the repository is for. */
  readonly cni: ProjectValue | null;
  readonly lint: {
    readonly failOn: (typeof lintSeverities)[number] | null;
    readonly severity: readonly Severed[];
  };
}

const nothing: ProjectSettings = { cni: null, lint: { failOn: null, severity: [] } };

/** Of the nearest file; throws a UsageError for one that cannot be read. No file: nothing is set. */
export function projectSettings(folder: string): ProjectSettings {
  const path = fileFor(resolve(folder));
  return path === null ? nothing : readProject(path, readText(path));
}

/** By flag, what the nearest file sets of flags that several commands take. Throws as `projectSettings` does. */
export function projectFlags(folder: string): ReadonlyMap<string, ProjectValue> {
  const { cni } = projectSettings(folder);
  return new Map(cni === null ? [] : [[cniFlag, cni]]);
}

/** Outside of a repository only the folder itself counts: a file in a folder above may be anyone's. */
function fileFor(folder: string): string | null {
  const folders = upwards(folder);
  const root = folders.findIndex((one) => existsSync(join(one, ".git")));
  const within = folders.slice(0, Math.max(root, 0) + 1).map((one) => join(one, projectFile));
  return within.find((path) => existsSync(path)) ?? null;
}

function upwards(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...upwards(above)];
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** An empty file sets nothing. */
export function readProject(path: string, text: string): ProjectSettings {
  const problems = new Problems();
  const root = new Field(problems, "", parsed(path, text));
  const settings = root.present ? readSettings(root, path) : nothing;
  const [first] = problems.list();
  if (first === undefined) return settings;
  throw new UsageError(`${path}: ${first.field === "" ? "" : `${first.field}: `}${first.message}`);
}

function parsed(path: string, text: string): unknown {
  const document = parseDocument(text, { stringKeys: true, logLevel: "error" });
  // What the parser only warns of, such as an unknown tag, is not what the author means either.
  const [fault] = [...document.errors, ...document.warnings];
  if (fault?.code === "MULTIPLE_DOCS")
    throw new UsageError(`${path}: it must be one YAML document, not several`);
  try {
    if (fault !== undefined) throw fault;
    return document.toJS();
  } catch (error) {
    const [line] = (error instanceof Error ? error.message : String(error)).split("\n");
    throw new UsageError(`${path}: ${line ?? ""}`);
  }
}

function readSettings(root: Field, path: string): ProjectSettings {
  if (!hasOnly(root, ["cni", "lint"])) return nothing;
  const [lint, plugin] = [root.at("lint"), root.at("cni")];
  const name = plugin.present ? oneOf(plugin, cniNames) : null;
  const cni = name === null ? null : { text: name, from: `${path}: ${plugin.path}` };
  if (!lint.present) return { ...nothing, cni };
  if (!hasOnly(lint, ["failOn", "severity"])) return nothing;
  const [failOn, severity] = [lint.at("failOn"), lint.at("severity")];
  if (severity.present) severity.object();
  const levels = severity.names().flatMap((id) => {
    const level = oneOf(severity.at(id), lintLevels);
    return level === null ? [] : [{ id, level, from: `${path}: ${severity.path}` }];
  });
  return { cni, lint: { failOn: failOn.present ? oneOf(failOn, lintSeverities) : null, severity: levels } };
}

function hasOnly(field: Field, known: readonly string[]): boolean {
  if (!field.object()) return false;
  const others = field.others(known);
  for (const name of others)
    field.at(name).error(`this setting is not known here; there are ${known.join(", ")}`);
  return others.length === 0;
}

function oneOf<T extends string>(field: Field, choices: readonly T[]): T | null {
  const found = choices.find((one) => one === field.raw);
  return found ?? field.error(`must be one of ${choices.join(", ")}, not ${field.quoted}`);
}
