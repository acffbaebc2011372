// How often tools were run, and how that ended, for metrics.

import type { ToolRun } from "./tools.ts";

export class ToolRuns {
  readonly #counts = new Map<string, { readonly run: ToolRun; count: number }>();

  add(run: ToolRun): void {
    const key = `${run.tool} ${run.outcome}`;
    const known = this.#counts.get(key) ?? { run, count: 0 };
    known.count++;
    this.#counts.set(key, known);
  }

  /** By tool and outcome. */
  get series(): readonly (readonly [labels: readonly string[], value: number])[] {
    return [...this.#counts.values()].map(({ run: { tool, outcome }, count }) => [[tool, outcome], count]);
  }
}
