// Classes of destinations divided by the ports that are asked about at each: what a name or a port of a Service leads to. Those
// without such a port are left out.

import type { AddressSpace } from "../analysis/address-space.ts";
import type { PortMatch } from "../policy/ir.ts";
import type { Traffic, TrafficCuts } from "../verdicts/traffic.ts";
import { noTraffic } from "../verdicts/traffic.ts";
import type { EndClass } from "./ends.ts";
import type { OwnPorts } from "./ports-asked.ts";

export interface Dividing {
  readonly own: OwnPorts;
  readonly cuts: TrafficCuts;
  readonly space: AddressSpace;
}

export function dividedByPorts(
  classes: readonly EndClass[],
  { own, cuts, space }: Dividing,
): readonly EndClass[] {
  const ofPieces = new Map<number, readonly PortMatch[]>();
  for (const [ip, ports] of own.ofAddress)
    for (const piece of space.piecesHolding([ip]))
      ofPieces.set(piece, [...(ofPieces.get(piece) ?? []), ...ports]);
  return classes.flatMap((one) => {
    const trafficTo = (ports: readonly PortMatch[]): Traffic => {
      const all = cuts.of({ ports }, one.family, { from: [], to: [] });
      return own.isLed ? all & cuts.led : all & one.traffic;
    };
    const pods = Map.groupBy(one.pods, ({ end: { new: end } }) =>
      trafficTo(end.pod === null ? [] : own.ofPod(end.pod)),
    );
    const workloads = Map.groupBy(one.workloads, ({ workload }) =>
      trafficTo(own.ofPod(workload.new.template)),
    );
    const pieces = Map.groupBy(one.pieces, (piece) => trafficTo(ofPieces.get(piece) ?? []));
    const none = { pods: [], workloads: [], pieces: [] };
    const parts: readonly EndClass[] = [
      ...Array.from(pods, ([traffic, some]) => ({ ...one, ...none, traffic, pods: some })),
      ...Array.from(workloads, ([traffic, some]) => ({ ...one, ...none, traffic, workloads: some })),
      ...Array.from(pieces, ([traffic, some]) => ({ ...one, ...none, traffic, pieces: some })),
    ];
    return parts.filter(({ traffic }) => traffic !== noTraffic);
  });
}
