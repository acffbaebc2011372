// `make bench W=observe`: what observing costs a node. Flows and processor time with samples and without, at a rate of connections, and
// of counting the rules' packets among many flows. Real northd, ovn-controller and ovs-vswitchd on the dummy datapath.

import { setTimeout as sleep } from "node:timers/promises";
import { circumstances, load, measuring, writeResults } from "../scripts/support/measuring.ts";
import { SettingsError, Variables } from "../scripts/support/variables.ts";
import type { WorldObject } from "../src/model/object.ts";
import type { Sampling } from "../src/nbdb/rows/render-mode.ts";
import { follow, sampling, startReader } from "../test/observe/node-reader.ts";
import { lotsInSecond, Stage } from "../test/observe/stage.ts";
import { everyPacket } from "../test/proof/samples.ts";
import { blue, pods, red } from "../test/proof/teams.ts";
import { anp, np } from "../test/support/policies.ts";
import { range } from "./northd/forms.ts";
import { type Cpu, cpuDuring, type Flows, flowsOf } from "./observe/ground.ts";

const help = `make bench W=observe [RATE=1000] [FOR=20s] [RULES=100] [NETWORKS=250] [OUT=bench/results/observe.json]

Counts flows, and the processor time of ovs-vswitchd, ovn-controller and northgate observe-node: without samples, with samples that
no program watches, with samples that one follows, and while the packets of rules are counted each second. Needs an OVN with a chassis.

  RATE, FOR      connections a second, a multiple of 20, and for how long; 40000 connections at the most
  RULES          of policies: each has an ACL, and a connection meets the last one
  NETWORKS       of each of as many rules, while packets are counted: RULES x NETWORKS flows on each of two switches

Exit codes: 0 measured, 1 a process failed, 2 an argument is wrong, 3 no OVN to be had.
`;

interface Settings {
  readonly rate: number;
  readonly seconds: number;
  readonly rules: number;
  readonly networks: number;
}

interface Measured {
  readonly form: string;
  readonly flows: Flows;
  readonly cpu: Cpu;
  /** Events of the program that follows; null: none does. */
  readonly shown: number | null;
}

const tcp = (port: number) => ({ portNumber: { protocol: "TCP", port } });
const inPolicy = 100;
/** Each connection has a port of the client. */
const mostConnections = 40_000;
/** A program has started, or what was sent has come. */
const settleMs = 5_000;

/** AdminNetworkPolicies whose rules are about other ports, but for the last one. */
function portRules(rules: number): readonly WorldObject[] {
  const chunks = range(Math.ceil(rules / inPolicy)).map((at) =>
    range(rules).slice(at * inPolicy, (at + 1) * inPolicy),
  );
  return chunks.map((chunk, at) =>
    anp(`ports-${at}`, {
      ...{ priority: at, subject: blue },
      ingress: chunk.map((rule) => ({
        action: "Allow",
        from: [red],
        ports: [tcp(rule === rules - 1 ? 80 : 1000 + rule)],
      })),
    }),
  );
}

/** Each network is a flow of its rule. */
function networkRules({ rules, networks }: Settings): readonly WorldObject[] {
  const from = range(networks).map((at) => ({ ipBlock: { cidr: `172.${16 + (at >> 8)}.${at & 255}.0/24` } }));
  const ingress = range(rules).map((rule) => ({ from, ports: [{ protocol: "TCP", port: 1000 + rule }] }));
  return [np("networks", { podSelector: {}, policyTypes: ["Ingress"], ingress }, "blue")];
}

async function samplesCost(
  form: string,
  settings: Settings,
  given: Sampling | undefined,
  isFollowed: boolean,
): Promise<Measured> {
  const { rate, seconds, rules } = settings;
  const stage = await Stage.open(given);
  const reader = given === undefined ? null : startReader(stage, "off", "--interval=3600");
  if (reader !== null) await sleep(settleMs);
  const watcher = isFollowed ? follow(stage) : null;
  try {
    await stage.become(portRules(rules));
    if (isFollowed) await sampling(stage);
    const flows = await flowsOf(stage);
    const way = { from: pods.redA, to: pods.blueB, port: 80 };
    // What is made for the first packets is made before.
    await stage.connect(way, rate, 1);
    await sleep(settleMs);
    const before = watcher?.events().length ?? 0;
    const cpu = await cpuDuring(stage, reader, async () => {
      await stage.connect(way, rate, seconds);
      await sleep(settleMs);
    });
    return { form, flows, cpu, shown: watcher === null ? null : watcher.events().length - before };
  } finally {
    await watcher?.end();
    await reader?.end("SIGKILL");
    await stage.close();
  }
}

/** With a reader that reads each second, and without. */
async function countingCost(settings: Settings): Promise<readonly Measured[]> {
  const stage = await Stage.open();
  try {
    await stage.become(networkRules(settings));
    const flows = await flowsOf(stage);
    const still = () => sleep(settings.seconds * 1000);
    const without = await cpuDuring(stage, null, still);
    const reader = startReader(stage, "off", "--interval=1");
    try {
      await sleep(settleMs);
      const cpu = await cpuDuring(stage, reader, still);
      return [
        { form: "many flows, not counted", flows, cpu: without, shown: null },
        { form: "many flows, counted each second", flows, cpu, shown: null },
      ];
    } finally {
      await reader.end("SIGKILL");
    }
  } finally {
    await stage.close();
  }
}

function lineOf({ form, flows, cpu, shown }: Measured): string {
  const spent = Object.entries(cpu).map(
    ([name, ms]) => `${name} ${ms === null ? "-" : `${Math.round(Number(ms))} ms`}`,
  );
  const seen = shown === null ? "" : `, ${shown} events`;
  return `${form}: ${flows.logical} logical flows, ${flows.openflow} of OpenFlow, processor: ${spent.join(", ")}${seen}\n`;
}

async function measure(env: NodeJS.ProcessEnv): Promise<boolean> {
  const variables = new Variables(env);
  const settings = {
    rate: variables.number("RATE", 1_000, 10_000),
    seconds: variables.durationMs("FOR", "20s") / 1000,
    rules: variables.number("RULES", 100, 1_000),
    networks: variables.number("NETWORKS", 250, 3_000),
  };
  const { rate, seconds } = settings;
  if (rate % lotsInSecond !== 0 || rate * seconds > mostConnections)
    throw new SettingsError(
      `RATE=${rate} FOR=${seconds}s: not a multiple of ${lotsInSecond}, or more than ${mostConnections} connections`,
    );
  const where = await circumstances();
  process.stdout.write(`${where.machine}, OVN ${where.ovn}, load ${load().toFixed(1)}\n`);
  const measured: Measured[] = [];
  const say = (one: Measured): void => {
    measured.push(one);
    process.stdout.write(lineOf(one));
  };
  say(await samplesCost("no samples", settings, undefined, false));
  say(await samplesCost("samples that no program watches", settings, everyPacket, false));
  say(await samplesCost("samples that a program follows", settings, everyPacket, true));
  for (const one of await countingCost(settings)) say(one);
  const out = variables.text("OUT", "bench/results/observe.json");
  writeResults(out, { when: new Date().toISOString(), ...where, settings, load: load(), measured });
  process.stdout.write(`written to ${out}\n`);
  return true;
}

await measuring(help, measure);
