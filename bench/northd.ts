// `make bench W=northd`: what a pod that a rule is about costs northd, in ways to say which pods these are. CPU, because the
// machine may be busy; nothing of the product runs here.

import { circumstances, load, measuring, telling, writeResults } from "../scripts/support/measuring.ts";
import { Variables } from "../scripts/support/variables.ts";
import { type Event, type Form, formsOf, range, type Size } from "./northd/forms.ts";
import { type Cost, NorthdGround } from "./northd/ground.ts";
import { median, ms } from "./report/text.ts";

const help = `make bench W=northd [SWITCHES=250] [PORTS=40] [GROUPS=60] [RULES=52] [SPAN=20] [REPETITIONS=5] [OUT=bench/results/northd.json]

Counts northd's CPU, and whether it computes all logical flows again, when a pod becomes one that rules are about: on a private
OVN without a chassis. NORTHGATE_OVN_PREFIX names another OVN.

  SWITCHES, PORTS   switches, and ports of each
  GROUPS, RULES     policies, and ACLs of each
  SPAN              switches on which a policy has its pods
  REPETITIONS       how often each event is repeated

Exit codes: 0 measured, 1 a process failed, 2 an argument is wrong, 3 no OVN to be had.
`;

const most = 100_000;
/** What waiting for northd costs it: part of every other event. */
const nothing: Event = { name: "nothing but a number in NB_Global", operations: () => [] };

interface Measured {
  readonly form: string;
  readonly event: string;
  readonly costs: readonly Cost[];
}

async function measure(env: NodeJS.ProcessEnv): Promise<boolean> {
  const variables = new Variables(env);
  const number = (name: string, otherwise: number) => variables.number(name, otherwise, most);
  const switches = number("SWITCHES", 250);
  const size = {
    ...{ switches, ports: number("PORTS", 40), groups: number("GROUPS", 60), rules: number("RULES", 52) },
    span: variables.number("SPAN", Math.min(20, switches - 1), switches - 1),
  };
  // Each time another switch: of the group's, and of the others.
  const repetitions = variables.number("REPETITIONS", 5, Math.min(size.span, switches - size.span));
  const tell = telling((line) => process.stdout.write(line));
  const where = await circumstances();
  process.stdout.write(`${where.machine}, OVN ${where.ovn}\n`);
  const before = load();
  const measured: Measured[] = [];
  for (const form of formsOf(size)) {
    tell(form.name);
    measured.push(...(await costsOf(form, size, repetitions)));
  }
  const out = variables.text("OUT", "bench/results/northd.json");
  writeResults(out, { when: new Date().toISOString(), ...where, size, load: [before, load()], measured });
  process.stdout.write(`written to ${out}\n`);
  return true;
}

async function costsOf(form: Form, size: Size, repetitions: number): Promise<readonly Measured[]> {
  const ground = await NorthdGround.open(form, size);
  const measured: Measured[] = [];
  try {
    for (const { name, operations } of [nothing, ...form.events]) {
      const costs: Cost[] = [];
      for (const round of range(repetitions)) costs.push(await ground.cost(operations(round)));
      measured.push({ form: form.name, event: name, costs });
      process.stdout.write(`${lineOf(name, costs)}\n`);
    }
    return measured;
  } finally {
    await ground.close();
  }
}

function lineOf(name: string, costs: readonly Cost[]): string {
  const cpu = costs.map(({ cpuMs }) => cpuMs);
  const again = costs.filter(({ recomputed }) => recomputed).length;
  return `  ${name.padEnd(40)} CPU ${ms(median(cpu)).padStart(6)} ms, at the most ${ms(Math.max(...cpu)).padStart(6)}; all flows again ${again} of ${costs.length}`;
}

await measuring(help, measure);
