// The HTTP server: /metrics for Prometheus, /healthz and /readyz for the supervisor of the process.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Registry } from "prom-client";

/** Each check says in one line a reason why it is not satisfied; none: it is. */
export interface Checks {
  /** Whether a restart would help. */
  health(): readonly string[];
  /** Whether the rows follow the policies. */
  readiness(): readonly string[];
  /** Lines that /readyz has in any case, behind the reasons or behind "ok". */
  notes(): readonly string[];
}

export interface MetricsServer {
  /** http://host:port. */
  readonly address: string;
  close(): Promise<void>;
}

export async function serveMetrics(
  host: string,
  port: number,
  registry: Registry,
  checks: Checks,
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    const answer = (status: number, body: string, type = "text/plain; charset=utf-8"): void => {
      response.writeHead(status, { "content-type": type }).end(body);
    };
    const check = (findings: readonly string[], notes: readonly string[] = []): void => {
      const lines = [...(findings.length === 0 ? ["ok"] : findings), ...notes];
      answer(findings.length === 0 ? 200 : 503, lines.map((line) => `${line}\n`).join(""));
    };
    const path = (request.url ?? "").split("?")[0];
    if (request.method !== "GET" && request.method !== "HEAD") answer(405, "GET only\n");
    else if (path === "/metrics") {
      registry.metrics().then(
        (body) => {
          answer(200, body, registry.contentType);
        },
        (error: unknown) => {
          answer(500, `${String(error)}\n`);
        },
      );
    } else if (path === "/healthz") check(checks.health());
    else if (path === "/readyz") check(checks.readiness(), checks.notes());
    else answer(404, "known paths: /metrics /healthz /readyz\n");
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    address: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
