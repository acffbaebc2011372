// The table of docs/metrics.md: each alert, how it was made to fire, and what came of it.

import { placeBetween } from "../../scripts/support/page-part.ts";
import type { Circumstances } from "../../scripts/support/measuring.ts";
import { allAlerts, notMade } from "./all.ts";
import { type AlertOutcome, seconds } from "./run.ts";

export interface AlertResults extends Circumstances {
  readonly when: string;
  readonly load: number;
  readonly outcomes: readonly AlertOutcome[];
}

const names = (alerts: readonly string[]): string =>
  alerts.length === 0 ? "–" : alerts.map((name) => name.replace("Northgate", "")).join(", ");

export function alertTable(outcomes: readonly AlertOutcome[]): string {
  const row = (...cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const heads = ["alert", "fault", "fired after", "mended by", "cleared after", "also fired"];
  const made = outcomes.map(({ alert, fault, mended, firedMs, clearedMs, others, failure }) =>
    failure === null
      ? row(`\`${alert}\``, fault, seconds(firedMs), mended, seconds(clearedMs), names(others))
      : row(`\`${alert}\``, fault, "FAILED", mended, failure, "–"),
  );
  const others = Object.entries(notMade).map(([alert, why]) =>
    row(`\`${alert}\``, `not made: ${why}`, "–", "–", "–", "–"),
  );
  const isMade = new Set(outcomes.map(({ alert }) => alert));
  const waiting = allAlerts
    .filter(({ alert }) => !isMade.has(alert))
    .map(({ alert, fault, mended }) => row(`\`${alert}\``, fault, "not run yet", mended, "–", "–"));
  return [row(...heads), row(...heads.map(() => "---")), ...made, ...waiting, ...others].join("\n");
}

export async function alertsIntoPage(page: string, results: AlertResults): Promise<void> {
  const { machine, node, ovn, load, when, outcomes } = results;
  const where = `${machine}; Node ${node}, OVN ${ovn}; load ${load.toFixed(1)}; ${when.slice(0, 10)}.`;
  await placeBetween(page, "alerts", `${where}\n\n${alertTable(outcomes)}\n`);
}
