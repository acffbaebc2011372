// --enable-admin-network-policy=false: the process follows nothing, the rows in the database stay as they are and stay
// in force. It still answers its supervisor, and its metrics are zero.

import { backendNamed } from "../backends.ts";
import type { Controller } from "./assemble.ts";
import type { RunConfig } from "../config/config.ts";
import { Metrics } from "../metrics/metrics.ts";
import { version } from "../version.ts";
import { announce } from "./announce.ts";
import { openEndpoint } from "./metrics-endpoint.ts";
import { readMetrics } from "./read-metrics.ts";
import { logOfRun } from "./run-log.ts";

export async function runDisabled(config: RunConfig): Promise<Controller> {
  const logger = await logOfRun(config);
  announce(logger, config, null);
  logger.warn("admin network policy is disabled: rows in the database stay in force and are not updated");
  const always = () => [];
  const { registry } = new Metrics(
    { table: readMetrics(backendNamed(config.backend).live), parts: null },
    version(),
    [],
  );
  const checks = { health: always, readiness: always, notes: always };
  const server = await openEndpoint(config.metrics, registry, checks, logger);
  // Without a server, only this timer keeps the process running until its signal.
  const alive = setInterval(() => undefined, 60_000);
  return {
    stop: async (reason) => {
      logger.info("Northgate stops: its rows are kept", { reason });
      clearInterval(alive);
      await server?.close();
    },
  };
}
