// `northgate --version`: the commit of a checkout, the one that a build has kept, and unknown where nobody can say it.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { northgate } from "../support/program.ts";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "ng-version-")));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const env = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" };
const git = (at: string, ...args: readonly string[]) =>
  execFileSync("git", ["-C", at, "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
    encoding: "utf8",
    env,
  }).trim();

/** A package with the sources that know its version, and the build's last step. */
function packageAt(root: string): void {
  for (const file of ["src/version.ts", "src/lib/invariant.ts", "scripts/stamp.ts"])
    cpSync(file, join(root, file));
  writeFileSync(join(root, "package.json"), '{"version": "1.2.3", "type": "module"}');
  mkdirSync(join(root, "dist", "lib"), { recursive: true });
  for (const file of ["version.ts", "lib/invariant.ts"]) cpSync(join("src", file), join(root, "dist", file));
}

const run = (root: string, args: readonly string[], more: NodeJS.ProcessEnv = {}) =>
  execFileSync(process.execPath, args, { cwd: root, encoding: "utf8", env: { ...env, ...more } }).trim();
const build = (root: string, more: NodeJS.ProcessEnv = {}) => run(root, ["scripts/stamp.ts"], more);
const told = (root: string, from = "dist") => {
  const program = `const { version, commit } = await import("./${from}/version.ts"); console.log(version(), commit());`;
  return run(root, ["--input-type=module", "-e", program]);
};

test("is the checkout's while the sources run, and the built one's wherever that is taken to", () => {
  packageAt(folder);
  expect([told(folder), told(folder, "src")]).toEqual(["1.2.3 unknown", "1.2.3 unknown"]);
  git(folder, "init", "--quiet");
  git(folder, "add", ".");
  git(folder, "commit", "--quiet", "-m", "one");
  const commit = git(folder, "rev-parse", "HEAD");
  expect(told(folder, "src")).toBe(`1.2.3 ${commit}`);
  build(folder);
  writeFileSync(join(folder, "src", "lib", "invariant.ts"), "export function invariant() {}\n");
  expect([told(folder), told(folder, "src")]).toEqual([`1.2.3 ${commit}`, `1.2.3 ${commit}-dirty`]);
  rmSync(join(folder, ".git"), { recursive: true });
  expect([told(folder), told(folder, "src")]).toEqual([`1.2.3 ${commit}`, "1.2.3 unknown"]);
});

test("is not that of another project's checkout, and a build without one takes what it is told", () => {
  git(folder, "init", "--quiet");
  git(folder, "commit", "--quiet", "--allow-empty", "-m", "another's");
  const root = join(folder, "vendor", "northgate");
  packageAt(root);
  build(root, { NORTHGATE_COMMIT: "abc" });
  expect(told(root)).toBe("1.2.3 abc");
  build(root);
  expect(told(root)).toBe("1.2.3 unknown");
});

test("is printed for people and for programs", () => {
  const { code, stdout } = northgate("--version", "-o", "json");
  const { version, commit, node } = JSON.parse(stdout) as Readonly<Record<string, string>>;
  expect([code, Object.keys(JSON.parse(stdout) as object), node]).toEqual([
    0,
    ["version", "commit", "node"],
    process.versions.node,
  ]);
  expect(commit).toMatch(/^(?:[0-9a-f]{40}(?:-dirty)?|unknown)$/);
  expect(northgate("--version").stdout).toBe(
    `${version ?? ""} (commit ${commit ?? ""}, Node ${process.versions.node})\n`,
  );
  const wrong = northgate("-V", "--output=yaml");
  expect([wrong.code, wrong.stderr]).toEqual([2, 'northgate: --output: "yaml" is not text, json\n']);
});
