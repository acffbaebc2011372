// Takes out of an installed node_modules what no program can run: descriptions of types, source maps, sources and pages; addons
// for another runtime (Bare); the packages' own tests; and packages that have nothing else, or that say they are for that other
// runtime alone. Licences stay. No other file that Node could load is taken: which of those a program needs, only it knows.
// test/image looks whether a file that stays names one that was taken.

import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const dead = /^\.|\.(bare|map|md|markdown|flow|tsbuildinfo|[cm]?tsx?|c|cc|cpp|h|html|svg|png|yml)$/i;
const licence = /^(licen[cs]e|notice|copying|authors|patents)/i;
const loadable = /\.(js|cjs|mjs|node|wasm)$/;

/**
 * @param modules a folder node_modules, changed in place.
 * @param unwanted top-level packages that are there for other uses, such as the Node that the program carries.
 */
export function prune(modules: string, unwanted: RegExp): void {
  for (const { folder } of packagesBelow(modules))
    rmSync(join(folder, "test"), { recursive: true, force: true });
  for (const path of filesBelow(modules)) {
    const name = basename(path);
    if (dead.test(name) && !licence.test(name)) rmSync(path);
  }
  for (const { folder, name } of packagesBelow(modules)) {
    if (!existsSync(folder)) continue;
    if (unwanted.test(name) || isForAnotherRuntime(folder) || !isLoadable(folder))
      rmSync(folder, { recursive: true });
  }
  // npm's own notes: links to programs, and what it installed.
  for (const name of [".bin", ".package-lock.json"])
    rmSync(join(modules, name), { recursive: true, force: true });
  removeEmpty(modules);
}

interface Package {
  readonly folder: string;
  readonly name: string;
  readonly version: string;
}

/** Those that stand in the tree, nested ones too, by path. */
export function packagesBelow(modules: string): readonly Package[] {
  return filesBelow(modules)
    .filter((path) => basename(path) === "package.json" && isRoot(dirname(path)))
    .map((path) => {
      const { name, version } = JSON.parse(readFileSync(path, "utf8")) as { name: string; version: string };
      return { folder: dirname(path), name, version };
    });
}

/** Absolute paths, sorted; no folders. */
export function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Of a package: node_modules/name or node_modules/@scope/name. */
function isRoot(folder: string): boolean {
  return /\/node_modules\/(@[^/]+\/)?[^/@][^/]*$/.test(folder);
}

function isForAnotherRuntime(folder: string): boolean {
  const { engines = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    engines?: Readonly<Record<string, string>>;
  };
  return "bare" in engines && !("node" in engines);
}

function isLoadable(folder: string): boolean {
  return filesBelow(folder).some((path) => loadable.test(path));
}

function removeEmpty(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const path = join(folder, entry.name);
    removeEmpty(path);
    if (readdirSync(path).length === 0) rmSync(path, { recursive: true });
  }
}
