// How often tools were run, and how that ended, for metrics.

import { FilterRefusedError } from "../live/filter-tools.ts";

/** What a tool did. */
export interface ToolRun {
  readonly tool: string;
  readonly outcome: "ok" | "refused" | "lost";
}

/** Runs a tool to its end, and says how that was. */
export async function runCounted<T>(
  tool: string,
  ran: (run: ToolRun) => void,
  run: () => Promise<T>,
): Promise<T> {
  try {
    const output = await run();
    ran({ tool, outcome: "ok" });
    return output;
  } catch (error) {
    ran({ tool, outcome: error instanceof FilterRefusedError ? "refused" : "lost" });
    throw error;
  }
}

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
