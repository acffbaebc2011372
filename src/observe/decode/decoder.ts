// From a sampled packet to what people read: the rule by its number, pods by their addresses, the client of a connection by its first
// packet. A sample of one packet that is repeated in a further tier is left out.

import { LRUCache } from "lru-cache";
import { familyOf } from "../../model/ip.ts";
import { icmpNumbers, protocolNumbers } from "../../model/protocols.ts";
import type { SampledPacket } from "../ipfix/sampled-packet.ts";
import type { SampleSource } from "./source.ts";
import type { SeenEnd, SeenEvent } from "./event.ts";
import { verdictOf } from "./event.ts";

/** Connections whose client is remembered, and samples that a repeat is compared with. */
const mostRemembered = 20_000;
/** Within so long, an equal sample is of the same packet, or of one that says nothing new. */
const repeatMs = 1_000;

const protocols: ReadonlyMap<number, SeenEvent["protocol"]> = new Map(
  Object.entries(protocolNumbers).map(([name, number]) => [number, name as keyof typeof protocolNumbers]),
);

export class Decoder {
  readonly #source: SampleSource;
  /** By ports and addresses, as the client sent them. */
  readonly #clients = new LRUCache<string, true>({ max: mostRemembered });
  /** When a sample was seen last. */
  readonly #seen = new LRUCache<string, number>({ max: mostRemembered });

  constructor(source: SampleSource) {
    this.#source = source;
  }

  /** null: a repeat, or a sample that is not of an ACL. */
  decode(packet: SampledPacket): SeenEvent | null {
    const connection = this.#source.connectionOf(packet.app);
    if (connection === null || this.#isRepeat(packet)) return null;
    const { point: number, protocol, icmp, atMs } = packet;
    const isReply = this.#isReply(packet, connection);
    const rule = this.#source.ruleAt(number, atMs);
    const ends = [this.#end(packet.source, atMs), this.#end(packet.destination, atMs)] as const;
    const hasPorts = protocols.has(protocol);
    const ports = hasPorts ? ([packet.sourcePort, packet.destinationPort] as const) : ([null, null] as const);
    const [client, server] = isReply === true ? [1, 0] : [0, 1];
    return {
      time: new Date(atMs).toISOString(),
      verdict: rule === null ? null : verdictOf[rule.action],
      connection,
      ...{ from: ends[client] ?? ends[0], to: ends[server] ?? ends[1] },
      protocol: protocols.get(protocol) ?? (isIcmp(packet) ? "icmp" : protocol),
      ...{ sourcePort: ports[client] ?? null, port: ports[server] ?? null },
      ...{ icmp, isReply, rule, number },
    };
  }

  #end(ip: SeenEnd["ip"], atMs: number): SeenEnd {
    return { ip, pod: this.#source.podAt(ip, atMs) };
  }

  #isRepeat(packet: SampledPacket): boolean {
    const { app, point, datapath, icmp, atMs } = packet;
    const message = icmp === null ? "" : ` ${icmp.type} ${icmp.code}`;
    const key = `${app} ${point} ${datapath} ${pathOf(packet, false)}${message}`;
    const last = this.#seen.get(key);
    this.#seen.set(key, atMs);
    return last !== undefined && Math.abs(atMs - last) < repeatMs;
  }

  /** The first packet of a connection is its client's. */
  #isReply(packet: SampledPacket, connection: SeenEvent["connection"]): boolean | null {
    const path = pathOf(packet, false);
    if (connection === "new") {
      this.#clients.set(path, true);
      return false;
    }
    if (this.#clients.get(path) === true) return false;
    return this.#clients.get(pathOf(packet, true)) === true ? true : null;
  }
}

function pathOf({ protocol, icmp, ...packet }: SampledPacket, isBack: boolean): string {
  const { source, destination, sourcePort, destinationPort } = packet;
  const there = `${source} ${sourcePort}`;
  const here = `${destination} ${destinationPort}`;
  // Of ICMP a question and its answer differ in type.
  return [protocol, ...(isBack ? [here, there] : [there, here]), ...(icmp === null ? [] : ["icmp"])].join(
    " ",
  );
}

function isIcmp({ protocol, source }: SampledPacket): boolean {
  return protocol === icmpNumbers[familyOf(source)];
}
