// The cluster that a command is asked about, whole and once: manifests, a folder of them, or the objects of a live cluster,
// in the offline model. What could not be read is reported in lines for standard error; the other objects count. Only reads.

import type { WorldSource } from "../config/config.ts";
import { readingFor } from "../backends.ts";
import type { Cni } from "../cni/answers.ts";
import { cniFlag, cniNamed } from "../cni/answers.ts";
import { installed, otherModelOf } from "../dialects.ts";
import { formatSourceProblem, ignoredNote, loadManifests, standardInput } from "../informers/index.ts";
import { HttpApi, listWorld, openKubeconfig } from "../kube/index.ts";
import { systemClock } from "../lib/clock.ts";
import type {
  ObjectKind,
  LocationOf,
  ReferencedObject,
  SourceProblem,
  WorldObject,
} from "../model/object.ts";
import { isPod, isReferenced, isSameKind, groupOf, kindText } from "../model/object.ts";
import { printable } from "../model/quote.ts";
import type { Workload } from "../model/workload.ts";
import { endsAmong } from "../model/workload.ts";
import type { Dialect } from "../policy/contracts/dialect.ts";
import type { UnreadPolicyKind } from "../policy/contracts/policy-model.ts";
import { placedFinding } from "../status/findings.ts";
import { foreignAmong, foreignIn } from "./foreign.ts";
import type { NotRead } from "../unknowns/foreign.ts";
import { allRead, notReadLines, notReadOf } from "../unknowns/foreign.ts";
import { provenText } from "../unknowns/namespaces.ts";
import { kustomized } from "./kustomize.ts";
import { leftOutLines, nothingLeftOut } from "./left-out.ts";
import { recordedIn, recordedLines } from "./names-file.ts";
import type { ReadObjects } from "./read-objects.ts";
import type { ModelsOptions, WorldModels } from "./world-models.ts";
import { isOneOf, kindsRead, modelsOf } from "./world-models.ts";
import { conditionLines, homeless, stagedLines } from "./said.ts";
import { findingsOfStaged, isStagedIn } from "./staged.ts";
import { unreadText } from "../unknowns/unread.ts";
import { isWorkload, workloadsAmong } from "./workloads.ts";

export interface WorldOptions extends ModelsOptions {
  /** Kinds that the command itself reads; `others` has their objects, which `objects` has too where policies may refer to them. */
  readonly alsoRead?: readonly ObjectKind[];
  /** Patterns of paths in folders of manifests that are left out; none unless given. */
  readonly ignore?: readonly string[];
  /** Recorded answers of DNS; none unless given. */
  readonly namesFile?: string | null;
  /** Whether there is an answer without the manifests of a path that is not there; false unless given. */
  readonly mayMiss?: boolean;
  /** Called once when there are so many objects that making the model of them takes seconds. */
  readonly many?: (objects: number) => void;
}

/** Objects of which a model is made in about two seconds. */
const manyObjects = 5_000;

export interface LoadedWorld extends Pick<WorldModels, "model" | "judged" | "compared"> {
  /** Facts, policies, and what policies may refer to. */
  readonly objects: readonly WorldObject[];
  /** Objects of `alsoRead`. */
  readonly others: readonly ReferencedObject[];
  readonly dialects: readonly Dialect[];
  readonly placeOf: LocationOf;
  /** Kinds that the user may not list: their objects are unknown. */
  readonly unread: readonly ObjectKind[];
  /** Policies of kinds that are not read, and what could not be listed. */
  readonly notRead: NotRead;
  /** Those that stand for pods which are not among the objects. */
  readonly workloads: readonly Workload[];
  /** Every workload, those with pods too. */
  readonly makers: readonly Workload[];
  /** What the reading of files and lists has found; what dialects say is in the records of the model. */
  readonly problems: readonly SourceProblem[];
  /** Findings, one line each, for standard error. */
  readonly lines: readonly string[];
  /** A part could not be read, nothing was, or a policy is refused. */
  readonly refused: boolean;
  /** That enforces the policies; null: what is written for OVN is in force. */
  readonly cni: Cni | null;
}

