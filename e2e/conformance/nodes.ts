// The nodes of a conformance cluster as the kernel knows them: a network namespace each, which pods on the host network
// share, and a router between them and OVN's external port. Each lives in a process of its own and ends with this one.

import { join } from "node:path";
import { run } from "../../tools/sandbox/program.ts";
import { NamespaceProcess } from "../../test/support/netns.ts";
import { ipIn } from "../../test/support/stacks.ts";

export type Families = "ipv4" | "ipv6" | "dual";

/** One node of the agent's list: e2e/node-agent/main.go, nodeSpec. */
export interface NodeSpec {
  readonly name: string;
  readonly internalIPs: readonly string[];
  readonly podCIDRs: readonly string[];
  readonly netnsPid: number;
}

const gateways = ["172.18.0.1", "fd00:172:18::1"];
/** OVN's router as the external port sees it: tools/sandbox/topology.ts. */
const ovnGateways = ["100.64.0.1", "fd98::1"];

export function has(families: Families, address: string): boolean {
  return families === "dual" || (families === "ipv6") === address.includes(":");
}

/** How the router reaches the pods of a network: through OVN's router, or through the node that has them. */
export type PodRoute = (cidr: string, node: NodeSpec) => string;

export const throughOvn: PodRoute = (cidr) => gatewayFor(cidr, ovnGateways);
export const throughNode: PodRoute = (cidr, { internalIPs }) => gatewayFor(cidr, internalIPs);

/** Its processes; the list is for the agent. */
export class Nodes {
  readonly specs: readonly NodeSpec[];
  readonly router: NamespaceProcess;
  /** The namespace of each node, in the order of the list. */
  readonly holders: readonly NamespaceProcess[];

  private constructor(
    router: NamespaceProcess,
    holders: readonly NamespaceProcess[],
    specs: readonly NodeSpec[],
  ) {
    this.router = router;
    this.holders = holders;
    this.specs = specs;
  }

  static async open(count: number, families: Families): Promise<Nodes> {
    const numbers = Array.from({ length: count }, (_, at) => at + 1);
    const holders = await Promise.all(numbers.map(() => NamespaceProcess.hold()));
    const specs = numbers.map((number, at) => ({
      name: `node-${number}`,
      internalIPs: [`172.18.0.${10 + number}`, `fd00:172:18::${10 + number}`].filter((ip) =>
        has(families, ip),
      ),
      podCIDRs: [`10.244.${number}.0/24`, `fd00:10:244:${number}::/64`].filter((cidr) => has(families, cidr)),
      netnsPid: holders[at]?.pid ?? 0,
    }));
    return new Nodes(await NamespaceProcess.hold(), holders, specs);
  }

  /** Joins the nodes to the router; with OVN, its eth0 is OVN's external port by now. `dir` is for files of the moment. */
  async connect(dir: string, route: PodRoute): Promise<void> {
    const links = this.specs.flatMap(({ internalIPs, netnsPid }, at) => [
      `link add n${at} type veth peer name eth0 netns ${netnsPid}`,
      `link set n${at} addrgenmode none`,
      linkLocal(`n${at}`),
      ...gateways.map((gateway) => `address add ${gateway}/${bitsOf(gateway)} dev n${at} nodad`),
      `link set n${at} up`,
      ...internalIPs.map((ip) => `route add ${ip}/${bitsOf(ip)} dev n${at}`),
    ]);
    const podNetworks = this.specs.flatMap((node) =>
      node.podCIDRs.map((cidr) => `route add ${cidr} via ${route(cidr, node)}`),
    );
    const toOvn = route === throughOvn ? [linkLocal("eth0")] : ["link set lo up"];
    await ipIn(this.router.enter, join(dir, "ip.router"), [...toOvn, ...links, ...podNetworks]);
    await forwarding(this.router);
    for (const [at, holder] of this.holders.entries()) {
      const ips = this.specs[at]?.internalIPs ?? [];
      await ipIn(holder.enter, join(dir, `ip.node${at}`), [
        "link set lo up",
        "link set eth0 addrgenmode none",
        ...ips.map((ip) => `address add ${ip}/${bitsOf(ip)} dev eth0 nodad`),
        "link set eth0 up",
        ...ips.map((ip) => `route add ${gatewayFor(ip, gateways)} dev eth0`),
        ...ips.map((ip) => `route add default via ${gatewayFor(ip, gateways)}`),
      ]);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.router, ...this.holders].map((holder) => holder.end()));
  }
}

/** The namespace passes packets on. */
export async function forwarding({ enter: [program = "", ...enter] }: NamespaceProcess): Promise<void> {
  const script = "echo 1 > /proc/sys/net/ipv4/ip_forward; echo 1 > /proc/sys/net/ipv6/conf/all/forwarding";
  await run(program, [...enter, "/bin/sh", "-ec", script]);
}

/** Who forwards asks for neighbours from this address and from no other (RFC 4861, 7.2.2); the kernel's own takes seconds. */
function linkLocal(device: string): string {
  return `address add fe80::1/64 dev ${device} nodad`;
}

function bitsOf(ip: string): number {
  return ip.includes(":") ? 128 : 32;
}

function gatewayFor(address: string, of: readonly string[]): string {
  return of.find((gateway) => gateway.includes(":") === address.includes(":")) ?? "";
}
