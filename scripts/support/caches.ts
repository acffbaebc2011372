// Where what is downloaded or built is kept: below the clone's .cache/, each program's in its own folder, by the variable that
// the program itself reads. A variable that is set already stays as it is: a machine may have a cache that clones share.
// How large they have become is said here too.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Of this clone: an absolute path. */
export const cacheFolder = fileURLToPath(new URL("../../.cache/", import.meta.url));

/**
 * Folders below `.cache/` by the variable that names them. npm's is in the Makefile too, which runs npm before there is a
 * Node; test/audit/caches.test.ts compares the two.
 */
export const cacheVariables: Readonly<Record<string, string>> = {
  GOCACHE: "go/build",
  GOMODCACHE: "go/mod",
  npm_config_cache: "npm",
  SWC_NATIVE_BINDING_CACHE: "swc",
};

/** Node writes compiled code there for programs that ask for it, such as tsc and npm: `compileCacheName` in TMPDIR. */
export const compileCache = join(cacheFolder, "node-compile-cache");
export const compileCacheName = "node-compile-cache";

const dayMs = 86_400_000;

/**
 * Removes compiled code that was written more than `keptMs` ago. Node never removes any, and each run of the tests adds thousands of
 * files, for programs at paths that no later run has.
 */
export function pruneCompileCache(folder: string = compileCache, keptMs: number = dayMs): void {
  if (!existsSync(folder)) return;
  const before = Date.now() - keptMs;
  for (const { name, parentPath } of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(parentPath, name);
    // Another run in this clone may have removed it already.
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() === true && stats.mtimeMs < before) rmSync(path, { force: true });
  }
}

/** For this process and all that it starts. */
export function keepCachesInClone(env: NodeJS.ProcessEnv = process.env): void {
  // Programs that make their folder themselves may make it for everybody to write to; swc then refuses it.
  mkdirSync(cacheFolder, { recursive: true });
  for (const [variable, folder] of Object.entries(cacheVariables))
    env[variable] ??= join(cacheFolder, folder);
}

/** One line: all of it, and the largest parts. */
export function sizeOfCaches(folder: string = cacheFolder): string {
  if (!existsSync(folder)) return "caches: none";
  const { stdout } = spawnSync("du", ["-k", "--max-depth=1", folder], { encoding: "utf8" });
  const sizes = stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [kilobytes = "", path = ""] = line.split("\t");
      return { megabytes: Math.round(Number(kilobytes) / 1024), name: path.split("/").at(-1) ?? "" };
    });
  // du says the folder itself last.
  const all = sizes.pop()?.megabytes ?? 0;
  const parts = sizes
    .filter(({ megabytes }) => megabytes > 0)
    .sort((a, b) => b.megabytes - a.megabytes)
    .map(({ name, megabytes }) => `${name} ${megabytes}`);
  return `caches: ${all} MB in ${folder}${parts.length === 0 ? "" : ` (${parts.join(", ")})`}`;
}
