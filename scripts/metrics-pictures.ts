// `make pictures`: starts two instances of the program on a real database and a real Prometheus, lets five minutes of things
// happen to them, and draws the main panels of the dashboard from what Prometheus then answers: docs/img/dashboard.svg.

import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Scene } from "../test/metrics/scene.ts";
import { startScene } from "../test/metrics/scene.ts";
import { prometheusOrSkip } from "../test/support/find-prometheus.ts";
import { exprOf } from "./support/dashboard.ts";
import type { DashboardPanel } from "./support/dashboard-panels.ts";
import { dashboardRows, panelNamed } from "./support/dashboard-panels.ts";
import type { Event } from "./support/five-minutes.ts";
import { events } from "./support/five-minutes.ts";
import type { PictureLine, PictureMark, PictureNumber, PicturePanel } from "./support/picture.ts";
import { drawn } from "./support/picture.ts";

const file = fileURLToPath(new URL("../docs/img/dashboard.svg", import.meta.url));
const seconds = 300;
const stepSeconds = 2;
const shown = [
  ...["Policies in force", "Not in force as written", "Rows in the cache", "Operations acknowledged"],
  ...["Rows put right", "A transaction", "Event loop held up", "Memory"],
];

const asked = (expr: string): string =>
  exprOf(expr, 'job=~".*northgate"').replaceAll("$__rate_interval", "15s");

async function linesOf(
  scene: Scene,
  { queries }: DashboardPanel,
  start: number,
): Promise<readonly PictureLine[]> {
  const found = await Promise.all(
    queries.map(async ({ expr, legend }) => {
      const series = await scene.prometheus.range(asked(expr), start, start + seconds, stepSeconds);
      return series.map(({ metric, values }) => ({
        label: legend.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => metric[label] ?? ""),
        points: values.map(([at, value]) => [at - start, value] as const),
      }));
    }),
  );
  return found.flat();
}

async function numberOf(scene: Scene, { title, queries, unit, bad }: DashboardPanel): Promise<PictureNumber> {
  const value = await scene.value(asked(queries[0]?.expr ?? ""));
  if (value === null) return { title, text: "no data", isBad: true };
  const isBad = bad !== undefined && ("below" in bad ? value < bad.below : value >= bad.from);
  return { title, text: `${value}${unit === "s" ? " s" : ""}`, isBad };
}

/** Resolves when all have happened, with the seconds at which each began. */
async function live(scene: Scene, start: number, all: readonly Event[]): Promise<readonly PictureMark[]> {
  const marks: PictureMark[] = [];
  for (const { at, text, happen } of all) {
    await sleep(Math.max(0, (start + at) * 1000 - Date.now()));
    process.stderr.write(`  ${at} s: ${text}\n`);
    marks.push({ at: Date.now() / 1000 - start, text });
    await happen(scene);
  }
  return marks;
}

const programs = prometheusOrSkip();
if (programs === null) process.exit(3);
const scene = await startScene(programs);
try {
  const start = Date.now() / 1000;
  const marks = await live(scene, start, events);
  await sleep(Math.max(0, (start + seconds) * 1000 - Date.now()));
  const stats = dashboardRows.flatMap(({ panels }) => panels).filter(({ kind }) => kind === "stat");
  const panels: PicturePanel[] = [];
  for (const title of shown) {
    const panel = panelNamed(title);
    panels.push({ title, unit: panel.unit, lines: await linesOf(scene, panel, start) });
  }
  const numbers: PictureNumber[] = [];
  for (const panel of stats) numbers.push(await numberOf(scene, panel));
  const note =
    "Two instances on one Northbound database, read by Prometheus each second; numbers are of the end. Drawn by make pictures.";
  writeFileSync(file, drawn({ title: "Northgate", note, seconds, numbers, panels, marks }));
  process.stdout.write(`${file}\n`);
} finally {
  await scene.stop();
}
