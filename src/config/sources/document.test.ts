// docs/flags.md has every flag as it is.

import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { flagsPage } from "./document.ts";
import { settings } from "../settings.ts";

const page = readFileSync(new URL("../../../docs/flags.md", import.meta.url), "utf8");
/** Prettier breaks lines and pads tables, and means nothing by it. */
const flat = (text: string): string => text.replaceAll(/\s+/g, " ").replaceAll(/-{3,}/g, "---");

test("docs/flags.md is of the present settings: otherwise `node scripts/flags-doc.ts`", () => {
  expect(flat(page).trim()).toBe(flat(flagsPage()).trim());
  expect(page.match(/^\| (?:`-.`, )?`--/gm)).toHaveLength(settings.length);
});
