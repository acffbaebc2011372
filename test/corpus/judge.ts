// What the judge says of every connection of a cluster: every pair of pods, nodes and addresses at borders of networks, on every
// border of ports.

import { addressesOfNode } from "../../src/model/facts.ts";
import type { Service } from "../../src/model/service.ts";
import { readService } from "../../src/model/service.ts";
import type { PlanWorld } from "../../src/plan/world.ts";
import type { Connection } from "../../src/policy/evaluate.ts";
import type { ClassVerdict } from "../../src/verdicts/walk.ts";
import type { LoadedWorld } from "../../src/worlds/world.ts";
import { endOf, familyIn, isIn, pairsOf, trafficOf, verdictOf } from "../plan/sample.ts";

export interface Judgement {
  readonly connection: Connection;
  /** `unknown`: the order of policies leaves it open. */
  readonly verdict: ClassVerdict;
}

export function planWorldOf({ judged, workloads }: LoadedWorld): PlanWorld {
  return { facts: judged.facts, policies: judged.policies(), workloads };
}

/** Of all pairs of ends that have an address, but for what leads to a Service: policies see the pod behind it. */
export function judgementsOf(loaded: LoadedWorld): readonly Judgement[] {
  const world = planWorldOf(loaded);
  const one = { old: world, new: world };
  const services = loaded.others.map(readService);
  const traffic = trafficOf(one);
  return pairsOf(one).flatMap((pair) => {
    const [from, to] = pair.map((asked) => ("workload" in asked ? null : endOf(world, asked)));
    if (from === null || to === null || from === undefined || to === undefined) return [];
    return traffic
      .filter((each) => isIn(familyIn(pair), each))
      .map((each): Connection => ({ from, to, ...each }))
      .filter((connection) => !isOfService(connection, services, world))
      .map((connection) => ({ connection, verdict: verdictOf(one, "new", pair, connection) }));
  });
}

function isOfService({ to, protocol, port }: Connection, services: readonly Service[], world: PlanWorld) {
  if (to.pod !== null) return false;
  const isNode = [...world.facts.nodes].some((node) => addressesOfNode(node).includes(to.ip));
  return services.some(
    ({ ips, ports }) =>
      ips.includes(to.ip) ||
      (isNode && ports.some((one) => one.protocol === protocol && one.nodePort === port)),
  );
}
