// The table of docs/metrics.md: each alert, how it was made to fire, and what came of it.

import { placeBetween } from "../../scripts/support/page-part.ts";
import type { Circumstances } from "../../scripts/support/measuring.ts";
import { allAlerts, notMade } from "./all.ts";
import { keyOf } from "./kind.ts";
import { seconds, type SeenOutcome } from "./run.ts";

export interface AlertResults extends Circumstances {
  readonly when: string;
  readonly load: number;
  readonly outcomes: readonly (Omit<SeenOutcome, "when" | "load"> & Partial<SeenOutcome>)[];
}

/** Older results say the day and the load once for all. */
export function outcomesOf({ when, load, outcomes }: AlertResults): readonly SeenOutcome[] {
  return outcomes.map((one) => ({ when, load, ...one }));
}

const names = (alerts: readonly string[]): string =>
  alerts.length === 0 ? "–" : alerts.map((name) => name.replace("Northgate", "")).join(", ");

export function alertTable(outcomes: readonly SeenOutcome[]): string {
  const row = (...cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const heads = ["alert", "fault", "fired after", "mended by", "cleared after", "also fired", "day, load"];
  const made = outcomes.map(({ alert, fault, mended, firedMs, clearedMs, others, failure, when, load }) =>
    row(
      ...[`\`${alert}\``, fault],
      ...(failure === null
        ? [seconds(firedMs), mended, seconds(clearedMs), names(others)]
        : ["FAILED", mended, failure, "–"]),
      `${when.slice(0, 10)}, ${load.toFixed(1)}`,
    ),
  );
  const others = Object.entries(notMade).map(([alert, why]) =>
    row(`\`${alert}\``, `not made: ${why}`, "–", "–", "–", "–", "–"),
  );
  const isMade = new Set(outcomes.map(keyOf));
  const waiting = allAlerts
    .filter((one) => !isMade.has(keyOf(one)))
    .map(({ alert, fault, mended }) => row(`\`${alert}\``, fault, "not run yet", mended, "–", "–", "–"));
  return [row(...heads), row(...heads.map(() => "---")), ...made, ...waiting, ...others].join("\n");
}

export async function alertsIntoPage(page: string, results: AlertResults): Promise<void> {
  const { machine, node, ovn } = results;
  const where = `${machine}; Node ${node}, OVN ${ovn}.`;
  await placeBetween(page, "alerts", `${where}\n\n${alertTable(outcomesOf(results))}\n`);
}
