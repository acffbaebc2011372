// `make proof WORLDS=5000 [SEED=…] [NAMED_PORTS=sets]`: the proof of `make test` over more worlds, with progress and one line at the end that
// sums up. Exit codes: 0 the judges agree, 1 they do not, 2 an argument is wrong, 3 no OVN to be had.

import { randomInt } from "node:crypto";
import fc from "fast-check";
import type { NamedPortForm } from "../src/nbdb/render.ts";
import { namedPortForms } from "../src/nbdb/render.ts";
import { OvnMissingError } from "../src/sandbox/find-ovn.ts";
import { Laboratory } from "../test/proof/laboratory.ts";
import { proofWorld } from "../test/proof/worlds.ts";

const progressMs = 5000;

function numberFrom(name: string, otherwise: number): number {
  const text = process.env[name] ?? "";
  if (text === "") return otherwise;
  if (/^-?\d{1,10}$/.test(text)) return Number(text);
  process.stderr.write(`${name}=${text}: not a whole number\n`);
  process.exit(2);
}

function namedPortsFrom(name: string): NamedPortForm {
  const text = process.env[name] ?? "";
  const form = text === "" ? "list" : namedPortForms.find((known) => known === text);
  if (form !== undefined) return form;
  process.stderr.write(`${name}=${text}: not ${namedPortForms.join(" or ")}\n`);
  process.exit(2);
}

async function prove(laboratory: Laboratory, worlds: number, seed: number): Promise<boolean> {
  const { tally } = laboratory;
  const started = performance.now();
  const seconds = () => Math.round((performance.now() - started) / 1000);
  let told = started;
  const property = fc.asyncProperty(proofWorld, async (world) => {
    await laboratory.prove(world);
    if (performance.now() - told < progressMs) return;
    told = performance.now();
    process.stdout.write(
      `   ${tally.worlds} of ${worlds} worlds, ${tally.packets} packets, ${seconds()} s\n`,
    );
  });
  const details = await fc.check(property, { numRuns: worlds, seed, includeErrorInReport: true });
  const complaints = laboratory.complaints();
  if (details.failed) process.stdout.write(`${fc.defaultReportMessage(details) ?? "failed"}\n`);
  for (const line of complaints) process.stdout.write(`northd: ${line}\n`);
  const { ovn } = laboratory;
  const agreed = !details.failed && complaints.length === 0;
  process.stdout.write(
    `${agreed ? "agreed" : "DISAGREED"}: ${tally.worlds} worlds, ${tally.packets} packets ` +
      `(${tally.dropped} dropped, ${tally.ruled} met a rule, ${tally.chained} three or more, ${tally.contested} left out as contested), ` +
      `${seconds()} s, OVN ${ovn.install.version}, seed ${seed}\n`,
  );
  return agreed;
}

async function main(): Promise<number> {
  const worlds = numberFrom("WORLDS", 1000);
  const seed = numberFrom("SEED", randomInt(2 ** 31));
  const namedPorts = namedPortsFrom("NAMED_PORTS");
  process.stdout.write(`proving ${worlds} worlds, named ports as ${namedPorts}, seed ${seed}\n`);
  const laboratory = await Laboratory.open(namedPorts);
  try {
    return (await prove(laboratory, worlds, seed)) ? 0 : 1;
  } finally {
    await laboratory.close();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof OvnMissingError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 3;
}
