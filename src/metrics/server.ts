// The HTTP server: /metrics for Prometheus, /healthz and /readyz for the supervisor of the process. Invariant: no client, or
// number of clients, holds up the rest of the program for long or takes memory without bound; http/connections.ts and
// exposition.ts have the numbers.

import type { IncomingMessage } from "node:http";
import type { Registry } from "prom-client";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { CertificateFiles, ServerName } from "../http/certificate.ts";
import type { Gate } from "../http/gate.ts";
import { Refusals } from "../http/gate.ts";
import type { Reply } from "../http/reply.ts";
import type { Listening } from "../http/server.ts";
import { listen } from "../http/server.ts";
import type { Target } from "../http/target.ts";
import { openTransport } from "../http/transport.ts";
import { Exposition } from "./exposition.ts";

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

const metricsServer: ServerName = { server: "metrics server", content: "metrics", flags: "--metrics" };

/** Rejects with one line when the address cannot be listened on or a file cannot be used. */
export async function serveMetrics(options: MetricsServerOptions): Promise<Listening> {
  const { host, port, registry, checks, tls, gate, clock, logger } = options;
  const served: Served = {
    exposition: new Exposition(registry, clock),
    checks,
    gate,
    refusals: new Refusals(metricsServer.content, logger, clock),
  };
  return listen({
    ...{ ...openTransport(tls, metricsServer, logger), host, port, clock, logger },
    answer: (request, target) => answerTo(request, target, served),
  });
}

interface Served {
  readonly exposition: Exposition;
  readonly checks: Checks;
  readonly gate: Gate | null;
  readonly refusals: Refusals;
}

async function answerTo(request: IncomingMessage, { path }: Target, served: Served): Promise<Reply> {
  const { exposition, checks, gate, refusals } = served;
  switch (path) {
    case "/metrics":
      return (
        (await refusals.of(gate, request)) ?? {
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

function checked(findings: readonly string[], notes: readonly string[] = []): Reply {
  const lines = [...(findings.length === 0 ? ["ok"] : findings), ...notes];
  return { status: findings.length === 0 ? 200 : 503, body: lines.map((line) => `${line}\n`).join("") };
}
