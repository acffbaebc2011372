// docs/lint.md has the catalogue as it is, and help shows all of it.

import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { catalogue, ruleIds } from "./catalogue.ts";
import { withCatalogue } from "./document.ts";

const page = readFileSync(new URL("../../docs/lint.md", import.meta.url), "utf8");
/** Prettier breaks lines, and means nothing by it. */
const flat = (text: string): string => text.replaceAll(/\s+/g, " ").replaceAll("\\", "");

test("docs/lint.md is of the present catalogue: otherwise `node scripts/lint-doc.ts`", () => {
  expect(flat(withCatalogue(page))).toBe(flat(page));
  expect(page.match(/^### NG\d{3} /gm)).toHaveLength(catalogue.length);
});

test("ids begin at NG000, each once, in order", () => {
  expect([...ruleIds]).toEqual(Array.from(catalogue, (_, at) => `NG${String(at).padStart(3, "0")}`));
});
