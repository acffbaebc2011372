// manifests/monitoring/dashboard.json is of the present table, and asks for nothing that the program does not serve.

import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { dashboardText } from "../../scripts/support/dashboard.ts";
import type { MetricFamily } from "../../scripts/support/metric-families.ts";
import { metricFamilies, observeFamilies, seriesNames } from "../../scripts/support/metric-families.ts";
import { panels } from "./queries.ts";

/** Those that Prometheus gives every series. */
const ofTargets = ["job", "instance"];

/** What an expression names that is not there: metrics, and labels of them in selectors and in `by (…)`. */
function unknownIn(expr: string, families: readonly MetricFamily[]): readonly string[] {
  const series = new Map(
    families.flatMap((family) => seriesNames(family).map((name) => [name, family] as const)),
  );
  const names = [...expr.matchAll(/\b((?:northgate|ovnkube|process|nodejs)_\w+)(\{[^}]*\})?/g)];
  const labels = new Set(ofTargets);
  const unknown: string[] = names.length === 0 ? ["no metric"] : [];
  for (const [, name = "", selector = ""] of names) {
    const family = series.get(name);
    if (family === undefined) unknown.push(name);
    for (const label of family?.labels ?? []) labels.add(label);
    if (name.endsWith("_bucket")) labels.add("le");
    const wanted = [...selector.matchAll(/(\w+)=~?"/g)].map(([, label = ""]) => label);
    const known = [...ofTargets, ...(family?.labels ?? [])];
    unknown.push(...wanted.filter((label) => !known.includes(label)).map((label) => `${name}{${label}}`));
    if (!wanted.includes("job") || !wanted.includes("instance")) unknown.push(`${name} of every job`);
  }
  const grouped = [...expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(", "));
  return [...unknown, ...grouped.filter((label) => !labels.has(label))];
}

test("the file is of the present table: otherwise `make metrics`", () => {
  const file = readFileSync(new URL("../../manifests/monitoring/dashboard.json", import.meta.url), "utf8");
  expect(JSON.parse(file)).toEqual(JSON.parse(dashboardText()));
});

test("every metric and label that a panel names is one of the program's", async () => {
  const families = [...(await metricFamilies()), ...observeFamilies];
  expect(panels.length).toBeGreaterThan(20);
  for (const { title, targets } of panels)
    for (const { expr } of targets)
      expect({ title, unknown: unknownIn(expr, families) }).toEqual({ title, unknown: [] });
});

test.each([
  ['sum(northgate_redy{job=~"$job",instance=~"$instance"})', ["northgate_redy"]],
  ['northgate_ready{job=~"$job",instance=~"$instance",zone="a"}', ["northgate_ready{zone}"]],
  ['sum by (tabel) (northgate_nb_cache_rows{job=~"$job",instance=~"$instance"})', ["tabel"]],
  ["northgate_ready", ["northgate_ready of every job"]],
  ["vector(1)", ["no metric"]],
])("a mistake is noticed in %s", async (expr, unknown) => {
  expect(unknownIn(expr, await metricFamilies())).toEqual(unknown);
});

test("panels do not overlap, have their own titles and say what to make of them", () => {
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).toBe(24);
  expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
  for (const { description } of panels) expect(description).toMatch(/^[A-Z0-9].*\.$/);
});
