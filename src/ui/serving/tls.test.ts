// The page over TLS, to clients with a certificate of the CA: the others get a line that says why, for its files too.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { RequestOptions } from "node:https";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { newAuthority } from "../../../test/kube/certificates.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { noThreads } from "../../../test/support/shown-world.ts";
import { worldOf } from "../../../test/support/asked-world.ts";
import { HandClock, LineLogger } from "../../../test/support/scripted-api.ts";
import { certificateGate } from "../../http/gate.ts";
import { systemClock } from "../../lib/clock.ts";
import type { UiServer, UiServerOptions } from "./server.ts";
import { serveUi } from "./server.ts";

const authority = newAuthority();
const stranger = newAuthority();
const logger = new LineLogger();
let folder: string;
let server: UiServer;
let options: UiServerOptions;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ng-ui-"));
  const { certificate, key } = authority.serving();
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const asked = worldOf([]);
  options = {
    ...{ host: "127.0.0.1", port: 0, basePath: "", hosts: [], gate: certificateGate },
    tls: {
      ...{ certificate: file("c", certificate), key: file("k", key) },
      clientCa: file("ca", authority.certificate),
    },
    ...{ clock: systemClock, logger, rest: 0 },
    world: {
      ...{
        revision: "1",
        isReady: true,
        from: "here",
        asked,
        facts: asked.facts,
        policyCount: 0,
        problems: [],
      },
      ...{ membership: { pods: () => new Set() }, findings: null, plan: null, live: null },
      ...{ workloads: [], cni: "ovn", record: () => null, lastChange: null, ...noThreads },
    },
  };
  server = await serveUi(options);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

function get(path: string, options: RequestOptions): Promise<readonly [number | undefined, string]> {
  return new Promise((resolve, reject) => {
    const all = { ca: authority.certificate, agent: false, ...options };
    const sent = request(new URL(path, server.address), all, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => (body += text));
      response.on("end", () => {
        resolve([response.statusCode, body]);
      });
    });
    sent.on("error", reject);
    sent.end();
  });
}

test.each(["/", "/main.js", "/api/state"])("%s", async (path) => {
  expect(server.address).toMatch(/^https:/);
  const known = authority.client("reader", []);
  expect((await get(path, { cert: known.certificate, key: known.key }))[0]).toBe(200);
  expect(await get(path, {})).toEqual([401, "a client certificate is needed\n"]);
  const other = stranger.client("reader", []);
  const [status, line] = await get(path, { cert: other.certificate, key: other.key });
  expect([status, line]).toEqual([401, expect.stringContaining("is not accepted")]);
  expect(logger.lines.map(({ text }) => text)).toEqual(["a client may not read the page"]);
});

test("a stream outlives the other connections", async () => {
  const clock = new HandClock();
  const own = await serveUi({ ...options, gate: null, clock });
  // Turns come after no time.
  const pump = setInterval(() => {
    clock.elapse(0);
  }, 5);
  try {
    let text = "";
    let isOver = false;
    const sent = request(new URL("/api/events", own.address), { ca: authority.certificate, agent: false });
    sent.on("response", (response) => {
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("close", () => (isOver = true));
    });
    sent.on("error", () => (isOver = true));
    sent.end();
    await eventually(() => {
      expect(text).toContain("event: state");
    });
    for (let second = 0; second < 20; second++) clock.elapse(1_000);
    await eventually(() => {
      expect([isOver, text.includes("event: beat")]).toEqual([false, true]);
    });
    sent.destroy();
  } finally {
    clearInterval(pump);
    await own.close();
  }
});
