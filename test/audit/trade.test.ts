// The files that forges and package users read: the workflow does what .ci/run does and nothing beside, templates can be parsed,
// owners are named for paths that there are, and the changelog has the form that it says it has.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly "continue-on-error"?: unknown;
  readonly if?: unknown;
}
interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, { readonly env?: unknown; readonly steps: readonly Step[] }>>;
}

const workflows = ".github/workflows";

test.each(readdirSync(workflows))(
  "the workflow %s runs .ci/run, and is not content before that has passed",
  (name) => {
    const workflow = parse(readFileSync(join(workflows, name), "utf8")) as Workflow;
    expect(Object.keys(workflow.on).sort()).toEqual(["pull_request", "push", "schedule"]);
    // Long at night, and never otherwise.
    const LONG = "${{ github.event_name == 'schedule' && 'yes' || '' }}";
    for (const { env } of Object.values(workflow.jobs)) expect(env).toEqual({ LONG });
    expect(workflow.permissions).toEqual({ contents: "read" });
    const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);
    expect(steps.at(-1)?.run).toBe(".ci/run");
    expect(statSync(".ci/run").mode & 0o111).not.toBe(0);
    for (const step of steps) {
      expect([step["continue-on-error"], step.if]).toEqual([undefined, undefined]);
      // What others wrote is named by its full version.
      if (step.uses !== undefined) expect(step.uses).toMatch(/@(v\d+\.\d+\.\d+|[0-9a-f]{40})$/);
      // Before .ci/run only Debian's packages are installed: tests are in .ci/run, where everybody can run them.
      else if (step.run !== ".ci/run") expect(step.run).toMatch(/^(apt-get [^\n]+\n)+$/);
    }
    expect(readFileSync(".ci/run", "utf8")).toMatch(/^export CI=true\nexec make test$/m);
  },
);

test("the templates of issues are parsed, and each asks for something", () => {
  const folder = ".github/ISSUE_TEMPLATE";
  const forms = readdirSync(folder).filter((name) => name !== "config.yml");
  expect(forms.length).toBeGreaterThan(1);
  for (const name of forms) {
    const form = parse(readFileSync(join(folder, name), "utf8")) as {
      readonly name: string;
      readonly description: string;
      readonly body: readonly {
        readonly type: string;
        readonly validations?: { readonly required?: boolean };
      }[];
    };
    expect([typeof form.name, typeof form.description]).toEqual(["string", "string"]);
    expect(form.body.some(({ validations }) => validations?.required === true)).toBe(true);
  }
});

test("every path that has owners is there", () => {
  const lines = readFileSync(".github/CODEOWNERS", "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  const paths = lines.map((line) => line.split(/\s+/)[0] ?? "");
  expect(paths[0]).toBe("*");
  expect(paths.slice(1).filter((path) => !existsSync(join(".", path)))).toEqual([]);
  for (const line of lines) expect(line).toMatch(/^\S+( +@[\w-]+\/[\w-]+)+$/);
});

describe("the changelog", () => {
  const text = readFileSync("CHANGELOG.md", "utf8");
  const versions = [...text.matchAll(/^## \[([^\]]+)\](?: - (\d{4}-\d{2}-\d{2}))?$/gm)];

  test("begins with what is not released, then has versions with their days, the newest first", () => {
    expect(text.match(/^## .*/gm)).toHaveLength(versions.length);
    expect(versions[0]?.slice(1)).toEqual(["Unreleased", undefined]);
    const days = versions.slice(1).map(([, , day]) => day ?? "none");
    expect(days).toEqual([...days].sort().reverse());
    expect(days).not.toContain("none");
  });

  test("knows the version of package.json, released or coming", () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string };
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    const released = versions.some(([, name]) => name === version);
    expect(released || text.includes(`all this is in ${version}.`)).toBe(true);
  });

  test("has its kinds of changes alone", () => {
    const kinds = new Set(text.match(/^### .*/gm));
    const known = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"].map(
      (kind) => `### ${kind}`,
    );
    expect([...kinds].filter((kind) => !known.includes(kind))).toEqual([]);
  });
});
