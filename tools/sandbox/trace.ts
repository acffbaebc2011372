// Judges a packet by OVN itself: ovn-northd compiles NB into SB, ovn-trace follows the packet through it. Needs the
// ports of the CNI stand-in. A tracer sees SB as it was when it was opened: open another one after a change.

import type { HitAcl } from "./acls-of-flows.ts";
import { aclsOfFlows } from "./acls-of-flows.ts";
import { isOnPodNetwork, type PodFact } from "../../src/model/facts.ts";
import { familyOf, type IpAddress, type IpFamily } from "../../src/model/ip.ts";
import { complaintsIn } from "./complaints.ts";
import type { Ovn } from "./ovn.ts";
import { externalMac, externalPort, externalSwitch, gatewayMacOf, macOf, portOf } from "./topology.ts";
import { TraceDaemon } from "./trace-daemon.ts";

export interface Packet {
  /** A pod, or an address without a pod: such a packet enters by the external port. */
  readonly from: PodFact | { readonly ip: IpAddress };
  /** A pod, or an address without a pod. */
  readonly to: PodFact | { readonly ip: IpAddress };
  /** A number: an IP protocol without ports (IANA). */
  readonly protocol: "tcp" | "udp" | "sctp" | "icmp" | number;
  /** Destination port; 80 by default. Meaningless where the protocol has none. */
  readonly port?: number;
  /** 40000 by default. */
  readonly sourcePort?: number;
  /** Of icmp: an echo request by default. */
  readonly icmp?: { readonly type: number; readonly code: number };
  /** The Service's address and port that the source names; `to` is the endpoint to which the load balancer leads it. */
  readonly through?: { readonly ip: IpAddress; readonly port: number };
  /** By default the family of the destination's first address. */
  readonly family?: IpFamily;
}

export interface Verdict {
  readonly verdict: "allow" | "drop";
  /** In the order in which the packet met them. */
  readonly acls: readonly HitAcl[];
  /** The output of ovn-trace, for users. */
  readonly text: string;
}

export interface TracerOptions {
  /**
   * How many times a daemon answers ct_next with a new connection; after that it would answer established. A trace
   * needs one for each stateful switch pipeline, and a new daemon replaces the old one before they run out.
   */
  readonly newConnections?: number;
}

/** More than one trace needs. */
const reserve = 20;

let daemons = 0;

export class Tracer {
  readonly #ovn: Ovn;
  readonly #acls: ReadonlyMap<string, HitAcl>;
  readonly #newConnections: number;
  readonly #name = `trace${process.pid}-${daemons++}`;
  #daemon: TraceDaemon | null = null;
  #left = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(ovn: Ovn, acls: ReadonlyMap<string, HitAcl>, options: TracerOptions) {
    this.#ovn = ovn;
    this.#acls = acls;
    this.#newConnections = options.newConnections ?? 20_000;
  }

  /** Rejects when the packet cannot exist: the port or an address of that family is missing. */
  async verdict(packet: Packet): Promise<Verdict> {
    const text = await this.#trace(entryOf(packet.from).datapath, microflow(packet));
    if (!text.startsWith("#")) throw new Error(`ovn-trace: ${text.trim()}`);
    return {
      verdict: text.includes(`output to "${destinationPort(packet)}"`) ? "allow" : "drop",
      acls: hits(text).flatMap((flow) => this.#acls.get(flow) ?? []),
      text,
    };
  }

  /** The complaints about SB's expressions, all of which a daemon parses when it starts. */
  async complaints(): Promise<readonly string[]> {
    return this.#inTurn(async () => {
      await this.#ready();
      return complaintsIn("ovn-trace", this.#ovn.log(this.#name));
    });
  }

  async close(): Promise<void> {
    const daemon = this.#daemon;
    this.#daemon = null;
    await daemon?.end();
  }

  #trace(datapath: string, flow: string): Promise<string> {
    return this.#inTurn(async () => {
      const { control } = await this.#ready();
      const text = await control.call("trace", datapath, flow);
      this.#left -= text.match(/\bct_(next|lb|lb_mark|snat|dnat)\b/g)?.length ?? 0;
      return text;
    });
  }

  /** One at a time: the daemon has one thread, and must not be called while it is replaced. */
  #inTurn<T>(ask: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(ask);
    this.#last = turn.catch(() => null);
    return turn;
  }

  async #ready(): Promise<TraceDaemon> {
    if (this.#daemon !== null && this.#left > reserve) return this.#daemon;
    await this.close();
    const args = new Array<string>(this.#newConnections).fill("--ct=new");
    this.#daemon = await TraceDaemon.start(this.#ovn, this.#name, args);
    this.#left = this.#newConnections;
    return this.#daemon;
  }
}

