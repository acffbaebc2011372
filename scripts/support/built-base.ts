// The build of another commit, in .cache/equality, made once: for comparisons of two builds, and for upgrades from one to the other.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../..", import.meta.url));
export const builtBases = join(repository, ".cache", "equality");

/** What git prints. Throws where it fails. */
export function git(...args: readonly string[]): Buffer {
  return execFileSync("git", ["-C", repository, ...args], { maxBuffer: 2 ** 30 });
}

const commitsBefore = 100;

/** The last tag, or without tags an earlier commit of the main line. */
export function releaseBefore(): string {
  const [tag] = git("tag", "--list", "v*", "--sort=-v:refname").toString().split("\n");
  if (tag !== undefined && tag !== "") return tag;
  return git("rev-list", "--first-parent", "-n", "1", `--skip=${commitsBefore}`, "HEAD").toString().trim();
}

/** A checkout of the commit with its build, made when it is not there. */
export function builtBase(commit: string): string {
  const id = git("rev-parse", "--verify", `${commit}^{commit}`).toString().trim();
  const tree = join(builtBases, id.slice(0, 12));
  if (existsSync(join(tree, "dist", "main.js"))) return tree;
  mkdirSync(tree, { recursive: true });
  execFileSync("tar", ["-x", "-C", tree], { input: git("archive", id) });
  if (!existsSync(join(tree, "node_modules")))
    symlinkSync(join(repository, "node_modules"), join(tree, "node_modules"));
  // Its own build, whatever that was; the commit that the build writes down is unknown there.
  execFileSync("npm", ["run", "--silent", "build"], { cwd: tree, stdio: "inherit" });
  return tree;
}
