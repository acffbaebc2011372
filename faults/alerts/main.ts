// `make alerts`: makes the faults asked for, tells as it goes, prints a table, and leaves it as JSON and in the page.

import { existsSync, readFileSync } from "node:fs";
import { circumstances, load, measuring, telling, writeResults } from "../../scripts/support/measuring.ts";
import { prometheusOrSkip } from "../../test/support/find-prometheus.ts";
import { allAlerts } from "./all.ts";
import { type Ground, keyOf } from "./kind.ts";
import { type AlertOutcome, runGround, type SeenOutcome } from "./run.ts";
import { type AlertSettings, alertSettings, help } from "./settings.ts";
import { type AlertResults, alertsIntoPage, alertTable, outcomesOf } from "./table.ts";

const tell = telling((line) => process.stderr.write(line));

async function makeAll({ faults, out, page }: AlertSettings): Promise<boolean> {
  const programs = prometheusOrSkip();
  if (programs === null) return false;
  const where = await circumstances();
  const known = existsSync(out) ? outcomesOf(JSON.parse(readFileSync(out, "utf8")) as AlertResults) : [];
  const outcomes = new Map(known.map((one) => [keyOf(one), one]));
  const inOrder = (): readonly SeenOutcome[] => allAlerts.flatMap((one) => outcomes.get(keyOf(one)) ?? []);
  // After each, so that a run that is ended leaves what it has.
  const done = (outcome: AlertOutcome): void => {
    const [when, now] = [new Date().toISOString(), load()];
    outcomes.set(keyOf(outcome), { ...outcome, when, load: now });
    writeResults(out, { when, ...where, load: now, outcomes: inOrder() });
  };
  const ofGround = Map.groupBy(faults, ({ ground }): Ground => ground);
  await Promise.all([...ofGround].map(([ground, some]) => runGround(programs, ground, some, { tell, done })));
  if (page !== null) await alertsIntoPage(page, JSON.parse(readFileSync(out, "utf8")) as AlertResults);
  process.stdout.write(`${alertTable(inOrder())}\n`);
  return faults.every((one) => outcomes.get(keyOf(one))?.failure === null);
}

await measuring(help, (env) => makeAll(alertSettings(env)));
