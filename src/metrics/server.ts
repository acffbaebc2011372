// The HTTP server: /metrics for Prometheus, /healthz and /readyz for the supervisor of the process. Each connection serves
// one request: what a client sends after it is not answered, so a client that does not read costs one answer. Bodies are
// not read. Invariant: no client, or number of clients, holds up the rest of the program for long or takes memory without
// bound; connections.ts and exposition.ts have the numbers.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { Socket } from "node:net";
import type { Registry } from "prom-client";
import type { Clock } from "../lib/clock.ts";
import { invariant } from "../lib/invariant.ts";
import { Connections, connectionMs } from "./connections.ts";
import { Exposition } from "./exposition.ts";

/** Each check says in one line a reason why it is not satisfied; none: it is. */
export interface Checks {
  /** Whether a restart would help. */
  health(): readonly string[];
  /** Whether the rows follow the policies. */
  readiness(): readonly string[];
}

export interface MetricsServerOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly registry: Registry;
  readonly checks: Checks;
  readonly clock: Clock;
}

export interface MetricsServer {
  /** http://host:port. */
  readonly address: string;
  /** Connections that are open now. */
  readonly connections: number;
  close(): Promise<void>;
}

/** Room for a bearer token of several kilobytes. */
export const headerBytes = 16_384;

interface Answer {
  readonly status: number;
  readonly body: string | Buffer;
  readonly type?: string;
}

/** Rejects when the address cannot be listened on. */
export async function serveMetrics(options: MetricsServerOptions): Promise<MetricsServer> {
  const { host, port, registry, checks, clock } = options;
  const exposition = new Exposition(registry, clock);
  const server = createServer({ maxHeaderSize: headerBytes });
  // `connections` ends whatever takes longer; these end a slow request with an answer 408.
  server.headersTimeout = connectionMs;
  server.requestTimeout = connectionMs;
  const connections = new Connections(server, clock, () => undefined);
  const served = new WeakSet<Socket>();
  server.on("request", (request, response) => {
    if (served.has(request.socket)) {
      // Not even read: each would take memory until the first answer has been flushed.
      request.socket.pause();
      return;
    }
    served.add(request.socket);
    answerTo(request, { exposition, checks }).then(
      (answer) => {
        send(response, answer);
      },
      (error: unknown) => {
        send(response, { status: 500, body: `${String(error)}\n` });
      },
    );
  });
  await listen(server, host, port);
  const bound = server.address();
  invariant(bound !== null && typeof bound === "object", "a server on a port has an address");
  return {
    address: `http://${host.includes(":") ? `[${host}]` : host}:${bound.port}`,
    get connections() {
      return connections.size;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        connections.closeAll();
      }),
  };
}

interface Served {
  readonly exposition: Exposition;
  readonly checks: Checks;
}

async function answerTo(request: IncomingMessage, { exposition, checks }: Served): Promise<Answer> {
  if (request.method !== "GET" && request.method !== "HEAD") return { status: 405, body: "GET only\n" };
  switch ((request.url ?? "").split("?")[0]) {
    case "/metrics":
      return { status: 200, body: await exposition.text(), type: exposition.contentType };
    case "/healthz":
      return checked(checks.health());
    case "/readyz":
      return checked(checks.readiness());
    default:
      return { status: 404, body: "known paths: /metrics /healthz /readyz\n" };
  }
}

function checked(findings: readonly string[]): Answer {
  if (findings.length === 0) return { status: 200, body: "ok\n" };
  return { status: 503, body: findings.map((finding) => `${finding}\n`).join("") };
}

function send(response: ServerResponse, { status, body, type = "text/plain; charset=utf-8" }: Answer): void {
  const headers = {
    "content-type": type,
    "content-length": Buffer.byteLength(body),
    connection: "close",
    ...(status === 405 ? { allow: "GET, HEAD" } : {}),
  };
  response.writeHead(status, headers).end(body);
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
