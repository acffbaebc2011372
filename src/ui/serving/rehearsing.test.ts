// A server that asks itself: it connects once, and each of its questions waits for its turn and for the pause behind the last one, as
// those of clients do.

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { expect, test } from "@jest/globals";
import { eventually } from "../../../test/support/eventually.ts";
import { HandClock } from "../../../test/support/scripted-api.ts";
import type { Reply } from "../../http/reply.ts";
import { rehearse } from "./rehearsing.ts";
import { Throttle } from "./throttle.ts";

const said: Reply = { status: 200, body: "" };
const always = () => true;

test("one connection, and then one question after the other, with clients between", async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on("error", () => undefined).resume();
    socket.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const clock = new HandClock();
  const turns = new Throttle(clock, 9);
  const events: string[] = [];
  const done = rehearse({
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    turns,
    questions: () => {
      events.push("questions");
      return ["a", "b", "c", "d"].map((path) => ({ path, query: new URLSearchParams() }));
    },
    answer: ({ path }) => {
      events.push(path);
      clock.elapse(10);
      if (path === "b") throw new Error("cannot be answered");
      return said;
    },
    compress: (reply) => (events.push("compressed"), Promise.resolve(reply)),
  });
  const pass = async (ms: number): Promise<readonly string[]> => {
    clock.elapse(ms);
    // What was waited for may ask for the next turn now.
    await new Promise((resolve) => setImmediate(resolve));
    return events.splice(0);
  };
  await eventually(() => {
    expect(clock.tasks).toBe(1);
  });
  expect([connections, events]).toEqual([1, []]);
  expect(await pass(0)).toEqual(["questions"]);
  expect(await pass(0)).toEqual(["a", "compressed"]);
  void turns.take("somebody", always, () => events.push("somebody"));
  expect(await pass(89)).toEqual([]);
  expect(await pass(1)).toEqual(["b"]);
  expect(await pass(90)).toEqual(["somebody"]);
  expect(await pass(0)).toEqual(["c", "compressed"]);
  expect(await pass(90)).toEqual(["d", "compressed"]);
  await done;
  server.close();
});

test("where nobody listens the questions are asked all the same", async () => {
  const clock = new HandClock();
  const done = rehearse({
    ...{ address: "http://127.0.0.1:1", turns: new Throttle(clock, 0), questions: () => [] },
    ...{ answer: () => null, compress: (reply) => Promise.resolve(reply) },
  });
  await eventually(() => {
    expect(clock.tasks).toBe(1);
  });
  clock.elapse(0);
  await done;
});
