// --enable-admin-network-policy=false: the process follows nothing, the rows in the database stay as they are and stay
// in force. It still answers its supervisor, and its metrics are zero.

import type { Controller } from "./assemble.ts";
import type { RunConfig } from "../config/config.ts";
import { createLogger } from "../log.ts";
import { Metrics } from "../metrics/metrics.ts";
import { serveMetrics } from "../metrics/server.ts";
import { version } from "../version.ts";
import { readMetrics } from "./read-metrics.ts";

export async function runDisabled(config: RunConfig): Promise<Controller> {
  const logger = createLogger(config.logLevel, config.logFormat);
  logger.warn(
    "admin network policy is switched off: rows that are in the database stay in force as they are",
  );
  const always = () => [];
  const { registry } = new Metrics({ table: readMetrics, parts: null }, version(), []);
  const server =
    config.metricsBind === null
      ? null
      : await serveMetrics(config.metricsBind.host, config.metricsBind.port, registry, {
          health: always,
          readiness: always,
          notes: always,
        });
  if (server !== null) logger.info("metrics are served", { address: server.address });
  // Without a server, only this timer keeps the process running until its signal.
  const alive = setInterval(() => undefined, 60_000);
  return {
    stop: async () => {
      clearInterval(alive);
      await server?.close();
    },
  };
}
