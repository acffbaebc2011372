// The world that `northgate ui` shows: a source that is followed, and with --plan-against a second one that it is compared with.
// Kinds that the manifests have none of are taken from it, as for `northgate plan`.

import type { WorldSource } from "../../config/config.ts";
import type { UiConfig } from "../../config/ui.ts";
import { installed } from "../../dialects.ts";
import { withUnread } from "../../unknowns/unread.ts";
import type { NotRead } from "../../unknowns/foreign.ts";
import { allRead, notReadOf } from "../../unknowns/foreign.ts";
import { serviceKind } from "../../model/service.ts";
import { DirectorySource, formatSourceProblem } from "../../informers/index.ts";
import type { Timer } from "../../lib/clock.ts";
import { systemClock } from "../../lib/clock.ts";
import { createLogger } from "../../log.ts";
import type { ObjectKey, LocationOf, Source, WorldObject } from "../../model/object.ts";
import { keyOf } from "../../model/object.ts";
import type { Finding } from "../../lint/finding.ts";
import { backendNamed, readingFor } from "../../backends.ts";
import { BorrowedFacts } from "../../plan/borrowed-facts.ts";
import type { PlanReport } from "../../plan/report.ts";
import { policyKey } from "../../policy/ir.ts";
import { placedFinding } from "../../status/findings.ts";
import { FollowedWorld } from "../../ui/followed.ts";
import type { CachedValue } from "../../ui/background-cache.ts";
import { BackgroundCache } from "../../ui/background-cache.ts";
import type { ShownWorld } from "../../ui/world.ts";
import type { SourceKinds } from "../../wiring/sources.ts";
import { openSource } from "../../wiring/sources.ts";
import { foreignAmong, foreignIn } from "../../worlds/foreign.ts";
import { placedPlan, ObjectLocations } from "./object-locations.ts";
import { lintInThread, planInThread } from "./ui-thread.ts";

export interface OpenedWorld {
  readonly world: ShownWorld;
  /** Rejects when it cannot be followed any more. */
  readonly failed: Promise<never>;
  close(): Promise<void>;
}

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
  if (there !== null) borrowFacts(there, given);
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
  /** What is wrong with the objects of now. */
  problems(): readonly string[];
  placeOf: LocationOf;
  /** Called for each object that changes from now on. */
  onChange: (key: ObjectKey, object: WorldObject | null) => void;
  close(): Promise<void>;
}

async function follow(
  { world: mode, serviceNetworks }: UiConfig,
  from: WorldSource,
  fatal: (error: unknown) => void,
): Promise<Followed> {
  const { dialects: all, policies, references, unread, tierLayout } = installed(mode.kinds);
  const dialects = withUnread(all, []);
  const kinds = { policies, references: [...references, serviceKind], unread, reading: readingFor(mode) };
  const opened = await opener(from, kinds, fatal);
  const synced = Promise.withResolvers<undefined>();
  const { families } = mode;
  const followed: Followed = {
    world: new FollowedWorld({
      ...{
        model: backendNamed(mode.backend).model({ ...mode, objects: [], dialects, families, tierLayout }),
        dialects,
        families,
      },
      ...{ serviceNetworks, placeOf: (key, field) => followed.placeOf(key, field), isProving: true },
    }),
    synced: synced.promise.then(() => undefined),
    problems: opened.problems,
    placeOf: opened.placeOf,
    onChange: () => undefined,
    close: opened.close,
  };
  opened.onNotRead((notRead) => {
    followed.world.setNotRead(notRead);
  });
  opened.source.start({
    changed: (key) => {
      const object = opened.source.read(key);
      followed.world.set(key, object);
      followed.onChange(key, object);
    },
    synced: () => {
      synced.resolve(undefined);
    },
    // Asked for where they are shown: those of now, and no others.
    problem: () => undefined,
  });
  return followed;
}

interface Opened {
  readonly source: Source;
  readonly placeOf: LocationOf;
  readonly problems: () => readonly string[];
  /** Called with the kinds that are not read, now and when they may have changed. */
  readonly onNotRead: (listener: (notRead: NotRead) => void) => void;
  readonly close: () => Promise<void>;
}

/** How often a cluster is asked for kinds of policy that are not read: they are not watched. */
const foreignMs = 60_000;

