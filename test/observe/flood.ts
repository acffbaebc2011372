// More samples than a reader takes, of any program on its machine: records as Open vSwitch writes them, of connections that never were.

import { createSocket } from "node:dgram";
import { setTimeout as sleep } from "node:timers/promises";
import { IpfixParser, noCounts } from "../../src/observe/ipfix/parser.ts";
import { fieldKey } from "../../src/observe/ipfix/records.ts";
import { captured } from "./captured.ts";

/** Of one datagram: its set has so many records. */
const recordsOfDatagram = 20;
const datagramsInLot = 50;
const lotMs = 20;
export const recordsInSecond = (recordsOfDatagram * datagramsInLot * 1000) / lotMs;

/** Of a data set: the header of the message, and of the set. */
const headers = 16 + 4;
const elements = { sourcePort: 7, sourceV4: 8 };

/** Templates, and datagrams of dropped packets, each from another address and port. */
function datagrams(count: number): {
  readonly templates: readonly Buffer[];
  readonly data: readonly Buffer[];
} {
  const isOf = (id: number) => (message: Buffer) =>
    message.length > headers && message.readUInt16BE(16) === id;
  const dropped = captured.find(isOf(280));
  if (dropped === undefined) throw new Error("no sample of a dropped packet was captured");
  const domain = dropped.readUInt32BE(12);
  const templates = captured.filter((one) => isOf(2)(one) && one.readUInt32BE(12) === domain);
  const body = dropped.subarray(headers);
  const data = Array.from({ length: count }, (_, at) => {
    const bodies = Array.from({ length: recordsOfDatagram }, () => body);
    const message = Buffer.concat([dropped.subarray(0, headers), ...bodies]);
    message.writeUInt16BE(message.length, 2);
    message.writeUInt16BE(message.length - 16, 18);
    const parser = new IpfixParser(noCounts());
    for (const one of templates) parser.read(one);
    // The fields share the bytes of the message.
    for (const [record, { fields }] of parser.read(message).entries()) {
      const number = at * recordsOfDatagram + record;
      fields.get(fieldKey(elements.sourceV4))?.writeUInt32BE(0x0b_00_00_00 + number);
      fields.get(fieldKey(elements.sourcePort))?.writeUInt16BE(number % 0x10000);
    }
    return message;
  });
  return { templates, data };
}

/** Says in each how many records its sender has sent before (RFC 7011, section 3.1), as Open vSwitch does. */
function numbered(message: Buffer, before: number): Buffer {
  message.writeUInt32BE(before, 8);
  return message;
}

export interface Flood {
  /** Records. */
  readonly sent: number;
  /** Sends templates, whose number tells the reader how many records have been sent. */
  readonly sum: () => Promise<void>;
  readonly close: () => void;
}

/** Sends to HOST:PORT. */
export async function flood(target: string, seconds: number): Promise<Flood> {
  const [host = "", port = ""] = target.split(":");
  const socket = createSocket({ type: "udp4", sendBufferSize: 2 ** 20 });
  const send = (message: Buffer) =>
    new Promise<void>((resolve, reject) => {
      socket.send(message, Number(port), host, (error) => {
        if (error === null) resolve();
        else reject(error);
      });
    });
  const { templates, data } = datagrams(500);
  let sent = 0;
  const sum = async () => {
    for (const one of templates) await send(numbered(one, sent));
  };
  await sum();
  const begunMs = performance.now();
  const lots = (seconds * 1000) / lotMs;
  for (let lot = 0; lot < lots; lot++) {
    await sleep(Math.max(0, begunMs + lot * lotMs - performance.now()));
    const first = (lot * datagramsInLot) % data.length;
    for (const one of data.slice(first, first + datagramsInLot)) {
      await send(numbered(one, sent));
      sent += recordsOfDatagram;
    }
  }
  return { sent, sum, close: () => socket.close() };
}
