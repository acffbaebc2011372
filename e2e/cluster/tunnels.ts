// What the tunnels between the chassis of nodes carry, as Open vSwitch counts it.

import { join } from "node:path";
import { run } from "../../tools/sandbox/program.ts";
import type { Cluster } from "./cluster.ts";

/** How many packets the chassis of a node has sent to another one's so far. */
export async function throughTunnel(
  { ovn, network }: Pick<Cluster, "ovn" | "network">,
  from: string,
  to: string,
): Promise<number> {
  const program = ovn.install.programs["ovs-ofctl"];
  if (program === undefined) throw new Error("this OVN has no ovs-ofctl: install openvswitch-switch");
  // The counts of what the datapath has sent come with the next look at its flows.
  await network.dataplane.seatOf(from).chassis.appctl("revalidator/wait");
  const bridge = `unix:${join(ovn.dir, from, "br-int.mgmt")}`;
  // ovn-controller names a tunnel by the beginning of its chassis' name.
  const { stdout } = await run(program, ["dump-ports", bridge, `ovn-${to.slice(0, 6)}-0`]);
  const [, packets] = /tx pkts=(\d+)/.exec(stdout) ?? [];
  if (packets === undefined) throw new Error(`${from} has no tunnel to ${to}: ${stdout}`);
  return Number(packets);
}