async function opener(
  from: WorldSource,
  kinds: Omit<SourceKinds, "existing">,
  fatal: (error: unknown) => void,
): Promise<Opened> {
  if (from.kind !== "kube") {
    const paths = from.kind === "files" ? from.paths : [from.path];
    let told: (notRead: NotRead) => void = () => undefined;
    const { unread, ...read } = kinds;
    const reading = { ...kinds.reading, unread };
    const source = new DirectorySource({
      ...{ paths, ...read, reading, clock: systemClock, keeps: foreignAmong(kinds.policies) },
      onKept: (kept) => {
        told(notReadOf(kept, [], kinds.policies));
      },
    });
    const placeOf: LocationOf = (key, field) => source.placeOf(key, field);
    const onNotRead: Opened["onNotRead"] = (listener) => {
      told = listener;
    };
    return { source, placeOf, problems: () => source.problems, onNotRead, close: () => source.stop() };
  }
  // A cluster that lacks a kind of policy has none of them.
  const asked = { source: from, allowEmpty: true };
  const logger = createLogger("warn", "text");
  const opened = await openSource(asked, { ...kinds, existing: () => 0 }, logger, fatal);
  const foreign = async (): Promise<NotRead> =>
    opened.cluster === null ? allRead : await foreignIn(opened.cluster.api, kinds.policies);
  const first = await foreign();
  let timer: Timer | null = null;
  let isClosed = false;
  const onNotRead: Opened["onNotRead"] = (listener) => {
    const again = (): void => {
      timer = systemClock.after(foreignMs, () => {
        foreign()
          .then((notRead) => {
            if (isClosed) return;
            listener(notRead);
            again();
          })
          .catch(fatal);
      });
    };
    listener(first);
    again();
  };
  const close = async (): Promise<void> => {
    isClosed = true;
    timer?.cancel();
    await opened.source.stop();
    opened.close();
  };
  return {
    ...{ source: opened.source, close, onNotRead, problems: () => opened.problems() },
    placeOf: (key, field) => opened.placeOf(key, field),
  };
}

/** What the manifests have none of when they have been read is the other world's, and is followed there. */
function borrowFacts(there: Followed, given: Followed): void {
  const lending = new BorrowedFacts([...given.world.objects]);
  const borrowed = new Set<ObjectKey>();
  const take = (key: ObjectKey, object: WorldObject | null): void => {
    const isLent = object === null ? borrowed.delete(key) : lending.borrows(object);
    if (!isLent) return;
    if (object !== null) borrowed.add(key);
    given.world.set(key, object);
  };
  for (const object of there.world.objects) take(keyOf(object), object);
  const own = given.placeOf;
  given.placeOf = (key, field) => own(key, field) ?? there.placeOf(key, field);
  there.onChange = take;
}

function shownWorld(config: UiConfig, given: Followed, there: Followed | null): ShownWorld {
  const { world } = given;
  const troubles = new Troubles();
  const revision = (): string =>
    [given, there].map((one) => (one === null ? "" : `${one.world.revision}-${troubles.of(one)}`)).join(".");
  let finished = 0;
  const changed = (): void => {
    finished++;
  };
  const findings = new BackgroundCache(async () => {
    const { findings: found } = await lintInThread(world, config.world);
    const places = new ObjectLocations(world.dialects, world.placeOf);
    return byPolicy(found.map((finding) => places.ofFinding(finding)));
  }, changed);
  const plan = there === null ? null : planAgainst(config, given, there, changed);
  /** In the words of the page's revision, which counts what has been finished, too. */
  const asOfNow = <T>(made: CachedValue<T> | null): CachedValue<T> | null =>
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
      return [...new Set([...(there?.problems() ?? []), ...given.problems(), ...refusals(world)])];
    },
    findings: () => asOfNow(findings.of(revision())),
    plan:
      plan === null ? null : { against: config.against ?? "", report: () => asOfNow(plan.of(revision())) },
    live: null,
  };
}

/** How often the problems of a source have been others than before. */
class Troubles {
  readonly #seen = new Map<Followed, { readonly lines: string; readonly count: number }>();

  of(followed: Followed): number {
    const lines = followed.problems().join("\n");
    const before = this.#seen.get(followed) ?? { lines: "", count: 0 };
    if (before.lines === lines) return before.count;
    this.#seen.set(followed, { lines, count: before.count + 1 });
    return before.count + 1;
  }
}

function planAgainst(
  { world: mode, against }: UiConfig,
  given: Followed,
  there: Followed,
  changed: () => void,
): BackgroundCache<PlanReport> {
  return new BackgroundCache(async () => {
    const [old, now] = [there.world, given.world];
    const worlds = { old, new: now, against: `dir:${against ?? ""}` };
    return placedPlan(await planInThread(worlds, mode), {
      old: new ObjectLocations(old.dialects, old.placeOf),
      new: new ObjectLocations(now.dialects, now.placeOf),
    });
  }, changed);
}

function byPolicy(findings: readonly Finding[]): ReadonlyMap<string, readonly Finding[]> {
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
