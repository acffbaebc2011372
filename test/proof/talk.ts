// TCP between pods, one frame at a time through the dataplane, and whether each frame arrives: what one end says and what the
// other answers, past a handshake or not. A frame that is lost counts as not said.

import type { PodFact } from "../../src/model/facts.ts";
import type { IpAddress } from "../../src/model/ip.ts";
import { familyOf } from "../../src/model/ip.ts";
import {
  externalMac,
  externalPort,
  externalSwitch,
  gatewayMacOf,
  portOf,
} from "../../tools/sandbox/topology.ts";
import { headersOf } from "../../tools/sandbox/trace.ts";
import type { TcpPart } from "./frames.ts";
import { frameOf, identityOf } from "./frames.ts";
import type { Wire } from "./wire.ts";

type Flags = TcpPart["flags"];
const port = 80;

/** Where the frame comes out, if it does. */
export async function sent(wire: Wire, from: string, frame: Buffer): Promise<readonly string[]> {
  const deliveries = await wire.send([{ port: from, frame }]);
  return deliveries.get(identityOf(frame) ?? "") ?? [];
}

/** A SYN of an address without a pod to port 80 of the pod, and the pod's answer. */
export async function shakenFromOutside(
  wire: Wire,
  source: IpAddress,
  pod: PodFact,
  sourcePort: number,
): Promise<readonly boolean[]> {
  const destination = pod.ips.find((one) => familyOf(one) === familyOf(source)) ?? source;
  const gateway = { sourceMac: externalMac, destinationMac: gatewayMacOf(externalSwitch) };
  const asked = frameOf({ ...gateway, source, destination, sourcePort, port, protocol: "tcp" });
  const { sourceMac, destinationMac } = headersOf({ from: pod, to: { ip: source }, protocol: "tcp" });
  const answer = frameOf({
    ...{ sourceMac, destinationMac, source: destination, destination: source, protocol: "tcp" },
    ...{ sourcePort: port, port: sourcePort },
    tcp: { flags: ["syn", "ack"], sequence: 5000, acknowledgement: 1001, data: "" },
  });
  const hasCome = (await sent(wire, externalPort, asked)).includes(portOf(pod));
  return [hasCome, (await sent(wire, portOf(pod), answer)).includes(externalPort)];
}

/** One connection of `from` to port 80 of `to`. */
export class Talk {
  readonly #wire: Wire;
  readonly #from: PodFact;
  readonly #to: PodFact;
  readonly #sourcePort: number;
  #ours = 1000;
  #theirs = 5000;

  constructor(wire: Wire, from: PodFact, to: PodFact, sourcePort: number) {
    this.#wire = wire;
    this.#from = from;
    this.#to = to;
    this.#sourcePort = sourcePort;
  }

  /** Of the end that began. */
  async says(flags: Flags, data = ""): Promise<boolean> {
    const acknowledgement = flags.includes("ack") ? this.#theirs : 0;
    const part = { flags, sequence: this.#ours, acknowledgement, data };
    const arrived = await this.#arrives(this.#from, this.#to, [this.#sourcePort, port], part);
    if (arrived) this.#ours += lengthOf(part);
    return arrived;
  }

  /** Of the other end. */
  async answers(flags: Flags, data = ""): Promise<boolean> {
    const part = { flags, sequence: this.#theirs, acknowledgement: this.#ours, data };
    const arrived = await this.#arrives(this.#to, this.#from, [port, this.#sourcePort], part);
    if (arrived) this.#theirs += lengthOf(part);
    return arrived;
  }

  /** The handshake, and a word of each end: five frames, until one is lost. */
  async shaken(): Promise<readonly boolean[]> {
    const frames = [
      () => this.says(["syn"]),
      () => this.answers(["syn", "ack"]),
      () => this.says(["ack"]),
      () => this.says(["psh", "ack"], "hello"),
      () => this.answers(["psh", "ack"], "hi"),
    ];
    const arrived: boolean[] = [];
    for (const frame of frames) {
      arrived.push(await frame());
      if (arrived.at(-1) === false) break;
    }
    return arrived;
  }

  async #arrives(from: PodFact, to: PodFact, ports: readonly [number, number], tcp: TcpPart) {
    const { source, destination, sourceMac, destinationMac } = headersOf({ from, to, protocol: "tcp" });
    const ends = { source, destination, sourceMac, destinationMac, sourcePort: ports[0], port: ports[1] };
    const frame = frameOf({ ...ends, protocol: "tcp", tcp });
    return (await sent(this.#wire, portOf(from), frame)).includes(portOf(to));
  }
}

/** A SYN takes a number too. */
function lengthOf({ flags, data }: TcpPart): number {
  return data.length + (flags.includes("syn") ? 1 : 0);
}
