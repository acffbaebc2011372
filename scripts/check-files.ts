// `node scripts/check-files.ts lint` and `… format`: eslint, and prettier, on the files that did not pass as they are now. A rule about
// types asks what a file imports too: a change of that is a change of the file.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder } from "./support/caches.ts";
import { ambientFiles, checkOthers, keysOf, namedFiles, treeOf } from "./support/passed.ts";

const repository = fileURLToPath(new URL("..", import.meta.url));
const tree = treeOf(repository);
const paths = [...tree.keys()].sort();
const settings = (...suffixes: readonly string[]) =>
  paths.filter((path) => suffixes.some((suffix) => path.endsWith(suffix)));
/** What is installed. */
const packages = ["package.json", "package-lock.json"];

interface FileCheck {
  readonly command: readonly string[];
  keys(): ReadonlyMap<string, string>;
}

const checks: Readonly<Record<string, FileCheck>> = {
  lint: {
    command: ["eslint", "--no-warn-ignored", "--max-warnings=0"],
    keys: () => {
      const rules = settings("eslint.config.js", "tsconfig.json", "tsconfig.build.json");
      return keysOf(
        tree,
        paths.filter((path) => /\.[cm]?[jt]s$/.test(path)),
        {
          ofAll: [...packages, ...rules, ...ambientFiles(repository, tree)],
          needs: namedFiles(repository, tree),
        },
      );
    },
  },
  format: {
    command: ["prettier", "--check", "--ignore-unknown"],
    keys: () => {
      const rules = settings(".prettierrc.json", ".prettierignore", ".gitignore", ".editorconfig");
      return keysOf(tree, paths, { ofAll: [...packages, ...rules] });
    },
  },
};

async function run(command: readonly string[], files: readonly string[]): Promise<number> {
  process.stdout.write(`${files.length} of ${paths.length} files have not passed as they are\n`);
  const [program = "", ...args] = command;
  const child = spawn(program, [...args, ...files], { cwd: repository, stdio: "inherit" });
  const [code] = (await once(child, "close")) as [number | null];
  return code ?? 1;
}

const [name = ""] = process.argv.slice(2);
const check = checks[name];
if (check === undefined) throw new Error(`${name} is none of ${Object.keys(checks).join(", ")}`);
const kept = join(cacheFolder, "passed", `${name}.json`);
process.exitCode = await checkOthers(kept, check.keys(), (files) => run(check.command, files));
