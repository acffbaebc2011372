// Starts the threads of the page that make findings, plans, comparisons and answers about reach. Their results have no places of files:
// object-locations.ts puts them in. A text of a stranger has bounds of time and memory there.

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
import type { Spent } from "./lane.ts";

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
  /** Whether namespaces are there that objects prove although their Namespace is not. */
  readonly isProving: boolean;
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

/** Whether the thread has the lowest priority. */
export function isNice(task: ThreadTask): boolean {
  return "isNice" in task && task.isNice === true;
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

/** Rejects with an Error of one sentence when the text cannot be read or takes too much. */
export async function compareInThread(
  world: WorldCopy,
  text: string,
  mode: ThreadMode,
  bounds: ThreadBounds,
  spent: Spent,
): Promise<TextCompared> {
  const task = { kind: "compare", mode: plain(mode), world: copied(world), text } as const;
  const made = await inThread(task, bounds, spent);
  if (typeof made === "object" && made !== null && "failure" in made) throw new Error(String(made.failure));
  if (!isCompared(made)) throw new Error("the thread did not send a comparison");
  return made;
}

export function copied({ objects, kept, notRead, workloads, services, isProving }: WorldCopy): WorldCopy {
  return { objects, kept, notRead, workloads, services, isProving };
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

export interface ThreadBounds {
  /** How long it may take for one answer; null: as long as it takes. */
  readonly ms: number | null;
  /** Of its heap; null: as the program's own. */
  readonly megabytes: number | null;
  /** It has a processor only while nothing else in the machine wants it. */
  readonly isNice: boolean;
}

export interface FromThread {
  readonly value: unknown;
  /** The processor time that the thread has taken since its last message, in milliseconds. */
  readonly cpuMs: number;
}

const unbounded: ThreadBounds = { ms: null, megabytes: null, isNice: false };

/** A thread that holds nobody up. */
export function startThread(task: ThreadTask, { megabytes, isNice }: ThreadBounds): Worker {
  const resourceLimits = megabytes === null ? {} : { maxOldGenerationSizeMb: megabytes };
  const worker = new Worker(program, { workerData: { ...task, isNice }, resourceLimits });
  // A page that is closed does not wait for it.
  worker.unref();
  return worker;
}

/**
 * The next message of the thread. Rejects with an Error of one sentence when the thread ends before it, or takes more than it may;
 * it has ended then.
 */
export function nextOf(worker: Worker, { ms, megabytes }: ThreadBounds): Promise<FromThread> {
  return new Promise((resolve, reject) => {
    const heard = (message: FromThread): void => {
      settle();
      resolve(message);
    };
    const failed = (error: Error): void => {
      settle();
      void worker.terminate();
      reject(
        isOutOfMemory(error) ? new Error(`this takes more memory than it may: ${megabytes} MiB`) : error,
      );
    };
    const ended = (): void => {
      failed(new Error("the thread has ended without a result"));
    };
    const late = (): void => {
      failed(new Error(`this takes longer than ${(ms ?? 0) / 1000} s, and is given up`));
    };
    const timer = ms === null ? undefined : setTimeout(late, ms).unref();
    const settle = (): void => {
      clearTimeout(timer);
      worker.off("message", heard).off("error", failed).off("exit", ended);
    };
    worker.once("message", heard).once("error", failed).once("exit", ended);
  });
}

function isOutOfMemory(error: Error): boolean {
  return "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
}

async function inThread(
  task: ThreadTask,
  bounds = unbounded,
  spent: Spent = () => undefined,
): Promise<unknown> {
  const worker = startThread(task, bounds);
  // Why it ends is the failure of its answer.
  worker.on("error", () => undefined);
  const { value, cpuMs } = await nextOf(worker, bounds);
  void worker.terminate();
  spent(cpuMs);
  return value;
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
