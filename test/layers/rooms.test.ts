// The layer rules deny by default: asked of dependency-cruiser itself, with a copy of the rules and a small tree in which a
// new folder imports what it should not.

import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { patience } from "../support/patience.ts";

jest.setTimeout(patience(120_000));

const repository = fileURLToPath(new URL("../..", import.meta.url));
let tree = "";

beforeAll(() => {
  // Below the repository, so that packages are found and links lead nowhere else.
  mkdirSync(join(repository, ".cache"), { recursive: true });
  tree = mkdtempSync(join(repository, ".cache", "layers-"));
  symlinkSync(join(repository, "tsconfig.json"), join(tree, "tsconfig.json"));
});
afterAll(() => {
  rmSync(tree, { recursive: true, force: true });
});

function file(path: string, text: string): void {
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  writeFileSync(join(tree, path), text);
}

/** The rules that are broken, as "rule: from → to". */
function violations(...folders: readonly string[]): Promise<readonly string[]> {
  const cli = join(repository, "node_modules", "dependency-cruiser", "bin", "dependency-cruiser.mjs");
  const rules = join(repository, ".dependency-cruiser.cjs");
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [cli, "--config", rules, "--output-type", "json", "src", ...folders],
      { cwd: tree, maxBuffer: 2 ** 26 },
      (_, stdout, stderr) => {
        if (!stdout.startsWith("{")) {
          reject(new Error(stderr));
          return;
        }
        const { summary } = JSON.parse(stdout) as {
          summary: { violations: { rule: { name: string }; from: string; to: string }[] };
        };
        resolve(summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`).sort());
      },
    );
  });
}

test("a new folder may import nothing of src/ before it has its line", async () => {
  file("src/controller/loop.ts", "export class Loop {}\n");
  file("src/anp/index.ts", "export const anp = 1;\n");
  file("src/nbdb/backend.ts", "export const backend = 1;\n");
  file("src/lib/clock.ts", "export const clock = 1;\n");
  file(
    "src/newcomer/index.ts",
    [
      'import { Loop } from "../controller/loop.ts";',
      'import { anp } from "../anp/index.ts";',
      'import { backend } from "../nbdb/backend.ts";',
      'import { clock } from "../lib/clock.ts";',
      "export const all = [Loop, anp, backend, clock];\n",
    ].join("\n"),
  );
  expect(await violations()).toEqual(
    ["anp/index.ts", "controller/loop.ts", "lib/clock.ts", "nbdb/backend.ts"].map(
      (to) => `a-new-room-needs-its-line: src/newcomer/index.ts → src/${to}`,
    ),
  );
});

test("a room may import what its line names, and no room inside that", async () => {
  rmSync(join(tree, "src"), { recursive: true });
  file("src/lib/clock.ts", "export const clock = 1;\n");
  file("src/policy/ir.ts", 'import { clock } from "../lib/clock.ts";\nexport const ir = clock;\n');
  file("src/nbdb/plan/unit.ts", 'import { ir } from "../../policy/ir.ts";\nexport const unit = ir;\n');
  file("src/anp/index.ts", 'import { unit } from "../nbdb/plan/unit.ts";\nexport const anp = unit;\n');
  file("src/nbdb/rows/acl.ts", 'import { unit } from "../plan/unit.ts";\nexport const acl = unit;\n');
  expect(await violations()).toEqual([
    "anp-imports-only: src/anp/index.ts → src/nbdb/plan/unit.ts",
    "nbdb-rows-imports-only: src/nbdb/rows/acl.ts → src/nbdb/plan/unit.ts",
  ]);
});

test("the product imports no tool, and a tool what its line names", async () => {
  rmSync(join(tree, "src"), { recursive: true });
  file("src/lib/clock.ts", "export const clock = 1;\n");
  file("src/controller/loop.ts", "export class Loop {}\n");
  file("src/cli/run.ts", 'import { ovn } from "../../tools/sandbox/ovn.ts";\nexport const run = ovn;\n');
  file(
    "tools/sandbox/ovn.ts",
    [
      'import { Loop } from "../../src/controller/loop.ts";',
      'import { clock } from "../../src/lib/clock.ts";',
      "export const ovn = [Loop, clock];\n",
    ].join("\n"),
  );
  file(
    "tools/newcomer/main.ts",
    'import { clock } from "../../src/lib/clock.ts";\nexport const main = clock;\n',
  );
  expect(await violations("tools")).toEqual([
    "a-new-room-needs-its-line: tools/newcomer/main.ts → src/lib/clock.ts",
    "cli-imports-only: src/cli/run.ts → tools/sandbox/ovn.ts",
    "tools-sandbox-imports-only: tools/sandbox/ovn.ts → src/controller/loop.ts",
  ]);
});
