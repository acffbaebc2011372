// The world that `northgate ui` shows: a source that is followed, and with --plan-against a second one that it is compared with.
// Manifests without Pod, Namespace and Node are meant for the other world's, as for `northgate plan`.

import type { WorldSource } from "../config/config.ts";
import type { UiConfig } from "../config/ui.ts";
import { installed } from "../dialects.ts";
import { serviceKind } from "../model/service.ts";
import { DirectorySource, formatSourceProblem } from "../informers/index.ts";
import { systemClock } from "../lib/clock.ts";
import { createLogger } from "../log.ts";
import type { ObjectKey, PlaceOf, Source, WorldObject } from "../model/object.ts";
import { factKinds, isNamespace, isNode, isPod, keyOf, kindText, kindTextOf } from "../model/object.ts";
import type { Finding, Report } from "../lint/finding.ts";
import { offlineModel } from "../offline/rendered.ts";
import type { PlanReport } from "../plan/report.ts";
import { policyKey } from "../policy/ir.ts";
import { placedFinding } from "../status/findings.ts";
import { FollowedWorld } from "../ui/followed.ts";
import type { Made } from "../ui/later.ts";
import { Later } from "../ui/later.ts";
import type { ShownWorld } from "../ui/world.ts";
import { openSource } from "../wiring/sources.ts";
import { lintInThread, planInThread } from "./ui-thread.ts";

export interface OpenedWorld {
  readonly world: ShownWorld;
  /** Rejects when it cannot be followed any more. */
  readonly failed: Promise<never>;
  close(): Promise<void>;
}

/** As many lines as people read. */
const keptProblems = 200;

/** Resolves when everything has been read once. Throws an Error of one sentence when it cannot be. */
export async function openShownWorld(config: UiConfig): Promise<OpenedWorld> {
  const { against } = config;
  const failing = Promise.withResolvers<never>();
  // Nobody may be waiting when it happens.
  failing.promise.catch(() => undefined);
  const fatal = (error: unknown): void => {
    failing.reject(error);
  };
  const given = await follow(config, config.world.source, fatal);
  const there = against === null ? null : await follow(config, { kind: "files", paths: [against] }, fatal);
  await Promise.race([Promise.all([given.synced, there?.synced]), failing.promise]);
  if (there !== null) lend(there, given);
  const world = shownWorld(config, given, there);
  return {
    world,
    failed: failing.promise,
    close: async () => {
      await given.close();
      await there?.close();
    },
  };
}

interface Followed {
  readonly world: FollowedWorld;
  readonly synced: Promise<void>;
  /** What the source has said, the newest last. */
  readonly said: readonly string[];
  /** How often it has said something. */
  told(): number;
  placeOf: PlaceOf;
  /** Called for each object that changes from now on. */
  onChange: (key: ObjectKey, object: WorldObject | null) => void;
  close(): Promise<void>;
}

async function follow(
  { world: mode, serviceNetworks }: UiConfig,
  from: WorldSource,
  fatal: (error: unknown) => void,
): Promise<Followed> {
  const { dialects, policies, references } = installed(mode.kinds);
  const opened = await opener(from, { policies, references: [...references, serviceKind] }, fatal);
  const synced = Promise.withResolvers<undefined>();
  const said: string[] = [];
  let told = 0;
  const { families } = mode;
  const followed: Followed = {
    world: new FollowedWorld({
      ...{ model: offlineModel({ objects: [], dialects, families, mode }), dialects, families },
      ...{ serviceNetworks, clock: systemClock, placeOf: (key, field) => followed.placeOf(key, field) },
    }),
    synced: synced.promise.then(() => undefined),
    said,
    told: () => told,
    placeOf: opened.placeOf,
    onChange: () => undefined,
    close: opened.close,
  };
  opened.source.start({
    changed: (key) => {
      const object = opened.source.read(key);
      followed.world.set(key, object);
      followed.onChange(key, object);
    },
    synced: () => {
      synced.resolve(undefined);
    },
    problem: (problem) => {
      told++;
      said.push(formatSourceProblem(problem));
      said.splice(0, Math.max(0, said.length - keptProblems));
    },
  });
  return followed;
}

interface Opened {
  readonly source: Source;
  readonly placeOf: PlaceOf;
  readonly close: () => Promise<void>;
}

