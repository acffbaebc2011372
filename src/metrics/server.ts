// The HTTP server: /metrics for Prometheus, /healthz and /readyz for the supervisor of the process. Invariant: no client, or
// number of clients, holds up the rest of the program for long or takes memory without bound; http/connections.ts and
// exposition.ts have the numbers.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer as createPlainServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Registry } from "prom-client";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { Listening } from "../http/server.ts";
import { headerBytes, listen } from "../http/server.ts";
import type { CertificateFiles } from "./certificate.ts";
import { Certificate } from "./certificate.ts";
import { Exposition } from "./exposition.ts";
import type { Gate } from "./gate.ts";
import { Refusals } from "./gate.ts";

/** Each check says in one line a reason why it is not satisfied; none: it is. */
export interface Checks {
  /** Whether a restart would help. */
  health(): readonly string[];
  /** Whether the rows follow the policies. */
  readiness(): readonly string[];
  /** Lines that /readyz has in any case, behind the reasons or behind "ok". */
  notes(): readonly string[];
}

export interface MetricsServerOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly registry: Registry;
  readonly checks: Checks;
  /** null: plain HTTP. */
  readonly tls: CertificateFiles | null;
  /** Asked for /metrics only; null: everyone may read. */
  readonly gate: Gate | null;
  readonly clock: Clock;
  readonly logger: Logger;
}

const handshakeMs = 5_000;

interface Answer {
  readonly status: number;
  readonly body: string | Buffer;
  readonly type?: string;
}

/** Rejects with one line when the address cannot be listened on or a file cannot be used. */
export async function serveMetrics(options: MetricsServerOptions): Promise<Listening> {
  const { host, port, registry, checks, gate, clock, logger } = options;
  const served: Served = {
    exposition: new Exposition(registry, clock),
    checks,
    gate,
    refusals: new Refusals(logger, clock),
  };
  const { server, renew } = newServer(options);
  return listen({
    ...{ server, host, port, clock, opened: renew },
    scheme: options.tls === null ? "http" : "https",
    answer: (request, response) => {
      answerTo(request, served).then(
        (answer) => {
          send(response, answer);
        },
        (error: unknown) => {
          send(response, { status: 500, body: `${String(error)}\n` });
        },
      );
    },
  });
}

/** `renew` is called before a connection's handshake, which then has the certificate of now. */
function newServer({ tls, logger }: MetricsServerOptions): { server: Server; renew: () => void } {
  if (tls === null) {
    return { server: createPlainServer({ maxHeaderSize: headerBytes }), renew: () => undefined };
  }
  const certificate = new Certificate(tls, logger);
  const server = createTlsServer({
    ...certificate.context,
    maxHeaderSize: headerBytes,
    handshakeTimeout: handshakeMs,
    requestCert: tls.clientCa !== null,
    // The gate refuses them, with a line that says why; probes need no certificate.
    rejectUnauthorized: false,
  });
  const renew = (): void => {
    const context = certificate.renewed();
    if (context !== null) server.setSecureContext(context);
  };
  return { server, renew };
}

interface Served {
  readonly exposition: Exposition;
  readonly checks: Checks;
  readonly gate: Gate | null;
  readonly refusals: Refusals;
}

async function answerTo(request: IncomingMessage, served: Served): Promise<Answer> {
  const { exposition, checks } = served;
  if (request.method !== "GET" && request.method !== "HEAD") return { status: 405, body: "GET only\n" };
  switch ((request.url ?? "").split("?")[0]) {
    case "/metrics":
      return (
        (await refused(request, served)) ?? {
          status: 200,
          body: await exposition.text(),
          type: exposition.contentType,
        }
      );
    case "/healthz":
      return checked(checks.health());
    case "/readyz":
      return checked(checks.readiness(), checks.notes());
    default:
      return { status: 404, body: "known paths: /metrics /healthz /readyz\n" };
  }
}

async function refused(request: IncomingMessage, { gate, refusals }: Served): Promise<Answer | null> {
  const refusal = gate === null ? null : await gate(request);
  if (refusal === null) return null;
  refusals.tell(refusal, request.socket.remoteAddress ?? "");
  return { status: refusal.status, body: `${refusal.line}\n` };
}

function checked(findings: readonly string[], notes: readonly string[] = []): Answer {
  const lines = [...(findings.length === 0 ? ["ok"] : findings), ...notes];
  return { status: findings.length === 0 ? 200 : 503, body: lines.map((line) => `${line}\n`).join("") };
}

function send(response: ServerResponse, { status, body, type = "text/plain; charset=utf-8" }: Answer): void {
  const headers = {
    "content-type": type,
    "content-length": Buffer.byteLength(body),
    connection: "close",
    ...(status === 405 ? { allow: "GET, HEAD" } : {}),
    ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
  };
  response.writeHead(status, headers).end(body);
}
