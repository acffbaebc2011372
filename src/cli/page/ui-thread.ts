// Starts the threads of `northgate ui` that make findings, plans and comparisons. Their results have no places of files:
// object-locations.ts puts them in. A text of a stranger has bounds of time and memory there.

import type { ResourceLimits } from "node:worker_threads";
import { Worker } from "node:worker_threads";
import type { BackendConfig } from "../../config/config.ts";
import type { NotRead } from "../../unknowns/foreign.ts";
import type { Report } from "../../lint/finding.ts";
import { lintSchema } from "../../lint/finding.ts";
import type { Cidr, IpFamily } from "../../model/ip.ts";
import type { ObjectKey, ReferencedObject, WorldObject } from "../../model/object.ts";
import type { Workload } from "../../model/workload.ts";
import type { Flags } from "../../policy/contracts/flags.ts";
import type { PlanReport } from "../../plan/report.ts";

export interface ThreadMode extends BackendConfig {
  readonly families: readonly IpFamily[] | null;
  readonly kinds: Flags;
}

export interface WorldCopy {
  readonly objects: readonly WorldObject[];
  /** Versions in force of objects that are refused. */
  readonly kept: readonly WorldObject[];
  /** The parts of the world that are not read. */
  readonly notRead: NotRead;
  /** Those that stand for pods which are not there. */
  readonly workloads: readonly Workload[];
  readonly services: readonly ReferencedObject[];
}

/** A report, and the keys of the objects that the text has: they are from no file. */
export interface TextCompared {
  readonly report: PlanReport;
  readonly pasted: readonly ObjectKey[];
}

export type ThreadTask =
  | { readonly kind: "compare"; readonly mode: ThreadMode; readonly world: WorldCopy; readonly text: string }
  | {
      readonly kind: "questions";
      readonly mode: ThreadMode;
      readonly world: WorldCopy;
      readonly serviceNetworks: readonly Cidr[];
    }
  | { readonly kind: "lint"; readonly mode: ThreadMode; readonly world: WorldCopy }
  | {
      readonly kind: "plan";
      readonly mode: ThreadMode;
      readonly old: WorldCopy;
      readonly new: WorldCopy;
      readonly against: string;
    };

/** What this program itself has given to the thread. */
export function isTask(value: unknown): value is ThreadTask {
  return typeof value === "object" && value !== null && "kind" in value && "mode" in value;
}

export async function lintInThread(world: WorldCopy, mode: ThreadMode): Promise<Report> {
  const report = await inThread({ kind: "lint", mode: plain(mode), world: copied(world) });
  if (!isReport(report)) throw new Error("the thread did not send findings");
  return report;
}

export async function planInThread(
  worlds: {
    readonly old: WorldCopy;
    readonly new: WorldCopy;
    readonly against: string;
  },
  mode: ThreadMode,
): Promise<PlanReport> {
  const report = await inThread({
    ...{ kind: "plan", mode: plain(mode), against: worlds.against },
    ...{ old: copied(worlds.old), new: copied(worlds.new) },
  });
  if (!isPlan(report)) throw new Error("the thread did not send a plan");
  return report;
}

const compareMs = 120_000;
const compareMegabytes = 1024;

/** Rejects with an Error of one sentence when the text cannot be read or takes too much. */
export async function compareInThread(
  world: WorldCopy,
  text: string,
  mode: ThreadMode,
): Promise<TextCompared> {
  const task = { kind: "compare", mode: plain(mode), world: copied(world), text } as const;
  const made = await inThread(task, { ms: compareMs, megabytes: compareMegabytes });
  if (typeof made === "object" && made !== null && "failure" in made) throw new Error(String(made.failure));
  if (!isCompared(made)) throw new Error("the thread did not send a comparison");
  return made;
}

export function copied({ objects, kept, notRead, workloads, services }: WorldCopy): WorldCopy {
  return { objects, kept, notRead, workloads, services };
}

/** What of the settings can be copied, and is needed. */
export function plain({ families, kinds, zone, backend, backendFlags }: ThreadMode): ThreadMode {
  return { families, kinds, zone, backend, backendFlags };
}

/** A file beside this one in a checkout, and beside the program where that is built (scripts/support/bundling.ts). */
const program = new URL(
  import.meta.url.endsWith(".ts") ? "./ui-worker.ts" : "./ui-worker.js",
  import.meta.url,
);

interface Bounds {
  readonly ms: number;
  readonly megabytes: number;
}

/** A thread that holds nobody up. */
export function startThread(task: ThreadTask, resourceLimits: ResourceLimits = {}): Worker {
  const worker = new Worker(program, { workerData: task, resourceLimits });
  // A page that is closed does not wait for it.
  worker.unref();
  return worker;
}

function inThread(task: ThreadTask, bounds: Bounds | null = null): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const resourceLimits = bounds === null ? {} : { maxOldGenerationSizeMb: bounds.megabytes };
    const worker = startThread(task, resourceLimits);
    const end = (): void => {
      reject(new Error(`this takes longer than ${(bounds?.ms ?? 0) / 1000} s, and is given up`));
      void worker.terminate();
    };
    const timer = bounds === null ? undefined : setTimeout(end, bounds.ms).unref();
    worker.once("message", (value: unknown) => {
      resolve(value);
      void worker.terminate();
    });
    worker.once("error", reject);
    worker.once("exit", () => {
      clearTimeout(timer);
      reject(new Error("the thread has ended without a result"));
    });
  });
}

function isCompared(value: unknown): value is TextCompared {
  return typeof value === "object" && value !== null && "report" in value && isPlan(value.report);
}

function isReport(value: unknown): value is Report {
  return typeof value === "object" && value !== null && "schema" in value && value.schema === lintSchema;
}

function isPlan(value: unknown): value is PlanReport {
  return (
    typeof value === "object" && value !== null && "schema" in value && value.schema === "northgate.plan/1"
  );
}
