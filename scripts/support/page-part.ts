// A part of a page of docs/ that a program writes, between two markers: `<!-- NAME: begin -->` and `<!-- NAME: end -->`. Touches nothing
// outside them.

import { readFileSync, writeFileSync } from "node:fs";
import { format, resolveConfig } from "prettier";

/** Throws when the page does not have both markers. */
export async function placeBetween(page: string, part: string, text: string): Promise<void> {
  const [begin, end] = [`<!-- ${part}: begin -->`, `<!-- ${part}: end -->`];
  const before = readFileSync(page, "utf8");
  const [head, tail] = [before.indexOf(begin), before.indexOf(end)];
  if (head < 0 || tail < head) throw new Error(`${page}: no ${begin} before ${end}`);
  const after = `${before.slice(0, head)}${begin}\n\n${text}\n${before.slice(tail)}`;
  writeFileSync(page, await format(after, { ...(await resolveConfig(page)), filepath: page }));
}
