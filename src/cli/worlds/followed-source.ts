// A world that is followed: the objects of a source, which arrive one by one, in the model that is asked. For the page of `northgate ui`
// and for `--watch`.

import { readFileSync } from "node:fs";
import { readingFor } from "../../backends.ts";
import { cniFlag, cniNamed } from "../../cni/answers.ts";
import type { WorldSource } from "../../config/config.ts";
import type { WorldConfig } from "../../config/answers/questions.ts";
import { installed } from "../../dialects.ts";
import type { NamedText } from "../../informers/index.ts";
import { DirectorySource, formatSourceProblem, nameOfInput, standardInput } from "../../informers/index.ts";
import type { Timer } from "../../lib/clock.ts";
import { systemClock } from "../../lib/clock.ts";
import type { LogLevel } from "../../log.ts";
import { createLogger } from "../../log.ts";
import type { Cidr } from "../../model/ip.ts";
import type { ObjectKey, LocationOf, Source, WorldObject } from "../../model/object.ts";
import { keyOf } from "../../model/object.ts";
import { serviceKind } from "../../model/service.ts";
import type { Workload } from "../../model/workload.ts";
import { placedFinding } from "../../status/findings.ts";
import { FollowedWorld } from "../../ui/followed.ts";
import type { NotRead } from "../../unknowns/foreign.ts";
import { allRead, notReadOf } from "../../unknowns/foreign.ts";
import type { OpenedSource, SourceKinds } from "../../wiring/sources.ts";
import { openSource } from "../../wiring/sources.ts";
import { foreignAmong, foreignIn } from "../../worlds/foreign.ts";
import { kustomized } from "../../worlds/kustomize.ts";
import { recordedIn } from "../../worlds/names-file.ts";
import { modelsWith } from "../../worlds/world-models.ts";
import { isWorkload, workloadsAmong } from "../../worlds/workloads.ts";

export interface FollowedConfig {
  readonly world: WorldConfig;
  readonly serviceNetworks: readonly Cidr[];
  /** Of names of ends that have none; null unless given: `default`. */
  readonly namespace?: string | null;
}

export interface Followed {
  readonly world: FollowedWorld;
  readonly synced: Promise<void>;
  /** What is wrong with the objects of now. */
  problems(): readonly string[];
  /** Why what is known may be older than what is there, one sentence each; none while everything is followed. */
  lost(): readonly string[];
  placeOf: LocationOf;
  /** Called for each object that changes from now on. */
  onChange: (key: ObjectKey, object: WorldObject | null) => void;
  /** Called with all workloads when they may have changed. */
  onMakers: (makers: readonly Workload[]) => void;
  close(): Promise<void>;
}

