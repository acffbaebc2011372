// The composition root: from a Config to a running controller. The only file that knows every concrete class.

import { systemClock } from "../lib/clock.ts";
import { endsWithin } from "../lib/deadline.ts";
import { every } from "../lib/every.ts";
import type { RunConfig, TlsConfig } from "../config/config.ts";
import { Engine } from "../controller/engine.ts";
import { Loop } from "../controller/loop.ts";
import { installed } from "../dialects.ts";
import { Groups } from "../groups/index.ts";
import { MissingKinds } from "../status/missing-kinds.ts";
import { unenforcedLines, zoneWithoutNode } from "../status/in-force.ts";
import { ReportedPolicies } from "../status/reported.ts";
import { createLogger } from "../log.ts";
import { Metrics } from "../metrics/metrics.ts";
import { FactStore } from "../model/fact-store.ts";
import type { ObjectKind } from "../model/object.ts";
import { problemCodes } from "../model/problem.ts";
import { northboundMonitors } from "../nbdb/actual/actual.ts";
import { NorthboundBackend } from "../nbdb/backend.ts";
import { rowOwners } from "../nbdb/rows/owners.ts";
import { ChassisProof } from "../nbdb/write/chassis-proof.ts";
import { Election, electionLock, identity } from "../nbdb/write/election.ts";
import { NorthboundWriter } from "../nbdb/write/northbound-writer.ts";
import { northbound, persistentNorthbound } from "../nbdb/rows/schema.ts";
import type { TlsFiles } from "../ovsdb/index.ts";
import { openSession } from "../ovsdb/index.ts";
import { announce } from "./announce.ts";
import { checksOf } from "./checks.ts";
import { countForeignRows } from "./foreign-rows.ts";
import type { Endpoint } from "./metrics-endpoint.ts";
import { openEndpoint } from "./metrics-endpoint.ts";
import { readMetrics } from "./read-metrics.ts";
import { Reporter } from "../status/reporter.ts";
import { openSource } from "./sources.ts";
import { openUi } from "./ui-world.ts";
import type { UiServer } from "../ui/server.ts";
import { version } from "../version.ts";
import { ApiClusterStatus } from "../status/cluster-status.ts";
import { fieldsOf } from "../policy/dialect.ts";
import { SubjectNodes } from "../status/subject-nodes.ts";
import type { PolicyKey } from "../policy/ir.ts";

/** How long a policy may be told wrong when only time, a Node or a switch has changed what is enforced. */
const reviewMs = 1_000;

export interface Controller {
  stop(): Promise<void>;
}

/** How long a commit under way may take to end, in milliseconds, when the program is to stop. */
const commitPatienceMs = 5_000;

export function tlsFiles({ privateKey, certificate, caCertificate }: TlsConfig): TlsFiles {
  // OVN certificates name no host: as OVS's own programs do, only the chain is checked.
  return { keyFile: privateKey, certFile: certificate, caFile: caCertificate, serverName: null };
}

