// Every connection of a small random world that its policies can tell apart, and every order that policies of equal priority
// can take: what tests of tables ask the judge one by one.

import { isOnPodNetwork } from "../../src/model/facts.ts";
import { familyOf } from "../../src/model/ip.ts";
import type { Connection, End } from "../../src/policy/evaluate.ts";
import type { Policy } from "../../src/policy/ir.ts";
import { inOrder } from "../../src/policy/order.ts";
import { ip } from "./facts.ts";
import type { IrWorld } from "./ir.ts";

/** Inside and outside of the networks that the random policies name, and the node's. */
const others = [
  ...Array.from({ length: 10 }, (_, at) => `10.0.0.${at}`),
  ...["172.18.0.2", "198.51.100.1"],
  ...Array.from({ length: 4 }, (_, at) => `fd00::${at}`),
  "fd00::9",
];

type Traffic = Pick<Connection, "protocol" | "port" | "sourcePort" | "icmp">;

/** One of each part into which the random rules' ports cut all traffic. */
export const everyTraffic: readonly Traffic[] = [
  ...[79, 80, 81, 82].flatMap((port): Traffic[] => [
    { protocol: "tcp", port },
    { protocol: "tcp", port, sourcePort: 1500 },
  ]),
  { protocol: "udp", port: 80 },
  { protocol: "sctp", port: 80 },
  { protocol: "icmp", port: 0 },
  { protocol: "icmp", port: 0, icmp: { type: 8, code: 1 } },
  { protocol: "icmp", port: 0, icmp: { type: 8, code: 2 } },
  { protocol: "icmp", port: 0, icmp: { type: 13, code: 0 } },
  { protocol: 47, port: 0 },
];

/**
 * Every pair of ends, one of them at least a pod in the reach of policies, with each part of the traffic; where the policies tell
 * it apart, straight and through a load balancer.
 */
export function everyConnection({ pods }: IrWorld, policies: readonly Policy[]): readonly Connection[] {
  const ways = waysIn(policies);
  const ends = endsIn(pods);
  return ends.flatMap((from) =>
    ends
      .filter((to) => to.pod !== from.pod && familyOf(to.ip) === familyOf(from.ip))
      .flatMap((to) =>
        ways.flatMap((way) => everyTraffic.map((one): Connection => ({ from, to, ...one, ...way }))),
      ),
  );
}

/** Straight, and where rules ask, through a load balancer. */
export function waysIn(policies: readonly Policy[]): readonly Pick<Connection, "translated">[] {
  const rules = policies.flatMap(({ rules: { ingress, egress } }) => [...ingress, ...egress]);
  return rules.some(({ translated }) => translated === true) ? [{}, { translated: true }] : [{}];
}

/** Pods in the reach of policies, by each address, and addresses that none of them has. */
export function endsIn(pods: IrWorld["pods"]): readonly End[] {
  const inside = pods
    .filter(isOnPodNetwork)
    .flatMap((pod): readonly End[] => pod.ips.map((address) => ({ ip: address, pod })));
  const taken = new Set(inside.map((end) => end.ip));
  const outside = others.map(ip).filter((address) => !taken.has(address));
  return [...inside, ...outside.map((address): End => ({ ip: address, pod: null }))];
}

/** The policies in every order that differs for the judge. */
export function everyOrder(policies: readonly Policy[]): readonly (readonly Policy[])[] {
  const orders = new Map<string, readonly Policy[]>();
  for (const order of permutations(policies)) {
    const judged = inOrder(order, (policy) => policy);
    orders.set(judged.map(({ key }) => key).join(" "), judged);
  }
  return [...orders.values()];
}

function permutations<T>(list: readonly T[]): readonly (readonly T[])[] {
  if (list.length < 2) return [list];
  return list.flatMap((one, at) => permutations(list.toSpliced(at, 1)).map((rest) => [one, ...rest]));
}
