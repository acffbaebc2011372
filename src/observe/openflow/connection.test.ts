// Switches that answer in parts, too late, wrongly or without end: the reader has one sentence for each, and never hangs.

import { mkdtempSync, rmSync } from "node:fs";
import type { Server, Socket } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import fc from "fast-check";
import { eventually } from "../../../test/support/eventually.ts";
import { HandClock } from "../../../test/support/scripted-api.ts";
import { answerMs, OpenFlowConnection } from "./connection.ts";
import type { Message } from "./messages.ts";
import { flowsBody, flowsReply, messageOf, MessageReader, OpenFlowError, types } from "./messages.ts";

type Answer = (message: Message, socket: Socket) => void;

let folder: string;
let server: Server;
let clock: HandClock;
let asked: Message[];
const sockets: Socket[] = [];
const path = () => join(folder, "mgmt");

/** Greets and takes every role unless `answer` says otherwise. */
async function serve(answer: Answer): Promise<void> {
  server = createServer((socket) => {
    sockets.push(socket);
    const reader = new MessageReader();
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      for (const message of reader.read(chunk)) {
        asked.push(message);
        answer(message, socket);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(path(), resolve));
}

const polite: Answer = ({ type, xid, body }, socket) => {
  if (type === types.hello) socket.write(messageOf(types.hello, 7));
  if (type === types.roleRequest) socket.write(messageOf(types.roleReply, xid, body));
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-of-"));
  clock = new HandClock();
  asked = [];
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
  rmSync(folder, { recursive: true });
});

/** A reply about flows: a flow entry for each number of packets. */
function reply(cookie: number, packets: readonly number[], more = false): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16BE(1, 0);
  head.writeUInt16BE(more ? 1 : 0, 2);
  const entries = packets.map((count) => {
    const entry = Buffer.alloc(56);
    entry.writeUInt16BE(56, 0);
    entry.writeUInt32BE(3, 4);
    entry.writeUInt32BE(500_000_000, 8);
    entry.writeUInt16BE(1001, 12);
    entry.writeBigUInt64BE(BigInt(cookie), 24);
    entry.writeBigUInt64BE(BigInt(count), 32);
    entry.writeBigUInt64BE(BigInt(60 * count), 40);
    entry.writeUInt16BE(1, 48);
    entry.writeUInt16BE(4, 50);
    return entry;
  });
  return Buffer.concat([head, ...entries]);
}

test("asks each cookie exactly, puts parts of answers together, and answers echoes", async () => {
  await serve((message, socket) => {
    polite(message, socket);
    if (message.type !== types.multipartRequest) return;
    const cookie = Number(message.body.readBigUInt64BE(24));
    expect(message.body).toEqual(flowsBody(cookie));
    socket.write(messageOf(types.echoRequest, 99, Buffer.from("still there?")));
    const parts = Buffer.concat([
      messageOf(types.multipartReply, message.xid, reply(cookie, [cookie, 1], true)),
      messageOf(types.multipartReply, message.xid, reply(cookie, [2])),
    ]);
    for (const byte of parts) socket.write(Buffer.from([byte]));
  });
  const connection = await OpenFlowConnection.open(path(), clock);
  const cookies = Array.from({ length: 300 }, (_, at) => at * 13_000_000);
  const entries = await connection.entriesOf(cookies);
  expect(entries).toHaveLength(900);
  expect(entries.filter(({ cookie }) => cookie === 13_000_000).map(({ packets }) => packets)).toEqual([
    ...[13_000_000, 1, 2],
  ]);
  expect(entries[0]).toMatchObject({ priority: 1001, ageMs: 3500, match: "00010004" });
  connection.close();
  expect(
    asked
      .filter(({ type }) => type === types.roleRequest)
      .at(-1)
      ?.body.readUInt32BE(0),
  ).toBe(3);
  expect(asked.find(({ type }) => type === types.echoReply)).toMatchObject({
    xid: 99,
    body: Buffer.from("still there?"),
  });
});

test.each<readonly [string, Answer, string]>([
  [
    "an older OpenFlow",
    (_, socket) => {
      socket.write(Buffer.from([1, 0, 0, 8, 0, 0, 0, 1]));
    },
    "the switch does not speak OpenFlow 1.3",
  ],
  [
    "an error in place of a greeting",
    (_, socket) => {
      socket.write(messageOf(types.error, 1, Buffer.alloc(4)));
    },
    "the switch does not speak OpenFlow 1.3",
  ],
  [
    "no OpenFlow",
    (_, socket) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"),
    "the switch has not answered for 5 s",
  ],
  ["a length of zero", (_, socket) => socket.write(Buffer.alloc(8)), "a message of 0 bytes"],
  ["an end", (_, socket) => socket.end(), "the switch has closed the connection"],
  ["silence", () => undefined, "the switch has not answered for 5 s"],
])("%s", async (_, answer, sentence) => {
  await serve(answer);
  const opening = expect(OpenFlowConnection.open(path(), clock)).rejects.toThrow(new OpenFlowError(sentence));
  await eventually(() => {
    expect(asked).not.toEqual([]);
  });
  if (sentence.includes("5 s")) clock.elapse(answerMs);
  await opening;
});

test("a switch that hangs later ends every request, and none can be sent then", async () => {
  await serve(polite);
  const connection = await OpenFlowConnection.open(path(), clock);
  clock.elapse(10 * answerMs);
  const reading = connection.entriesOf([1, 2]);
  clock.elapse(answerMs);
  await expect(reading).rejects.toThrow("the switch has not answered for 5 s");
  await expect(connection.entriesOf([1])).rejects.toThrow("the switch has not answered for 5 s");
});

test("whatever bytes come, they are messages or an error of one sentence", () => {
  const tried = (read: () => unknown) => {
    try {
      read();
    } catch (error) {
      expect(error).toBeInstanceOf(OpenFlowError);
    }
  };
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    // A good one of which a byte is another, or whose end is missing.
    fc.tuple(fc.nat(200), fc.nat(255), fc.nat(200)).map(([at, byte, end]) => {
      const good = reply(5, [1, 2, 3]);
      if (at < good.length) good.writeUInt8(byte, at);
      return good.subarray(0, end);
    }),
  );
  fc.assert(
    fc.property(body, (bytes) => {
      tried(() => flowsReply(bytes));
      tried(() => new MessageReader().read(bytes));
    }),
    { numRuns: 2000 },
  );
});
