// One request, one answer, and an end to every wait. The servers are real sockets on 127.0.0.1.

import { afterEach, describe, expect, test } from "@jest/globals";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo, Server, Socket } from "node:net";
import { createServer as createTcpServer } from "node:net";
import { eventually } from "../../../test/support/eventually.ts";
import { systemClock } from "../../lib/clock.ts";
import { AgentPool } from "./agent-pool.ts";
import { ApiUnreachable, retryAfterMs } from "./api.ts";
import type { Credentials } from "./http.ts";
import { HttpApi } from "./http.ts";

const open: { close(): void }[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

async function listening(server: Server, scheme = "http"): Promise<URL> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push({
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  });
  return new URL(`${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

const serving = (answer: RequestListener) => listening(createServer(answer));

/** So long that a busy machine meets none of them. */
const long = { credentialsMs: 60_000, connectMs: 60_000, answerMs: 60_000, idleMs: 60_000 };

function apiTo(server: URL, credentials: Partial<Credentials> = {}, short: Partial<typeof long> = {}) {
  const agents = new AgentPool();
  const access = async () => ({ server, options: { agent: agents.agentFor(server, {}) } });
  const timeouts = { ...long, ...short };
  const close = () => {
    agents.close();
  };
  const api = new HttpApi({
    credentials: { access, renew() {}, close, ...credentials },
    clock: systemClock,
    timeouts,
  });
  open.push(api);
  return api;
}

const get = { method: "GET", path: "/version" } as const;

describe("a request", () => {
  const echo = (request: IncomingMessage, response: ServerResponse) => {
    let body = "";
    request.on("data", (piece: Buffer) => (body += piece.toString()));
    request.on("end", () => {
      const { method, url, headers } = request;
      response.writeHead(201, { "Retry-After": "3", "Content-Type": "application/json" });
      response.end(JSON.stringify({ method, url, body, type: headers["content-type"] ?? null }));
    });
  };

  test("carries path, query and body, and brings status, headers and the parsed body", async () => {
    const base = await serving(echo);
    const api = apiTo(new URL("/prefix/", base));
    const answer = await api.request({
      method: "PATCH",
      path: "/apis/x/y",
      query: { fieldManager: "north gate", force: "true" },
      body: { é: 1 },
      contentType: "application/apply-patch+yaml",
    });
    expect(answer.status).toBe(201);
    expect(retryAfterMs(answer.headers)).toBe(3000);
    expect(answer.body).toEqual({
      method: "PATCH",
      url: "/prefix/apis/x/y?fieldManager=north+gate&force=true",
      body: '{"é":1}',
      type: "application/apply-patch+yaml",
    });
    expect((await api.request(get)).body).toMatchObject({ url: "/prefix/version", body: "", type: null });
    expect(api.requests).toBe(2);
  });

  test.each([
    ["hello", "hello"],
    ["", null],
  ])("with the answer %j", async (text, body) => {
    const api = apiTo(await serving((_, response) => response.end(text)));
    expect((await api.request(get)).body).toBe(body);
  });

  test("keeps its connection for the next, and makes a new one when the server had closed it", async () => {
    const sockets = new Set<Socket>();
    let reset = false;
    const server = await serving((request, response) => {
      if (reset && sockets.has(request.socket)) {
        request.socket.resetAndDestroy();
        return;
      }
      sockets.add(request.socket);
      response.end("{}");
    });
    const api = apiTo(server);
    await api.request(get);
    await api.request(get);
    expect(sockets.size).toBe(1);
    reset = true;
    expect((await api.request(get)).status).toBe(200);
    expect(sockets.size).toBe(2);
    await expect(api.request({ ...get, method: "POST" })).rejects.toThrow("read ECONNRESET");
  });

  test("that is answered 401 is repeated once, with renewed credentials", async () => {
    let renewals = 0;
    const server = await serving((_, response) => response.writeHead(renewals === 1 ? 200 : 401).end());
    const api = apiTo(server, { renew: () => renewals++ });
    expect((await api.request(get)).status).toBe(200);
    renewals = 5;
    expect((await api.request(get)).status).toBe(401);
    expect(renewals).toBe(6);
  });
});

describe("no wait is for ever:", () => {
  test("for credentials", async () => {
    const api = apiTo(
      new URL("http://127.0.0.1:1"),
      { access: () => new Promise(() => {}) },
      { credentialsMs: 100 },
    );
    await expect(api.request(get)).rejects.toThrow("GET /version: no credentials within 100 ms");
    const stopped = AbortSignal.timeout(10);
    await expect(api.request({ ...get, signal: stopped })).rejects.toThrow("GET /version: aborted");
  });

  test("for a connection", async () => {
    const api = apiTo(await listening(createTcpServer(), "https"), {}, { connectMs: 100 });
    await expect(api.request(get)).rejects.toThrow("no connection within 100 ms");
  });

  test("for an answer", async () => {
    const api = apiTo(await serving(() => {}), {}, { answerMs: 100 });
    await expect(api.request(get)).rejects.toThrow("no answer within 100 ms");
    await expect(api.request({ ...get, signal: AbortSignal.timeout(10) })).rejects.toThrow(ApiUnreachable);
  });

  test("for the rest of an answer", async () => {
    const api = apiTo(await serving((_, response) => response.write("{")), {}, { idleMs: 100 });
    await expect(api.request(get)).rejects.toThrow("not a byte within 100 ms");
  });

  test("for the next line of a stream", async () => {
    const api = apiTo(await serving((_, response) => response.write('"one"\n\n"tw')));
    const { events } = await api.stream({ ...get, idleMs: 50 });
    const read: unknown[] = [];
    const reading = (async () => {
      for await (const several of events) read.push(...several);
    })();
    await expect(reading).rejects.toThrow("not a byte within 50 ms");
    expect(read).toEqual(["one"]);
  });
});

test("a server that is not there, and an answer that is cut, are told in one line", async () => {
  await expect(apiTo(new URL("http://127.0.0.1:1")).request(get)).rejects.toThrow(
    "GET /version: connect ECONNREFUSED 127.0.0.1:1",
  );
  const cutting = await serving((_, response) => {
    response.writeHead(200, { "Content-Length": 10 });
    response.write("{", () => response.destroy());
  });
  await expect(apiTo(cutting).request(get)).rejects.toThrow(ApiUnreachable);
});

test("lines come whole, whatever pieces they came in, and half a line is none", async () => {
  const text = Buffer.from('{"a":"é€"}\n\n{"b":2}\r\nhalf');
  const api = apiTo(
    await serving((_, response) => {
      for (const byte of text) response.write(Buffer.from([byte]));
      response.end();
    }),
  );
  const { status, events } = await api.stream({ ...get, idleMs: 1000 });
  const read: unknown[] = [];
  for await (const several of events) read.push(...several);
  expect([status, ...read]).toEqual([200, { a: "é€" }, { b: 2 }]);
});

test("a reader who leaves a stream leaves its connection too", async () => {
  let closed = false;
  const api = apiTo(
    await serving((request, response) => {
      request.socket.on("close", () => (closed = true));
      response.write("1\n2\n");
    }),
  );
  const { events } = await api.stream({ ...get, idleMs: 1000 });
  for await (const several of events) {
    expect(several[0]).toBe(1);
    break;
  }
  await eventually(() => {
    expect(closed).toBe(true);
  });
});
