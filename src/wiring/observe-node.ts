// From a configuration to the reader of a node's switch: once, or until it is stopped, with its metrics.

import { hostname } from "node:os";
import type { Observation } from "../backend-kind.ts";
import { backends } from "../backends.ts";
import type { ObserveNodeConfig, SamplesConfig } from "../config/answers/observe.ts";
import { tlsFiles } from "../config/remotes.ts";
import { systemClock } from "../lib/clock.ts";
import { invariant } from "../lib/invariant.ts";
import type { Logger } from "../lib/logger.ts";
import { silentLogger } from "../lib/logger.ts";
import { registryOf } from "../metrics/registry.ts";
import type { Checks } from "../metrics/server.ts";
import { readSwitch } from "../observe/counting.ts";
import type { ObservedDatabases, RuleFlows } from "../observe/flows.ts";
import { observeMetrics } from "../observe/metrics.ts";
import { NodeReader } from "../observe/node-reader.ts";
import { NodeSamples } from "../observe/node-samples.ts";
import { CollectorRows } from "../observe/openvswitch/collector-rows.ts";
import type { RuleCount } from "../observe/tally.ts";
import { Tally } from "../observe/tally.ts";
import { WatchServer } from "../observe/watching/server.ts";
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
  const logger = await logOfRun(config);
  const { openflow, intervalMs, effective } = config;
  logger.info("Northgate starts to observe", {
    ...{ version: version(), node: process.versions.node, ...effective },
  });
  const flows = followFlows(config, logger);
  const now = () => Date.now();
  const reader = new NodeReader({ flows, openflow, intervalMs, clock: systemClock, now, logger });
  let sampling: Sampling | null = null;
  try {
    sampling = config.samples === null ? null : await startSampling(config, config.samples, logger, fatal);
    // On the network of its host, a pod has the name of its node.
    const parts = { reader, samples: sampling?.samples ?? null, node: hostname() };
    const registry = registryOf({ table: observeMetrics, parts }, version());
    const server = await openEndpoint(config.metrics, registry, checksOf(reader), logger);
    reader.start(fatal);
    return {
      stop: async (reason) => {
        logger.info("Northgate stops to observe", { reason });
        await reader.stop();
        await Promise.all([server?.close(), sampling?.stop(), flows.close()]);
      },
    };
  } catch (error) {
    await Promise.all([sampling?.stop(), flows.close()]);
    throw error;
  }
}

interface Sampling {
  readonly samples: NodeSamples;
  stop(): Promise<void>;
}

async function startSampling(
  config: ObserveNodeConfig,
  { ovs, socket }: SamplesConfig,
  logger: Logger,
  fatal: (error: unknown) => void,
): Promise<Sampling> {
  const now = () => Date.now();
  const source = observation().samples(databasesOf(config, logger), now);
  const rows = new CollectorRows(ovs, systemClock, logger);
  const samples = new NodeSamples({ source, rows, clock: systemClock, logger });
  const stop = async () => {
    await samples.stop();
    await source.close();
  };
  try {
    await samples.start(fatal);
    const { hub } = samples;
    const notes = () => samples.notes();
    const server = await WatchServer.open({ path: socket, hub, clock: systemClock, now, notes });
    return {
      samples,
      stop: async () => {
        await server.close();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A restart would read no better. */
function checksOf(reader: NodeReader): Checks {
  return { health: () => [], readiness: () => reader.faults(), notes: () => [] };
}

function followFlows(config: ObserveNodeConfig, logger: Logger): RuleFlows {
  return observation().ruleFlows(databasesOf(config, logger));
}

function databasesOf({ northbound: { nb, tls }, sb }: ObserveNodeConfig, logger: Logger): ObservedDatabases {
  return { nb, sb, tls: tls && tlsFiles(tls), clock: systemClock, logger };
}

function observation(): Observation {
  const found = backends.map(({ live }) => live.observation).find((one) => one !== null) ?? null;
  invariant(found !== null, "a backend has a switch that counts and samples");
  return found;
}
