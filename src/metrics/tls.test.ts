// HTTPS and client certificates, with real handshakes on 127.0.0.1: who is served, who is refused with which line, and what
// a replaced, a broken or an expired file does while the server runs.

import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { RequestOptions } from "node:https";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PeerCertificate } from "node:tls";
import { connect, TLSSocket } from "node:tls";
import { Gauge, Registry } from "prom-client";
import type { Certified } from "../../test/kube/certificates.ts";
import { newAuthority } from "../../test/kube/certificates.ts";
import { eventually } from "../../test/support/eventually.ts";
import { flood } from "../../test/support/flood.ts";
import { HandClock, LineLogger } from "../../test/support/scripted-api.ts";
import { certificateGate } from "../http/gate.ts";
import type { Listening } from "../http/server.ts";
import { serveMetrics } from "./server.ts";

const minuteMs = 60_000;
const authority = newAuthority();
const stranger = newAuthority();

let folder: string;
let clock: HandClock;
let logger: LineLogger;
let server: Listening | null = null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-tls-"));
  clock = new HandClock();
  logger = new LineLogger();
  put("server", authority.serving());
  writeFileSync(path("client-ca.crt"), authority.certificate);
});
afterEach(async () => {
  await server?.close();
  server = null;
  rmSync(folder, { recursive: true });
});

const path = (file: string) => join(folder, file);
function put(name: string, { certificate, key }: Certified): void {
  writeFileSync(path(`${name}.crt`), certificate);
  writeFileSync(path(`${name}.key`), key);
}

async function start(
  withClients = false,
  declare: (registry: Registry) => void = () => undefined,
): Promise<Listening> {
  const registry = new Registry();
  declare(registry);
  new Gauge({ name: "seen", help: "Told.", registers: [registry] }).set(1);
  server = await serveMetrics({
    host: "127.0.0.1",
    port: 0,
    registry,
    checks: { health: () => [], readiness: () => [], notes: () => [] },
    tls: {
      certificate: path("server.crt"),
      key: path("server.key"),
      clientCa: withClients ? path("client-ca.crt") : null,
    },
    gate: withClients ? certificateGate : null,
    clock,
    logger,
  });
  return server;
}

interface Got {
  readonly status: number;
  readonly body: string;
  readonly served: PeerCertificate;
}

function get(where: string, options: RequestOptions = {}): Promise<Got> {
  const url = new URL(where, server?.address);
  return new Promise((resolve, reject) => {
    const sent = request(url, { ca: authority.certificate, agent: false, ...options }, (answer) => {
      let body = "";
      if (!(answer.socket instanceof TLSSocket)) throw new Error("no TLS");
      const served = answer.socket.getPeerCertificate();
      answer.setEncoding("utf8").on("data", (piece: string) => (body += piece));
      answer.on("error", reject);
      answer.on("end", () => {
        resolve({ status: answer.statusCode ?? 0, body, served });
      });
    });
    sent.on("error", reject);
    sent.end();
  });
}

const as = ({ certificate, key }: Certified): RequestOptions => ({ cert: certificate, key });
/** Older TLS tells a client that its certificate is refused before it has sent anything; both must be answered. */
const versions = ["TLSv1.2", "TLSv1.3"] as const;

describe("over TLS", () => {
  test("everything is served, and nothing without TLS", async () => {
    const { address } = await start();
    expect(address).toMatch(/^https:/);
    expect(await get("/metrics")).toMatchObject({
      status: 200,
      body: expect.stringContaining("seen 1") as unknown,
    });
    expect(await get("/healthz")).toMatchObject({ status: 200, body: "ok\n" });
    await expect(fetch(address.replace("https", "http"))).rejects.toThrow();
    await expect(get("/healthz", { ca: stranger.certificate })).rejects.toThrow(/self.signed|unable to/);
    await expect(get("/healthz", { maxVersion: "TLSv1.1", minVersion: "TLSv1" })).rejects.toThrow();
  });

  test("a certificate that is replaced on disk is served from the next connection on", async () => {
    await start();
    const before = (await get("/healthz")).served.serialNumber;
    expect((await get("/healthz")).served.serialNumber).toBe(before);
    put("server", authority.serving());
    const after = (await get("/healthz")).served.serialNumber;
    expect(after).not.toBe(before);
    expect(logger.lines.map(({ text }) => text)).toEqual(["the metrics server has a new certificate"]);
  });

  test.each([
    [
      "only the certificate so far",
      () => {
        writeFileSync(path("server.crt"), authority.serving().certificate);
      },
      "is not the key of --metrics-cert",
    ],
    [
      "half a file",
      () => {
        writeFileSync(path("server.crt"), "-----BEGIN CERT");
      },
      "--metrics-cert",
    ],
    [
      "no file",
      () => {
        rmSync(path("server.key"));
      },
      "ENOENT",
    ],
    [
      "an expired certificate",
      () => {
        put("server", authority.serving(-minuteMs));
      },
      "expired on",
    ],
  ])("%s: the old one stays, one line says why, and the next good one is taken", async (_, spoil, why) => {
    await start();
    const before = (await get("/healthz")).served.serialNumber;
    spoil();
    for (let i = 0; i < 3; i++) expect((await get("/healthz")).served.serialNumber).toBe(before);
    expect(logger.lines).toHaveLength(1);
    expect(logger.lines[0]?.text).toBe(
      "the new certificate of the metrics server cannot be used; it keeps the old",
    );
    expect(logger.lines[0]?.fields["reason"]).toContain(why);
    put("server", authority.serving());
    expect((await get("/healthz")).served.serialNumber).not.toBe(before);
  });
});

