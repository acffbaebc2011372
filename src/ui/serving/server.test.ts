// The page's server over a real socket: who is answered, with which headers, and what is not served.

import { request } from "node:http";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { worldOf } from "../../../test/support/asked-world.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { noThreads } from "../../../test/support/shown-world.ts";
import { systemClock } from "../../lib/clock.ts";
import { silentLogger } from "../../lib/logger.ts";
import { pageFiles } from "./page-files.ts";
import type { UiServer } from "./server.ts";
import { serveUi } from "./server.ts";
import type { ShownWorld } from "../world.ts";

const asked = worldOf([]);
let revision = "1";
const world: ShownWorld = {
  get revision() {
    return revision;
  },
  ...{ workloads: [], cni: "ovn" },
  ...{ isReady: true, from: "here", asked, facts: asked.facts, policyCount: 0, problems: [] },
  membership: { pods: () => new Set() },
  ...{ findings: null, plan: null, live: null, record: () => null, lastChange: null, ...noThreads },
};
const open = { basePath: "", hosts: [], tls: null, gate: null, clock: systemClock, rest: 0 } as const;
let server: UiServer;

beforeAll(async () => {
  server = await serveUi({
    host: "127.0.0.1",
    port: 0,
    ...open,
    world,
    logger: silentLogger,
  });
});
afterAll(async () => {
  await server.close();
});

interface Got {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

function ask(
  path: string,
  headers: Record<string, string> = {},
  method = "GET",
  origin = server.address,
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const sent = request(`${origin}${path}`, { method, headers }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      response.on("end", () => {
        resolve({ status: response.statusCode, headers: response.headers, body });
      });
    });
    sent.on("error", reject);
    sent.end();
  });
}

const port = () => new URL(server.address).port;

test.each([
  ["evil.example", 421],
  ["evil.example:80", 421],
  ["127.0.0.1.evil.example", 421],
  ["localhost.evil.example", 421],
  ["127.0.0.1", 200],
  ["localhost:1", 200],
  ["LOCALHOST", 200],
  ["[::1]:8089", 200],
  ["[evil.example]", 421],
])("Host %j: %i, for the page and for its answers", async (host, status) => {
  for (const path of ["/", "/main.js", "/api/state"])
    expect([path, (await ask(path, { host })).status]).toEqual([path, status]);
});

test.each(["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])("%s is refused", async (method) => {
  const { status, headers } = await ask("/api/state", {}, method);
  expect([status, headers["allow"]]).toEqual([405, "GET, HEAD"]);
});

test("everything forbids what is not its own, and says what it is", async () => {
  const types = {
    "/": "text/html",
    "/main.js": "text/javascript",
    "/base.css": "text/css",
    "/icon.svg": "image/svg+xml",
  };
  for (const [path, type] of [
    ...Object.entries(types),
    ["/api/state", "application/json"],
    ["/nowhere", "text/plain"],
  ]) {
    const { headers } = await ask(path!);
    expect([path, headers["content-type"]]).toEqual([path, expect.stringContaining(type!)]);
    expect(headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-resource-policy": "same-origin",
    });
    const rules = String(headers["content-security-policy"]).split("; ").sort();
    expect(rules).toEqual(
      [
        ...["base-uri 'none'", "connect-src 'self'", "default-src 'none'", "form-action 'none'"],
        ...["frame-ancestors 'none'", "img-src 'self' data:", "require-trusted-types-for 'script'"],
        ...["script-src 'self'", "style-src 'self'"],
      ].sort(),
    );
    expect(headers["access-control-allow-origin"]).toBeUndefined();
  }
});

test("a foreign page gets nothing, but a link to the page may be followed", async () => {
  const foreign = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" };
  expect((await ask("/api/state", foreign)).status).toBe(403);
  expect((await ask("/main.js", foreign)).status).toBe(403);
  const navigation = { ...foreign, "sec-fetch-mode": "navigate" };
  expect((await ask("/", navigation)).status).toBe(200);
  // A frame of it, or a window that it opens, asks nothing.
  expect((await ask("/api/state", navigation)).status).toBe(403);
});

test("no path of the disk is served", async () => {
  for (const path of [
    "/../package.json",
    "/%2e%2e/api.ts",
    "/tsconfig.json",
    "/server.ts",
    "//etc/passwd",
    "/api/",
    "/api/none",
  ])
    expect([path, (await ask(path)).status]).toEqual([path, 404]);
  expect([...pageFiles().keys()].some((path) => path.endsWith(".json") || path.endsWith(".ts"))).toBe(false);
});

