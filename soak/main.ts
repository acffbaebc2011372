// `make soak`: runs, tells on stderr how it goes, prints a table, leaves all of it as JSON, and writes the figures of
// docs/soak.md with their plot.

import { circumstances, load, measuring, telling, writeResults } from "../scripts/support/measuring.ts";
import { SettingsError } from "../scripts/support/variables.ts";
import { type SoakRun, writePage } from "./report/page.ts";
import { isGood, lines } from "./report/text.ts";
import { soak } from "./run/soak.ts";
import { help, type Settings, settingsOf } from "./settings.ts";

const tell = telling((line) => process.stderr.write(line));

async function measure({ out, page, ...options }: Settings): Promise<boolean> {
  const where = await circumstances();
  const before = load();
  tell(`${where.machine}, Node ${where.node}, OVN ${where.ovn}`);
  const result = await soak(options, tell);
  const run: SoakRun = { when: new Date().toISOString(), ...where, load: [before, load()], result };
  process.stdout.write(`${lines(result).join("\n")}\n`);
  writeResults(out, run);
  tell(`written to ${out}`);
  const complaint = page === null ? null : await writePage(page, run);
  if (complaint !== null) throw new SettingsError(`PAGE: ${complaint}`);
  return isGood(result);
}

await measuring(help, (env) => measure(settingsOf(env)));
