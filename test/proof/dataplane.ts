// Judge C: the packets themselves, sent through the real ovn-controller and ovs-vswitchd with connection tracking. The
// switches of all nodes live on one chassis, so a packet crosses two of them and the distributed router as it would
// between nodes, but for the tunnel. Every packet is a new connection.

import { startChassis, type Chassis } from "../../tools/sandbox/chassis.ts";
import { LogListener } from "../../tools/sandbox/complaints.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { type Facts, topologyOf } from "../../tools/sandbox/topology.ts";
import { destinationPort, headersOf, type Packet, sourcePort } from "../../tools/sandbox/trace.ts";
import { frameOf, identityOf } from "./frames.ts";
import { Wire } from "./wire.ts";

/** What ovs-vswitchd counts when it loses a packet that no flow drops, for one that is malformed too. */
const losses = [
  "datapath_drop_upcall_error",
  "datapath_drop_lock_error",
  "conntrack_l3csum_err",
  "conntrack_l4csum_err",
];
/**
 * ovn-controller has lost its connection to the switch while it wrote flows, and counts what it asks of the switch from 0 again (its
 * ofctrl_seqno_flush). Until it comes to the number of before, it says of flows that they are in the switch when they are not.
 */
const countsAgain = "ovn-controller: ofctrl|WARN|req_cfg regressed ";
/** Source ports, one a packet. */
const firstPort = 20_000;

export class Dataplane {
  readonly chassis: Chassis;
  readonly wire: Wire;
  readonly #listeners: readonly LogListener[];
  readonly #complaints: string[] = [];
  #isAheadOfFlows = false;

  private constructor(chassis: Chassis) {
    this.chassis = chassis;
    this.wire = new Wire(chassis);
    this.#listeners = (["ovn-controller", "ovs-vswitchd"] as const).map(
      (daemon) => new LogListener(daemon, chassis.logPath(daemon)),
    );
  }

  static async open(ovn: Ovn): Promise<Dataplane> {
    return new Dataplane(await startChassis(ovn, { datapath: "dummy" }));
  }

  async close(): Promise<void> {
    this.wire.close();
    await this.chassis.stop();
  }

  /** What its daemons complained of since this was asked last. */
  complaints(): readonly string[] {
    this.#listen();
    return this.#complaints.splice(0);
  }

  /** Every pod that the CNI gave a port, and the external port, are on the wire then. */
  async connect(facts: Facts): Promise<void> {
    const ports = [...topologyOf(facts).ports].filter(([, port]) => port.routerPort === "");
    await this.wire.connect(new Set(ports.map(([name]) => name)));
  }

  /** In the packets' order. Throws when one comes out where nobody sent it, or more than once. */
  async verdicts(packets: readonly Packet[]): Promise<readonly ("allow" | "drop")[]> {
    const verdicts = await this.#verdicts(packets);
    this.#listen();
    if (!this.#isAheadOfFlows) return verdicts;
    this.#isAheadOfFlows = false;
    await this.chassis.restartController();
    return this.verdicts(packets);
  }

  #listen(): void {
    for (const line of this.#listeners.flatMap((listener) => listener.news()))
      if (line.startsWith(countsAgain)) this.#isAheadOfFlows = true;
      else this.#complaints.push(line);
  }

  async #verdicts(packets: readonly Packet[]): Promise<readonly ("allow" | "drop")[]> {
    await this.chassis.sync();
    await this.chassis.forgetConnections();
    const frames = packets.map((packet, at) => frameOfPacket(packet, sourcePortAt(packet, at)));
    const sent = packets.map((packet, at) => ({
      port: sourcePort(packet),
      frame: frames[at] ?? Buffer.alloc(0),
    }));
    const deliveries = await this.wire.send(sent);
    await this.#refuseLosses();
    return packets.map((packet, at) => {
      const places = deliveries.get(identityOf(frames[at] ?? Buffer.alloc(0)) ?? "") ?? [];
      const wanted = destinationPort(packet);
      if (places.some((place) => place !== wanted) || places.length > 1) {
        throw new Error(`a packet from ${sourcePort(packet)} to ${wanted} came out at ${places.join(", ")}`);
      }
      return places.length === 1 ? "allow" : "drop";
    });
  }

  /** A packet that was lost by accident is none that was dropped. */
  async #refuseLosses(): Promise<void> {
    for (const name of losses) {
      const count = (await this.chassis.appctl("coverage/read-counter", name)).trim();
      if (count !== "0") throw new Error(`ovs-vswitchd lost packets: ${name} ${count}`);
    }
  }
}

/** Of a packet in its place among those that are judged together. */
export function sourcePortAt({ sourcePort: own }: Packet, at: number): number {
  return own ?? firstPort + at;
}

export function frameOfPacket(packet: Packet, ownPort: number): Buffer {
  const { protocol, port = 80, sourcePort: own = ownPort, icmp } = packet;
  return frameOf({ ...headersOf(packet), protocol, sourcePort: own, port, ...(icmp && { icmp }) });
}
