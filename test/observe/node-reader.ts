// The reader of a stage's node as a process, those that watch it, and the rows of Open vSwitch that it writes.

import { spawn } from "node:child_process";
import { join } from "node:path";
import type { SeenEvent } from "../../src/observe/decode/event.ts";
import { run } from "../../tools/sandbox/program.ts";
import { everyPacket } from "../proof/samples.ts";
import { eventually } from "../support/eventually.ts";
import { mainFile } from "../support/main-file.ts";
import type { Running } from "../support/program.ts";
import { running } from "../support/program.ts";
import type { Stage } from "./stage.ts";

export const socketOf = ({ ovn }: Stage): string => join(ovn.dir, "observe.sock");

const environment = () => ({ ...process.env, NODE_OPTIONS: "" });

export function startReader(stage: Stage, metrics = "off", ...more: readonly string[]): Running {
  const { nb, sb } = stage.ovn;
  const child = spawn(
    process.execPath,
    [
      ...[mainFile, "observe-node", "--nb", nb, "--sb", sb, "--openflow", `unix:${stage.openflow}`],
      ...["--ovs", stage.ovs, "--socket", socketOf(stage), `--metrics-bind-address=${metrics}`],
      ...["--log-format=json", ...more],
    ],
    { stdio: ["ignore", "ignore", "pipe"], env: environment() },
  );
  return running(child);
}

export async function vsctl({ ovn, ovs }: Stage, ...args: readonly string[]): Promise<readonly string[]> {
  const program = ovn.install.programs["ovs-vsctl"] ?? "";
  const { stdout } = await run(program, ["--no-wait", `--db=${ovs}`, ...args], { env: process.env });
  return stdout.split("\n").filter((line) => line !== "");
}

/** The rows of Open vSwitch that say that they are Northgate's. */
export function collectorRows(stage: Stage): Promise<readonly string[]> {
  const found = ["find", "Flow_Sample_Collector_Set", "external_ids:owner=northgate"];
  return vsctl(stage, "--bare", "--columns=id", ...found);
}

/** ovn-controller has seen the rows of Open vSwitch, and its flows sample. */
export async function sampling(stage: Stage): Promise<void> {
  await eventually(async () => {
    const ids = await collectorRows(stage);
    if (ids.join() !== String(everyPacket.setId)) throw new Error(`sets of Open vSwitch: ${ids.join()}`);
  });
  await stage.settled();
}

function watching(stage: Stage, flags: readonly string[]) {
  const args = ["observe", "--follow", "--socket", socketOf(stage), ...flags];
  const child = spawn(process.execPath, [mainFile, ...args], {
    ...{ stdio: ["ignore", "pipe", "inherit"], env: environment() },
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const end = async () => {
    child.kill("SIGTERM");
    return ended;
  };
  return { child, end };
}

/** Writes the file when it is ended. */
export function recording(stage: Stage, file: string): { readonly end: () => Promise<unknown> } {
  return watching(stage, ["--record", file]);
}

/** Also what the reader keeps of the last hour: nobody sees when the program has connected. */
export function follow(stage: Stage, ...filter: readonly string[]) {
  const { child, end } = watching(stage, ["-o", "ndjson", "--since=1h", ...filter]);
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  return {
    events: () =>
      text
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as SeenEvent),
    end,
  };
}
