// `make bench W=shapes`: what OVN makes of matches that mean the same: OpenFlow rows, and the CPU of ovn-controller when the
// rules come and when one pod more is in their sets. CPU, because the machine may be busy; nothing of the product runs here.

import { circumstances, load, measuring, telling, writeResults } from "../scripts/support/measuring.ts";
import { Variables } from "../scripts/support/variables.ts";
import { median, ms } from "./report/text.ts";
import { mean } from "./run/measurement.ts";
import type { Reach } from "./run/reach.ts";
import { type Shape, shapes } from "./shapes/catalogue.ts";
import { Ground, type Size } from "./shapes/ground.ts";

const help = `make bench W=shapes [RULES=10] [ADDRESSES=200] [SUBJECTS=4] [REPETITIONS=10] [ONLY=…] [OUT=bench/results/shapes.json]

Tries shapes of matches on a private OVN with a chassis.

  RULES        rules of each shape
  ADDRESSES    addresses of each of a rule's two sets
  SUBJECTS     pods that the rules are about, all on the chassis
  REPETITIONS  how many pods come to the sets and go again
  ONLY         meanings: ${[...new Set(shapes.map(({ group }) => group))].join(", ")}

Exit codes: 0 measured, 1 a process failed, 2 an argument is wrong, 3 no OVN to be had.
`;

const most = 100_000;

/** Means of one rule, or of one pod that comes or goes. */
interface Measured {
  readonly group: string;
  readonly name: string;
  readonly aclsPerRule: number;
  readonly flowsPerRule: number;
  readonly coming: { readonly controllerMs: number; readonly northdMs: number; readonly vswitchdMs: number };
  /** null: no pod is in its sets. */
  readonly pod: {
    readonly controllerMs: number;
    readonly northdMs: number;
    readonly vswitchdMs: number;
    readonly flowsMs: number;
  } | null;
}

async function tried(ground: Ground, shape: Shape, { rules }: Size, repetitions: number): Promise<Measured> {
  const bare = await ground.dataplane.flows();
  const matches = Array.from({ length: rules }, (_, i) => shape.matches(i));
  const came = await ground.come(matches);
  const flows = await ground.dataplane.flows();
  const touched = shape.touched(rules);
  const pods: Reach[] = [];
  for (let at = 0; touched.length > 0 && at < repetitions; at++) {
    pods.push(await ground.element(touched, at, "insert"));
    pods.push(await ground.element(touched, at, "delete"));
  }
  if ((await ground.dataplane.flows()) !== flows)
    throw new Error(`${shape.name}: flows are left of pods that went`);
  await ground.go();
  const of = (name: keyof Reach["cpu"]) => mean(pods.map(({ cpu }) => cpu[name]));
  return {
    ...{ group: shape.group, name: shape.name, aclsPerRule: matches[0]?.length ?? 0 },
    flowsPerRule: (flows - bare) / rules,
    coming: {
      controllerMs: came.cpu.controller / rules,
      northdMs: came.cpu.northd / rules,
      vswitchdMs: came.cpu.vswitchd / rules,
    },
    pod:
      pods.length === 0
        ? null
        : {
            ...{ controllerMs: of("controller"), northdMs: of("northd"), vswitchdMs: of("vswitchd") },
            flowsMs: median(pods.map(({ flowsMs }) => flowsMs)),
          },
  };
}

async function measure(env: NodeJS.ProcessEnv): Promise<boolean> {
  const variables = new Variables(env);
  const size = {
    rules: variables.number("RULES", 10, most),
    addresses: variables.number("ADDRESSES", 200, most),
    subjects: variables.number("SUBJECTS", 4, 200),
  };
  const repetitions = variables.number("REPETITIONS", 10, most);
  const asked = variables
    .text("ONLY", "")
    .split(",")
    .filter((group) => group !== "");
  const out = variables.text("OUT", "bench/results/shapes.json");
  const [where, before] = [await circumstances(), load()];
  const tell = telling((line) => process.stderr.write(line));
  const measured: Measured[] = [];
  const ground = await Ground.open(size, 300_000);
  try {
    for (const shape of shapes.filter(({ group }) => asked.length === 0 || asked.includes(group))) {
      tell(`${shape.group}: ${shape.name}`);
      measured.push(await tried(ground, shape, size, repetitions));
    }
  } finally {
    await ground.close();
  }
  process.stdout.write(table(measured));
  writeResults(out, { when: new Date().toISOString(), ...where, load: [before, load()], ...size, measured });
  return true;
}

function table(all: readonly Measured[]): string {
  const head =
    "| meaning | shape | ACLs | flows | rules come: ovn-controller, northd | a pod: ovn-controller, northd |";
  const rows = all.map(({ group, name, aclsPerRule, flowsPerRule, coming, pod }) => {
    const came = `${coming.controllerMs.toFixed(2)}, ${coming.northdMs.toFixed(2)}`;
    const one = pod === null ? "–" : `${ms(pod.controllerMs)}, ${ms(pod.northdMs)}`;
    return `| ${[group, name, aclsPerRule, flowsPerRule.toFixed(0), came, one].join(" | ")} |`;
  });
  return [head, "| --- | --- | --- | --- | --- | --- |", ...rows, ""].join("\n");
}

await measuring(help, measure);
