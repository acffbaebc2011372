// What `northgate observe` shows of a run on a cluster: the reader of the node that all pods are on, as a process beside its switch, and one
// that follows what is dropped. Ends with the cluster.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { seriesIn } from "../../../src/doctor/series.ts";
import type { SeenEvent } from "../../../src/observe/decode/event.ts";
import { run } from "../../../tools/sandbox/program.ts";
import { getInside } from "../../../test/netfilter/agent.ts";
import { eventually } from "../../../test/support/eventually.ts";
import type { Cluster } from "../cluster.ts";
import { onOvn } from "../grounds.ts";
import { asShipped } from "../northgate.ts";
import { Process } from "../processes.ts";

const metricsPort = 19_477;
/** Samples come within two seconds of their packet. */
const lastSamplesMs = 3_000;

export interface Watch {
  /** What was dropped so far, in the order in which it came. */
  readonly dropped: readonly SeenEvent[];
  /** What the follower has said on standard error. */
  readonly said: readonly string[];
  /** By what has become of them: northgate_samples_total. Call it before `end`. */
  samples(): ReadonlyMap<string, number>;
  end(): Promise<void>;
}

/** Samples are taken when it resolves. */
export async function watchDropped(cluster: Cluster): Promise<Watch> {
  const { ovn, network } = onOvn(cluster);
  const { enter } = network.dataplane.seatOf(null);
  const [first = "", ...others] = enter;
  // Open vSwitch sends samples to its own loopback address.
  await run(first, [...others, "ip", "link", "set", "lo", "up"]);
  const socket = join(cluster.dir, "observe.sock");
  const ovs = `unix:${join(ovn.dir, "ovs.sock")}`;
  const reader = new Process(cluster.dir, {
    ...{ name: "observe-node", program: first },
    args: [
      ...[...others, ...asShipped, "observe-node", `--nb=${ovn.nb}`, `--sb=${ovn.sb}`],
      ...[`--openflow=unix:${join(ovn.dir, "br-int.mgmt")}`, `--ovs=${ovs}`, `--socket=${socket}`],
      ...[`--metrics-bind-address=127.0.0.1:${metricsPort}`, "--log-format=json"],
    ],
  });
  const text = (path: string) => getInside({ enter }, metricsPort, path);
  await reader.ready(() => text("/readyz").startsWith("HTTP/1.1 200"));
  const dropped: SeenEvent[] = [];
  const said: string[] = [];
  const follower = follow(
    socket,
    (event) => dropped.push(event),
    (line) => said.push(line),
  );
  const vsctl = ovn.install.programs["ovs-vsctl"] ?? "";
  await eventually(async () => {
    const find = [
      "--bare",
      "--columns=id",
      "find",
      "Flow_Sample_Collector_Set",
      "external_ids:owner=northgate",
    ];
    const { stdout } = await run(vsctl, ["--no-wait", `--db=${ovs}`, ...find]);
    if (stdout.trim() === "") throw new Error("nothing is sampled");
  });
  return {
    ...{ dropped, said },
    samples: () => samplesIn(text("/metrics")),
    end: async () => {
      await follower.end();
      await reader.end();
    },
  };
}

/** The last samples have come. */
export async function settled(watch: Watch): Promise<void> {
  await sleep(lastSamplesMs);
  await eventually(async () => {
    const before = watch.dropped.length;
    await sleep(1_000);
    if (watch.dropped.length > before) throw new Error("samples still come");
  });
}

function follow(socket: string, seen: (event: SeenEvent) => void, said: (line: string) => void) {
  const [program = "", ...args] = asShipped;
  const asked = [
    "observe",
    "--follow",
    "--established",
    `--socket=${socket}`,
    "--verdict=dropped",
    "-o",
    "ndjson",
  ];
  const child = spawn(program, [...args, ...asked], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  createInterface({ input: child.stdout }).on("line", (line) => {
    seen(JSON.parse(line) as SeenEvent);
  });
  createInterface({ input: child.stderr }).on("line", said);
  return {
    end: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

function samplesIn(metrics: string): ReadonlyMap<string, number> {
  const series = seriesIn(metrics).filter(({ name }) => name === "northgate_samples_total");
  return new Map(series.map(({ labels, value }) => [/="([a-z_]+)"$/.exec(labels)?.[1] ?? "", value]));
}
