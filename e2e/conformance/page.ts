// The results in docs/conformance.md, between two markers. Touches nothing of the page outside them.

import { readFileSync, writeFileSync } from "node:fs";
import { format, resolveConfig } from "prettier";
import { markdown, type Results } from "./results-table.ts";

const [begin, end] = ["<!-- conformance: begin -->", "<!-- conformance: end -->"];

export async function intoPage(page: string, results: Results): Promise<void> {
  const before = readFileSync(page, "utf8");
  const [head, tail] = [before.indexOf(begin), before.indexOf(end)];
  if (head < 0 || tail < head) throw new Error(`${page}: no ${begin} before ${end}`);
  await writeFormatted(
    page,
    `${before.slice(0, head)}${begin}\n\n${markdown(results)}\n\n${before.slice(tail)}`,
  );
}

/** As `prettier --check` wants the file. */
export async function writeFormatted(path: string, text: string): Promise<void> {
  writeFileSync(path, await format(text, { ...(await resolveConfig(path)), filepath: path }));
}
