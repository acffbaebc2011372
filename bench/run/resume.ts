// The controller comes back to a database that is right already: after its own restart, and after the server's. It must
// write nothing.

import { performance } from "node:perf_hooks";
import type { Arena } from "./arena.ts";
import type { Report } from "./protocol.ts";

export interface Resumption {
  readonly kind: "restart of the controller" | "restart of the server";
  /** Until the controller had compared everything and nothing was left to do; with the server's own restart where it is one. */
  readonly quietMs: number;
  /** Of it, from the moment at which facts and database were both in memory; null: the facts never went away. */
  readonly readyMs: number | null;
  readonly cpuMs: number;
  readonly operations: number;
  readonly bytesReceived: number;
  readonly peakRssBytes: number;
  readonly selectorEvaluations: number;
}

export async function restart(arena: Arena): Promise<Resumption> {
  await arena.renewController();
  const started = performance.now();
  arena.controller.start(true);
  const report = await arena.controller.report();
  const cpuMs = report.cpuMs - arena.controller.preparedCpuMs;
  const before = { ...nothing, cpuMs: report.cpuMs - cpuMs };
  return resumption("restart of the controller", started, report, before);
}

export async function reconnect(arena: Arena): Promise<Resumption> {
  const before = await arena.controller.report();
  // The controller may be back before the bench has seen that the server is.
  const started = performance.now();
  await arena.ours.restart();
  let report = before;
  while (report.fills === before.fills) {
    if (performance.now() - started > arena.options.patienceMs)
      throw new Error("the controller did not come back");
    await new Promise((resolve) => setTimeout(resolve, 20));
    report = await arena.controller.report();
  }
  if (!arena.ours.observer.right)
    throw new Error("the rows are not what they were before the server's restart");
  return resumption("restart of the server", started, report, before);
}

const nothing = { cpuMs: 0, operations: 0, bytesReceived: 0, selectorEvaluations: 0 };

function resumption(
  kind: Resumption["kind"],
  started: number,
  report: Report,
  before: typeof nothing,
): Resumption {
  const operations = report.operations - before.operations;
  if (operations > 0) throw new Error(`${kind}: ${operations} operations on a database that was right`);
  return {
    kind,
    quietMs: report.quietAt - performance.timeOrigin - started,
    readyMs: report.begunAt - performance.timeOrigin > started ? report.quietAt - report.begunAt : null,
    cpuMs: report.cpuMs - before.cpuMs,
    operations,
    bytesReceived: report.bytesReceived - before.bytesReceived,
    peakRssBytes: report.peakRssBytes,
    selectorEvaluations: report.selectorEvaluations - before.selectorEvaluations,
  };
}
