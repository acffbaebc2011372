// Requests that no well-meaning client sends, and answers that fail: each is answered, and the next one too.

import { createServer } from "node:http";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { eventually } from "../../test/support/eventually.ts";
import { HandClock } from "../../test/support/scripted-api.ts";
import { rawRequest } from "../../test/support/raw-request.ts";
import type { LogFields } from "../lib/logger.ts";
import { silentLogger } from "../lib/logger.ts";
import type { Reply } from "./reply.ts";
import type { Answer, Listening } from "./server.ts";
import { listen } from "./server.ts";
import type { Sink } from "./stream.ts";
import { mostUnread } from "./stream.ts";
import type { Target } from "./target.ts";

let clock: HandClock;
let server: Listening;
let http: ReturnType<typeof createServer>;
let answer: (target: Target) => Answer | Promise<Answer>;
const logged: LogFields[] = [];

beforeEach(async () => {
  clock = new HandClock();
  http = createServer();
  logged.length = 0;
  answer = ({ path, query }) => ({ status: 200, body: JSON.stringify([path, query.toString()]) });
  const logger = { ...silentLogger, error: (_: string, fields: LogFields = {}) => logged.push(fields) };
  server = await listen({
    ...{ server: http, scheme: "http", host: "127.0.0.1", port: 0, clock, logger },
    answer: (_, target) => answer(target),
  });
});
afterEach(() => server.close());

const ask = async (line: string) => {
  const text = await rawRequest(server.address, `${line}\r\nHost: localhost\r\n\r\n`);
  return [text.split("\r\n")[0]?.slice("HTTP/1.1 ".length, 12), text.split("\r\n\r\n")[1]];
};

test.each([
  ["//", '["//",""]'],
  ["//[", '["//[",""]'],
  ["//a:b", '["//a:b",""]'],
  ["/..//%2e%2e/x", '["/..//%2e%2e/x",""]'],
  ["/%", '["/%",""]'],
  ["/a?b=%&c#d?e", '["/a","b=%25&c="]'],
  ["/a??b=c", '["/a","%3Fb=c"]'],
])("the path of %j is what it spells", async (target, body) => {
  expect(await ask(`GET ${target} HTTP/1.1`)).toEqual(["200", body]);
});

test.each(["http://[", "http://localhost/", "*"])("%j is no path", async (target) => {
  expect(await ask(`GET ${target} HTTP/1.1`)).toEqual(["400", "the request line must have a path\n"]);
});

test.each(["a:b", "?", "#/"])("%j does not reach us: Node refuses it", async (target) => {
  expect((await ask(`GET ${target} HTTP/1.1`))[0]).toBe("400");
});

test("a path comes before the method, and both before the answer", async () => {
  answer = () => {
    throw new Error("asked");
  };
  expect((await ask("POST http://x/ HTTP/1.1"))[0]).toBe("400");
  expect((await ask("POST / HTTP/1.1"))[0]).toBe("405");
  expect(logged).toEqual([]);
});

test.each([
  [
    "throws",
    (): Reply => {
      throw new Error("a defect");
    },
  ],
  ["rejects", () => Promise.reject<Reply>(new Error("a defect"))],
  ["has a tag that no header can hold", (): Reply => ({ status: 200, body: "", tag: "a defect\n" })],
])("an answer that %s is a 500 and a line, at most one a minute", async (_, wrong) => {
  answer = wrong;
  for (let at = 0; at < 3; at++) {
    const [status, body] = await ask("GET /here HTTP/1.1");
    expect(status).toBe("500");
    expect(body).not.toContain("defect");
  }
  expect(logged).toEqual([expect.objectContaining({ about: "/here", others: 0 })]);
  clock.elapse(60_000);
  await ask(`GET /${"x".repeat(1_000)} HTTP/1.1`);
  expect(logged[1]).toMatchObject({ others: 2, about: `/${"x".repeat(199)}` });
});

test("an accept that fails is a line", () => {
  http.emit("error", new Error("accept EMFILE"));
  expect(logged).toEqual([expect.objectContaining({ others: 0 })]);
});

test("an answer that goes on outlives the others; a client that does not read it is cut, and the rest are not", async () => {
  const sinks: Sink[] = [];
  let ended = 0;
  const begin = (sink: Sink): void => {
    sinks.push(sink);
    sink.onEnd(() => ended++);
  };
  answer = () => ({ type: "text/event-stream", begin });
  const open = async (): Promise<Socket> => {
    const socket = connect(Number(new URL(server.address).port), "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const count = sinks.length;
    await eventually(() => {
      expect(sinks).toHaveLength(count + 1);
    });
    return socket;
  };
  const [deaf, reader] = [await open(), await open()];
  deaf.pause();
  let got = 0;
  reader.on("data", (part: Buffer) => (got += part.length));
  clock.elapse(60_000);
  const part = "x".repeat(64 * 1024);
  // More than the system buffers for both ends, and then as much as waits here.
  for (let at = 1; at < 2_000 && ended === 0; at++) {
    for (const sink of sinks) sink.write(part);
    while (got < at * part.length) await new Promise((resolve) => setImmediate(resolve));
  }
  await eventually(() => {
    expect([ended, server.connections]).toEqual([1, 1]);
    expect(got).toBeGreaterThan(2 * mostUnread);
  });
  sinks[1]?.end();
  await eventually(() => {
    expect(server.connections).toBe(0);
  });
});

test("at the limit the oldest connection of the address that has the most is closed, and no other", async () => {
  const closed: string[] = [];
  const open = async (name: string, localAddress: string): Promise<Socket> => {
    const { connections } = server;
    const socket = connect({ port: Number(new URL(server.address).port), host: "127.0.0.1", localAddress });
    socket.on("close", () => closed.push(name)).on("error", () => undefined);
    await eventually(() => {
      expect(server.connections).toBe(Math.min(64, connections + 1));
    });
    await eventually(() => {
      expect(socket.connecting).toBe(false);
    });
    return socket;
  };
  const sockets = [await open("one", "127.0.0.2")];
  for (let at = 0; at < 63; at++) sockets.push(await open(`many ${at}`, "127.0.0.1"));
  for (const name of ["more", "another"]) sockets.push(await open(name, "127.0.0.3"));
  await eventually(() => {
    expect(closed).toEqual(["many 0", "many 1"]);
  });
  for (const socket of sockets) socket.destroy();
});
