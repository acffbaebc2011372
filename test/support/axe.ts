// What axe-core finds on a page that is open.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "./chromium.ts";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Each violation: its rule, and each place with what is wrong there. */
export async function violationsOn(page: Page): Promise<readonly (readonly string[])[]> {
  if (!(await page.run<boolean>("'axe' in window"))) await page.run(`${source}; undefined`);
  // Without the places where a rule is kept: naming them takes a third of the time.
  return page.run(
    `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.map(({ html, failureSummary }) => html + failureSummary)]))`,
  );
}
