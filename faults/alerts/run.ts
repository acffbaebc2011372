// Makes faults, waits until somebody is called, mends them, and waits until the alert has cleared. What is judged: each alert came
// once for each instance or reason that it names, and ended by itself.

import { performance } from "node:perf_hooks";
import type { PrometheusPrograms } from "../../test/support/find-prometheus.ts";
import { type AlertFault, arenaOf, type Ground, stageOptions } from "./kind.ts";
import { AlertStage } from "./stage.ts";

export interface AlertOutcome {
  readonly alert: string;
  readonly fault: string;
  readonly mended: string;
  /** Milliseconds from the fault until somebody is called, and from the mending until the alert is over. */
  readonly firedMs: number;
  readonly clearedMs: number;
  /** What people read. */
  readonly summary: string;
  /** Other alerts that the fault made fire. */
  readonly others: readonly string[];
  /** null: all was as it should be. */
  readonly failure: string | null;
}

/** With the end of the run in which it was seen, and the machine's load then: others of a table may be of another run. */
export interface SeenOutcome extends AlertOutcome {
  readonly when: string;
  readonly load: number;
}

type Tell = (line: string) => void;

/** One fault, on a stage where nobody is called. Rejects when the alert does not fire, fires twice, or does not clear. */
export async function provoke(stage: AlertStage, one: AlertFault): Promise<AlertOutcome> {
  const { alert, fault, mended, firesMs, clearsMs } = one;
  const { pager } = stage;
  pager.forget();
  const began = performance.now();
  const mend = await one.make(stage);
  await stage.fire([alert], firesMs).catch(async (error: unknown) => {
    await mend();
    throw error;
  });
  const firedMs = performance.now() - began;
  await mend();
  const clearedMs = await stage.cleared(alert, clearsMs);
  await stage.calm();
  assertOnce(stage, [alert]);
  const [page] = pager.pages.filter((some) => some.alert === alert);
  const others = new Set(pager.pages.map((some) => some.alert).filter((name) => name !== alert));
  return {
    ...{ alert, fault, mended, firedMs, clearedMs, failure: null },
    summary: page?.summary ?? "",
    others: [...others].toSorted(),
  };
}

/** Faults that leave one another alone, all at once; `more`: other alerts that must fire by them. */
export async function provokeTogether(
  stage: AlertStage,
  faults: readonly AlertFault[],
  more: readonly string[] = [],
): Promise<void> {
  const alerts = [...faults.map(({ alert }) => alert), ...more];
  stage.pager.forget();
  const mends = await Promise.all(faults.map((one) => one.make(stage)));
  await stage.fire(alerts, Math.max(...faults.map(({ firesMs }) => firesMs)));
  for (const mend of mends) await mend();
  await stage.calm();
  assertOnce(stage, alerts);
}

/** For one instance or reason, an alert that comes, goes and comes again is a page too many. */
function assertOnce({ pager }: AlertStage, alerts: readonly string[]): void {
  const counts = new Map<string, number>();
  for (const { alert, labels } of pager.pages) {
    if (!alerts.includes(alert)) continue;
    const key = `${alert} ${labels}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  for (const [key, count] of counts) if (count !== 1) throw new Error(`${key} fired ${count} times`);
}

/** Faults of one ground, one after the other. After a failure the rest goes on on a new stage. */
export async function runGround(
  programs: PrometheusPrograms,
  ground: Ground,
  faults: readonly AlertFault[],
  { tell, done }: { readonly tell: Tell; readonly done: (outcome: AlertOutcome) => void },
): Promise<void> {
  let stage: AlertStage | null = null;
  try {
    for (const one of faults) {
      const { alert, fault, mended } = one;
      try {
        stage ??= await AlertStage.open(programs, arenaOf(ground), stageOptions[ground]);
        const outcome = await provoke(stage, one);
        tell(
          `${alert}: fired after ${seconds(outcome.firedMs)}, cleared after ${seconds(outcome.clearedMs)}`,
        );
        done(outcome);
      } catch (error) {
        const failure = error instanceof Error ? error.message : String(error);
        tell(`${alert}: FAILED: ${failure}`);
        done({ alert, fault, mended, firedMs: 0, clearedMs: 0, summary: "", others: [], failure });
        await stage?.close();
        stage = null;
      }
    }
  } finally {
    await stage?.close();
  }
}

export const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;
