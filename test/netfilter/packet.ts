// A connection's first packet as the packet filter sees it, with the bytes that BPF and u32 look at.

import ipaddr from "ipaddr.js";
import type { IpAddress, IpFamily } from "../../src/model/ip.ts";
import { familyOf } from "../../src/model/ip.ts";
import { icmpNumbers, protocolNumbers } from "../../src/model/protocols.ts";
import type { Connection } from "../../src/policy/evaluate.ts";

export interface Packet {
  readonly family: IpFamily;
  readonly source: IpAddress;
  readonly destination: IpAddress;
  /** IANA number. */
  readonly protocol: number;
  /** null: the protocol has no ports. */
  readonly ports: { readonly source: number; readonly destination: number } | null;
  /** null: it is no ICMP of its family. */
  readonly icmp: { readonly type: number; readonly code: number } | null;
  /** Connection tracking says that its destination was replaced. */
  readonly isTranslated: boolean;
}

/** A source port that no rule of the tests names. */
const ephemeral = 49_999;

export function packetOf(connection: Connection): Packet {
  const { from, to, protocol, port, sourcePort = ephemeral, translated } = connection;
  const family = familyOf(to.ip);
  const number =
    typeof protocol === "number"
      ? protocol
      : protocol === "icmp"
        ? icmpNumbers[family]
        : protocolNumbers[protocol];
  const echoRequest = { type: family === "v4" ? 8 : 128, code: 0 };
  const hasPorts = protocol !== "icmp" && typeof protocol !== "number";
  return {
    ...{ family, source: from.ip, destination: to.ip, protocol: number },
    ports: hasPorts ? { source: sourcePort, destination: port } : null,
    icmp: protocol === "icmp" ? (connection.icmp ?? echoRequest) : null,
    isTranslated: translated === true,
  };
}

/** The header of the network layer, without options, and the first bytes behind it. */
export function bytesOfPacket(packet: Packet): readonly number[] {
  const { family, protocol, icmp } = packet;
  const [source, destination] = [packet.source, packet.destination].map((ip) =>
    ipaddr.parse(ip).toByteArray(),
  );
  const payload = [icmp?.type ?? 0, icmp?.code ?? 0, 0, 0, 0, 0, 0, 0];
  return family === "v4"
    ? [0x45, ...zeros(8), protocol, 0, 0, ...(source ?? []), ...(destination ?? []), ...payload]
    : [0x60, ...zeros(5), protocol, 64, ...(source ?? []), ...(destination ?? []), ...payload];
}

function zeros(count: number): readonly number[] {
  return Array.from({ length: count }, () => 0);
}

/** Classic BPF as `-m bpf --bytecode` takes it: whether it returns anything but 0. */
export function runBpf(bytecode: string, bytes: readonly number[]): boolean {
  const [count, ...lines] = bytecode.split(",");
  const program = lines.map((line) => line.split(" ").map(Number));
  if (program.length !== Number(count)) throw new Error(`${count} instructions are ${program.length}`);
  let [accumulator, index] = [0, 0];
  for (let at = 0; ; at++) {
    const [code, ifTrue = 0, ifFalse = 0, value = 0] = program[at] ?? [];
    switch (code) {
      case 0x20:
        accumulator = word(bytes, value);
        break;
      case 0x07:
        index = accumulator;
        break;
      case 0x1d:
        at += accumulator === index ? ifTrue : ifFalse;
        break;
      case 0x06:
        return value !== 0;
      default:
        throw new Error(`an instruction that is not known: ${code ?? "none"}`);
    }
  }
}

function word(bytes: readonly number[], at: number): number {
  const four = bytes.slice(at, at + 4);
  if (four.length < 4) throw new Error(`${at} is behind the packet`);
  return four.reduce((sum, byte) => sum * 256 + byte, 0);
}

/**
 * One test as `-m u32 --u32` takes it: LOCATION=VALUE,FROM:TO, where a location moves by `@`, shifts by `>>` and masks by `&`.
 */
export function runU32(test: string, bytes: readonly number[]): boolean {
  const [location = "", wanted = ""] = test.split("=");
  let base = 0;
  let value = 0;
  for (const part of location.split("@")) {
    const [start, ...steps] = part.split(/(?=>>|&)/);
    base += value;
    value = steps.reduce(
      (before, step) => {
        if (step.startsWith(">>")) return before >>> Number(step.slice(2));
        return (before & Number(step.slice(1))) >>> 0;
      },
      word(bytes, base + Number(start)),
    );
  }
  return wanted.split(",").some((range) => {
    const [start = NaN, end = start] = range.split(":").map(Number);
    return start <= value && value <= end;
  });
}
