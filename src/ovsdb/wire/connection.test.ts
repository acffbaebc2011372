import { Duplex } from "node:stream";
import type { Socket } from "node:net";
import { expect, test } from "@jest/globals";
import { systemClock } from "../../lib/clock.ts";
import { Connection } from "./connection.ts";
import { newCounters } from "./stats.ts";

/** A message of 4 MB, and a short one behind it, as a peer sends them at once. */
const rows = new Map(
  Array.from(
    { length: 4000 },
    (_, at) => [String(at).padStart(8, "0"), { modify: "x".repeat(1000) }] as const,
  ),
);
const params: readonly unknown[] = ["monitor", { Table: Object.fromEntries(rows) }];
const bytes = Buffer.from(
  JSON.stringify({ id: null, method: "update2", params }) + '{"id":null,"method":"update","params":[]}',
);

test("reads no more in one turn than a piece of a long message, and hands on what it says in order", async () => {
  const socket = new Duplex({
    read: () => undefined,
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  const counters = newCounters();
  const heard: unknown[] = [];
  const connection = new Connection(socket as unknown as Socket, {
    clock: { ...systemClock, now: () => 0 },
    counters,
    maxMessageBytes: 2 ** 29,
    notified: (method, told, length) => heard.push([method, told, length]),
    crowded: () => null,
    ended: () => undefined,
  });
  for (let at = 0; at < bytes.length; at += 65_536) socket.push(bytes.subarray(at, at + 65_536));
  let most = counters.bytesReceived;
  for (let turn = 0; heard.length < 2 && turn < 1000; turn++) {
    const before = counters.bytesReceived;
    await new Promise((resolve) => setImmediate(resolve));
    most = Math.max(most, counters.bytesReceived - before);
  }
  expect(counters.bytesReceived).toBe(bytes.length);
  expect(most).toBeLessThanOrEqual(2 * (2 ** 18 + 65_536));
  expect(heard).toEqual([
    ["update2", params, bytes.length - 41],
    ["update", [], 41],
  ]);
  connection.end("over");
});
