// `npm run lint` and `npm run format`: eslint, and prettier, on the files that did not pass as they are now. A rule about
// types asks what a file imports too: a change of that is a change of the file.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder } from "./support/caches.ts";
import { ambientFiles, checkOthers, keysOf, namedFiles, type Tree, treeOf } from "./support/passed.ts";

const repository = fileURLToPath(new URL("..", import.meta.url));
/** What is installed. */
const packages = ["package.json", "package-lock.json"];

interface FileCheck {
  readonly command: readonly string[];
  keysOf(tree: Tree): ReadonlyMap<string, string>;
}

function ending(tree: Tree, ...ends: readonly string[]): readonly string[] {
  return [...tree.keys()].filter((path) => ends.some((end) => path.endsWith(end))).sort();
}

const checks: Readonly<Record<string, FileCheck>> = {
  lint: {
    command: ["eslint", "--no-warn-ignored", "--max-warnings=0"],
    keysOf: (tree) => {
      const rules = ending(tree, "eslint.config.js", "tsconfig.json", "tsconfig.build.json");
      return keysOf(tree, ending(tree, ...[".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"]), {
        ofAll: [...packages, ...rules, ...ambientFiles(repository, tree)],
        needs: namedFiles(repository, tree),
      });
    },
  },
  format: {
    command: ["prettier", "--check", "--ignore-unknown"],
    keysOf: (tree) => {
      const rules = ending(tree, ".prettierrc.json", ".prettierignore", ".gitignore", ".editorconfig");
      return keysOf(tree, ending(tree, ""), { ofAll: [...packages, ...rules] });
    },
  },
};

async function run(command: readonly string[], files: readonly string[]): Promise<number> {
  process.stdout.write(`files that have not passed as they are: ${files.length}\n`);
  const [program = "", ...args] = command;
  const child = spawn(program, [...args, ...files], { cwd: repository, stdio: "inherit" });
  const [code] = (await once(child, "close")) as [number | null];
  return code ?? 1;
}

const [name = ""] = process.argv.slice(2);
const check = checks[name];
if (check === undefined) throw new Error(`${name} is none of ${Object.keys(checks).join(", ")}`);
const kept = join(cacheFolder, "passed", `${name}.json`);
process.exitCode = await checkOthers(
  kept,
  () => check.keysOf(treeOf(repository)),
  (files) => run(check.command, files),
);
