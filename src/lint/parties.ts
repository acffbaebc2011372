// What asks for a connection that a cluster needs, and what it asks: pods, addresses, and workloads wherever their pods may be. Of a
// workload a denial counts only if no address and no node of its pods avoids it, so nothing rests on an address that nobody has chosen.

import type { Destination } from "../analysis/needs.ts";
import { endsOf, podsIn } from "../analysis/needs.ts";
import type { PodFact, Protocol } from "../model/facts.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import { familyOf } from "../model/ip.ts";
import type { Workload } from "../model/workload.ts";
import type { End } from "../policy/evaluate.ts";
import type { Context } from "./context.ts";

/** A pod with its addresses, or a workload with the ends that stand for all places of its pods. */
export interface Party {
  readonly pod: PodFact;
  readonly ends: readonly End[];
  /** null: it is a pod. */
  readonly workload: Workload | null;
}

/** A destination of one family. */
export interface Target extends Pick<Destination, "protocol" | "port"> {
  /** null: an address that no pod has. */
  readonly pod: PodFact | null;
  /** One; of a workload all of its places. */
  readonly ends: readonly End[];
}

export type Nouns = readonly [one: string, several: string];

/** Those that policies apply to: pods in the order of their names, then workloads. */
export function partiesIn(context: Context): readonly Party[] {
  const { facts, workloads } = context;
  const onNetwork = workloads.filter(({ template }) => isOnPodNetwork(template));
  return [
    ...podsIn(facts).map((pod) => ({ pod, ends: endsOf(pod), workload: null })),
    ...onNetwork.map((workload) => ({
      ...{ pod: workload.template, workload },
      ends: placesOf(workload, context),
    })),
  ];
}

/** Of the families that pods have; on the node where one is given. */
export function placesOf(workload: Workload, { reach }: Context, node: string | null = null): readonly End[] {
  return reach.placed(workload, node).filter(({ ip }) => reach.podFamilies.has(familyOf(ip)));
}

/** The ports of the party: at each address of a pod, or wherever pods of the workload may be. */
export function targetsAt(
  { pod, ends, workload }: Party,
  protocol: Protocol,
  ports: readonly number[],
): readonly Target[] {
  const places =
    workload === null ? ends.map((end) => [end]) : [...Map.groupBy(ends, ({ ip }) => familyOf(ip)).values()];
  return places.flatMap((some) => ports.map((port) => ({ pod, ends: some, protocol, port })));
}

export function targetOf({ end, protocol, port }: Destination): Target {
  return { pod: end.pod, ends: [end], protocol, port };
}

/** The ends that it asks from: its address of the family of the target, or all places there. None: it does not ask, or is the target. */
export function askingEnds({ pod, ends, workload }: Party, to: Target): readonly End[] {
  if (to.pod === pod) return [];
  const alike = ends.filter(({ ip }) => to.ends.some((end) => familyOf(end.ip) === familyOf(ip)));
  return workload === null ? alike.slice(0, 1) : alike;
}

/** What they are, one and several. */
export function nounsOf(parties: Iterable<Pick<Party, "pod">>): Nouns {
  const kinds = new Set(Array.from(parties, ({ pod }) => pod.isTemplate === true));
  if (!kinds.has(true)) return ["pod", "pods"];
  return kinds.has(false) ? ["pod or workload", "pods and workloads"] : ["workload", "workloads"];
}
