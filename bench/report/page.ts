// The figures of a page of the documentation: what stands between two markers is replaced, nothing else is touched.

import { readFileSync, writeFileSync } from "node:fs";
import { format, resolveConfig } from "prettier";

/** `part`: of the page's markers, when it has several pairs. Returns what is wrong with the page, without writing; null: it is written. */
export async function writeFigures(page: string, markdown: string, part = "figures"): Promise<string | null> {
  const [begin, end] = [`<!-- ${part}: begin -->`, `<!-- ${part}: end -->`];
  const before = readFileSync(page, "utf8");
  const [head, tail] = [before.indexOf(begin), before.indexOf(end)];
  if (head < 0 || tail < head) return `${page}: no ${begin} before ${end}`;
  const after = `${before.slice(0, head)}${begin}\n\n${markdown}\n${before.slice(tail)}`;
  const style = await resolveConfig(page);
  writeFileSync(page, await format(after, { ...style, filepath: page }));
  return null;
}
