// Files that a check has passed are not checked again, wherever the clone is; a change of anything that the answer depends on is no
// answer of before.

import { cpSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import {
  ambientFiles,
  checkOthers,
  type Circumstances,
  keysOf,
  namedFiles,
  treeOf,
} from "../../scripts/support/passed.ts";

let root = "";
let kept = "";

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "ng-passed-"));
  kept = join(root, ".cache", "passed.json");
  write("rules.json", "{}");
  write("src/model.ts", "export type Model = string;\n");
  write("src/reads.ts", 'import type { Model } from "./model.ts";\nexport type Read = Model[];\n');
  write("src/prints.ts", 'export { type Read } from "./reads.ts";\n');
  write("src/alone.ts", "export const alone = 1;\n");
  write("src/loop/a.ts", 'export * from "./b.js";\n');
  write("src/loop/b.ts", 'export * from "./a.ts";\nexport const n: number = 1;\n');
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** Checks what has to be checked, and says which files that was. `meanwhile` happens while the check runs. */
async function checked(
  code = 0,
  of: Partial<Circumstances> = {},
  meanwhile: () => void = () => {},
): Promise<readonly string[]> {
  const keysNow = () => {
    const tree = treeOf(root);
    const sources = [...tree.keys()].filter((path) => path.endsWith(".ts")).sort();
    const ofAll = ["rules.json", ...ambientFiles(root, tree)];
    return keysOf(tree, sources, { ofAll, needs: namedFiles(root, tree), ...of });
  };
  let asked: readonly string[] = [];
  const answered = await checkOthers(kept, keysNow, async (files) => {
    asked = files;
    meanwhile();
    return code;
  });
  expect(answered).toBe(asked.length === 0 ? 0 : code);
  return asked;
}

const all = [
  "src/alone.ts",
  "src/loop/a.ts",
  "src/loop/b.ts",
  "src/model.ts",
  "src/prints.ts",
  "src/reads.ts",
];

test("what passed is not checked again, also in a clone at another place", async () => {
  expect(await checked()).toEqual(all);
  expect(await checked()).toEqual([]);
  const other = mkdtempSync(join(tmpdir(), "ng-passed-"));
  cpSync(root, other, { recursive: true });
  rmSync(root, { recursive: true });
  root = other;
  kept = join(root, ".cache", "passed.json");
  expect(await checked()).toEqual([]);
});

test("a changed file is checked, with all that import it, directly or not", async () => {
  await checked();
  write("src/model.ts", "export type Model = number;\n");
  expect(await checked()).toEqual(["src/model.ts", "src/prints.ts", "src/reads.ts"]);
  write("src/loop/b.ts", "export const n: number = 2;\n");
  expect(await checked()).toEqual(["src/loop/a.ts", "src/loop/b.ts"]);
  write("src/alone.ts", "export const alone = 2;\n");
  expect(await checked()).toEqual(["src/alone.ts"]);
});

test("a check that asks about each file alone is not asked about those that import it", async () => {
  const alone = { needs: () => [] };
  await checked(0, alone);
  write("src/model.ts", "export type Model = number;\n");
  expect(await checked(0, alone)).toEqual(["src/model.ts"]);
});

test("an import that comes to stand for a file, or for none, is a change", async () => {
  await checked();
  rmSync(join(root, "src/model.ts"));
  expect(await checked()).toEqual(["src/prints.ts", "src/reads.ts"]);
  write("src/model.ts", "export type Model = string;\n");
  expect(await checked()).toEqual(["src/model.ts", "src/prints.ts", "src/reads.ts"]);
});

test("other rules, or a declaration that holds everywhere, are a change of every file", async () => {
  await checked();
  write("rules.json", '{ "strict": true }');
  expect(await checked()).toEqual(all);
  write("src/everywhere.ts", "declare global {\n  var n: number;\n}\nexport {};\n");
  expect(await checked()).toEqual([...all, "src/everywhere.ts"].sort());
  write("src/everywhere.ts", "declare global {\n  var n: string;\n}\nexport {};\n");
  expect(await checked()).toEqual([...all, "src/everywhere.ts"].sort());
  expect(await checked()).toEqual([]);
});

test("a moved file is another file", async () => {
  await checked();
  rmSync(join(root, "src/alone.ts"));
  write("test/alone.ts", "export const alone = 1;\n");
  expect(await checked()).toEqual(["test/alone.ts"]);
});

test("nothing is kept of a check that fails: the next run checks the same files", async () => {
  await checked();
  write("src/model.ts", "export type Model = any;\n");
  const changed = ["src/model.ts", "src/prints.ts", "src/reads.ts"];
  expect(await checked(1)).toEqual(changed);
  expect(await checked(1)).toEqual(changed);
  expect(await checked(0)).toEqual(changed);
  expect(await checked()).toEqual([]);
});

test("a file that changes while the check runs has not passed as it was", async () => {
  write("src/alone.ts", "export const alone: any = 1;\n");
  await checked(0, {}, () => {
    write("src/alone.ts", "export const alone = 1;\n");
  });
  write("src/alone.ts", "export const alone: any = 1;\n");
  expect(await checked()).toEqual(["src/alone.ts"]);
});

test("a broken file of keys is none, and one that another clone shares by a link stays as it is", async () => {
  await checked();
  const shared = join(root, ".cache", "shared.json");
  linkSync(kept, shared);
  const before = readFileSync(shared, "utf8");
  write("src/alone.ts", "export const alone = 3;\n");
  await checked();
  expect(readFileSync(shared, "utf8")).toBe(before);
  writeFileSync(kept, "[");
  expect(await checked()).toEqual(all);
});
