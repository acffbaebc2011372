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
import { noRuleInForce, unenforcedLines, zoneFault } from "../status/in-force.ts";
import { NotFollowed } from "../status/not-followed.ts";
import { ReportedPolicies } from "../status/reported.ts";
import { createLogger } from "../log.ts";
import { Metrics } from "../metrics/metrics.ts";
import { FactStore } from "../model/fact-store.ts";
import type { ObjectKind } from "../model/object.ts";
import { problemCodes } from "../model/problem.ts";
import { northboundMonitors } from "../nbdb/actual/actual.ts";
import { NorthboundBackend } from "../nbdb/backend.ts";
import { renderModeOf } from "../nbdb/rows/options.ts";
import { rowOwners } from "../nbdb/rows/owners.ts";
import { ChassisProof } from "../nbdb/write/chassis-proof.ts";
import { Election, electionLock, identity } from "../nbdb/write/election.ts";
import { Heartbeat } from "../nbdb/write/heartbeat.ts";
import { NorthboundWriter } from "../nbdb/write/northbound-writer.ts";
import { northbound, persistentNorthbound } from "../nbdb/rows/schema.ts";
import type { TlsFiles } from "../ovsdb/index.ts";
import { openSession } from "../ovsdb/index.ts";
import { announce } from "./announce.ts";
import { checksOf } from "./checks.ts";
import { otherZoneError, profileOf, sharedDatabaseError } from "./claimant.ts";
import { openDepartedZones } from "./departed-zones.ts";
import { countForeignRows } from "./foreign-rows.ts";
import type { Endpoint } from "./metrics-endpoint.ts";
import { openEndpoint } from "./metrics-endpoint.ts";
import { readMetrics } from "./read-metrics.ts";
import { Reporter } from "../status/reporter.ts";
import { openSource } from "./sources.ts";
import type { OpenedPage } from "./controller-page.ts";
import { openControllerPage } from "./controller-page.ts";
import { PageFeed } from "./page-feed.ts";
import { version } from "../version.ts";
import { ApiClusterStatus } from "../status/cluster-status.ts";
import type { Dialect } from "../policy/dialect.ts";
import { fieldsOf } from "../policy/dialect.ts";
import { Sight } from "../status/sight.ts";
import { SubjectNodes } from "../status/subject-nodes.ts";
import type { PolicyKey } from "../policy/ir.ts";

/** How long a policy may be told wrong when only time, a Node or a switch has changed what is enforced. */
const reviewMs = 1_000;

export interface Controller {
  /** The reason is for the log. */
  stop(reason: string): Promise<void>;
}

/** How long a commit under way may take to end, in milliseconds, when the program is to stop. */
const commitPatienceMs = 5_000;

export function tlsFiles({ privateKey, certificate, caCertificate }: TlsConfig): TlsFiles {
  // OVN certificates name no host: as OVS's own programs do, only the chain is checked.
  return { keyFile: privateKey, certFile: certificate, caFile: caCertificate, serverName: null };
}

