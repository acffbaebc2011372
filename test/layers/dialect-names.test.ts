// Where shared code names an opt-in dialect. The aim is one line of src/dialects.ts; each file below still asks for the dialect by its
// name, and says what for. A file that is not in the list fails, and so does one that is in it and no longer names the dialect.

import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

const source = fileURLToPath(new URL("../../src", import.meta.url));

const naming: Readonly<Record<string, string>> = {
  "dialects.ts": "the list of dialects",
  "config/config.ts": "the switches and options of kinds, parsed",
  "config/settings/rows.ts": "their flags",
  "config/settings/cluster.ts": "the help of --kind",
  "wiring/assemble.ts": "the schema that an option of the dialect needs",
  "wiring/claimant.ts": "the flags that a claim carries",
  "cli/cleanup.ts": "kinds that a cleanup leaves alone unless they are named",
  "cli/world.ts": "kinds that a world is read without",
  "lint/catalogue.ts": "an explanation",
  "nbdb/rows/schema.ts": "the flag for which a column is needed",
};

test("shared code names Antrea in these files alone", () => {
  const files = readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !entry.name.endsWith(".test.ts"))
    .map((entry) => relative(source, join(entry.parentPath, entry.name)))
    .filter((file) => !file.startsWith("antrea/"));
  const found = files.filter((file) => /antrea/i.test(readFileSync(join(source, file), "utf8")));
  expect(found.sort()).toEqual(Object.keys(naming).sort());
});
