// `make soak`: runs, tells on stderr how it goes, prints a table, leaves all of it as JSON, and writes the figures of
// docs/soak.md with their plot.

import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import { dirname } from "node:path";
import { findOvn, OvnMissingError } from "../src/sandbox/find-ovn.ts";
import { type SoakRun, writePage } from "./report/page.ts";
import { isGood, lines } from "./report/text.ts";
import { soak } from "./run/soak.ts";
import { help, type Settings, SettingsError, settingsOf } from "./settings.ts";

const started = performance.now();

function tell(line: string): void {
  const seconds = Math.round((performance.now() - started) / 1000);
  process.stderr.write(`  ${String(seconds).padStart(5)} s  ${line}\n`);
}

async function measure({ out, page, ...options }: Settings): Promise<boolean> {
  const { version } = await findOvn();
  const [cpu] = cpus();
  const machine = `${availableParallelism()} cores, ${cpu?.model.trim() ?? "unknown CPU"}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  const load = loadavg()[0] ?? 0;
  tell(`${machine}, Node ${process.versions.node}, OVN ${version}`);
  const result = await soak(options, tell);
  const run: SoakRun = {
    when: new Date().toISOString(),
    ...{ machine, node: process.versions.node, ovn: version, load: [load, loadavg()[0] ?? 0] },
    result,
  };
  process.stdout.write(`${lines(result).join("\n")}\n`);
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(out, `${JSON.stringify(run, null, 1)}\n`);
  tell(`written to ${out}`);
  const complaint = page === null ? null : await writePage(page, run);
  if (complaint !== null) throw new SettingsError(`PAGE: ${complaint}`);
  return isGood(result);
}

if (process.argv.includes("--help")) {
  process.stdout.write(help);
} else {
  try {
    process.exitCode = (await measure(settingsOf(process.env))) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof SettingsError || error instanceof OvnMissingError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = error instanceof SettingsError ? 2 : 3;
  }
}