/** The columns that a server must have: those of OVN 25.03 only where connections are to persist. */
function databaseOf(dialects: readonly Dialect[]): typeof northbound {
  const [flag] = dialects.flatMap(({ persistentBy }) => persistentBy ?? []);
  return flag === undefined ? northbound : persistentNorthbound(flag);
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
  const sight = new Sight({
    ...{ contacts: () => source.contacts(), timeoutMs: config.sourceTimeoutMs, clock: systemClock, logger },
  });
  const withChassis = config.wait === "hv";
  const tls = config.tls && tlsFiles(config.tls);
  const session = openSession({
    remotes: config.nb,
    database: databaseOf(dialects),
    monitors: northboundMonitors(rowOwners(owners), withChassis),
    lock: electionLock,
    leader: "first",
    logger,
    ...(tls === null ? {} : { tls }),
  });
  const heartbeat = new Heartbeat({
    ...{ remotes: config.nb, database: northbound.name, tls },
    ...{ clock: systemClock, logger, fatal },
  });
  const election: Election = new Election({
    ...{ session, writer: new NorthboundWriter({ session }), ...identity() },
    ...{ clock: systemClock, logger, profile: profileOf(config), takeOver: config.takeOver },
    mayClaim: (currentAfterMs): boolean =>
      loop.hasObserved && loop.heldBack === null && sight.isCurrent(currentAfterMs),
    isBlind: () => sight.isLost,
    heartbeat,
    otherZone: (claim) => {
      ended(otherZoneError(config.zone, claim));
    },
  });
  const foreign = countForeignRows(config, tls, logger);
  const writer = new NorthboundWriter({
    ...{ session, precondition: () => election.precondition(), confirm: () => election.confirm() },
  });
  const facts = new FactStore();
  const groups = new Groups(facts);
  const backend = new NorthboundBackend({
    session,
    writer,
    election,
    membership: groups,
    owners,
    ...renderModeOf(config.zone, config.backendFlags),
    logger,
    clock: systemClock,
    // What is not seen may exist: nothing is swept.
    mayExist: (key) => sight.isLost || source.source.mayExist(key),
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
  const departed = openDepartedZones({
    ...{ cluster: source.cluster, engine, facts, zone: config.zone, logger, fatal },
    leads: () => election.leads && loop.hasObserved && loop.heldBack === null && !sight.isLost,
  });
  const proof = withChassis
    ? new ChassisProof({ session, writer, clock: systemClock, patienceMs: config.waitTimeoutMs })
    : null;
  const unenforcedAnywhere = () => zoneFault(config.zone, facts, backend) ?? backend.unenforced(null);
  const notFollowed = new NotFollowed(() => source.resources());
  const unenforced = (key: PolicyKey | null) => {
    const record = key && engine.record(key);
    if (record === null) return unenforcedAnywhere() ?? (key && backend.unenforced(key));
    const { key: policy, object } = record;
    const own = notFollowed.of(policy, object.generation) ?? noRuleInForce(record);
    return unenforcedAnywhere() ?? own ?? backend.unenforced(policy);
  };
  const reporter = new Reporter({
    reported,
    engine,
    clusterStatus,
    askProof: proof === null ? null : proof.ask.bind(proof),
    patienceSeconds: config.waitTimeoutMs / 1000,
    unmatchedPorts: (key) => backend.unmatchedPorts(key),
    unenforced,
    observed: () => {
      election.reconsider();
    },
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
  const feed: PageFeed | null =
    config.ui === null
      ? null
      : new PageFeed({
          ...{ source: source.source, dialects, clock: systemClock, looked: () => loop.hasObserved },
          record: (key) => engine.record(key),
          isPolicy: (key) => engine.policyKeyOf(key) !== null,
          placeOf: (key, field) => source.placeOf(key, field),
        });
  const loop: Loop = new Loop({
    source: feed?.source ?? source.source,
    engine,
    groups,
    backend,
    observer: reporter,
    logger,
    clock: systemClock,
    random: Math.random,
    fatal,
    allowEmpty: config.allowEmpty,
    zoneFault: () => (config.allowEmptyZone ? null : zoneFault(config.zone, facts, backend)),
  });
  const missingKinds = new MissingKinds({
    missing: () => source.resources().flatMap(({ missing }) => missing ?? []),
    standing,
    logger,
  });
  const writes = () => clusterStatus?.writes() ?? [];
  const everywhere = () => (loop.reconciled ? unenforced(null) : null);
  const notEnforced = () => (loop.reconciled ? unenforcedLines(reported, unenforced(null), shown) : []);
  const notes = () => [
    ...[...notEnforced(), ...missingKinds.lines(), ...foreign.lines()],
    ...backend.corrections.contest.lines(),
  ];
  const checks = checksOf({ session, loop, election, source, sight, isBroken: () => isBroken, notes });
  const isReady = () => checks.readiness().length === 0;
  const metrics = new Metrics(
    {
      table: readMetrics,
      parts: {
        ...{ reported, engine, backend, loop, session, writer, election, groups, source },
        ...{ missingKinds, isReady, writes, sight },
      },
    },
    version(),
    problemCodes,
  );
  const reviewAll = (): void => {
    notFollowed.look();
    reporter.review();
    missingKinds.review();
    source.reconsider();
    if (sight.review()) loop.look();
    election.reconsider();
  };
  // Without this, a start would wait for the next review.
  session.subscribe({
    ready: () => {
      source.reconsider();
      const refusal = sharedDatabaseError(config, backend.actual.zone);
      if (refusal !== null) ended(refusal);
    },
  });
  const review = every(systemClock, reviewMs, reviewAll, fatal);
  let server: Endpoint | null = null;
  let page: OpenedPage | null = null;
  const stop = async (): Promise<void> => {
    review.cancel();
    const stopped = loop.stop();
    const isDone = await endsWithin(systemClock, commitPatienceMs, stopped);
    // Another instance may begin: nothing is written any more, and what a late commit still sends fails at the fence.
    await election.stop();
    // A commit whose answer does not come ends with the connection.
    if (!isDone) await session.close();
    await stopped;
    await heartbeat.stop();
    proof?.stop();
    await departed?.stop();
    await clusterStatus?.stop();
    await server?.close();
    await page?.close();
    source.close();
    await foreign.close();
    await session.close();
  };
  try {
    server = await openEndpoint(config.metrics, metrics.registry, checks, logger);
    if (config.ui !== null && feed !== null) {
      const parts = { config, engine, loop, source, feed, backend, reported, checks };
      const enforcement = { unenforced: notEnforced, everywhere };
      page = await openControllerPage(config.ui, { ...parts, ...enforcement }, logger);
    }
    loop.start();
    departed?.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    stop: (reason) => {
      logger.info("Northgate ends: the rows stay as they are", { reason });
      return stop();
    },
  };
}
