// A Northbound database for each node, at a socket in a folder of the node's: a cluster of OVN-Kubernetes whose zones are nodes has
// them so. They have switches and ports, and no dataplane.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Ovn, startOvn } from "../../tools/sandbox/ovn.ts";

export interface Zone {
  readonly ovn: Ovn;
  /** It has the socket ovnnb_db.sock. */
  readonly folder: string;
}

/** By the name of the node. `ended` is called with what ends each of them. */
export async function startZones(
  dir: string,
  nodes: readonly string[],
  ended: (end: () => Promise<void>) => void,
): Promise<ReadonlyMap<string, Zone>> {
  const zones = new Map<string, Zone>();
  for (const node of nodes) {
    const folder = join(dir, node, "openvswitch");
    mkdirSync(folder, { recursive: true });
    const ovn = await startOvn({
      northd: false,
      nbArgs: [`--remote=punix:${join(folder, "ovnnb_db.sock")}`],
    });
    ended(() => ovn.stop());
    await ovn.nbctl("set", "NB_Global", ".", `name=${node}`);
    zones.set(node, { ovn, folder });
  }
  return zones;
}
