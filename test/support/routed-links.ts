// Commands of `ip` that join a pod to a node that routes: a pair of interfaces, and the node at one address on each of them.

import type { IpAddress } from "../../src/model/ip.ts";

/** The node's address on every pod's link. */
const gateways = { v4: "169.254.1.1", v6: "fe80::1" } as const;

/** The pair; the pod's end is eth0 of the process's namespace. */
export function linkTo(netns: number | string, link: string): string {
  return `link add ${link} type veth peer name eth0 netns ${netns}`;
}

export function gatewayAt(link: string): readonly string[] {
  return [
    `link set ${link} addrgenmode none`,
    `address add ${gateways.v4}/32 dev ${link}`,
    `address add ${gateways.v6}/64 dev ${link} nodad`,
    `link set ${link} up`,
  ];
}

/** `neighbours`: on the same link. */
export function podSide(ips: readonly IpAddress[], neighbours: readonly IpAddress[] = []): readonly string[] {
  return [
    "link set lo up",
    "link set eth0 addrgenmode none",
    ...ips.map((ip) => `address add ${ip} dev eth0 nodad`),
    "link set eth0 up",
    `route add ${gateways.v4} dev eth0`,
    `route add default via ${gateways.v4}`,
    `route add ${gateways.v6} dev eth0`,
    `route add default via ${gateways.v6} dev eth0`,
    ...neighbours.map((ip) => `route add ${ip} dev eth0`),
  ];
}
