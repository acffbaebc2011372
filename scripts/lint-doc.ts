// `node scripts/lint-doc.ts`: writes the catalogue into docs/lint.md and into the page of each rule, between their marks. A test
// holds the pages to it.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import { catalogue } from "../src/lint/catalogue.ts";
import { withCatalogue, withRule } from "../src/lint/document.ts";

await write("lint.md", withCatalogue);
for (const rule of catalogue) await write(`lint/${rule.id}.md`, (page) => withRule(page, rule));

async function write(name: string, made: (page: string) => string): Promise<void> {
  const page = fileURLToPath(new URL(`../docs/${name}`, import.meta.url));
  const text = made(readFileSync(page, "utf8"));
  writeFileSync(page, await format(text, { ...(await resolveConfig(page)), parser: "markdown" }));
}
