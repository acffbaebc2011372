// The reader of a stage's node as a process, and those that watch it: rows by which packets are sampled, and the rows of Open vSwitch
// that the reader writes.

import { spawn } from "node:child_process";
import { join } from "node:path";
import type { SeenEvent } from "../../src/observe/decode/event.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { run } from "../../tools/sandbox/program.ts";
import { eventually } from "../support/eventually.ts";
import { mainFile } from "../support/main-file.ts";
import type { Running } from "../support/program.ts";
import { running } from "../support/program.ts";
import type { Stage } from "./stage.ts";

/** northd of OVN 25.03 takes the lowest 8 bits of Sample_Collector.set_id alone. */
export const setId = 73;

export const socketOf = ({ ovn }: Stage): string => join(ovn.dir, "observe.sock");

const environment = () => ({ ...process.env, NODE_OPTIONS: "" });

/** Rows as `run --observe samples` writes them: a Sample an ACL, from 1000 on in no order. */
export async function plantSamples(ovn: Ovn): Promise<void> {
  const listed = await ovn.nbctl("--bare", "--columns=_uuid", "list", "acl");
  const acls = listed.split("\n").filter((line) => line !== "");
  const owner = 'external_ids:"k8s.ovn.org/owner-type"=NorthgateSampling';
  await ovn.nbctl(
    ...["create", "Sampling_App", "type=acl-new", "id=2", "--"],
    ...["create", "Sampling_App", "type=acl-est", "id=3", "--"],
    ...["--id=@c", "create", "Sample_Collector", "id=1", "name=northgate", `set_id=${setId}`],
    ...["probability=65535", owner],
    ...acls.flatMap((acl, at) => [
      ...["--", `--id=@s${at}`, "create", "Sample", "collectors=@c", `metadata=${1000 + at}`],
      ...["--", "set", "acl", acl, `sample_new=@s${at}`, `sample_est=@s${at}`],
    ]),
  );
}

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
    if (ids.join() !== String(setId)) throw new Error(`sets of Open vSwitch: ${ids.join()}`);
  });
  await stage.settled();
}

export function follow(stage: Stage, ...filter: readonly string[]) {
  const args = ["observe", "--follow", "--socket", socketOf(stage), "-o", "ndjson", ...filter];
  const child = spawn(process.execPath, [mainFile, ...args], {
    ...{ stdio: ["ignore", "pipe", "inherit"], env: environment() },
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const ended = new Promise((resolve) => child.once("exit", resolve));
  return {
    events: () =>
      text
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as SeenEvent),
    end: async () => {
      child.kill("SIGTERM");
      return ended;
    },
  };
}
