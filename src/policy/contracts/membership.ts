// The questions that a backend may ask about groups. groups/ answers; backends see only this.

import type { IpAddress } from "../../model/ip.ts";
import type { NamedPort, PodFact, PodKey } from "../../model/facts.ts";
import type { GroupKey } from "../ir.ts";

/** A set to query and iterate without a copy. */
export interface SetView<T> {
  readonly size: number;
  has(value: T): boolean;
  keys(): Iterable<T>;
}

export interface Membership {
  /** Addresses of the group's members, pods, nodes or host names; throws for a group that is not retained. */
  addresses(group: GroupKey): SetView<IpAddress>;
  /** Member pods (on the pod network, matched); empty for a group of nodes or host names. Of a node's pods it is the only question. */
  pods(group: GroupKey): SetView<PodKey>;
  /** The fact of a member pod. */
  pod(key: PodKey): PodFact;
  /** Members that declare a named container port of this name, with those ports in spec order. */
  namedPorts(
    group: GroupKey,
    name: string,
  ): Iterable<{ readonly pod: PodFact; readonly ports: readonly NamedPort[] }>;
  /** Member pods that hold the address; none for a group of nodes or host names. */
  holders(group: GroupKey, address: IpAddress): Iterable<PodFact>;
  /** The retained groups that have this pod as a member; none for an unknown pod. */
  groupsOf(pod: PodKey): Iterable<GroupKey>;
}

/** Where to read again after a change: elements that may differ from before, never how they differ. */
export interface GroupEdges {
  readonly addresses: ReadonlySet<IpAddress>;
  readonly pods: ReadonlySet<PodKey>;
  /** Names of container ports whose members, numbers or addresses may differ, and the addresses at which they may. */
  readonly namedPorts: ReadonlyMap<string, ReadonlySet<IpAddress>>;
}

export type Edges = ReadonlyMap<GroupKey, GroupEdges>;
