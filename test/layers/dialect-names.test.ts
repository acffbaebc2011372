// Shared code names no dialect that users choose, except the line of src/dialects.ts that installs it, with its import. What a
// cluster may have of kinds that are not read is data of src/unknowns/foreign-kinds.ts, which names many, and what network plugins
// document is data of src/cni/answers.ts.

import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

const source = fileURLToPath(new URL("../../src", import.meta.url));

test.each([
  [
    "antrea",
    [
      'dialects.ts: import { antrea } from "./antrea/index.ts";',
      "dialects.ts: export const switchedDialects: readonly SwitchedDialect[] = [clusterWide, networkPolicy, antrea];",
    ],
  ],
  [
    "calico",
    [
      'dialects.ts: import { calico } from "./calico/index.ts";',
      "dialects.ts: export const otherModels: readonly OtherModel[] = [calico];",
    ],
  ],
])("shared code names %s in the import and the one line of dialects.ts", (name, lines) => {
  const files = readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !entry.name.endsWith(".test.ts"))
    .map((entry) => relative(source, join(entry.parentPath, entry.name)))
    .filter(
      (file) =>
        !/^(antrea|calico)\//.test(file) && !["unknowns/foreign-kinds.ts", "cni/answers.ts"].includes(file),
    );
  const naming = files.flatMap((file) =>
    readFileSync(join(source, file), "utf8")
      .split("\n")
      .filter((line) => line.toLowerCase().includes(name))
      .map((line) => `${file}: ${line}`),
  );
  expect(naming).toEqual(lines);
});
