// A connection as rules are asked about it, and the world that its ends are in.

import type { HostNameFact, NamespaceFact, NodeFact, PodFact, Protocol } from "../model/facts.ts";
import type { IpAddress } from "../model/ip.ts";

/** One end of a connection. A pod's end has the pod's fact; any other address has none. */
export interface End {
  readonly ip: IpAddress;
  /** null: not an address of a pod on the pod network. */
  readonly pod: PodFact | null;
}

export interface Connection {
  readonly from: End;
  readonly to: End;
  /** `icmp` means ICMP in the addresses' own family; a number for any other IP protocol (IANA). */
  readonly protocol: Protocol | "icmp" | number;
  /** Destination port; without meaning where the protocol has no ports. */
  readonly port: number;
  /** Source port; absent: one that no rule names, neither to mean it nor to except it. */
  readonly sourcePort?: number;
  /** Of icmp; absent: an echo request, code 0. */
  readonly icmp?: { readonly type: number; readonly code: number };
  /** True: the source named another destination, and a load balancer has replaced it by `to` and `port`. */
  readonly translated?: true;
}

export interface World {
  readonly namespaces: ReadonlyMap<string, NamespaceFact>;
  /** Must allow repeated iteration. */
  readonly nodes: Iterable<NodeFact>;
  /** What DNS answered; must allow repeated iteration. */
  readonly hostNames: Iterable<HostNameFact>;
}
