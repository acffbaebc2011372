// --enable-admin-network-policy=false: nothing is followed, the rows in the database stay as they are and stay in force.
// The process answers its supervisor all the same, and its metrics say that it does nothing.

import type { Controller } from "./assemble.ts";
import type { RunConfig } from "../config/config.ts";
import { createLogger } from "../log.ts";
import type { Gauges, Series } from "../metrics/metrics.ts";
import { Metrics } from "../metrics/metrics.ts";
import { serveMetrics } from "../metrics/server.ts";
import { version } from "../version.ts";

const zero = () => 0;
const none = (): Series => [];

const nothing: Gauges = {
  policies: zero,
  rules: zero,
  rows: zero,
  queueDepth: zero,
  queueOldestSeconds: zero,
  connected: () => false,
  cacheRows: none,
  transactions: zero,
  reconnects: zero,
  selectorEvaluations: zero,
  sourceObjects: none,
  sourceSynced: none,
  sourceRequests: none,
  sourceWatches: none,
  sourceRelists: none,
  writes: none,
};

export async function runDisabled(config: RunConfig): Promise<Controller> {
  const logger = createLogger(config.logLevel, config.logFormat);
  logger.warn(
    "admin network policy is switched off: rows that are in the database stay in force as they are",
  );
  const always = () => [];
  const server =
    config.metricsBind === null
      ? null
      : await serveMetrics(
          config.metricsBind.host,
          config.metricsBind.port,
          new Metrics(nothing, version(), []),
          {
            health: always,
            readiness: always,
          },
        );
  if (server !== null) logger.info("metrics are served", { address: server.address });
  // Without a server nothing else would keep the process until its signal comes.
  const alive = setInterval(() => undefined, 60_000);
  return {
    stop: async () => {
      clearInterval(alive);
      await server?.close();
    },
  };
}
