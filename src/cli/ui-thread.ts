// Starts the thread of `northgate ui` that makes findings and plans, and puts the files' places into its result.

import { Worker } from "node:worker_threads";
import type { KindSwitches } from "../config/config.ts";
import type { Report } from "../lint/finding.ts";
import { lintSchema } from "../lint/finding.ts";
import type { IpFamily } from "../model/ip.ts";
import type { ObjectKey, PlaceOf, WorldObject } from "../model/object.ts";
import type { RenderMode } from "../nbdb/rows/render-mode.ts";
import type { PlanReport } from "../plan/report.ts";

export interface ThreadMode extends RenderMode {
  readonly families: readonly IpFamily[] | null;
  readonly kinds: KindSwitches;
}

export type ThreadTask =
  | { readonly kind: "lint"; readonly mode: ThreadMode; readonly objects: readonly WorldObject[] }
  | {
      readonly kind: "plan";
      readonly mode: ThreadMode;
      readonly old: readonly WorldObject[];
      readonly new: readonly WorldObject[];
      readonly against: string;
    };

/** What this program itself has given to the thread. */
export function isTask(value: unknown): value is ThreadTask {
  return typeof value === "object" && value !== null && "kind" in value && "mode" in value;
}

export async function lintInThread(
  objects: readonly WorldObject[],
  mode: ThreadMode,
  placeOf: PlaceOf,
): Promise<Report> {
  const report = await inThread({ kind: "lint", mode: plain(mode), objects }, placeOf);
  if (!isReport(report)) throw new Error("the thread has said something else than findings");
  return report;
}

export async function planInThread(
  worlds: {
    readonly old: readonly WorldObject[];
    readonly new: readonly WorldObject[];
    readonly against: string;
  },
  mode: ThreadMode,
  placeOf: PlaceOf,
): Promise<PlanReport> {
  const report = await inThread({ kind: "plan", mode: plain(mode), ...worlds }, placeOf);
  if (!isPlan(report)) throw new Error("the thread has said something else than a plan");
  return report;
}

/** What of the settings can be copied, and is needed. */
function plain({ families, kinds, zone, namedPorts, anpPriorities }: ThreadMode): ThreadMode {
  return { families, kinds, zone, namedPorts, ...(anpPriorities === undefined ? {} : { anpPriorities }) };
}

/** The thread is a file beside this one, in a checkout and when it is built. */
const program = new URL(
  import.meta.url.endsWith(".ts") ? "./ui-worker.ts" : "./ui-worker.js",
  import.meta.url,
);

function inThread(task: ThreadTask, placeOf: PlaceOf): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(program, { workerData: task });
    // A page that is closed does not wait for it.
    worker.unref();
    worker.once("message", (value: unknown) => {
      resolve(placed(value, placeOf));
      void worker.terminate();
    });
    worker.once("error", reject);
    worker.once("exit", () => {
      reject(new Error("the thread has ended without a result"));
    });
  });
}

const mark = "\u0000place ";

/** In place of `file:line`: which object and which field. */
export function placeToken(key: ObjectKey, field: string): string {
  return `${mark}${JSON.stringify([key, field])}`;
}

/** The same data, with every token in it as the place that it stands for. */
function placed(value: unknown, placeOf: PlaceOf): unknown {
  if (typeof value === "string") return value.startsWith(mark) ? place(value, placeOf) : value;
  if (Array.isArray(value)) return value.map((one: unknown) => placed(one, placeOf));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, placed(one, placeOf)]));
}

function place(token: string, placeOf: PlaceOf): string | null {
  const said: unknown = JSON.parse(token.slice(mark.length));
  const parts: readonly unknown[] = Array.isArray(said) ? said : [];
  const [key, field] = parts;
  return isKey(key) && typeof field === "string" ? placeOf(key, field) : null;
}

function isKey(value: unknown): value is ObjectKey {
  return typeof value === "string";
}

function isReport(value: unknown): value is Report {
  return typeof value === "object" && value !== null && "schema" in value && value.schema === lintSchema;
}

function isPlan(value: unknown): value is PlanReport {
  return (
    typeof value === "object" && value !== null && "schema" in value && value.schema === "northgate.plan/1"
  );
}
