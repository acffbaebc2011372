// Packets as Ethernet frames, as a pod's own network stack would send them: IPv4 and IPv6; the first packet of a TCP, UDP
// or SCTP connection, or an ICMP echo. Every checksum is right: connection tracking takes no other. What a router changes of
// a frame (MACs, TTL, header checksum) is no part of its identity.

import ipaddr from "ipaddr.js";
import type { IpAddress } from "../../src/model/ip.ts";
import { familyOf } from "../../src/model/ip.ts";
import { echoRequest } from "../../tools/sandbox/trace.ts";

export interface TcpPart {
  readonly flags: readonly ("syn" | "ack" | "psh")[];
  readonly sequence: number;
  readonly acknowledgement: number;
  readonly data: string;
}

export interface FrameSpec {
  readonly sourceMac: string;
  readonly destinationMac: string;
  readonly source: IpAddress;
  readonly destination: IpAddress;
  /** A number: an IP protocol whose header is not looked into. */
  readonly protocol: "tcp" | "udp" | "sctp" | "icmp" | number;
  /** Of icmp: the identifier; of a number: a part of what it carries. */
  readonly sourcePort: number;
  /** Without meaning where the protocol has no ports. */
  readonly port: number;
  /** An echo request unless told. */
  readonly icmp?: { readonly type: number; readonly code: number };
  /** A SYN unless told. */
  readonly tcp?: TcpPart;
}

const etherTypes = { v4: 0x0800, v6: 0x86dd } as const;
const ttl = 64;
const tcpFlags = { syn: 0x02, psh: 0x08, ack: 0x10 } as const;
const firstSegment: TcpPart = { flags: ["syn"], sequence: 1000, acknowledgement: 0, data: "" };

export function frameOf(spec: FrameSpec): Buffer {
  const family = familyOf(spec.source);
  const addresses = Buffer.concat([bytesOf(spec.source), bytesOf(spec.destination)]);
  const number = protocolNumber(spec.protocol, family);
  const segment = segmentOf(spec, (length) => pseudoHeader(addresses, number, length));
  const header =
    family === "v4"
      ? ipv4Header(addresses, number, segment.length)
      : ipv6Header(addresses, number, segment.length);
  return Buffer.concat([
    macBytes(spec.destinationMac),
    macBytes(spec.sourceMac),
    u16(etherTypes[family]),
    header,
    segment,
  ]);
}

/** The frame's addresses, protocol and everything behind the IP header; null when it is not IP. Routers keep all of that. */
export function identityOf(frame: Buffer): string | null {
  if (frame.length < 14) return null;
  const type = frame.readUInt16BE(12);
  const packet = frame.subarray(14);
  if (type === etherTypes.v4 && packet.length >= 20) {
    const start = (packet.readUInt8(0) & 0x0f) * 4;
    const segment = packet.subarray(start, packet.readUInt16BE(2));
    return Buffer.concat([packet.subarray(9, 10), packet.subarray(12, 20), segment]).toString("latin1");
  }
  if (type === etherTypes.v6 && packet.length >= 40) {
    const segment = packet.subarray(40, 40 + packet.readUInt16BE(4));
    return Buffer.concat([packet.subarray(6, 7), packet.subarray(8, 40), segment]).toString("latin1");
  }
  return null;
}

/** RFC 1071. */
export function internetChecksum(bytes: Buffer): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 2) sum += (bytes.readUInt8(at) << 8) + (bytes[at + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + Math.floor(sum / 0x10000);
  return ~sum & 0xffff;
}

/** RFC 9260 appendix A, as the number that SCTP sends with its lowest byte first. */
export function crc32c(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return ~crc >>> 0;
}

export function protocolNumber(protocol: FrameSpec["protocol"], family: "v4" | "v6"): number {
  if (typeof protocol === "number") return protocol;
  if (protocol === "icmp") return family === "v4" ? 1 : 58;
  return { tcp: 6, udp: 17, sctp: 132 }[protocol];
}

/** The segment with its checksum, over whose place it is computed as zero. */
function segmentOf(spec: FrameSpec, pseudo: (length: number) => Buffer): Buffer {
  const ports = Buffer.concat([u16(spec.sourcePort), u16(spec.port)]);
  if (typeof spec.protocol === "number") return Buffer.concat([u32(0), ports]);
  switch (spec.protocol) {
    case "tcp":
      return summed(tcpSegment(ports, spec.tcp ?? firstSegment), 16, pseudo);
    case "udp": {
      const segment = summed(Buffer.concat([ports, u16(12), u16(0), Buffer.from("ping")]), 6, pseudo);
      // Zero would say that there is none.
      if (segment.readUInt16BE(6) === 0) segment.writeUInt16BE(0xffff, 6);
      return segment;
    }
    case "sctp": {
      const segment = Buffer.concat([ports, u32(0), u32(0), initChunk]);
      segment.writeUInt32LE(crc32c(segment), 8);
      return segment;
    }
    case "icmp": {
      const v6 = familyOf(spec.source) === "v6";
      const { type, code } = spec.icmp ?? echoRequest(v6 ? "v6" : "v4");
      const echo = Buffer.concat([Buffer.from([type, code]), u16(0), u16(spec.sourcePort), u16(1)]);
      return summed(echo, 2, v6 ? pseudo : () => Buffer.alloc(0));
    }
  }
}

/** INIT: a tag, a window, one stream each way, the first TSN. */
const initChunk = Buffer.concat([
  Buffer.from([1, 0]),
  u16(20),
  u32(0x1234),
  u32(0xffff),
  u16(1),
  u16(1),
  u32(1),
]);

function tcpSegment(ports: Buffer, { flags, sequence, acknowledgement, data }: TcpPart): Buffer {
  const bits = flags.reduce((sum, flag) => sum | tcpFlags[flag], 0);
  const offset = Buffer.from([5 << 4, bits]);
  const fixed = [ports, u32(sequence), u32(acknowledgement), offset, u16(0xffff), u16(0), u16(0)];
  return Buffer.concat([...fixed, Buffer.from(data)]);
}

function summed(segment: Buffer, at: number, pseudo: (length: number) => Buffer): Buffer {
  segment.writeUInt16BE(internetChecksum(Buffer.concat([pseudo(segment.length), segment])), at);
  return segment;
}

/** RFC 9293 section 3.1 and RFC 8200 section 8.1. */
function pseudoHeader(addresses: Buffer, protocol: number, length: number): Buffer {
  const rest =
    addresses.length === 8
      ? [Buffer.from([0, protocol]), u16(length)]
      : [u32(length), Buffer.from([0, 0, 0, protocol])];
  return Buffer.concat([addresses, ...rest]);
}

function ipv4Header(addresses: Buffer, protocol: number, length: number): Buffer {
  const start = [Buffer.from([0x45, 0]), u16(20 + length), u16(0), u16(0)];
  const header = Buffer.concat([...start, Buffer.from([ttl, protocol]), u16(0), addresses]);
  header.writeUInt16BE(internetChecksum(header), 10);
  return header;
}

function ipv6Header(addresses: Buffer, protocol: number, length: number): Buffer {
  return Buffer.concat([u32(6 * 2 ** 28), u16(length), Buffer.from([protocol, ttl]), addresses]);
}

function bytesOf(address: IpAddress): Buffer {
  return Buffer.from(ipaddr.parse(address).toByteArray());
}

function macBytes(mac: string): Buffer {
  return Buffer.from(mac.replaceAll(":", ""), "hex");
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