async function opener(
  from: WorldSource,
  kinds: Pick<ReturnType<typeof installed>, "policies" | "references">,
  fatal: (error: unknown) => void,
): Promise<Opened> {
  if (from.kind !== "kube") {
    const paths = from.kind === "files" ? from.paths : [from.path];
    const source = new DirectorySource({ paths, ...kinds, clock: systemClock });
    const placeOf: PlaceOf = (key, field) => source.placeOf(key, field);
    return { source, placeOf, close: () => source.stop() };
  }
  // A cluster that lacks a kind of policy has none of them.
  const asked = { source: from, allowEmpty: true };
  const logger = createLogger("warn", "text");
  const opened = await openSource(asked, { ...kinds, standing: () => 0 }, logger, fatal);
  const close = async (): Promise<void> => {
    await opened.source.stop();
    opened.close();
  };
  return { source: opened.source, placeOf: (key, field) => opened.placeOf(key, field), close };
}

/** Manifests of policies alone are shown with the other world's pods, namespaces and nodes, which are followed too. */
function lend(there: Followed, given: Followed): void {
  const facts = there.world.objects.filter(isFact);
  if (facts.length === 0 || given.world.objects.some(isFact)) return;
  for (const fact of facts) given.world.set(keyOf(fact), fact);
  const own = given.placeOf;
  given.placeOf = (key, field) => own(key, field) ?? there.placeOf(key, field);
  there.onChange = (key, object) => {
    if (factTexts.has(kindTextOf(key))) given.world.set(key, object);
  };
}

const factTexts: ReadonlySet<string> = new Set(Object.values(factKinds).map(kindText));

function isFact(object: WorldObject): boolean {
  return isPod(object) || isNamespace(object) || isNode(object);
}

function shownWorld(config: UiConfig, given: Followed, there: Followed | null): ShownWorld {
  const { world } = given;
  const revision = (): string =>
    [given, there].map((one) => (one === null ? "" : `${one.world.revision}-${one.told()}`)).join(".");
  let finished = 0;
  const changed = (): void => {
    finished++;
  };
  const findings = new Later(
    async () => byPolicy(await lintInThread(world.objects, config.world, world.placeOf)),
    changed,
  );
  const plan = there === null ? null : planAgainst(config, given, there, changed);
  /** In the words of the page's revision, which counts what has been finished, too. */
  const asOfNow = <T>(made: Made<T> | null): Made<T> | null =>
    made === null
      ? null
      : { ...made, revision: made.revision === revision() ? `${revision()}.${finished}` : "" };
  return {
    get revision() {
      return `${revision()}.${finished}`;
    },
    isReady: true,
    from: sourceText(config.world.source),
    facts: world.model.facts,
    get policyCount() {
      return [...world.model.records()].length;
    },
    get asked() {
      return world.asked;
    },
    get membership() {
      return world.model.membership;
    },
    get problems() {
      return [...new Set([...(there?.said ?? []), ...given.said, ...refusals(world)])];
    },
    findings: () => asOfNow(findings.of(revision())),
    plan:
      plan === null ? null : { against: config.against ?? "", report: () => asOfNow(plan.of(revision())) },
    live: null,
  };
}

function planAgainst(
  { world: mode, against }: UiConfig,
  given: Followed,
  there: Followed,
  changed: () => void,
): Later<PlanReport> {
  return new Later(
    () =>
      planInThread(
        { old: there.world.objects, new: given.world.objects, against: `dir:${against ?? ""}` },
        mode,
        (key, field) => given.world.placeOf(key, field) ?? there.world.placeOf(key, field),
      ),
    changed,
  );
}

function byPolicy({ findings }: Report): ReadonlyMap<string, readonly Finding[]> {
  return Map.groupBy(findings, ({ policy }) => policyKey(policy));
}

function refusals({ model, placeOf }: FollowedWorld): readonly string[] {
  return [...model.records()].flatMap((record) =>
    record.problems.map((problem) => formatSourceProblem(placedFinding(record, problem, placeOf))),
  );
}

function sourceText(source: WorldSource): string {
  if (source.kind === "kube") return source.kubeconfig ?? "the cluster";
  return source.kind === "files" ? source.paths.join(", ") : source.path;
}
