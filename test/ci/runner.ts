// Runs the steps of a composite action and the script of a GitLab job as their programs do it, as far as ours use them: inputs,
// outputs of steps and a few values in `${{ }}`, conditions, environment files. What is not ours, npm and gh, is a script that
// answers in their place.

import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parse } from "yaml";
import { root } from "../docs/reader.ts";
import { mainFile } from "../support/main-file.ts";
import { patience } from "../support/patience.ts";
import { gitEnvironment } from "./repository.ts";

interface Step {
  readonly id?: string;
  readonly uses?: string;
  readonly if?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string; readonly required?: boolean }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

export interface Job {
  /** Of the first step that failed; 0: none did. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What the job's page shows. */
  readonly summary: string;
  /** The comment on the pull request; null: there is none. */
  readonly comment: string | null;
}

const actionFile = join(root, "action.yml");

/**
 * @param values of expressions, as `github.base_ref`.
 * @param sources runs the program from its sources, as in a checkout of the action; each start takes three times as long.
 */
export function runAction(
  clone: string,
  inputs: Readonly<Record<string, string>>,
  values: Readonly<Record<string, string>>,
  { sources = false } = {},
): Job {
  const action = parse(readFileSync(actionFile, "utf8")) as Action;
  const known = new Map(Object.entries(values));
  for (const [name, { default: usual = "" }] of Object.entries(action.inputs))
    known.set(`inputs.${name}`, inputs[name] ?? evaluated(usual, known));
  const tools = toolsIn(`${clone}-tools`);
  const files = {
    output: join(tools, "output"),
    summary: join(tools, "summary"),
    comment: join(tools, "comment"),
  };
  let said = { code: 0, stdout: "", stderr: "" };
  for (const step of action.runs.steps) {
    if (step.run === undefined || said.code !== 0 || !isOn(step, known)) continue;
    writeFileSync(files.output, "");
    const own = Object.entries(step.env ?? {}).map(([name, text]) => [name, evaluated(text, known)] as const);
    const ran = bash(step.run, clone, {
      ...Object.fromEntries(own),
      ...{ GITHUB_OUTPUT: files.output, GITHUB_STEP_SUMMARY: files.summary, COMMENT: files.comment },
      GITHUB_ACTION_PATH: sources ? root : join(tools, "modules", "northgate"),
      PATH: `${tools}:${process.env["PATH"] ?? ""}`,
    });
    said = { code: ran.code, stdout: said.stdout + ran.stdout, stderr: said.stderr + ran.stderr };
    remember(step, files.output, known);
  }
  return { ...said, summary: textOf(files.summary) ?? "", comment: textOf(files.comment) };
}

/** The outputs of the step. */
function remember({ id = "" }: Step, file: string, known: Map<string, string>): void {
  for (const line of readFileSync(file, "utf8").split("\n")) {
    const [name = "", value = ""] = line.split("=");
    known.set(`steps.${id}.outputs.${name}`, value);
  }
}

/** `variables`: those of the pipeline. */
export function runGitlab(clone: string, variables: Readonly<Record<string, string>>): Job {
  const file = join(root, "ci", "gitlab", "northgate-plan.yml");
  const { "northgate-plan": job } = parse(readFileSync(file, "utf8")) as Readonly<
    Record<string, { variables: Record<string, string>; before_script: string[]; script: string[] }>
  >;
  if (job === undefined) throw new Error("no such job");
  const tools = toolsIn(`${clone}-tools`);
  const all = { ...job.variables, ...variables };
  const said = Object.entries(all).map(([name, text]): [string, string] => [
    name,
    text.replace(/^\$(\w+)$/, (_, key: string) => all[key] ?? ""),
  ]);
  const env = { ...Object.fromEntries(said), PATH: `${tools}:${process.env["PATH"] ?? ""}` };
  const ran = bash(["set -e", ...job.before_script, ...job.script].join("\n"), clone, env);
  return { ...ran, summary: "", comment: textOf(join(clone, "northgate", "comment.md")) };
}

function bash(script: string, folder: string, env: Readonly<Record<string, string>>) {
  const { status, stdout, stderr } = spawnSync(
    "bash",
    ["--noprofile", "--norc", "-eo", "pipefail", "-c", script],
    {
      cwd: folder,
      encoding: "utf8",
      env: { ...gitEnvironment(), ...env },
      timeout: patience(120_000),
    },
  );
  return { code: status ?? -1, stdout, stderr };
}

/** npm that installs nothing, and finds the program as the global package; gh that keeps the comment. */
function toolsIn(folder: string): string {
  const installed = join(folder, "modules", "northgate");
  if (!existsSync(installed)) {
    mkdirSync(installed, { recursive: true });
    symlinkSync(join(root, "ci"), join(installed, "ci"));
    // The package has dist/ and no sources; a test that is run by hand has the sources and may have no dist/.
    const program = dirname(mainFile);
    symlinkSync(program, join(installed, basename(program)));
  }
  const tool = (name: string, text: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  };
  tool("npm", `case "$1" in root) echo ${join(folder, "modules")} ;; esac`);
  tool("gh", 'while [ "$#" -gt 1 ]; do shift; done; cp "$1" "$COMMENT"');
  return folder;
}

function evaluated(text: string, known: ReadonlyMap<string, string>): string {
  return text.replace(/\$\{\{ *([\w.-]+) *\}\}/g, (_, name: string) => {
    const value = known.get(name);
    if (value === undefined) throw new Error(`\${{ ${name} }} is not known`);
    return value;
  });
}

/** `inputs.x == 'y'` */
function isOn({ if: condition }: Step, known: ReadonlyMap<string, string>): boolean {
  if (condition === undefined) return true;
  const [, name = "", wanted] = /^\$\{\{ ([\w.-]+) == '([^']*)' \}\}$/.exec(condition) ?? [];
  if (wanted === undefined) throw new Error(`a condition that this runner does not know: ${condition}`);
  return known.get(name) === wanted;
}

function textOf(file: string): string | null {
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}
