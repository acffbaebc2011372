// `make bench W=names`: what names of domains cost while DNS answers. The shipped program, answers at a constant rate that each change an
// address, and a real Northbound database; then the same changes written raw.

import { circumstances, load, measuring, writeResults } from "../scripts/support/measuring.ts";
import { SettingsError, Variables } from "../scripts/support/variables.ts";
import { mostAddresses } from "./names/ledger.ts";
import type { Measured, NamesSettings } from "./names/measure.ts";
import { measureNames, sources } from "./names/measure.ts";
import type { Spread } from "./run/measurement.ts";
import { processTitles } from "./run/reach.ts";

const mostNames = 1_000;
const mostSeconds = 600;

const help = `make bench W=names [SOURCE=poll,dnstap] [NAMES=1000] [RATE=100] [FOR=60s] [CHASSIS=1] [OUT=bench/results/names.json]

Runs the shipped program with \`--names\` against a DNS server on 127.0.0.1 that answers each name with another address each time, and says
how much processor time and memory the program and the Northbound server need, how many transactions and addresses are written, and how long
it takes from an answer until its address is in the database. The floor: the same changes at the same times, written raw.

  SOURCE       poll: the program asks, with a TTL of NAMES / RATE seconds; dnstap: it is sent answers for names below a wildcard
  NAMES, RATE  names, a multiple of RATE, and answers a second; ${mostNames} at the most
  FOR          how long is measured, after each name has been answered and the first addresses are over
  CHASSIS      1: with northd and a chassis; also how long it takes from an answer until the flows are installed
  PATIENCE     seconds until a step that does not come ends the run with a failure; 300

Exit codes: 0 measured, 1 a process failed, 2 an argument is wrong, 3 no OVN to be had.
`;

function settingsOf(variables: Variables): readonly NamesSettings[] {
  const [names, rate] = [
    variables.number("NAMES", 1_000, mostNames),
    variables.number("RATE", 100, mostNames),
  ];
  if (names % rate > 0) throw new SettingsError(`NAMES=${names}: not a multiple of RATE=${rate}`);
  const seconds = variables.durationMs("FOR", "60s") / 1000;
  if (seconds > mostSeconds || rate * (seconds + names / rate) > mostAddresses / 2)
    throw new SettingsError(`FOR=${seconds}s: longer than ${mostSeconds} s, or too many addresses`);
  const chassis = variables.text("CHASSIS", "0");
  if (!["0", "1"].includes(chassis)) throw new SettingsError(`CHASSIS=${chassis}: neither 0 nor 1`);
  const patienceMs = variables.number("PATIENCE", 300, 3_600) * 1000;
  return variables.list("SOURCE", sources.join()).map((word) => {
    const source = sources.find((one) => one === word);
    if (source === undefined) throw new SettingsError(`SOURCE=${word}: not one of ${sources.join(", ")}`);
    return { source, names, rate, seconds, chassis: chassis === "1", patienceMs };
  });
}

function spreadText(spread: Spread | null): string {
  if (spread === null) return "-";
  const { p50, p99, max } = spread;
  return [
    `p50 ${p50.toFixed(1)}`,
    ...(p99 === null ? [] : [`p99 ${p99.toFixed(1)}`]),
    `max ${max.toFixed(1)} ms`,
  ].join(", ");
}

function linesOf(one: Measured): readonly string[] {
  const { seconds, source, names } = one.settings;
  const each = (count: number) => (count / seconds).toFixed(1);
  const cpu = (ms: number) => `${ms.toFixed(0)} ms/s`;
  const { flows, floor } = one;
  return [
    `${source}: ${names} names, ${each(one.answers)} answers/s, ${one.held} addresses in the sets`,
    `   processor: northgate ${cpu(one.cpuMs)}, NB ${cpu(one.serverCpuMs)}; RSS ${one.rssMiB.toFixed(0)} MiB`,
    `   written: ${each(one.transactions)} transactions/s, ${each(one.operations)} operations/s, ${each(one.added)} addresses added/s, ${each(one.removed)} removed/s`,
    `   answer to row: ${spreadText(one.delayMs)}`,
    `   written raw: NB ${cpu(floor.serverCpuMs)}, to the row ${spreadText(floor.delayMs)}`,
    ...(flows === null
      ? []
      : [
          `   answer to flows: ${spreadText(flows.delayMs)}`,
          `   processor: ${Object.entries(processTitles)
            .map(([name, title]) => `${title} ${cpu(flows.cpu[name as keyof typeof processTitles])}`)
            .join(", ")}`,
        ]),
  ];
}

async function measure(env: NodeJS.ProcessEnv): Promise<boolean> {
  const variables = new Variables(env);
  const all = settingsOf(variables);
  const where = await circumstances();
  process.stdout.write(`${where.machine}, OVN ${where.ovn}, load ${load().toFixed(1)}\n`);
  const measured: Measured[] = [];
  for (const settings of all) {
    const one = await measureNames(settings);
    measured.push(one);
    process.stdout.write(
      linesOf(one)
        .map((line) => `${line}\n`)
        .join(""),
    );
  }
  const out = variables.text("OUT", "bench/results/names.json");
  writeResults(out, { when: new Date().toISOString(), ...where, load: load(), measured });
  process.stdout.write(`written to ${out}\n`);
  return true;
}

await measuring(help, measure);
