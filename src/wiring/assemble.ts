// The composition root: from a Config to a running controller. Parts that need each other before both exist are given functions
// that look when they are called.

import { backendNamed, readingFor } from "../backends.ts";
import type { RunConfig } from "../config/config.ts";
import { tlsFiles } from "../config/remotes.ts";
import type { EngineOptions } from "../controller/engine.ts";
import { Engine } from "../controller/engine.ts";
import { Loop } from "../controller/loop.ts";
import type { Installed } from "../dialects.ts";
import { installed } from "../dialects.ts";
import { Groups } from "../groups/index.ts";
import type { Timer } from "../lib/clock.ts";
import { systemClock } from "../lib/clock.ts";
import { endsWithin } from "../lib/deadline.ts";
import { every } from "../lib/every.ts";
import type { Logger } from "../lib/logger.ts";
import { FactStore } from "../model/fact-store.ts";
import type { ObjectKind } from "../model/object.ts";
import type { Dialect } from "../policy/contracts/dialect.ts";
import type { RunningBackend, RunRequest } from "../running-backend.ts";
import { zoneFault } from "../status/in-force.ts";
import { MissingKinds } from "../status/missing-kinds.ts";
import type { ReporterOptions } from "../status/reporter.ts";
import { Sight } from "../status/sight.ts";
import type { Tracing } from "../tracing/contract.ts";
import { announce } from "./announce.ts";
import type { OpenedPage } from "./page/controller-page.ts";
import { openControllerPage } from "./page/controller-page.ts";
import type { Endpoint } from "./metrics-endpoint.ts";
import { openEndpoint } from "./metrics-endpoint.ts";
import type { OpenedNames } from "./names/open-names.ts";
import { openNames } from "./names/open-names.ts";
import type { Observation } from "./observation.ts";
import { observationOf } from "./observation.ts";
import { PageFeed } from "./page/page-feed.ts";
import type { OpenedReporting } from "./reporting.ts";
import { openReporting } from "./reporting.ts";
import { logOfRun } from "./run-log.ts";
import type { OpenedSource } from "./sources.ts";
import { openSource } from "./sources.ts";
import { tracingOf } from "./tracing.ts";

/** How long a report may be wrong when only time, a Node or a switch has changed what is enforced. */
const reviewMs = 1_000;

/** How long a commit under way may take to end, in milliseconds, when the program is to stop. */
const commitPatienceMs = 5_000;

export interface Controller {
  /** The reason is for the log. */
  stop(reason: string): Promise<void>;
}

/** The parts of a run, and how a bug of ours ends it. */
interface Parts {
  readonly config: RunConfig;
  readonly logger: Logger;
  readonly source: OpenedSource;
  readonly sight: Sight;
  readonly engine: Engine;
  readonly loop: Loop;
  readonly feed: PageFeed | null;
  readonly running: RunningBackend;
  readonly names: OpenedNames;
  readonly reporting: OpenedReporting;
  readonly missingKinds: MissingKinds;
  readonly observation: Observation;
  readonly tracing: Tracing;
  readonly fatal: (error: unknown) => void;
}

/** Throws one line when something that the config names does not exist; waits for what may appear later. */
export async function assemble(config: RunConfig, ended: (error: unknown) => void): Promise<Controller> {
  const parts = await partsOf(config, ended);
  const { logger, reporting, observation, loop } = parts;
  const review = startReview(parts);
  const opened: { server: Endpoint | null; page: OpenedPage | null } = { server: null, page: null };
  const stop = async (): Promise<void> => {
    review.cancel();
    await end(parts, opened);
  };
  try {
    opened.server = await openEndpoint(
      ...([config.metrics, observation.metrics.registry, observation.checks, logger] as const),
    );
    opened.page = await openPage(parts);
    loop.start();
    await parts.names.start();
    reporting.departed?.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    stop: (reason) => {
      logger.info("Northgate stops: its rows are kept", { reason });
      return stop();
    },
  };
}

async function partsOf(config: RunConfig, ended: (error: unknown) => void): Promise<Parts> {
  const { isBroken, fatal } = breakage(ended);
  const kinds = installed(config.kinds);
  const { dialects, policies, references, unread } = kinds;
  const logger = await logOfRun(config);
  // Rows are known as soon as the database is, whether this instance writes or is on standby.
  const existing = (kind: ObjectKind) => running.countPolicies(kind);
  const opened = await openSource(
    config,
    { policies, references, unread, reading: readingFor(config), existing },
    logger,
    fatal,
  );
  announce(logger, config, opened.server);
  const tracing = await tracingOf(config, logger);
  const sight = new Sight({
    ...{ contacts: () => opened.contacts(), timeoutMs: config.sourceTimeoutMs, clock: systemClock, logger },
  });
  const facts = new FactStore();
  const groups = new Groups(facts);
  const kind = backendNamed(config.backend).live;
  const running: RunningBackend = kind.open({
    ...requestOf(config, kinds),
    ...{ membership: groups, clock: systemClock, logger, fatal, ended },
    mayClaim: (currentAfterMs) =>
      loop.hasObserved && loop.heldBack === null && sight.isCurrent(currentAfterMs),
    isBlind: () => sight.isLost,
    // What is not seen may exist: nothing is swept.
    mayExist: (key) => sight.isLost || opened.source.mayExist(key),
    committed: committedTo(() => observation.metrics, tracing),
  });
  const names = openNames({ config, source: opened, groups, running, logger, fatal });
  const source = { ...opened, source: names.source };
  const { backend, role } = running;
  const { follower, waits } = names;
  const engine = engineOf(config, { dialects, facts, groups, backend, follower });
  const reporting = openReporting({
    ...{ config, kinds, engine, facts, groups, source, running, names, logger, fatal },
    leads: () => role.leads && loop.hasObserved && loop.heldBack === null && !sight.isLost,
    counters: countersOf(() => observation.metrics, tracing),
  });
  const feed = config.ui === null ? null : feedOf(source, engine, dialects, () => loop.hasObserved);
  const loop: Loop = new Loop({
    ...{ source: feed?.source ?? source.source, engine, groups, backend, observer: reporting.reporter },
    ...{ logger, clock: systemClock, random: Math.random, fatal, allowEmpty: config.allowEmpty, waits },
    zoneFault: () => (config.allowEmptyZone ? null : zoneFault(config.zone, facts, backend)),
  });
  const missing = () => source.resources().flatMap((resource) => resource.missing ?? []);
  const missingKinds = new MissingKinds({ missing, existing, logger });
  const observation: Observation = observationOf({
    ...{ kinds, source, sight, engine, groups, loop, kind, running, reporting, missingKinds },
    ...{ names, isBroken },
  });
  return {
    ...{ config, logger, source, sight, engine, loop, feed, names, fatal, ended },
    ...{ running, reporting, missingKinds, observation, tracing },
  };
}

