// Which files a check has passed as they are now, so that the next run checks the others alone. What is kept is no path and no time
// but a digest of everything that the answer depends on: so it holds in a clone at another place too, and is no answer about anything else.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";

/** Neither of them has files of ours. */
const skipped = new Set(["node_modules", "dist", ".cache", ".git"]);

/** The files of a repository, by their paths in it, each with a digest of what is in it. */
export type Tree = ReadonlyMap<string, string>;

export function treeOf(root: string): Tree {
  const tree = new Map<string, string>();
  const visit = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !skipped.has(entry.name)) visit(path);
      else if (entry.isFile()) tree.set(relative(root, path), digest([readFileSync(path)]));
    }
  };
  visit(root);
  return tree;
}

/** What a file's answer depends on beside itself. */
export interface Circumstances {
  /** Files that the answer about each file depends on, such as the rules and the versions of packages. */
  readonly ofAll: readonly string[];
  /** Files that this one depends on, directly; none, unless given. */
  readonly needs?: (path: string) => readonly string[];
}

/** For each of the files, a digest of it and of all that it depends on. */
export function keysOf(
  tree: Tree,
  files: readonly string[],
  { ofAll, needs = () => [] }: Circumstances,
): ReadonlyMap<string, string> {
  const named = (path: string) => `${path} ${tree.get(path) ?? "missing"}`;
  const shared = [process.version, ...ofAll.map(named)];
  const direct = new Map<string, readonly string[]>();
  const closure = (path: string): ReadonlySet<string> => {
    const reached = new Set([path]);
    // A set is gone through in the order of what is added while it lasts.
    for (const one of reached) {
      const found = direct.get(one) ?? needs(one);
      direct.set(one, found);
      for (const next of found) reached.add(next);
    }
    return reached;
  };
  return new Map(
    files.map((path) => [path, digest([path, ...shared, ...Array.from(closure(path), named).sort()])]),
  );
}

/**
 * The files of the tree that a source names by a relative path, as it imports them: more than it imports, where a text looks like a
 * path. A name with the end .js may be of a source with the end .ts.
 */
export function namedFiles(root: string, tree: Tree): (path: string) => readonly string[] {
  return (path) => {
    if (!/\.[cm]?[jt]s$/.test(path)) return [];
    const text = readFileSync(join(root, path), "utf8");
    return Array.from(text.matchAll(/["'`](\.{1,2}\/[^"'`\n]*)["'`]/g), ([, name = ""]) => {
      const named = posix.join(posix.dirname(path), name);
      return [named, named.replace(/js$/, "ts"), `${named}.d.ts`];
    })
      .flat()
      .filter((one) => tree.has(one));
  };
}

/** Declarations that hold in files that do not import them. */
export function ambientFiles(root: string, tree: Tree): readonly string[] {
  const isAmbient = (path: string) =>
    path.endsWith(".d.ts") ||
    (path.endsWith(".ts") &&
      /^\s*declare (global|module)\b|^\/\/\/ *<reference/m.test(readFileSync(join(root, path), "utf8")));
  return [...tree.keys()].filter(isAmbient).sort();
}

/**
 * Runs the check on the files whose keys are not among those that passed, and keeps the keys when it succeeds: of the files that
 * are still the same then, as the check reads them after their keys were made.
 * @param kept the file of the keys, written whole: it may be a hard link that another clone shares.
 * @returns the exit code of the check; 0 where there is nothing to check.
 */
export async function checkOthers(
  kept: string,
  keysNow: () => ReadonlyMap<string, string>,
  check: (files: readonly string[]) => Promise<number>,
): Promise<number> {
  const passed = readPassed(kept);
  const before = keysNow();
  const others = [...before].filter(([, key]) => !passed.has(key)).map(([path]) => path);
  const code = others.length === 0 ? 0 : await check(others);
  if (code !== 0) return code;
  const after = others.length === 0 ? before : keysNow();
  const same = [...before].filter(([path, key]) => after.get(path) === key).map(([, key]) => key);
  mkdirSync(dirname(kept), { recursive: true });
  const written = `${kept}.${process.pid}`;
  writeFileSync(written, JSON.stringify(same));
  renameSync(written, kept);
  return 0;
}

/** Nothing where the file is missing or broken. */
function readPassed(kept: string): ReadonlySet<unknown> {
  if (!existsSync(kept)) return new Set();
  try {
    const read: unknown = JSON.parse(readFileSync(kept, "utf8"));
    return new Set(Array.isArray(read) ? (read as readonly unknown[]) : []);
  } catch {
    return new Set();
  }
}

function digest(parts: readonly (string | Buffer)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part).update("\n");
  return hash.digest("base64url");
}
