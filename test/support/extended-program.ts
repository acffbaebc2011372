// A copy of the product with one more dialect: its folder, its line in the list of dialects, and its line in the layer rules. It is
// bundled as the product is: a start from its sources takes three times as long.

import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../..", import.meta.url));
/** Where the bundle is, as the product has it: beside src/. */
const built = "dist";

/** One replacement in a file of the copy. */
export interface ChangedLine {
  readonly file: string;
  readonly was: string;
  readonly becomes: string;
}

export interface ExtendedProgram {
  /** The root of the copy. */
  readonly root: string;
  /** The path of its program, bundled. */
  readonly main: string;
  remove(): void;
}

/**
 * Copies src/, puts the modules of `folder` (relative to the repository, without tests) into src/`name`/, makes the changes,
 * and bundles the program. Throws where a line to be changed is not there exactly once.
 */
export function extendedProgram(
  name: string,
  folder: string,
  modules: readonly string[],
  changes: readonly ChangedLine[],
): ExtendedProgram {
  mkdirSync(join(repository, ".cache"), { recursive: true });
  const root = mkdtempSync(join(repository, ".cache", "extended-"));
  cpSync(join(repository, "src"), join(root, "src"), { recursive: true });
  for (const file of [".dependency-cruiser.cjs", "package.json"])
    cpSync(join(repository, file), join(root, file));
  for (const name of ["tsconfig.json", "node_modules"]) symlinkSync(join(repository, name), join(root, name));
  mkdirSync(join(root, "src", name));
  for (const module of modules) {
    const text = readFileSync(join(repository, folder, module), "utf8");
    writeFileSync(join(root, "src", name, module), text.replaceAll('"../../src/', '"../'));
  }
  for (const { file, was, becomes } of changes) {
    const text = readFileSync(join(root, file), "utf8");
    if (text.split(was).length !== 2) throw new Error(`${file} has not exactly one ${JSON.stringify(was)}`);
    writeFileSync(join(root, file), text.replace(was, becomes));
  }
  const remove = (): void => {
    rmSync(root, { recursive: true, force: true });
  };
  const bundled = join(root, built);
  execFileSync(process.execPath, [join(repository, "scripts", "bundle.ts"), bundled, root], {
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  return { root, main: join(bundled, "main.js"), remove };
}

/** The files of the copy that differ from the repository's or are not in it, without those of the folder and the bundle. */
export function changedFiles({ root }: ExtendedProgram, name: string): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((file) => !file.startsWith(`src/${name}/`) && !file.startsWith(`${built}/`))
    .filter((file) => readFileSync(join(root, file), "utf8") !== readFileSync(join(repository, file), "utf8"))
    .sort();
}
