// Tracing of a run. What it needs is loaded only where traces are asked for.

import type { RunConfig } from "../config/config.ts";
import { systemClock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { Tracing } from "../tracing/contract.ts";
import { noTracing } from "../tracing/contract.ts";
import { version } from "../version.ts";

export async function tracingOf(
  { traceEndpoint: endpoint, zone }: Pick<RunConfig, "traceEndpoint" | "zone">,
  logger: Logger,
): Promise<Tracing> {
  if (endpoint === null) return noTracing;
  const { openTracing } = await import("../tracing/tracing.ts");
  return openTracing({ endpoint, zone, logger, clock: systemClock, version: version() });
}
