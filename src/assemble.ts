// The composition root: from a Config to a running controller. The only file that knows every concrete class.

import { systemClock } from "./lib/clock.ts";
import type { Logger } from "./lib/logger.ts";
import type { RunConfig, TlsConfig } from "./config.ts";
import { formatFinding } from "./cli/findings.ts";
import type { PolicyRecord } from "./controller/engine.ts";
import { Engine } from "./controller/engine.ts";
import type { LoopObserver } from "./controller/loop.ts";
import { Loop } from "./controller/loop.ts";
import { dialects } from "./dialects.ts";
import { Groups } from "./groups/index.ts";
import { DirectorySource, formatSourceProblem } from "./informers/index.ts";
import { createLogger } from "./log.ts";
import { Metrics } from "./metrics/metrics.ts";
import type { MetricsServer } from "./metrics/server.ts";
import { serveMetrics } from "./metrics/server.ts";
import type { Problem } from "./model/problem.ts";
import { problemCodes } from "./model/problem.ts";
import { northboundMonitors } from "./nbdb/actual.ts";
import { NorthboundBackend } from "./nbdb/backend.ts";
import { northbound } from "./nbdb/schema.ts";
import type { TlsFiles } from "./ovsdb/index.ts";
import { openSession } from "./ovsdb/index.ts";
import { PolicyJournal } from "./journal.ts";
import { reading } from "./reading.ts";
import { version } from "./version.ts";

export interface Controller {
  stop(): Promise<void>;
}

/** Throws when something named in the config is not there; what may come later is waited for. */
export async function assemble(config: RunConfig, fatal: (error: unknown) => void): Promise<Controller> {
  const logger: Logger = createLogger(config.logLevel, config.logFormat);
  const kinds = new Set(dialects.map((dialect) => dialect.kind));
  const session = openSession({
    remotes: config.nb,
    database: northbound,
    monitors: northboundMonitors(kinds),
    logger,
    ...(config.tls === null ? {} : { tls: tlsFiles(config.tls) }),
  });
  const groups = new Groups();
  const { families, zone } = config;
  const backend = new NorthboundBackend({ session, membership: groups, kinds, logger, families, zone });
  const engine = new Engine({ dialects, groups, backend });
  const source = new DirectorySource({
    paths: [config.source.path],
    policies: dialects,
    clock: systemClock,
  });
  const journal = new PolicyJournal();
  let metrics: Metrics | null = null;
  const tell = (record: PolicyRecord, problems: readonly Problem[]): void => {
    for (const problem of problems) {
      metrics?.problem(problem.code);
      const line = formatFinding(record, problem, (key, field) => source.placeOf(key, field));
      logger.warn("a finding in a policy", { problem: line });
    }
  };
  const observer: LoopObserver = {
    settled: (record) => {
      if (!journal.settled(record)) return;
      logger.info("a policy is in force", { policy: record.key });
      tell(record, record.problems);
    },
    refused: (record, problems) => {
      if (!journal.refused(record, problems)) return;
      logger.warn("a policy is not in force as written", { policy: record.key });
      tell(record, problems);
    },
    removed: (key) => {
      if (journal.removed(key)) logger.info("a policy is gone", { policy: key });
    },
    sourceProblem: (problem) => {
      metrics?.problem(problem.problem.code);
      logger.warn("an object was refused", { problem: formatSourceProblem(problem) });
    },
    passed: (keys, milliseconds) => {
      metrics?.pass(milliseconds);
      logger.debug("a pass is done", { keys, milliseconds: Math.round(milliseconds) });
    },
  };
  const loop = new Loop({
    source,
    engine,
    groups,
    backend,
    observer,
    logger,
    clock: systemClock,
    random: Math.random,
    fatal,
  });
  metrics = new Metrics(reading({ journal, backend, loop, session, groups }), version());
  metrics.declareProblems(problemCodes);
  const checks = {
    health: () =>
      session.ready ? [] : [`Northbound database: ${session.failure?.message ?? "not connected yet"}`],
    readiness: () => [
      ...(loop.synced ? [] : ["sources are not synced"]),
      ...(session.ready ? [] : [`Northbound database: ${session.failure?.message ?? "not connected yet"}`]),
      ...(loop.reconciled ? [] : ["the first reconciliation is not done"]),
    ],
  };
  let server: MetricsServer | null = null;
  const stop = async (): Promise<void> => {
    await loop.stop();
    await server?.close();
    await session.close();
  };
  try {
    if (config.metricsBind !== null) {
      server = await serveMetrics(config.metricsBind.host, config.metricsBind.port, metrics, checks);
      logger.info("metrics are served", { address: server.address });
    }
    loop.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}

function tlsFiles({ privateKey, certificate, caCertificate }: TlsConfig): TlsFiles {
  // OVN deployments name no host in their certificates: as for OVS's own programs, the chain is what counts.
  return { keyFile: privateKey, certFile: certificate, caFile: caCertificate, serverName: null };
}
