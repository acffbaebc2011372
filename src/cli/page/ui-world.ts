// The world that `northgate ui` shows: a source that is followed, and with --plan-against a second one that it is compared with.
// Kinds that the manifests have none of are taken from it, as for `northgate plan`.

import { cniFlag, ovnCni } from "../../cni/answers.ts";
import type { WorldSource } from "../../config/config.ts";
import type { UiConfig } from "../../config/ui.ts";
import { orderedPolicies } from "../../explain/overview.ts";
import { hitsAsked } from "../../hits/files.ts";
import type { Hits } from "../../hits/hits.ts";
import type { ObjectKey, WorldObject } from "../../model/object.ts";
import { keyOf } from "../../model/object.ts";
import type { Finding } from "../../lint/finding.ts";
import { BorrowedFacts } from "../../plan/borrowed-facts.ts";
import type { PlanReport } from "../../plan/report.ts";
import { policyKey } from "../../policy/ir.ts";
import { BackgroundCache } from "../../ui/background-cache.ts";
import { PageRevision } from "../../ui/page-revision.ts";
import type { LastChange, ShownWorld } from "../../ui/world.ts";
import { changeOf } from "../../ui/world.ts";
import { recordedAtOf } from "../../worlds/names-file.ts";
import { printable } from "../../model/quote.ts";
import { placedPlan, ObjectLocations } from "./object-locations.ts";
import type { Followed } from "../worlds/followed-source.ts";
import { follow, refusals } from "../worlds/followed-source.ts";
import { ownProcess, threadAnswers } from "./thread-answers.ts";
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
  const hits = hitsAsked(config.hits);
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
  const world = shownWorld(config, given, there, hits);
  prepare(world);
  return {
    world,
    failed: failing.promise,
    close: async () => {
      await given.close();
      await there?.close();
    },
  };
}

/** What the first question would wait for: the policies in their order, and where the files have them. */
function prepare({ asked }: ShownWorld): void {
  for (const { policy } of orderedPolicies(asked)) asked.placeOf(policy.key, "");
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

function shownWorld(
  config: UiConfig,
  given: Followed,
  there: Followed | null,
  hits: Hits | null,
): ShownWorld {
  const { world } = given;
  const troubles = new Troubles();
  const last = lastChangeOf(given);
  const revision = (): string =>
    [given, there].map((one) => (one === null ? "" : `${one.world.revision}-${troubles.of(one)}`)).join(".");
  const made = new PageRevision(revision);
  const findings = findingsIn(config, given, made.changed);
  const { serviceNetworks } = config;
  const answers = threadAnswers({ world, mode: config.world, serviceNetworks, revision: made }, ownProcess);
  const plan = there === null ? null : planAgainst(config, given, there, made.changed);
  return {
    get revision() {
      return made.now;
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
    hits,
    findings: () => made.asOfNow(findings.of(made.ofWorld)),
    ...{ matrix: answers.matrix, reach: answers.reach, compare: answers.compare },
    plan:
      plan === null
        ? null
        : { against: config.against ?? "", report: () => made.asOfNow(plan.of(made.ofWorld)) },
    live: null,
    record: (key) => world.model.record(key),
    get lastChange() {
      return last();
    },
  };
}

function findingsIn({ world: mode }: UiConfig, { world }: Followed, changed: () => void) {
  return new BackgroundCache(async () => {
    const { findings: found } = await lintInThread(world, mode);
    const places = new ObjectLocations(world.dialects, world.placeOf);
    return byPolicy(found.map((finding) => places.ofFinding(finding)));
  }, changed);
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