test("over TLS too, a client that sends requests without reading costs one rendering, and is not read further", async () => {
  let renderings = 0;
  // More than the buffers between us hold.
  const help = "x".repeat(40_000_000);
  const { address } = await start(false, (registry) => {
    new Gauge({
      name: "counted",
      help,
      registers: [registry],
      collect() {
        this.set(++renderings);
      },
    });
  });
  const socket = connect({
    port: Number(new URL(address).port),
    host: "127.0.0.1",
    ca: authority.certificate,
  });
  socket.on("error", () => undefined);
  await once(socket, "secureConnect");
  const all = 80_000_000;
  const sent = await flood(socket, all, () =>
    eventually(() => {
      expect(renderings).toBe(1);
    }),
  );
  expect(sent).toBeLessThan(all / 2);
  expect(renderings).toBe(1);
  socket.destroy();
});

describe("with client certificates", () => {
  test.each(versions)("one of the authority reads, over %s", async (maxVersion) => {
    await start(true);
    const got = await get("/metrics", { ...as(authority.client("prometheus", [])), maxVersion });
    expect(got.status).toBe(200);
    expect(logger.lines).toEqual([]);
  });

  const cases = [
    ["none", () => ({}), "a client certificate is needed\n"],
    [
      "one of another authority",
      () => as(stranger.client("prometheus", [])),
      /^the client certificate is not accepted: UNABLE_TO_\w+\n$/,
    ],
    [
      "one that has expired",
      () => as(authority.client("prometheus", [], -minuteMs)),
      "the client certificate is not accepted: CERT_HAS_EXPIRED\n",
    ],
    [
      "a server's",
      () => as(authority.serving()),
      "the client certificate is not accepted: INVALID_PURPOSE\n",
    ],
  ] as const;
  test.each(versions.flatMap((version) => cases.map((one) => [version, ...one] as const)))(
    "over %s, %s does not read, and is told why; probes need none",
    async (maxVersion, _, credentials, line) => {
      await start(true);
      const options = { ...credentials(), maxVersion };
      const got = await get("/metrics", options);
      expect(got.status).toBe(401);
      expect(got.body).toMatch(line);
      expect((await get("/healthz", options)).status).toBe(200);
      expect((await get("/readyz", options)).status).toBe(200);
      const [told, ...more] = logger.lines;
      expect(told?.text).toBe("a client may not read the metrics");
      expect(told?.fields).toEqual({ status: 401, reason: got.body.trim(), client: "127.0.0.1" });
      expect(more).toEqual([]);
    },
  );

  test("refusals are logged once a minute", async () => {
    await start(true);
    for (let i = 0; i < 3; i++) await get("/metrics");
    expect(logger.lines).toHaveLength(1);
    clock.elapse(minuteMs);
    await get("/metrics");
    expect(logger.lines).toHaveLength(2);
  });

  test("an authority that is replaced on disk counts from the next connection on", async () => {
    await start(true);
    const [ours, theirs] = [authority, stranger].map((by) => as(by.client("prometheus", [])));
    expect((await get("/metrics", ours)).status).toBe(200);
    writeFileSync(path("client-ca.crt"), stranger.certificate);
    expect((await get("/metrics", ours)).status).toBe(401);
    expect((await get("/metrics", theirs)).status).toBe(200);
    // Both, as during a change of authorities.
    writeFileSync(
      path("client-ca.crt"),
      `# ours\n${authority.certificate}\n# theirs\n${stranger.certificate}`,
    );
    expect((await get("/metrics", ours)).status).toBe(200);
    expect((await get("/metrics", theirs)).status).toBe(200);
  });
});

describe("at the start, files that no client could use are refused in one line:", () => {
  test.each([
    [
      "no certificate",
      () => {
        rmSync(path("server.crt"));
      },
      /^--metrics-cert \S+: ENOENT[^\n]*$/,
    ],
    [
      "no PEM",
      () => {
        writeFileSync(path("server.crt"), "x");
      },
      /^--metrics-cert \S+: [^\n]+$/,
    ],
    [
      "a key that is none",
      () => {
        writeFileSync(path("server.key"), "x");
      },
      /^--metrics-key \S+: [^\n]+$/,
    ],
    [
      "another's key",
      () => {
        writeFileSync(path("server.key"), authority.serving().key);
      },
      /^--metrics-key \S+: is not the key of --metrics-cert \S+$/,
    ],
    [
      "an expired certificate",
      () => {
        put("server", authority.serving(-minuteMs));
      },
      /^--metrics-cert \S+: expired on 2\S+$/,
    ],
    [
      "no client CA",
      () => {
        rmSync(path("client-ca.crt"));
      },
      /^--metrics-client-ca \S+: ENOENT[^\n]*$/,
    ],
    [
      "a client CA without a certificate",
      () => {
        writeFileSync(path("client-ca.crt"), authority.serving().key);
      },
      /^--metrics-client-ca \S+: holds no certificate$/,
    ],
  ])("%s", async (_, spoil, line) => {
    spoil();
    const refusal = await start(true).then(
      () => "it began",
      (error: unknown) => String(error).replace(/^Error: /, ""),
    );
    expect(refusal).toMatch(line);
    expect(refusal).not.toContain("PRIVATE");
  });
});