/** With what the settings say of families and of nodes. */
function engineOf(
  { backend, backendFlags, families, zone }: RunConfig,
  parts: Omit<EngineOptions, "families" | "zone" | "inside">,
): Engine {
  const named = backendNamed(backend);
  const inside = named.inside?.(backendFlags) ?? [];
  return new Engine({ ...parts, families: families ?? named.families, zone, inside });
}

/** What of the settings the backend asks for. */
function requestOf(
  config: RunConfig,
  { dialects, owners, tierLayout }: Pick<Installed, "dialects" | "owners" | "tierLayout">,
): Pick<RunRequest, "settings" | "dialects" | "owners" | "takeOver" | "proofWithinMs"> {
  const { nb: remotes, tls, zone, families, kinds: kindFlags, backendFlags } = config;
  return {
    ...{ dialects, owners, takeOver: config.takeOver },
    settings: { remotes, tls: tls && tlsFiles(tls), zone, families, kindFlags, backendFlags, tierLayout },
    proofWithinMs: config.wait === "hv" ? config.waitTimeoutMs : null,
  };
}

/** Whether a bug of ours has ended the work, and what is called when one does. */
function breakage(ended: (error: unknown) => void) {
  let isBroken = false;
  const fatal = (error: unknown): void => {
    isBroken = true;
    ended(error);
  };
  return { isBroken: () => isBroken, fatal };
}

function committedTo(
  metrics: () => Observation["metrics"],
  tracing: Pick<Tracing, "committed">,
): RunRequest["committed"] {
  return (operations, milliseconds) => {
    metrics().commit(operations, milliseconds);
    tracing.committed(operations.length, milliseconds);
  };
}

/** The metrics exist once everything that they are read from does. */
function countersOf(
  metrics: () => Observation["metrics"],
  tracing: Pick<Tracing, "passed">,
): ReporterOptions["counters"] {
  return {
    problem: (code) => {
      metrics().problem(code);
    },
    pass: (keys, milliseconds) => {
      metrics().pass(milliseconds);
      tracing.passed(keys, milliseconds);
    },
  };
}

function feedOf(
  source: OpenedSource,
  engine: Engine,
  dialects: readonly Dialect[],
  looked: () => boolean,
): PageFeed {
  return new PageFeed({
    ...{ source: source.source, dialects, clock: systemClock, looked },
    record: (key) => engine.record(key),
    isPolicy: (key) => engine.policyKeyOf(key) !== null,
    placeOf: (key, field) => source.placeOf(key, field),
  });
}

/** Looks again at what only time, a Node or a switch changes. */
function startReview(parts: Parts): Timer {
  const { source, sight, loop, running, reporting, missingKinds, fatal } = parts;
  // Without this, a start would wait for the next review.
  running.onReady(() => {
    source.reconsider();
  });
  const reviewAll = (): void => {
    reporting.notFollowed.look();
    reporting.reporter.review();
    missingKinds.review();
    source.reconsider();
    if (sight.review()) loop.look();
    running.reconsider();
  };
  return every(systemClock, reviewMs, reviewAll, fatal);
}

async function openPage(parts: Parts): Promise<OpenedPage | null> {
  const { config, logger, engine, loop, source, feed, running, reporting, observation } = parts;
  if (config.ui === null || feed === null) return null;
  const { checks, notEnforced, everywhere } = observation;
  const { reported } = reporting;
  return openControllerPage(
    config.ui,
    {
      ...{ config, engine, loop, source, feed, running, reported, checks },
      ...{ unenforced: notEnforced, everywhere },
    },
    logger,
  );
}

async function end(
  { loop, running, names, reporting, source, tracing }: Parts,
  { server, page }: { readonly server: Endpoint | null; readonly page: OpenedPage | null },
): Promise<void> {
  const stopped = loop.stop();
  const namesStopped = names.stop();
  const isDone = await endsWithin(systemClock, commitPatienceMs, stopped);
  // Another instance may begin: nothing is written any more, and what a late commit still sends fails at the fence.
  await running.release();
  // A commit whose answer does not arrive ends with the connection.
  if (!isDone) await running.abandon();
  await stopped;
  await running.halt();
  await namesStopped;
  await reporting.departed?.stop();
  await reporting.clusterStatus?.stop();
  await server?.close();
  await page?.close();
  source.close();
  await tracing.close();
  await running.close();
}