test("HEAD has the head of GET and no body; a tag that is known has no body either", async () => {
  const head = await ask("/base.css", {}, "HEAD");
  const whole = await ask("/base.css");
  expect([head.status, head.body, head.headers["content-length"]]).toEqual([
    200,
    "",
    `${Buffer.byteLength(whole.body)}`,
  ]);
  const { headers } = await ask("/api/state");
  const tag = String(headers["etag"]);
  expect((await ask("/api/state", { "if-none-match": tag })).status).toBe(304);
  revision = "2";
  expect((await ask("/api/state", { "if-none-match": tag })).status).toBe(200);
});

test("an answer of the same revision is not sent again; another run of the program knows no tag of this one", async () => {
  const { headers, body } = await ask("/api/pods?q=web");
  const tag = { "if-none-match": String(headers["etag"]) };
  expect(body).toContain("red/web");
  expect(await ask("/api/pods?q=web", tag)).toMatchObject({ status: 304, body: "" });
  revision = "3";
  expect((await ask("/api/pods?q=web", tag)).status).toBe(200);
  const other = await serveUi({ host: "127.0.0.1", port: 0, ...open, world, logger: silentLogger });
  try {
    const again = await ask("/api/pods?q=web");
    const here = { "if-none-match": String(again.headers["etag"]) };
    expect((await ask("/api/pods?q=web", here)).status).toBe(304);
    expect((await ask("/api/pods?q=web", here, "GET", other.address)).status).toBe(200);
  } finally {
    await other.close();
  }
});

test("a long file comes compressed, and is the same", async () => {
  const whole = await ask("/base.css");
  const { headers } = await ask("/base.css", { "accept-encoding": "gzip, br" }, "HEAD");
  expect([whole.headers["content-encoding"], headers["content-encoding"]]).toEqual([undefined, "br"]);
  expect(Number(headers["content-length"])).toBeLessThan(whole.body.length / 2);
  // fetch reads it.
  expect(await (await fetch(`${server.address}/base.css`)).text()).toBe(whole.body);
});

test("a search of many words is refused", async () => {
  const words = (count: number) =>
    `/api/pods?q=${Array.from({ length: count }, (_, at) => `w${at}`).join("+")}`;
  expect([(await ask(words(16))).status, (await ask(words(17))).status]).toEqual([200, 400]);
  expect((await ask(`/api/policies?q=${"x".repeat(501)}`)).status).toBe(400);
});

describe("streams", () => {
  /** Resolves with the socket when the text has come. */
  const stream = (until: string): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port()), "127.0.0.1", () => {
        socket.write("GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
      });
      let text = "";
      socket.setEncoding("utf8").on("data", (part: string) => {
        text += part;
        if (text.includes(until)) resolve(socket);
      });
      socket.on("error", reject);
    });

  test("the state when it begins and when it is another; the seventeenth polls; requests are answered beside them", async () => {
    const all = await Promise.all(Array.from({ length: 16 }, () => stream('"revision":"3"')));
    const [first] = all;
    const changed = new Promise((resolve) => first?.on("data", resolve));
    expect((await ask("/api/events")).status).toBe(503);
    expect((await ask("/api/pods")).status).toBe(200);
    revision = "4";
    expect(String(await changed)).toContain('event: state\ndata: {"revision":"4"');
    for (const socket of all) socket.destroy();
    await eventually(async () => {
      (await stream('"revision":"4"')).destroy();
    });
  });
});

test("questions that are none are refused in a sentence", async () => {
  const errorOf = async (path: string) => {
    const { status, body } = await ask(path);
    const { error } = JSON.parse(body) as { error: string };
    return [status, error];
  };
  expect(await errorOf("/api/pods?limit=x")).toEqual([400, "limit: not a number"]);
  expect(await errorOf("/api/pod?pod=a/b")).toEqual([404, 'there is no pod "a/b"']);
  expect(await errorOf("/api/plan")).toEqual([400, "nothing is compared: start with --plan-against dir:OLD"]);
  expect(await errorOf("/api/findings")).toEqual([400, "lint does not run here: use northgate lint"]);
  expect((await errorOf("/api/explain?from=red/web&to=blue/db-0&protocol=tcp"))[1]).toMatch(/port/);
});

