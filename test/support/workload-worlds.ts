// Random worlds of which some pods are not there yet: workloads stand for them. What the judge says of a connection of such a pod is
// what it says wherever the pod may be.

import { isOnPodNetwork } from "../../src/model/facts.ts";
import type { IpAddress, IpFamily } from "../../src/model/ip.ts";
import { familyOf, ipFamilies } from "../../src/model/ip.ts";
import type { Workload } from "../../src/model/workload.ts";
import { anyNode } from "../../src/model/workload.ts";
import type { Connection, End } from "../../src/policy/evaluate.ts";
import type { Policy } from "../../src/policy/ir.ts";
import { outcomes } from "../../src/policy/ties.ts";
import { ip } from "./facts.ts";
import { endsIn, everyConnection, everyTraffic, waysIn } from "./ir-brute.ts";
import type { IrWorld } from "./ir.ts";

export interface WorkloadWorld extends IrWorld {
  readonly workloads: readonly Workload[];
}

/** Every third pod is not there yet. */
export function withWorkloads({ world, pods }: IrWorld): WorkloadWorld {
  const isComing = (at: number): boolean => at % 3 === 0;
  return {
    world,
    pods: pods.filter((_, at) => !isComing(at)),
    workloads: pods
      .filter((_, at) => isComing(at))
      .map((pod) => ({
        ...{ group: "apps", kind: "Deployment", namespace: pod.namespace, name: pod.name },
        ...{ owner: null, isSpent: false },
        template: { ...pod, name: `Deployment:${pod.name}`, node: anyNode, ips: [], isTemplate: true },
      })),
  };
}

const unplaced: Readonly<Record<IpFamily, IpAddress>> = { v4: ip("0.0.0.0"), v6: ip("::") };

/** One inside and outside of every network that the random policies name. */
const places = [
  ...Array.from({ length: 10 }, (_, at) => `10.0.0.${at}`),
  "198.51.100.1",
  ...["fd00::", "fd00::1", "fd00::2", "fd00::9", "2001:db8::1"],
].map(ip);

/** As `everyConnection`, with those of workloads, of these families; their ends are templates without an address. */
export function everyConnectionWith(
  world: WorkloadWorld,
  policies: readonly Policy[],
  families: ReadonlySet<IpFamily>,
): readonly Connection[] {
  const direct = everyConnection(world, policies);
  const carried = waysIn(policies).flatMap((way) => everyTraffic.map((one) => ({ ...one, ...way })));
  const templates = world.workloads
    .filter(({ template }) => isOnPodNetwork(template))
    .flatMap(({ template }) =>
      ipFamilies.filter((one) => families.has(one)).map((one): End => ({ ip: unplaced[one], pod: template })),
    );
  const known = endsIn(world.pods);
  const hosts = world.pods.filter((pod) => !isOnPodNetwork(pod)).flatMap(({ ips }) => ips);
  const more = hosts
    .filter((one) => known.every((end) => end.ip !== one))
    .map((one): End => ({ ip: one, pod: null }));
  const bothWays = (own: End, ends: readonly End[]) =>
    ends.flatMap((end) => [
      { from: own, to: end },
      { from: end, to: own },
    ]);
  const pairs = [
    ...templates.flatMap((own) => [
      ...templates.map((to) => ({ from: own, to })),
      ...bothWays(own, [...known, ...more]),
    ]),
    ...known.filter(({ pod }) => pod !== null).flatMap((own) => bothWays(own, more)),
  ];
  return [
    ...direct,
    ...pairs
      .filter(({ from, to }) => familyOf(from.ip) === familyOf(to.ip))
      .flatMap((pair) => carried.map((one): Connection => ({ ...one, ...pair }))),
  ];
}

/** What the judge says wherever the pods may be, and whichever of equal policies is asked first. */
export function verdictAnywhere(
  connection: Connection,
  { world, pods }: WorkloadWorld,
  policies: readonly Policy[],
): "allow" | "deny" | "unknown" {
  const taken = new Set([
    ...pods.filter(isOnPodNetwork).flatMap(({ ips }) => ips),
    ...[...world.nodes].flatMap(({ ips }) => ips),
  ]);
  const nodes = [anyNode, ...Iterator.from(world.nodes).map(({ name }) => name)];
  const everywhere = ({ ip: own, pod }: End): readonly End[] => {
    if (pod?.isTemplate !== true) return [{ ip: own, pod }];
    return places
      .filter((one) => !taken.has(one) && familyOf(one) === familyOf(own))
      .flatMap((one) => nodes.map((node) => ({ ip: one, pod: { ...pod, node, ips: [one] } })));
  };
  const verdicts = new Set(
    everywhere(connection.from).flatMap((from) =>
      everywhere(connection.to).flatMap((to) => [
        ...outcomes({ ...connection, from, to }, world, policies).verdicts,
      ]),
    ),
  );
  const [only = "allow", ...others] = verdicts;
  return others.length > 0 ? "unknown" : only;
}
