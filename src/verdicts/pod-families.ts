// Which families pods have.

import { isOnPodNetwork } from "../model/facts.ts";
import type { IpFamily } from "../model/ip.ts";
import { familyOf } from "../model/ip.ts";
import type { PolicyWorld } from "./worlds.ts";

/** Those that pods have, or that nodes give them; IPv4 where neither is known. */
export function podFamiliesIn({
  pods,
  nodes,
}: Pick<PolicyWorld["facts"], "pods" | "nodes">): ReadonlySet<IpFamily> {
  const ofPods = [...pods.values()].filter(isOnPodNetwork).flatMap(({ ips }) => ips.map(familyOf));
  const known = new Set([...ofPods, ...Array.from(nodes, ({ podFamilies }) => podFamilies).flat()]);
  return known.size > 0 ? known : new Set(["v4"]);
}