/** Opens a tracer of NB's present rows. */
export async function openTracer(ovn: Ovn, options: TracerOptions = {}): Promise<Tracer> {
  await ovn.sync();
  return new Tracer(ovn, await aclsOfFlows(ovn), options);
}

/** Every logical flow whose match OVN cannot parse: an ACL among them is silently not in force. */
export async function parseErrors(ovn: Ovn): Promise<readonly string[]> {
  const tracer = await openTracer(ovn);
  try {
    return (await tracer.complaints()).filter((line) => line.includes("parsing expression failed"));
  } finally {
    await tracer.close();
  }
}

/** Where a packet comes from. */
interface TraceEntry {
  readonly datapath: string;
  readonly port: string;
  readonly mac: string;
  readonly ips: readonly IpAddress[];
}

function entryOf(from: Packet["from"]): TraceEntry {
  if ("ip" in from) {
    return { datapath: externalSwitch, port: externalPort, mac: externalMac, ips: [from.ip] };
  }
  if (from.node === null || !isOnPodNetwork(from)) throw new Error(`${portOf(from)} has no port`);
  return { datapath: from.node, port: portOf(from), mac: macOf(from), ips: from.ips };
}

/** What a packet carries when it enters its first switch. */
export interface Headers {
  readonly family: IpFamily;
  readonly source: IpAddress;
  readonly destination: IpAddress;
  readonly sourceMac: string;
  readonly destinationMac: string;
}

/** Straight to a pod on the same node, otherwise to the switch's gateway. Throws when the packet cannot exist. */
export function headersOf({ from, to: end, through, family: asked }: Packet): Headers {
  const to = through ?? end;
  const target = "ip" in to ? [to.ip] : to.ips;
  const family = asked ?? familyOf(target[0] ?? missing("the destination has no address"));
  const inFamily = (ip: IpAddress) => familyOf(ip) === family;
  const entry = entryOf(from);
  const direct = !("ip" in to) && to.node === entry.datapath;
  return {
    family,
    source: entry.ips.find(inFamily) ?? missing(`${entry.port} has no ${family} address`),
    destination: target.find(inFamily) ?? missing(`the destination has no ${family} address`),
    sourceMac: entry.mac,
    destinationMac: direct ? macOf(to) : gatewayMacOf(entry.datapath),
  };
}

/** The logical port at which the packet enters. */
export function sourcePort({ from }: Packet): string {
  return entryOf(from).port;
}

/** The logical port at which the packet leaves if it is not dropped. */
export function destinationPort({ to }: Packet): string {
  return "ip" in to ? externalPort : portOf(to);
}

function microflow(packet: Packet): string {
  const { family, source, destination, sourceMac, destinationMac } = headersOf(packet);
  const ip = family === "v4" ? "ip4" : "ip6";
  return [
    `inport=="${sourcePort(packet)}"`,
    `eth.src==${sourceMac}`,
    `eth.dst==${destinationMac}`,
    `${ip}.src==${source}`,
    `${ip}.dst==${destination}`,
    "ip.ttl==64",
    trafficOf(packet, family),
  ].join(" && ");
}

function trafficOf(
  { protocol, through, port: own = 80, sourcePort: from = 40_000, icmp }: Packet,
  family: IpFamily,
): string {
  const port = through?.port ?? own;
  if (typeof protocol === "number") return `ip.proto==${protocol}`;
  if (protocol !== "icmp") return `${protocol} && ${protocol}.src==${from} && ${protocol}.dst==${port}`;
  const { type, code } = icmp ?? echoRequest(family);
  const field = family === "v4" ? "icmp4" : "icmp6";
  return `${field}.type==${type} && ${field}.code==${code}`;
}

/** RFC 792 and RFC 4443. */
export function echoRequest(family: IpFamily): { readonly type: number; readonly code: number } {
  return { type: family === "v4" ? 8 : 128, code: 0 };
}

function missing(why: string): never {
  throw new Error(why);
}

/**
 * The logical flows of the ACL stages that the packet met, one entry for each hit, by the first eight digits of its
 * uuid.
 */
function hits(text: string): readonly string[] {
  const lines = text.matchAll(/^ *\d+\. ls_(?:in|out)_acl(?:_after_lb)?_eval .*, uuid ([0-9a-f]{8})$/gm);
  return [...lines].map((line) => line[1] ?? "");
}
