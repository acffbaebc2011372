// What differs between clusters of the two backends: the network of the pods, and where `northgate run` runs.

import type { ControlPlane } from "../../test/kube/control-plane.ts";
import { type Ovn, startOvn } from "../../tools/sandbox/ovn.ts";
import { ApiDoor } from "./api-door.ts";
import type { Ends } from "./ends.ts";
import { Network } from "./network.ts";
import type { Nodes } from "./nodes.ts";
import { type Northgate, startNorthgate, startOnNode } from "./northgate.ts";
import type { Process } from "./processes.ts";
import { RoutedNetwork } from "./routed-network.ts";

export const conformanceBackends = ["ovn", "iptables"] as const;
export type ConformanceBackend = (typeof conformanceBackends)[number];

export interface Ground {
  /** Where the node agent asks the network. */
  readonly socket: string;
  /** Null: the nodes route, and there is no OVN. */
  readonly ovn: OvnGround | null;
  /** Starts the program, or one on each node; all are ready when this resolves. `account`: the flag that says who it is. */
  start(northgate: Northgate, account: string): Promise<readonly Process[]>;
}

export interface OvnGround {
  readonly ovn: Ovn;
  readonly network: Network;
}

interface Place {
  /** The cluster's folder. */
  readonly dir: string;
  readonly plane: ControlPlane;
  readonly nodes: Nodes;
  /** What is to be ended, in the order in which it was started. */
  readonly ends: Ends;
}

export const grounds: Readonly<Record<ConformanceBackend, (place: Place) => Promise<Ground>>> = {
  ovn: async ({ dir, nodes, ends }) => {
    const ovn = await startOvn({ northd: true });
    ends.push(() => ovn.stop());
    const network = await Network.open({ ovn }, nodes);
    ends.push(() => network.close());
    return {
      ...{ socket: network.socket, ovn: { ovn, network } },
      start: async (northgate, account) => [
        await startNorthgate(dir, northgate, [`--nb=${ovn.nb}`, account]),
      ],
    };
  },
  iptables: async ({ dir, plane, nodes, ends }) => {
    const network = await RoutedNetwork.open(dir, nodes);
    ends.push(() => network.close());
    const door = await ApiDoor.open(dir, plane.url, nodes.holders);
    ends.push(() => door.close());
    return {
      ...{ socket: network.socket, ovn: null },
      start: (northgate, account) =>
        Promise.all(
          nodes.specs.flatMap(({ name }, at) => {
            const holder = nodes.holders[at];
            // The suites know a denied connection by its silence.
            return holder === undefined
              ? []
              : [startOnNode(dir, name, holder, northgate, [account, "--deny=drop"])];
          }),
        ),
    };
  },
};

/** Of a cluster on OVN. Throws of another. */
export function onOvn({ ground: { ovn } }: { readonly ground: Ground }): OvnGround {
  if (ovn === null) throw new Error("the cluster has no OVN");
  return ovn;
}
