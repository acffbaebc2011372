// A node with real northd, ovn-controller and ovs-vswitchd on the dummy datapath, on which `make bench W=observe` measures: how many flows
// rules have there, and what processor time each process takes meanwhile.

import { pidOf } from "../../tools/sandbox/daemon.ts";
import { list } from "../../tools/sandbox/listing.ts";
import { run } from "../../tools/sandbox/program.ts";
import type { Stage } from "../../test/observe/stage.ts";
import type { Running } from "../../test/support/program.ts";
import { tickedMs } from "../run/usage.ts";

export interface Flows {
  /** Of the Southbound database. */
  readonly logical: number;
  readonly openflow: number;
}

/** Milliseconds of processor time; the reader's is null where none runs. */
export interface Cpu {
  readonly vswitchd: number;
  readonly controller: number;
  readonly reader: number | null;
}

export async function flowsOf({ ovn, openflow }: Stage): Promise<Flows> {
  const [logical = []] = await list(ovn.sb, "OVN_Southbound", { table: "Logical_Flow", columns: ["_uuid"] });
  const { stdout } = await run(
    ovn.install.programs["ovs-ofctl"] ?? "",
    ["dump-aggregate", `unix:${openflow}`],
    {
      env: process.env,
    },
  );
  return { logical: logical.length, openflow: Number(/flow_count=(\d+)/.exec(stdout)?.[1]) };
}

/** What the processes take while something happens. */
export async function cpuDuring(
  stage: Stage,
  reader: Running | null,
  what: () => Promise<unknown>,
): Promise<Cpu> {
  const pids = {
    vswitchd: pid(stage, "vswitchd"),
    controller: pid(stage, "controller"),
    reader: reader?.child.pid ?? null,
  };
  const now = () => ({
    vswitchd: tickedMs(pids.vswitchd),
    controller: tickedMs(pids.controller),
    reader: pids.reader === null ? null : tickedMs(pids.reader),
  });
  const before = now();
  await what();
  const after = now();
  return {
    vswitchd: after.vswitchd - before.vswitchd,
    controller: after.controller - before.controller,
    reader: after.reader === null ? null : after.reader - (before.reader ?? 0),
  };
}

function pid({ ovn }: Stage, daemon: string): number {
  const found = pidOf(ovn.dir, daemon);
  if (found === null) throw new Error(`${daemon} does not run`);
  return found;
}
