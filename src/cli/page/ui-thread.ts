// Starts the thread of `northgate ui` that makes findings, plans and matrices. Its result has no places of files: ui-places.ts puts them in.

import { Worker } from "node:worker_threads";
import type { BackendConfig } from "../../config/config.ts";
import type { NotRead } from "../../unknowns/foreign.ts";
import type { Report } from "../../lint/finding.ts";
import { lintSchema } from "../../lint/finding.ts";
import type { MatrixReport } from "../../matrix/report.ts";
import type { Cidr, IpFamily } from "../../model/ip.ts";
import type { ReferencedObject, WorldObject } from "../../model/object.ts";
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

export type ThreadTask =
  | {
      readonly kind: "matrix";
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

/** Namespaces against namespaces, of all traffic. */
export async function matrixInThread(
  world: WorldCopy,
  mode: ThreadMode,
  serviceNetworks: readonly Cidr[],
): Promise<MatrixReport> {
  const report = await inThread({ kind: "matrix", mode: plain(mode), world: copied(world), serviceNetworks });
  if (!isMatrix(report)) throw new Error("the thread did not send a matrix");
  return report;
}

function copied({ objects, kept, notRead, workloads, services }: WorldCopy): WorldCopy {
  return { objects, kept, notRead, workloads, services };
}

/** What of the settings can be copied, and is needed. */
function plain({ families, kinds, zone, backend, backendFlags }: ThreadMode): ThreadMode {
  return { families, kinds, zone, backend, backendFlags };
}

/** A file beside this one in a checkout, and beside the program where that is built (scripts/support/bundling.ts). */
const program = new URL(
  import.meta.url.endsWith(".ts") ? "./ui-worker.ts" : "./ui-worker.js",
  import.meta.url,
);

function inThread(task: ThreadTask): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(program, { workerData: task });
    // A page that is closed does not wait for it.
    worker.unref();
    worker.once("message", (value: unknown) => {
      resolve(value);
      void worker.terminate();
    });
    worker.once("error", reject);
    worker.once("exit", () => {
      reject(new Error("the thread has ended without a result"));
    });
  });
}

function isReport(value: unknown): value is Report {
  return typeof value === "object" && value !== null && "schema" in value && value.schema === lintSchema;
}

function isPlan(value: unknown): value is PlanReport {
  return (
    typeof value === "object" && value !== null && "schema" in value && value.schema === "northgate.plan/1"
  );
}

function isMatrix(value: unknown): value is MatrixReport {
  return (
    typeof value === "object" && value !== null && "schema" in value && value.schema === "northgate.matrix/1"
  );
}
