// The wire between the chassis of a cluster: a bridge of the kernel in a network namespace of its own, and an end in the namespace of each
// chassis. Nothing but their tunnels uses it.

import { join } from "node:path";
import type { Chassis, Tunnels } from "../../tools/sandbox/chassis.ts";
import { underlayBridge } from "../../tools/sandbox/vswitch.ts";
import { NamespaceProcess } from "../../test/support/netns.ts";
import { ipIn } from "../../test/support/stacks.ts";

const device = "underlay";
/** A pod's largest packet and the headers of its tunnel fit. */
const mtu = 9000;

export class Wire {
  readonly #dir: string;
  readonly #holder: NamespaceProcess;
  readonly #ends: Tunnels[] = [];

  private constructor(dir: string, holder: NamespaceProcess) {
    this.#dir = dir;
    this.#holder = holder;
  }

  /** `dir` is for files of the moment. */
  static async open(dir: string): Promise<Wire> {
    const wire = new Wire(dir, await NamespaceProcess.hold());
    await wire.#ip(["link add wire type bridge", "link set wire addrgenmode none up"]);
    return wire;
  }

  /** Another end, by its number from 0 on, in a namespace. */
  async attach(at: number, { pid, enter }: NamespaceProcess): Promise<Tunnels> {
    await this.#ip([
      `link add w${at} type veth peer name ${device} netns ${pid}`,
      `link set w${at} addrgenmode none mtu ${mtu} master wire up`,
    ]);
    await ipIn(enter, join(this.#dir, `ip.end${at}`), [`link set ${device} addrgenmode none mtu ${mtu} up`]);
    const number = at + 1;
    const mac = `0a:58:ac:13:00:${number.toString(16).padStart(2, "0")}`;
    const end = { device, mac, ip: `172.19.0.${number}` };
    this.#ends.push(end);
    return end;
  }

  /** The commands for the bridge of an end's chassis. */
  addressing({ ip }: Tunnels): readonly string[] {
    return [
      `link set ${underlayBridge} addrgenmode none mtu ${mtu} up`,
      `address add ${ip}/24 dev ${underlayBridge}`,
    ];
  }

  /** Tells each chassis where the others are: without that, the first packets of a tunnel are lost. */
  async introduce(chassis: readonly Chassis[]): Promise<void> {
    for (const one of chassis) {
      await one.appctl("tnl/neigh/aging", "3600");
      for (const { ip, mac } of this.#ends) await one.appctl("tnl/neigh/set", underlayBridge, ip, mac);
    }
  }

  close(): Promise<void> {
    return this.#holder.end();
  }

  #ip(commands: readonly string[]): Promise<void> {
    return ipIn(this.#holder.enter, join(this.#dir, "ip.wire"), commands);
  }
}
