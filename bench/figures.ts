// `make figures`: writes the tables of docs/performance.md, between its markers, and the charts in docs/img/ from the JSON
// that `make bench` left. Touches nothing of the page outside the markers. Exit codes: 0 written, 2 nothing to write from.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { render } from "./report/markdown.ts";
import type { Results } from "./report/results.ts";

const page = "docs/performance.md";
const [begin, end] = ["<!-- figures: begin -->", "<!-- figures: end -->"];

async function write(files: readonly string[]): Promise<string | null> {
  const missing = files.filter((file) => !existsSync(file));
  if (files.length === 0 || missing.length > 0) {
    return `no results: ${missing.join(", ")}; say make figures FROM="bench/results/W1+W2-central.json …"`;
  }
  const before = readFileSync(page, "utf8");
  const [head, tail] = [before.indexOf(begin), before.indexOf(end)];
  if (head < 0 || tail < head) return `${page}: no ${begin} before ${end}`;
  const runs = files.map((file) => JSON.parse(readFileSync(file, "utf8")) as Results);
  const { markdown, charts } = render(runs);
  mkdirSync("docs/img", { recursive: true });
  for (const [name, svg] of charts) writeFileSync(join("docs/img", name), svg);
  const after = `${before.slice(0, head)}${begin}\n\n${markdown}\n${before.slice(tail)}`;
  const style = await resolveConfig(page);
  writeFileSync(page, await format(after, { ...style, filepath: page }));
  process.stdout.write(`${page}, ${charts.size} charts\n`);
  return null;
}

const complaint = await write(process.argv.slice(2));
if (complaint !== null) {
  process.stderr.write(`${complaint}\n`);
  process.exitCode = 2;
}