/** Throws an Error of one sentence when the cluster cannot be asked. */
export async function loadWorld(source: WorldSource, options: WorldOptions): Promise<LoadedWorld> {
  const read = await readWorld(source, options);
  const world = modelled(read, options);
  const nothing = options.rowsOnly === true ? [] : nothingLines(source, read);
  return {
    ...world,
    lines: [...ignoredLines(read), ...nothing, ...recordedLines(options), ...world.lines],
    refused: world.refused || nothing.length > 0,
  };
}

/** The path of another folder must not be an answer about an empty world. A cluster may well be empty, and so may rows. */
function nothingLines(source: WorldSource, read: ReadObjects): readonly string[] {
  if (source.kind === "kube") return [];
  const { objects, workloads, staged, notRead, problems } = read;
  if ([objects, workloads, staged, notRead.policies, problems].some(({ length }) => length > 0)) return [];
  const paths = source.kind === "files" ? [...source.paths, ...(source.kustomizations ?? [])] : [source.path];
  return [`northgate: ${paths.map((path) => printable(path)).join(", ")}: no object that Northgate reads`];
}

/** Lines for standard error about all that is left alone or left out; none when there is nothing. */
export function ignoredLines(
  ...read: readonly Pick<ReadObjects, "ignored" | "leftOut">[]
): readonly string[] {
  const note = ignoredNote(read.flatMap(({ ignored }) => ignored));
  const leftOut = read.map((one) => one.leftOut);
  return [
    ...(note === null ? [] : [`northgate: left alone: ${note}`]),
    ...leftOutLines(leftOut).map((line) => `northgate: ${line}`),
  ];
}

/** The objects alone, and recorded answers of DNS among them. Throws as `loadWorld` does. */
export async function readWorld(source: WorldSource, options: WorldOptions): Promise<ReadObjects> {
  const recorded = recordedIn(options);
  const read = await readCluster(source, options);
  return recorded.length === 0 ? read : { ...read, objects: [...read.objects, ...recorded] };
}

function readCluster(source: WorldSource, options: WorldOptions): Promise<ReadObjects> {
  const kinds = kindsRead(options);
  const { policies, references, spared, unread } = installed(kinds);
  const staged = (otherModelOf(kinds)?.staging(kinds).kinds ?? []).filter((kind) => !isAmong(kind, options));
  return readObjects(source, { policies, references, spared, unread, staged }, options);
}

/** The world of objects that were read. */
export function modelled(read: ReadObjects, options: WorldOptions): LoadedWorld {
  const { alsoRead = [] } = options;
  const kinds = kindsRead(options);
  const isOther = (object: WorldObject): object is ReferencedObject =>
    isReferenced(object) && isOneOf(alsoRead, object);
  const others = read.objects.filter(isOther);
  const { dialects: all, references } = installed(kinds);
  const { unread, notRead } = read;
  const workloads = endsAmong(read.workloads, read.objects.filter(isPod));
  const mayBeMeant = (object: WorldObject): boolean => !isOther(object) || isOneOf(references, object);
  const objects = others.length === 0 ? read.objects : read.objects.filter(mayBeMeant);
  if (objects.length > manyObjects) options.many?.(objects.length);
  const { model, judged, compared, proven, records, dialects, modelOf } = modelsOf(objects, {
    ...options,
    unread,
    workloads,
  });
  const living = [...objects.filter(isPod), ...workloads];
  const homes = new Set(living.map(({ namespace }) => namespace));
  const findings = [...records].flatMap((record) => record.problems.map((problem) => ({ record, problem })));
  const staging = otherModelOf(kinds)?.staging(kinds) ?? null;
  const ofStaged = staging === null ? [] : findingsOfStaged(read, staging, dialects, modelOf);
  const problems = [...read.problems, ...findings, ...ofStaged];
  const cni = cniNamed(kinds[cniFlag]);
  return {
    cni,
    ...{
      model,
      judged,
      compared,
      objects,
      others,
      dialects,
      placeOf: read.placeOf,
      unread,
      notRead,
      workloads,
      makers: read.workloads,
    },
    problems: [...read.problems, ...ofStaged],
    lines: [
      ...[...read.problems, ...ofStaged].map(formatSourceProblem),
      ...unread.map((kind) => `warning: ${unreadText(kind, all)}`),
      ...findings.map(({ record, problem }) =>
        formatSourceProblem(placedFinding(record, problem, read.placeOf)),
      ),
      ...notReadLines(notRead).map((line) => `warning: ${line}`),
      ...(cni === null ? [] : conditionLines(cni, [...records])),
      ...(options.rowsOnly === true ? homeless(objects) : []),
      ...stagedLines(records),
      ...proven.filter(({ name }) => homes.has(name)).map(({ name }) => `warning: ${provenText(name)}`),
    ],
    refused: problems.some(({ problem }) => problem.severity === "error"),
  };
}