/** Throws an Error of one sentence when it cannot be opened. */
export async function follow(
  { world: mode, serviceNetworks, namespace = null }: FollowedConfig,
  from: WorldSource,
  fatal: (error: unknown) => void,
  log: LogLevel = "warn",
): Promise<Followed> {
  const { policies, references, unread } = installed(mode.kinds);
  const { dialects, modelOf } = modelsWith(mode.kinds, mode, []);
  const reading = { wholePods: true, ...readingFor(mode) };
  const kinds = { policies, references: [...references, serviceKind], unread, reading };
  const opened = await opener(from, { ...kinds, ignore: mode.ignore }, fatal, log);
  const synced = Promise.withResolvers<undefined>();
  const { families } = mode;
  const followed: Followed = {
    world: new FollowedWorld({
      ...{ model: modelOf([]), dialects, families, serviceNetworks, namespace },
      cni: cniNamed(mode.kinds[cniFlag]),
      placeOf: (key, field) => followed.placeOf(key, field),
      isProving: true,
    }),
    synced: synced.promise.then(() => undefined),
    problems: opened.problems,
    lost: opened.lost,
    placeOf: opened.placeOf,
    ...{ onChange: () => undefined, onMakers: () => undefined },
    close: opened.close,
  };
  for (const fact of recordedIn(mode)) followed.world.set(keyOf(fact), fact);
  opened.onBeside(({ notRead, makers }) => {
    followed.world.setNotRead(notRead);
    followed.world.setMakers(makers);
    followed.onMakers(makers);
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

type Kinds = Omit<SourceKinds, "existing"> & Pick<WorldConfig, "ignore">;

interface Beside {
  readonly notRead: NotRead;
  /** Every workload; a cluster has pods in their place. */
  readonly makers: readonly Workload[];
}

interface Opened {
  readonly source: Source;
  readonly placeOf: LocationOf;
  readonly problems: () => readonly string[];
  readonly lost: () => readonly string[];
  /** Called with what is known beside the objects, now and when it may have changed. */
  readonly onBeside: (listener: (beside: Beside) => void) => void;
  readonly close: () => Promise<void>;
}

/** How often a cluster is asked for kinds of policy that are not read: they are not watched. */
const foreignMs = 60_000;

function opener(
  from: WorldSource,
  kinds: Kinds,
  fatal: (error: unknown) => void,
  log: LogLevel,
): Promise<Opened> {
  if (from.kind === "kube") return openCluster(from, kinds, fatal, log);
  return Promise.resolve(openFiles(from, kinds));
}

type Files = Exclude<WorldSource, { readonly kind: "kube" }>;

/** Standard input and what Kustomize makes are read once. */
function textsOf(from: Files): readonly NamedText[] {
  if (from.kind !== "files") return [];
  const input = from.paths.includes(standardInput)
    ? [{ name: nameOfInput, text: readFileSync(0, "utf8") }]
    : [];
  return [...input, ...(from.kustomizations ?? []).map(kustomized)];
}

function openFiles(from: Files, kinds: Kinds): Opened {
  const paths = from.kind === "files" ? from.paths.filter((path) => path !== standardInput) : [from.path];
  let told: (beside: Beside) => void = () => undefined;
  let problems: readonly string[] = [];
  const isForeign = foreignAmong(kinds.policies);
  const { unread, ignore, ...read } = kinds;
  const reading = { ...kinds.reading, unread };
  const source = new DirectorySource({
    ...{ paths, ignore, texts: textsOf(from), ...read, reading, isRepository: true, clock: systemClock },
    keeps: (kind, apiVersion) => isWorkload(kind, apiVersion) || isForeign(kind, apiVersion),
    onKept: (kept) => {
      const found = workloadsAmong(kept);
      problems = found.problems.map(formatSourceProblem);
      told({ notRead: notReadOf(kept, [], kinds.policies), makers: found.workloads });
    },
  });
  return {
    ...{ source, lost: () => [], close: () => source.stop() },
    placeOf: (key, field) => source.placeOf(key, field),
    problems: () => [...source.problems, ...problems],
    onBeside: (listener) => {
      told = listener;
    },
  };
}

async function openCluster(
  from: Extract<WorldSource, { kind: "kube" }>,
  kinds: Kinds,
  fatal: (error: unknown) => void,
  log: LogLevel,
): Promise<Opened> {
  // A cluster that lacks a kind of policy has none of them.
  const asked = { source: from, allowEmpty: true };
  const logger = await createLogger(log, "text");
  const opened = await openSource(asked, { ...kinds, existing: () => 0 }, logger, fatal);
  const foreign = async (): Promise<NotRead> =>
    opened.cluster === null ? allRead : await foreignIn(opened.cluster.api, kinds.policies);
  const first = await foreign();
  let timer: Timer | null = null;
  let isClosed = false;
  const onBeside: Opened["onBeside"] = (listener) => {
    const again = (): void => {
      timer = systemClock.after(foreignMs, () => {
        foreign()
          .then((notRead) => {
            if (isClosed) return;
            listener({ notRead, makers: [] });
            again();
          })
          .catch(fatal);
      });
    };
    listener({ notRead: first, makers: [] });
    again();
  };
  const close = async (): Promise<void> => {
    isClosed = true;
    timer?.cancel();
    await opened.source.stop();
    opened.close();
  };
  return {
    ...{ source: opened.source, close, onBeside, problems: () => opened.problems() },
    lost: () => lostIn(opened),
    placeOf: (key, field) => opened.placeOf(key, field),
  };
}

/** A kind that is not served has no objects; one that may not be listed may have any. */
function lostIn(opened: OpenedSource): readonly string[] {
  const resources = opened.resources();
  const failing = resources.filter(
    ({ failure, needsContact, forbidden, synced }) =>
      failure !== null && (needsContact || forbidden !== null || !synced),
  );
  const waiting = resources.every(({ synced }) => synced) ? opened.pending() : [];
  return [
    ...new Set([...waiting, ...failing.map(({ resource, failure }) => `${resource}: ${failure ?? ""}`)]),
  ];
}

/** Policies that are not in force, one line each. */
export function refusals({ model, placeOf }: FollowedWorld): readonly string[] {
  return [...model.records()].flatMap((record) =>
    record.problems.map((problem) => formatSourceProblem(placedFinding(record, problem, placeOf))),
  );
}
