// What the kernel must be told so that an interface of its is a port of OVN: the MAC, the addresses and the routes that the
// stand-in for the CNI chose (tools/sandbox/topology.ts), as commands of `ip`. Pure, but for `ipIn`, which runs them.

import { writeFileSync } from "node:fs";
import type { IpAddress } from "../../src/model/ip.ts";
import { run } from "../../tools/sandbox/program.ts";
import { externalSwitch, type Facts, gatewayMacOf, topologyOf } from "../../tools/sandbox/topology.ts";

/** What a port's stack is given. */
export interface Stack {
  readonly mac: string;
  readonly addresses: readonly string[];
  /** Addresses it answers to besides. */
  readonly hosts: readonly IpAddress[];
  readonly gateways: readonly string[];
}

/** By logical port; `outside` are the addresses that the world outside answers to. */
export function stacksOf(facts: Facts, outside: readonly IpAddress[]): ReadonlyMap<string, Stack> {
  const { ports, routerPorts } = topologyOf(facts);
  const stacks = new Map<string, Stack>();
  for (const [name, port] of ports) {
    if (port.routerPort !== "") continue;
    const mac = gatewayMacOf(port.switch);
    const networks = [...routerPorts.values()].find((one) => one.mac === mac)?.networks ?? [];
    const [own = "", ...addresses] = port.addresses.split(" ");
    const family = (text: string) => (text.includes(":") ? "v6" : "v4");
    stacks.set(name, {
      mac: own,
      addresses: addresses.map((address) => {
        const network = networks.find((one) => family(one) === family(address));
        return `${address}/${network?.split("/")[1] ?? ""}`;
      }),
      hosts: port.switch === externalSwitch ? outside : [],
      gateways: networks.map(withoutLength),
    });
  }
  return stacks;
}

/** The commands for an interface that has been moved into its namespace as eth0. */
export function commandsOf(stack: Stack): readonly string[] {
  return [
    // No address of the link: the kernel would look for another holder of it, and until then not speak.
    `link set eth0 addrgenmode none address ${stack.mac}`,
    ...stack.addresses.map((address) => `address add ${address} dev eth0 nodad`),
    ...stack.hosts.map((address) => `address add ${address} dev eth0 nodad`),
    "link set lo up",
    "link set eth0 up",
    ...stack.gateways.map((address) => `route add default via ${address}`),
  ];
}

/** Runs commands of `ip` in the namespace that `enter` leads to; the file is theirs for that time. */
export async function ipIn(
  enter: readonly string[],
  file: string,
  commands: readonly string[],
): Promise<void> {
  writeFileSync(file, commands.map((command) => `${command}\n`).join(""));
  const [program = "", ...args] = enter;
  await run(program, [...args, "ip", "-batch", file]);
}

export function withoutLength(network: string): string {
  return network.replace(/\/.*/, "");
}
