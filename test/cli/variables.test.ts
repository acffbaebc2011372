// Every NORTHGATE_ variable that a script, a build or a test of this repository reads is a setting's or known to be none:
// otherwise `northgate run` in such an environment would warn of it, or refuse it.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { ownVariables } from "../../src/config/sources/environment.ts";
import { variableOf } from "../../src/config/setting.ts";
import { settings } from "../../src/config/settings.ts";

/** How TypeScript and the shell read one. */
const reads = [
  /env(?:ironment)?\[["'](NORTHGATE_[A-Z0-9_]+)["']\]/g,
  /numberIn\("(NORTHGATE_[A-Z0-9_]+)"/g,
  /\$\$?\{?(NORTHGATE_[A-Z0-9_]+)/g,
];
const folders = [
  ...["src", "tools", "scripts", "e2e", "test", "bench", "soak", "faults", "bin"],
  ...["Makefile", "Dockerfile"],
];

test("variables that are read are known", () => {
  const settled = new Set(settings.map(({ flag }) => variableOf(flag)));
  const found = new Set<string>();
  const names = execFileSync("find", [...folders, "-type", "f"], { encoding: "utf8" })
    .trim()
    .split("\n");
  for (const name of names.filter((path) => /(\.(ts|js|sh)|file)$/.test(path))) {
    const text = readFileSync(name, "utf8");
    for (const form of reads) for (const [, variable = ""] of text.matchAll(form)) found.add(variable);
  }
  const unknown = [...found].filter((name) => !settled.has(name) && !ownVariables.has(name));
  expect(unknown).toEqual([]);
  for (const name of ["NORTHGATE_OVN_PREFIX", "NORTHGATE_BUILD_JOBS", "NORTHGATE_PROOF_WORLDS"])
    expect(found).toContain(name);
});
