// The metrics server that the config wants, with its gate.

import type { MetricsConfig } from "../config/metrics.ts";
import { systemClock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { Checks, MetricsServerOptions } from "../metrics/server.ts";
import { serveMetrics } from "../metrics/server.ts";
import { openGated } from "./gates.ts";

export interface Endpoint {
  close(): Promise<void>;
}

/** null: no server is wanted. Rejects with one line when a file, the kubeconfig or the address cannot be used. */
export async function openEndpoint(
  config: MetricsConfig | null,
  registry: MetricsServerOptions["registry"],
  checks: Checks,
  logger: Logger,
): Promise<Endpoint | null> {
  if (config === null) return null;
  const { host, port } = config;
  return openGated(config, "/metrics", async (access) => {
    const server = await serveMetrics({
      host,
      port,
      registry,
      checks,
      ...access,
      clock: systemClock,
      logger,
    });
    logger.info("metrics are served", { address: server.address });
    return server;
  });
}
