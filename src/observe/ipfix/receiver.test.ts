// Datagrams of several senders on a real socket: each has templates of its own, and more than a second's share is dropped unread.

import type { Socket } from "node:dgram";
import { createSocket } from "node:dgram";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { eventually } from "../../../test/support/eventually.ts";
import { HandClock } from "../../../test/support/scripted-api.ts";
import type { IpfixRecord } from "./records.ts";
import { fieldKey } from "./records.ts";
import { IpfixReceiver, mostInSecond } from "./receiver.ts";

let clock: HandClock;
let receiver: IpfixReceiver;
let received: IpfixRecord[];
const senders: Socket[] = [];

beforeEach(async () => {
  clock = new HandClock();
  received = [];
  receiver = await IpfixReceiver.open(0, clock, (record) => received.push(record));
});
afterEach(async () => {
  for (const sender of senders.splice(0)) sender.close();
  await receiver.close();
});

const head = "000a00180000000000000000000000000002000c012c0001";
/** A template of one field of two bytes. */
const template = (element: number) =>
  Buffer.from(head.replace("0018", "001c") + element.toString(16).padStart(4, "0") + "0002", "hex");
const data = Buffer.from("000a0016000000000000000000000000012c00060050", "hex");

async function sender(): Promise<(message: Buffer) => Promise<void>> {
  const socket = createSocket("udp4");
  senders.push(socket);
  const [host = "", port = ""] = receiver.target.split(":");
  await new Promise<void>((resolve) => {
    socket.connect(Number(port), host, resolve);
  });
  return (message) =>
    new Promise((resolve, reject) => {
      socket.send(message, (error) => {
        if (error === null) resolve();
        else reject(error);
      });
    });
}

test("a sender cannot give the templates of another a second meaning", async () => {
  const [first, second] = [await sender(), await sender()];
  await first(template(7));
  await second(template(11));
  await first(data);
  await eventually(() => {
    expect(received.map(({ fields }) => [...fields.keys()])).toEqual([[fieldKey(7)]]);
  });
});

test("garbage and too many datagrams are counted, and a second later all is read again", async () => {
  const send = await sender();
  await send(template(7));
  await send(Buffer.from("no IPFIX"));
  await eventually(() => {
    expect(receiver.counts).toMatchObject({ messages: 2, malformed: 1 });
  });
  for (let sent = 2; sent < mostInSecond + 500; sent += 10)
    await Promise.all(Array.from({ length: 10 }, () => send(data)));
  await eventually(() => {
    const { messages, unread } = receiver.counts;
    // The kernel may have dropped some.
    expect(messages).toBe(mostInSecond);
    expect(unread).toBeGreaterThan(0);
  });
  const { records } = receiver.counts;
  clock.elapse(1000);
  await send(data);
  await eventually(() => {
    // Some of before may only be read now.
    expect(receiver.counts.records).toBeGreaterThan(records);
  });
});

test("a datagram with many records counts as so many, and a long one as several", async () => {
  const send = await sender();
  await send(template(7));
  const records = (count: number) => {
    const body = Buffer.alloc(2 * count);
    const header = Buffer.from(data.subarray(0, 20));
    header.writeUInt16BE(20 + body.length, 2);
    header.writeUInt16BE(4 + body.length, 18);
    return Buffer.concat([header, body]);
  };
  const each = 200;
  const full = mostInSecond / each;
  for (let sent = 0; sent <= full; sent++) await send(records(each));
  await eventually(() => {
    // The template was one of them.
    expect(receiver.counts).toMatchObject({ records: mostInSecond, messages: full + 1, unread: 1 });
  });
  clock.elapse(1000);
  const long = 60_000;
  const most = Math.ceil(mostInSecond / Math.ceil(long / 1024));
  for (let sent = 0; sent < most + 10; sent += 1) {
    await send(Buffer.alloc(long));
    await eventually(() => {
      const { messages, unread } = receiver.counts;
      expect(messages + unread).toBe(full + 1 + 1 + sent + 1);
    });
  }
  expect(receiver.counts).toMatchObject({ malformed: most, unread: 11 });
});
