// docs/metrics.md has every family that the registry has, as it is.

import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { metricFamilies } from "../../scripts/support/metric-families.ts";
import { withReference } from "../../scripts/support/metrics-reference.ts";

const page = readFileSync(new URL("../../docs/metrics.md", import.meta.url), "utf8");
/** Prettier pads cells and means nothing by it. */
const flat = (text: string): string => text.replaceAll(/-{3,}/g, "---").replaceAll(/\s+/g, " ");

test("the page is of the present registry: otherwise `make metrics`", async () => {
  expect(flat(page)).toBe(flat(await withReference(page)));
});

test("every family has its row, once, with its type and its help", async () => {
  const families = await metricFamilies();
  expect(families.length).toBeGreaterThan(50);
  for (const { name, type, help } of families) {
    const rows = page.split("\n").filter((line) => line.startsWith(`| \`${name}\` `));
    expect(rows.map((row) => flat(row))).toEqual([expect.stringContaining(` ${type} `)]);
    expect(flat(rows[0] ?? "")).toContain(flat(help));
  }
});

test("a metric that the page does not have, or has otherwise, is noticed", async () => {
  const [family] = await metricFamilies();
  const older = page.replace(family?.help ?? "", "Something else");
  expect(flat(await withReference(older))).not.toBe(flat(older));
});