function stagedText({ apiVersion, kind }: ReferencedObject): string {
  return kindText({ group: groupOf(apiVersion), kind });
}

/** Whether the command itself reads the kind. */
function isAmong(kind: ObjectKind, { alsoRead = [] }: WorldOptions): boolean {
  return alsoRead.some((one) => isSameKind(one, kind));
}

interface Kinds {
  readonly policies: readonly ObjectKind[];
  readonly references: readonly ObjectKind[];
  /** Those of them without which there is an answer too: few clusters have them, and not everybody may list them. */
  readonly spared: readonly ObjectKind[];
  /** Not to be read: each object of them in a manifest is an error. */
  readonly unread: readonly UnreadPolicyKind[];
  /** Read from manifests alone. */
  readonly staged: readonly ObjectKind[];
}

async function readObjects(
  source: WorldSource,
  { policies, references, spared, unread, staged }: Kinds,
  options: WorldOptions,
): Promise<ReadObjects> {
  const { alsoRead: optional = [], rowsOnly = false } = options;
  const reading = { wholePods: !rowsOnly, ...readingFor(options) };
  if (source.kind !== "kube") {
    const paths = source.kind === "files" ? source.paths : [folderOf(source.path)];
    const texts = source.kind === "files" ? (source.kustomizations ?? []).map(kustomized) : [];
    const isForeign = foreignAmong(policies);
    const { kept, charts, others, missing, ...loaded } = loadManifests(
      paths,
      policies,
      [...references, ...optional, ...staged],
      rowsOnly
        ? undefined
        : (kind, apiVersion) => isWorkload(kind, apiVersion) || isForeign(kind, apiVersion),
      { ...reading, unread, texts, ignore: options.ignore ?? [], isRepository: !rowsOnly },
    );
    // A mistyped path must not be an answer about an empty world, such as that a plan removes every policy.
    if (missing.length > 0 && options.mayMiss !== true)
      throw new Error(missing.map((path) => `${path}: no such file or directory`).join("; "));
    const { workloads, problems } = workloadsAmong(kept);
    // Read for what they say of pods that are not there; they are left alone all the same.
    const tried = loaded.objects.filter((one) => isStagedIn(staged, one));
    const objects =
      tried.length === 0 ? loaded.objects : loaded.objects.filter((one) => !isStagedIn(staged, one));
    const ignored = [...loaded.ignored, ...tried.map(stagedText)];
    return {
      ...loaded,
      objects,
      problems: [...loaded.problems, ...problems],
      staged: tried,
      ignored,
      leftOut: { charts, others },
      workloads,
      unread: [],
      notRead: notReadOf(kept, [], policies),
    };
  }
  const credentials = await openKubeconfig({ path: source.kubeconfig, context: source.context ?? null });
  const api = new HttpApi({ credentials, clock: systemClock, objects: source.objects });
  try {
    const listed = await listWorld(api, { policies, references, optional, spared, ...reading });
    const notRead = rowsOnly ? allRead : await foreignIn(api, policies);
    return {
      ...listed,
      staged: [],
      workloads: [],
      ignored: [],
      leftOut: nothingLeftOut,
      notRead,
      placeOf: () => null,
    };
  } finally {
    api.close();
  }
}

/** A folder of that name is no standard input. */
function folderOf(path: string): string {
  return path === standardInput ? `./${path}` : path;
}
