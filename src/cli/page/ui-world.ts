// The world that `northgate ui` shows: a source that is followed, and with --plan-against a second one that it is compared with.
// Kinds that the manifests have none of are taken from it, as for `northgate plan`.

import { parseEnd } from "../../analysis/end-query.ts";
import { cniFlag, ovnCni } from "../../cni/answers.ts";
import type { WorldSource } from "../../config/config.ts";
import type { UiConfig } from "../../config/ui.ts";
import type { LocationOf, ObjectKey, WorldObject } from "../../model/object.ts";
import { keyOf } from "../../model/object.ts";
import type { Finding } from "../../lint/finding.ts";
import { BorrowedFacts } from "../../plan/borrowed-facts.ts";
import type { PlanReport } from "../../plan/report.ts";
import { policyKey } from "../../policy/ir.ts";
import type { CachedValue } from "../../ui/background-cache.ts";
import { BackgroundCache, BackgroundCaches } from "../../ui/background-cache.ts";
import type { EndReach, LastChange, ShownWorld } from "../../ui/world.ts";
import { changeOf } from "../../ui/world.ts";
import { recordedAtOf } from "../../worlds/names-file.ts";
import { printable } from "../../model/quote.ts";
import { placedPlan, ObjectLocations } from "./object-locations.ts";
import type { Followed } from "../worlds/followed-source.ts";
import { follow, refusals } from "../worlds/followed-source.ts";
import { compareInThread, copied, lintInThread, plain, planInThread } from "./ui-thread.ts";
import { WorldThread } from "./world-thread.ts";

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

/** What the manifests have none of when they have been read is the other world's, and is followed there. */
function borrowFacts(there: Followed, given: Followed): void {
  const lending = new BorrowedFacts([...given.world.objects], given.world.makers);
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
  let makers = given.world.makers;
  const join = (): void => {
    const lent = there.world.makers.filter((one) => lending.borrowsWorkload(one));
    given.world.setMakers([...lent, ...makers]);
  };
  given.onMakers = (present) => {
    makers = present;
    join();
  };
  there.onMakers = join;
  join();
}

function shownWorld(config: UiConfig, given: Followed, there: Followed | null): ShownWorld {
  const { world } = given;
  const troubles = new Troubles();
  const last = lastChangeOf(given);
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
  const { matrices, reaches } = reachIn(config, given, revision, changed);
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
    from: [sourceText(config.world.source), ...recordedText(config.world)].join("; "),
    facts: world.model.facts,
    cni: config.world.kinds[cniFlag] ?? ovnCni,
    get workloads() {
      return world.workloads;
    },
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
    matrix: (namespace) => asOfNow(matrices.of(namespace, revision())),
    reach: (end) => asOfNow(reaches.of(end, revision())),
    plan:
      plan === null ? null : { against: config.against ?? "", report: () => asOfNow(plan.of(revision())) },
    compare: (text) => compared(config, given, text),
    live: null,
    record: (key) => world.model.record(key),
    get lastChange() {
      return last();
    },
  };
}

/** What one thread answers of who may reach whom. */
function reachIn(config: UiConfig, { world }: Followed, revision: () => string, changed: () => void) {
  const thread = new WorldThread(revision, () => ({
    ...{ kind: "questions", mode: plain(config.world), world: copied(world) },
    serviceNetworks: config.serviceNetworks,
  }));
  return {
    matrices: new BackgroundCaches((namespace: string | null) => thread.matrix(namespace), changed),
    reaches: new BackgroundCaches((end: string) => endReachOf(thread, end), changed),
  };
}

async function endReachOf(thread: WorldThread, end: string): Promise<EndReach> {
  const isService = parseEnd(end).kind === "service";
  return { in: await thread.can(null, end), out: isService ? null : await thread.can(end, null) };
}

async function compared(config: UiConfig, { world }: Followed, text: string): Promise<PlanReport> {
  const { report, pasted } = await compareInThread(world, text, config.world);
  const isPasted = new Set(pasted);
  const places = (placeOf: LocationOf) => new ObjectLocations(world.dialects, placeOf);
  return placedPlan(report, {
    old: places(world.placeOf),
    new: places((key, field) => (isPasted.has(key) ? null : world.placeOf(key, field))),
  });
}

/** From now on. */
function lastChangeOf(given: Followed): () => LastChange | null {
  let last: LastChange | null = null;
  given.onChange = (key) => {
    last = changeOf(key, new Date());
  };
  return () => last;
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

/** Since when answers of DNS may be others; none: nothing is recorded. */
function recordedText(world: UiConfig["world"]): readonly string[] {
  const at = recordedAtOf(world);
  return at === null ? [] : [`answers of DNS of ${printable(at)}`];
}

function sourceText(source: WorldSource): string {
  if (source.kind === "kube") return source.kubeconfig ?? "the cluster";
  if (source.kind === "directory") return source.path;
  return [...source.paths, ...(source.kustomizations ?? []).map((folder) => `-k ${folder}`)].join(", ");
}