/** Throws one line when something that the config names does not exist; waits for what may appear later. */
export async function assemble(config: RunConfig, ended: (error: unknown) => void): Promise<Controller> {
  let isBroken = false;
  const fatal = (error: unknown): void => {
    isBroken = true;
    ended(error);
  };
  const { dialects, policies, references, owners, shown } = installed(config.kinds);
  const logger = createLogger(config.logLevel, config.logFormat);
  // Rows are known as soon as the database is, whether this instance writes or stands by.
  const standing = (kind: ObjectKind) => (session.ready ? backend.actual.countPolicies(kind) : null);
  const source = await openSource(config, { policies, references, standing }, logger, fatal);
  announce(logger, config, source.server);
  const withChassis = config.wait === "hv";
  const session = openSession({
    remotes: config.nb,
    database: config.kinds.antrea && config.kinds.antreaPersistent ? persistentNorthbound : northbound,
    monitors: northboundMonitors(rowOwners(owners), withChassis),
    lock: electionLock,
    leader: "first",
    logger,
    ...(config.tls === null ? {} : { tls: tlsFiles(config.tls) }),
  });
  const election = new Election({
    ...{ session, writer: new NorthboundWriter({ session }), ...identity() },
    ...{ clock: systemClock, logger },
  });
  const foreign = countForeignRows(config, config.tls === null ? null : tlsFiles(config.tls), logger);
  const writer = new NorthboundWriter({ session, precondition: () => election.precondition() });
  const facts = new FactStore();
  const groups = new Groups(facts);
  const backend = new NorthboundBackend({
    session,
    writer,
    election,
    membership: groups,
    owners,
    zone: config.zone,
    namedPorts: config.namedPorts,
    anpPriorities: config.anpPriorities,
    addressSets: config.addressSets,
    logger,
    clock: systemClock,
    mayExist: (key) => source.source.mayExist(key),
    committed: (operations, milliseconds) => {
      metrics.commit(operations, milliseconds);
    },
  });
  const engine = new Engine({
    dialects,
    facts,
    groups,
    backend,
    families: config.families,
    zone: config.zone,
  });
  const reported = new ReportedPolicies();
  const clusterStatus =
    source.cluster === null
      ? null
      : new ApiClusterStatus({
          ...{ cluster: source.cluster, shown, zone: config.zone, logger, fatal },
          nodes: new SubjectNodes({ membership: groups, policy: (key) => engine.plain(key) }),
        });
  const proof = withChassis
    ? new ChassisProof({ session, writer, clock: systemClock, patienceMs: config.waitTimeoutMs })
    : null;
  const unenforced = (key: PolicyKey | null) =>
    zoneWithoutNode(config.zone, facts) ?? backend.unenforced(null) ?? (key && backend.unenforced(key));
  const reporter = new Reporter({
    reported,
    engine,
    clusterStatus,
    askProof: proof === null ? null : proof.ask.bind(proof),
    patienceSeconds: config.waitTimeoutMs / 1000,
    unmatchedPorts: (key) => backend.unmatchedPorts(key),
    unenforced,
    placeOf: (key, field) => source.placeOf(key, field),
    fieldOf: fieldsOf(dialects),
    shown,
    clock: systemClock,
    logger,
    counters: {
      problem: (code) => {
        metrics.problem(code);
      },
      pass: (milliseconds) => {
        metrics.pass(milliseconds);
      },
    },
  });
  const loop = new Loop({
    source: source.source,
    engine,
    groups,
    backend,
    observer: reporter,
    logger,
    clock: systemClock,
    random: Math.random,
    fatal,
    allowEmpty: config.allowEmpty,
  });
  const missingKinds = new MissingKinds({
    missing: () => source.resources().flatMap(({ missing }) => missing ?? []),
    standing,
    logger,
  });
  const writes = () => clusterStatus?.writes() ?? [];
  const notes = () => [
    ...(loop.reconciled ? unenforcedLines(reported, unenforced(null), shown) : []),
    ...missingKinds.lines(),
    ...backend.corrections.contest.lines(),
  ];
  const checks = checksOf({ session, loop, election, source, isBroken: () => isBroken, notes });
  const isReady = () => checks.readiness().length === 0;
  const metrics = new Metrics(
    {
      table: readMetrics,
      parts: {
        ...{ reported, engine, backend, loop, session, writer, election, groups, source },
        ...{ missingKinds, isReady, writes },
      },
    },
    version(),
    problemCodes,
  );
  const reviewAll = (): void => {
    reporter.review();
    missingKinds.review();
    source.reconsider();
  };
  // Without this, a start would wait for the next review.
  session.subscribe({
    ready: () => {
      source.reconsider();
    },
  });
  const review = every(systemClock, reviewMs, reviewAll, fatal);
  let server: Endpoint | null = null;
  let ui: UiServer | null = null;
  const stop = async (): Promise<void> => {
    review.cancel();
    const stopped = loop.stop();
    // A commit whose answer does not come ends with the connection.
    if (!(await endsWithin(systemClock, commitPatienceMs, stopped))) await session.close();
    await stopped;
    // Nothing is written any more: another instance may begin.
    await election.stop();
    proof?.stop();
    await clusterStatus?.stop();
    await server?.close();
    await ui?.close();
    source.close();
    await foreign.close();
    await session.close();
  };
  try {
    server = await openEndpoint(config.metrics, metrics.registry, checks, logger);
    const shown = { config, dialects, engine, facts, groups, loop, source, backend, reported, checks };
    ui = await openUi(config.ui, shown, logger);
    loop.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}
