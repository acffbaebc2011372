// What carries the packets of a pod network on OVN: one chassis in a network namespace of its own, which all nodes share, or a chassis
// in the namespace of each node, with tunnels between them. The external port has a place too. Refuses a node that it does not know.

import { join } from "node:path";
import { type Chassis, startChassis } from "../../tools/sandbox/chassis.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { NamespaceProcess } from "../../test/support/netns.ts";
import { ipIn } from "../../test/support/stacks.ts";
import { type Ends, startedWithEnds } from "./ends.ts";
import type { Nodes } from "./nodes.ts";
import { Wire } from "./wire.ts";

/** Where a logical port is plugged in. */
export interface Seat {
  readonly chassis: Chassis;
  /** A command before those that are to run where its interfaces are made. */
  readonly enter: readonly string[];
}

export interface Dataplane {
  /** Of the pods of a node; null: of the external port. */
  seatOf(node: string | null): Seat;
  readonly seats: readonly Seat[];
  stop(): Promise<void>;
}

export function sharedChassis(ovn: Ovn): Promise<Dataplane> {
  return startedWithEnds(async (ends) => {
    const holder = await NamespaceProcess.hold();
    ends.push(() => holder.end());
    const chassis = await startChassis(ovn, { datapath: "netdev", runIn: holder.enter });
    ends.push(() => chassis.stop());
    const seat = { chassis, enter: holder.enter };
    return { seats: [seat], seatOf: () => seat };
  });
}

/** Of the chassis that has the external port and no pods. */
export const gatewayChassis = "gateway";

export function chassisOfNodes(ovn: Ovn, nodes: Nodes): Promise<Dataplane> {
  return startedWithEnds(async (ends) => {
    const gateway = await NamespaceProcess.hold();
    ends.push(() => gateway.end());
    const wire = await Wire.open(ovn.dir);
    ends.push(() => wire.close());
    const places = [
      { name: gatewayChassis, holder: gateway },
      ...nodes.specs.flatMap(({ name }, at) => {
        const holder = nodes.holders[at];
        return holder === undefined ? [] : [{ name, holder }];
      }),
    ];
    const seats = new Map<string, Seat>();
    for (const [at, { name, holder }] of places.entries())
      seats.set(name, await seatOn(ovn, wire, { at, name, holder }, ends));
    await wire.introduce([...seats.values()].map(({ chassis }) => chassis));
    return {
      seats: [...seats.values()],
      seatOf: (node) => {
        const seat = seats.get(node ?? gatewayChassis);
        if (seat === undefined) throw new Error(`${node ?? ""} has no chassis`);
        return seat;
      },
    };
  });
}

interface Place {
  /** From 0 on. */
  readonly at: number;
  readonly name: string;
  readonly holder: NamespaceProcess;
}

async function seatOn(ovn: Ovn, wire: Wire, { at, name, holder }: Place, ends: Ends): Promise<Seat> {
  const end = await wire.attach(at, holder);
  const { enter } = holder;
  const chassis = await startChassis(ovn, { datapath: "netdev", name, runIn: enter, tunnels: end });
  ends.push(() => chassis.stop());
  await ipIn(enter, join(ovn.dir, `ip.${name}`), wire.addressing(end));
  return { chassis, enter };
}
