// `make faults`: does the faults asked for, tells as it goes, prints a table, and leaves it as JSON and in the page.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { dirname } from "node:path";
import { findOvn, OvnMissingError } from "../src/sandbox/find-ovn.ts";
import { intoPage, type Results, table } from "./report/table.ts";
import { type Outcome, run } from "./run.ts";
import { help, type Settings, SettingsError, settingsOf } from "./settings.ts";

const started = performance.now();

function tell(line: string): void {
  const seconds = String(Math.round((performance.now() - started) / 1000)).padStart(5);
  process.stderr.write(`${seconds} s  ${line}\n`);
}

async function doAll({ kinds, lanes, out, page }: Settings): Promise<boolean> {
  const { version } = await findOvn();
  const [cpu] = cpus();
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
    const results: Results = {
      when: new Date().toISOString(),
      machine: `${availableParallelism()} cores, ${cpu?.model.trim() ?? "unknown CPU"}`,
      node: process.versions.node,
      ovn: version,
      load: loadavg()[0] ?? 0,
      outcomes,
    };
    mkdirSync(dirname(out), { recursive: true });
    writeFileSync(out, `${JSON.stringify(results, null, 2)}\n`);
    if (page !== null) await intoPage(page, results);
  }
  process.stdout.write(table(outcomes));
  return isRight;
}

if (process.argv.includes("--help")) {
  process.stdout.write(help);
} else {
  try {
    process.exitCode = (await doAll(settingsOf(process.env))) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof SettingsError || error instanceof OvnMissingError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = error instanceof SettingsError ? 2 : 3;
  }
}
