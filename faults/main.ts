// `make faults`: does the faults asked for, tells as it goes, prints a table, and leaves it as JSON and in the page.

import { existsSync, readFileSync } from "node:fs";
import { circumstances, load, measuring, telling, writeResults } from "../scripts/support/measuring.ts";
import { intoPage, type Results, table } from "./report/table.ts";
import { type Outcome, run } from "./run.ts";
import { help, type Settings, settingsOf } from "./settings.ts";

const tell = telling((line) => process.stderr.write(line));

async function doAll({ kinds, lanes, out, page }: Settings): Promise<boolean> {
  const where = await circumstances();
  let outcomes: readonly Outcome[] = existsSync(out)
    ? (JSON.parse(readFileSync(out, "utf8")) as Results).outcomes
    : [];
  let isRight = true;
  for (const { kind, count } of kinds) {
    tell(`${kind.group}: ${kind.name}: ${count} times`);
    const outcome = await run(kind, count, tell, lanes);
    isRight &&= outcome.failures.length === 0;
    outcomes = [...outcomes.filter(({ group, name }) => group !== kind.group || name !== kind.name), outcome];
    // After each, so that a run that is ended leaves what it has.
    const results: Results = { when: new Date().toISOString(), ...where, load: load(), outcomes };
    writeResults(out, results);
    if (page !== null) await intoPage(page, results);
  }
  process.stdout.write(table(outcomes));
  return isRight;
}

await measuring(help, (env) => doAll(settingsOf(env)));
