// Clients that ask without reading, without end, or not at all, on real sockets. Renderings and connections are counted;
// no time is measured.

import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { once } from "node:events";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { Gauge, Registry } from "prom-client";
import { HandClock } from "../../test/support/scripted-api.ts";
import { eventually } from "../../test/support/eventually.ts";
import { flood } from "../../test/support/flood.ts";
import { silentLogger } from "../lib/logger.ts";
import { connectionMs, mostConnections } from "../http/connections.ts";
import { reuseMs } from "./exposition.ts";
import type { Listening } from "../http/server.ts";
import { headerBytes } from "../http/transport.ts";
import { serveMetrics } from "./server.ts";

let clock: HandClock;
let server: Listening;
let renderings: number;
/** What one rendering takes. */
let costMs: number;
const sockets: Socket[] = [];

async function start(bytes: number): Promise<void> {
  clock = new HandClock();
  renderings = 0;
  costMs = 0;
  const registry = new Registry();
  new Gauge({
    name: "counted",
    help: "x".repeat(bytes),
    registers: [registry],
    collect() {
      this.set(++renderings);
      clock.elapse(costMs);
    },
  });
  const checks = { health: () => [], readiness: () => ["not yet"], notes: () => [] };
  server = await serveMetrics({
    host: "127.0.0.1",
    port: 0,
    registry,
    checks,
    clock,
    tls: null,
    gate: null,
    logger: silentLogger,
  });
}

beforeEach(() => start(50_000));
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close();
});

async function dial(): Promise<Socket> {
  const { hostname, port } = new URL(server.address);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  sockets.push(socket);
  await once(socket, "connect");
  return socket;
}

const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.closed) resolve();
    else
      socket.once("close", () => {
        resolve();
      });
  });
const get = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";

describe("one connection, one request:", () => {
  test("a client that sends thousands of requests and reads nothing costs one rendering", async () => {
    costMs = reuseMs + 1;
    const socket = await dial();
    socket.pause();
    const pieces = 1_700_000 / (get.length * 1000);
    for (let i = 0; i < pieces; i++) socket.write(get.repeat(1000));
    // A second client is served as if there were no first one.
    expect((await fetch(`${server.address}/healthz`)).status).toBe(200);
    expect((await fetch(`${server.address}/metrics`)).status).toBe(200);
    expect(renderings).toBeLessThanOrEqual(2);
    clock.elapse(connectionMs);
    socket.resume();
    await closed(socket);
    expect(renderings).toBeLessThanOrEqual(2);
  });

  test("no more of them is read than fits into the buffers of the sockets", async () => {
    // More than those buffers hold, so that the answer is never flushed.
    await server.close();
    await start(40_000_000);
    const all = 80_000_000;
    const sent = await flood(await dial(), all, () =>
      eventually(() => {
        expect(renderings).toBe(1);
      }),
    );
    expect(sent).toBeLessThan(all / 2);
    expect(renderings).toBe(1);
  });

  test("the answer says that the connection closes, and a second request is not answered", async () => {
    const socket = await dial();
    let text = "";
    socket.setEncoding("utf8").on("data", (piece: string) => (text += piece));
    socket.write(`${get}${get}`);
    await closed(socket);
    expect(text.match(/^HTTP\/1\.1 200/gm)).toHaveLength(1);
    expect(text).toContain("\r\nconnection: close\r\n");
  });
});

describe("one rendering serves all who ask at about the same time:", () => {
  const scrape = async () =>
    /^counted (\d+)$/m.exec(await (await fetch(`${server.address}/metrics`)).text())?.[1];

  test("at once, and shortly after; then it is made anew", async () => {
    expect(await Promise.all([scrape(), scrape(), scrape()])).toEqual(["1", "1", "1"]);
    clock.elapse(reuseMs - 1);
    expect(await scrape()).toBe("1");
    clock.elapse(1);
    expect(await scrape()).toBe("2");
  });

  test("one that took long is used for longer: a tenth of the time is for rendering at most", async () => {
    costMs = 1000;
    await scrape();
    clock.elapse(8999);
    expect(await scrape()).toBe("1");
    clock.elapse(1);
    expect(await scrape()).toBe("2");
  });
});

describe("connections are bounded:", () => {
  test("the oldest makes room for the newest", async () => {
    const first = await dial();
    for (let i = 1; i < mostConnections; i++) await dial();
    const answer = await fetch(`${server.address}/healthz`);
    expect(answer.status).toBe(200);
    await closed(first);
    expect(server.connections).toBeLessThanOrEqual(mostConnections);
    for (let i = 0; i < 2 * mostConnections; i++) await dial();
    expect((await fetch(`${server.address}/healthz`)).status).toBe(200);
    expect(server.connections).toBeLessThanOrEqual(mostConnections);
  });

  test("in time: one that says nothing, half a request, or never reads its answer is closed", async () => {
    const silent = await dial();
    const half = await dial();
    half.write("GET /met");
    const deaf = await dial();
    deaf.pause();
    deaf.write(get);
    expect((await fetch(`${server.address}/healthz`)).status).toBe(200);
    clock.elapse(connectionMs - 1);
    expect((await fetch(`${server.address}/healthz`)).status).toBe(200);
    expect(silent.closed || half.closed).toBe(false);
    clock.elapse(1);
    deaf.resume();
    await Promise.all([closed(silent), closed(half), closed(deaf)]);
  });

  test("and nothing of one is left when it has ended", async () => {
    for (let i = 0; i < 3; i++) await (await fetch(`${server.address}/healthz`)).text();
    while (server.connections > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(clock.tasks).toBe(0);
  });
});

describe("what is asked for:", () => {
  test.each([
    ["GET", "/metrics", 200],
    ["HEAD", "/metrics", 200],
    ["GET", "/metrics?x=1", 200],
    ["GET", "/healthz", 200],
    ["GET", "/readyz", 503],
    ["HEAD", "/readyz", 503],
    ["GET", "/", 404],
    ["GET", "/metrics/", 404],
    ["POST", "/metrics", 405],
    ["DELETE", "/elsewhere", 405],
    ["OPTIONS", "/metrics", 405],
  ])("%s %s is answered %i", async (method, path, status) => {
    const answer = await fetch(`${server.address}${path}`, { method });
    expect(answer.status).toBe(status);
    expect((await answer.text()) === "").toBe(method === "HEAD");
    expect(renderings).toBe(path.startsWith("/metrics") && status === 200 ? 1 : 0);
  });

  test("a body is not waited for, and an endless one is cut off", async () => {
    const socket = await dial();
    let sent = 0;
    const piece = "x".repeat(65_536);
    const more = () => {
      while (!socket.destroyed && socket.write(piece)) sent += piece.length;
    };
    socket.on("drain", more);
    socket.resume();
    socket.write("POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000000\r\n\r\n");
    more();
    await closed(socket);
    expect(sent).toBeLessThan(100_000_000);
  });

  test("a head beyond the limit is refused", async () => {
    const headers = { authorization: `Bearer ${"x".repeat(headerBytes)}` };
    expect((await fetch(`${server.address}/metrics`, { headers })).status).toBe(431);
    expect(renderings).toBe(0);
  });
});