test("what is invisible is written by its number", async () => {
  const { body } = await ask(`/api/pod?pod=${encodeURIComponent("a\u202eb/c")}`);
  expect(body).not.toContain("\u202e");
});

test("one request a connection", async () => {
  const said = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port()), "127.0.0.1", () => {
      const once = "GET /icon.svg HTTP/1.1\r\nHost: localhost\r\n\r\n";
      socket.write(once + once);
    });
    let text = "";
    socket.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    socket.on("close", () => {
      resolve(text);
    });
    socket.on("error", reject);
  });
  expect(said.split("HTTP/1.1 200").length - 1).toBe(1);
});

test("a name and an address find a pod; every word counts; the best come first", async () => {
  const found = async (q: string) => {
    const { body } = await ask(`/api/pods?q=${encodeURIComponent(q)}&limit=2`);
    const { total, pods } = JSON.parse(body) as { total: number; pods: { pod: string }[] };
    return [total, ...pods.map(({ pod }) => pod)];
  };
  expect(await found("web")).toEqual([1, "red/web"]);
  expect(await found("10.0.0.2")).toEqual([1, "blue/db-0"]);
  expect(await found("blue six")).toEqual([1, "blue/six"]);
  expect(await found("blue")).toEqual([5, "blue/agent", "blue/db-0"]);
  expect(await found("nothing")).toEqual([0]);
});

test("an address that is taken is an error", async () => {
  await expect(
    serveUi({
      host: "127.0.0.1",
      port: Number(port()),
      ...open,
      world,
      logger: silentLogger,
    }),
  ).rejects.toThrow(/EADDRINUSE/);
});

describe("behind an ingress", () => {
  let behind: UiServer;
  let asked: string[];
  beforeEach(async () => {
    asked = [];
    behind = await serveUi({
      ...{ ...open, host: "127.0.0.1", port: 0, world, logger: silentLogger },
      ...{ basePath: "/northgate", hosts: ["policies.example.com"] },
      gate: ({ headers, url }) => {
        asked.push(url ?? "");
        const isRight = headers.authorization === "Bearer right";
        return isRight ? null : { status: 401, line: "a bearer token is needed" };
      },
    });
  });
  afterEach(() => behind.close());
  const get = (path: string, headers: Record<string, string> = {}) =>
    ask(path, { authorization: "Bearer right", ...headers }, "GET", new URL(behind.address).origin);

  test("the page, its files and its answers are under the base path, and nowhere else", async () => {
    expect(new URL(behind.address).pathname).toBe("/northgate/");
    for (const path of ["/", "/main.js", "/api/state"]) {
      expect([path, (await get(`/northgate${path}`)).status]).toEqual([path, 200]);
      expect([path, (await get(path)).status]).toEqual([path, 404]);
      expect([path, (await get(`/northgatex${path}`)).status]).toEqual([path, 404]);
    }
    const { status, headers } = await get("/northgate");
    expect([status, headers["location"]]).toEqual([308, "/northgate/"]);
  });

  test("what the page loads and asks has no path of its own", () => {
    for (const [path, { body }] of pageFiles())
      expect([path, /(?:href|src|fetch\()\s*[=(]?\s*["'`]\//.test(body.toString())]).toEqual([path, false]);
  });

  test.each([
    ["policies.example.com", 200],
    ["Policies.Example.com:8443", 200],
    ["example.com", 421],
    ["xpolicies.example.com", 421],
    ["policies.example.com.evil.example", 421],
  ])("Host %j: %i", async (host, status) => {
    expect((await get("/northgate/", { host })).status).toBe(status);
  });

  test("who may read is asked for every path, and only of our own host", async () => {
    for (const path of ["/northgate/", "/northgate/main.js", "/northgate/api/state", "/nowhere"])
      expect([path, (await get(path, { authorization: "Bearer wrong" })).status]).toEqual([path, 401]);
    expect(asked).toHaveLength(4);
    await get("/northgate/", { host: "evil.example" });
    expect(asked).toHaveLength(4);
  });
});

test("it asks itself, whoever may read", async () => {
  let asks = 0;
  const counted: ShownWorld = {
    ...world,
    get asked() {
      asks++;
      return asked;
    },
  };
  const gated = await serveUi({
    ...{ ...open, host: "127.0.0.1", port: 0, world: counted, logger: silentLogger },
    gate: () => Promise.resolve({ status: 401, line: "nobody" }),
  });
  const before = asks;
  await gated.rehearse();
  expect(asks).toBeGreaterThan(before + 2);
  await gated.close();
});
