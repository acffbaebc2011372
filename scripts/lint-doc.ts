// `node scripts/lint-doc.ts`: writes the catalogue into docs/lint.md, between its two marks. A test holds the page to it.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import { withCatalogue } from "../src/lint/document.ts";

const page = fileURLToPath(new URL("../docs/lint.md", import.meta.url));
const text = withCatalogue(readFileSync(page, "utf8"));
writeFileSync(page, await format(text, { ...(await resolveConfig(page)), parser: "markdown" }));
