// `make soak W=replicas`: runs, tells how it goes, and prints who wrote.

import { circumstances, measuring, telling } from "../scripts/support/measuring.ts";
import { Variables } from "../scripts/support/variables.ts";
import { replicas } from "./run/replicas.ts";

const tell = telling((line) => process.stderr.write(line));

const help = `make soak W=replicas [SOAK=10m] [POLICIES=12000] [EVERY=1s]

Runs two replicas of \`northgate run\` on a directory of thousands of small policies and a private ovsdb-server, and edits one
policy all the time. The writer must never change, and every edit must be written.

  SOAK      how long, from when all rows are written: 90s, 10m
  POLICIES  how many: ten of twelve are NetworkPolicies, one each ClusterNetworkPolicies and AdminNetworkPolicies
  EVERY     between two edits

Exit codes: 0 one writer, 1 not, 2 an argument is wrong, 3 no OVN to be had.
`;

const most = 99_999;
const patienceMs = 300_000;

async function measure(env: NodeJS.ProcessEnv): Promise<boolean> {
  const variables = new Variables(env);
  const options = {
    policies: variables.number("POLICIES", 12_000, most),
    durationMs: variables.durationMs("SOAK", "10m"),
    editEveryMs: variables.durationMs("EVERY", "1s"),
    patienceMs,
  };
  const where = await circumstances();
  tell(`${where.machine}, Node ${where.node}, OVN ${where.ovn}`);
  const { writers, edits, startMs, slowestEditMs, complaints, exitCodes } = await replicas(options, tell);
  const isGood = writers.length === 1 && complaints.length === 0 && exitCodes.every((code) => code === 0);
  process.stdout.write(
    `${options.policies} policies, two replicas, ${options.durationMs / 1000} s\n` +
      `  writers    ${writers.length}: ${writers.join(", then ")}\n` +
      `  start      ${(startMs / 1000).toFixed(1)} s\n` +
      `  edits      ${edits}, the slowest written after ${Math.round(slowestEditMs)} ms\n` +
      `  complaints ${complaints.length}${complaints.map((line) => `\n    ${line}`).join("")}\n`,
  );
  return isGood;
}

await measuring(help, measure);
