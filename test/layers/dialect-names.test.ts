// Shared code names no dialect that users switch on, except the one line of src/dialects.ts that installs it, with its import.

import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

const source = fileURLToPath(new URL("../../src", import.meta.url));

test("shared code names Antrea in the import and the one line of dialects.ts", () => {
  const files = readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !entry.name.endsWith(".test.ts"))
    .map((entry) => relative(source, join(entry.parentPath, entry.name)))
    .filter((file) => !file.startsWith("antrea/"));
  const naming = files.flatMap((file) =>
    readFileSync(join(source, file), "utf8")
      .split("\n")
      .filter((line) => /antrea/i.test(line))
      .map((line) => `${file}: ${line}`),
  );
  expect(naming).toEqual([
    'dialects.ts: import { antrea } from "./antrea/index.ts";',
    "dialects.ts: export const switchedDialects: readonly SwitchedDialect[] = [clusterWide, networkPolicy, antrea];",
  ]);
});
