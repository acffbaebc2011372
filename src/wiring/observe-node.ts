// From a configuration to the reader of a node's switch: once, or until it is stopped, with its metrics.

import { backends } from "../backends.ts";
import type { ObserveNodeConfig } from "../config/observe.ts";
import { tlsFiles } from "../config/remotes.ts";
import { systemClock } from "../lib/clock.ts";
import { invariant } from "../lib/invariant.ts";
import type { Logger } from "../lib/logger.ts";
import { silentLogger } from "../lib/logger.ts";
import { registryOf } from "../metrics/registry.ts";
import type { Checks } from "../metrics/server.ts";
import { readSwitch } from "../observe/counting.ts";
import type { RuleFlows } from "../observe/flows.ts";
import { observeMetrics } from "../observe/metrics.ts";
import { NodeReader } from "../observe/node-reader.ts";
import type { RuleCount } from "../observe/tally.ts";
import { Tally } from "../observe/tally.ts";
import { version } from "../version.ts";
import type { Controller } from "./assemble.ts";
import { openEndpoint } from "./metrics-endpoint.ts";
import { logOfRun } from "./run-log.ts";

/** What the switch has counted so far. Rejects with an Error of one sentence. */
export async function countsOfNode(config: ObserveNodeConfig): Promise<readonly RuleCount[]> {
  const flows = followFlows(config, silentLogger);
  try {
    await flows.opened();
    const now = flows.flows();
    const tally = new Tally("whole");
    tally.add(now, await readSwitch(config.openflow, now, systemClock));
    return tally.counts;
  } finally {
    await flows.close();
  }
}

/** Rejects with an Error of one sentence when the address or a file cannot be used. `fatal`: is called for a bug. */
export async function observeNode(
  config: ObserveNodeConfig,
  fatal: (error: unknown) => void,
): Promise<Controller> {
  const logger = logOfRun(config);
  const { openflow, intervalMs, effective } = config;
  logger.info("Northgate starts to observe", {
    ...{ version: version(), node: process.versions.node, ...effective },
  });
  const flows = followFlows(config, logger);
  const reader = new NodeReader({ flows, openflow, intervalMs, clock: systemClock, logger });
  try {
    const registry = registryOf({ table: observeMetrics, parts: reader }, version());
    const server = await openEndpoint(config.metrics, registry, checksOf(reader), logger);
    reader.start(fatal);
    return {
      stop: async (reason) => {
        logger.info("Northgate stops to observe", { reason });
        await reader.stop();
        await Promise.all([server?.close(), flows.close()]);
      },
    };
  } catch (error) {
    await flows.close();
    throw error;
  }
}

/** A restart would read no better. */
function checksOf(reader: NodeReader): Checks {
  return { health: () => [], readiness: () => reader.faults(), notes: () => [] };
}

function followFlows({ northbound: { nb, tls }, sb }: ObserveNodeConfig, logger: Logger): RuleFlows {
  const follow = backends.map(({ live }) => live.ruleFlows).find((one) => one !== null) ?? null;
  invariant(follow !== null, "a backend has flows in a switch");
  return follow({ nb, sb, tls: tls && tlsFiles(tls), clock: systemClock, logger });
}
