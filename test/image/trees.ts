// The image's tree, assembled twice by scripts/image.ts: from this clone, and from a copy of what the builder would be sent.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { dirname, join, matchesGlob, resolve } from "node:path";
import { patience } from "../support/patience.ts";

export interface Trees {
  readonly fromClone: string;
  readonly fromContext: string;
  remove(): void;
}

export function assembledTrees(): Trees {
  const folder = mkdtempSync("/tmp/ngi-");
  const remove = () => {
    rmSync(folder, { recursive: true, force: true });
  };
  const context = join(folder, "context");
  const trees = { fromClone: join(folder, "clone"), fromContext: join(folder, "copy"), remove };
  try {
    copyContext(context);
    assemble(resolve("."), trees.fromClone);
    assemble(context, trees.fromContext);
    return trees;
  } catch (error) {
    remove();
    throw error;
  }
}

function assemble(from: string, into: string): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(from, "scripts/image.ts"), into], {
    encoding: "utf8",
    env: { ...process.env, NODE_OPTIONS: "" },
    timeout: patience(180_000),
  });
  if (status !== 0)
    throw new Error(`scripts/image.ts ended with code ${status ?? "none"}: ${stdout}${stderr}`);
}

/** What .dockerignore lets through: paths after `!`, less those of the patterns after them. */
function copyContext(into: string): void {
  const lines = readFileSync(".dockerignore", "utf8").split("\n");
  const rules = lines.filter((line) => line !== "" && !line.startsWith("#"));
  const taken = rules.filter((rule) => rule.startsWith("!")).map((rule) => rule.slice(1));
  const dropped = rules.filter((rule) => !rule.startsWith("!") && rule !== "*");
  for (const path of taken) {
    mkdirSync(dirname(join(into, path)), { recursive: true });
    const filter = (source: string) => !dropped.some((pattern) => matchesGlob(source, pattern));
    cpSync(path, join(into, path), { recursive: true, filter });
  }
  // In place of the stage's `npm ci`: the bundler, and what it bundles.
  symlinkSync(resolve("node_modules"), join(into, "node_modules"));
}

/** Every path of a tree with its kind, mode, time and content. */
export function inventory(tree: string): readonly string[] {
  return readdirSync(tree, { recursive: true, encoding: "utf8" })
    .sort()
    .map((path) => {
      const stat = lstatSync(join(tree, path));
      const content = stat.isFile()
        ? createHash("sha256")
            .update(readFileSync(join(tree, path)))
            .digest("hex")
        : "folder";
      return [path, stat.mode.toString(8), stat.mtimeMs, content].join(" ");
    });
}

/** Absolute paths, sorted; no folders. */
export function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
