// Reads manifests once, for commands that do not watch: files, folders, and standard input under the name `-`. Missing
// paths are reported as problems.

import type { ObjectKey, ObjectKind, SourceProblem, WorldObject } from "../../model/object.ts";
import { findFiles, readText } from "./files.ts";
import type { Refused } from "./files.ts";
import type { ReadableKind, Reading } from "../objects/kinds.ts";
import { readableKinds } from "../objects/kinds.ts";
import { ignoring } from "./glob.ts";
import type { KeptObject, Keeps, Manifest, ManifestReading } from "./manifest.ts";
import { readManifest } from "./manifest.ts";
import { emptySnapshot, merged } from "./snapshot.ts";
import { placeProblem } from "../source-problem.ts";

export interface LoadedManifests {
  readonly objects: readonly WorldObject[];
  readonly problems: readonly SourceProblem[];
  /** Given paths that are not there; `problems` names them too. */
  readonly missing: readonly string[];
  /** The kinds of objects that are left alone, one text for each object. */
  readonly ignored: readonly string[];
  /** Objects of kinds that are not read, of those that the caller keeps. */
  readonly kept: readonly KeptObject[];
  /** Helm charts whose templates are left out. */
  readonly charts: readonly string[];
  /** How many documents are no objects of the Kubernetes API, and are left alone. */
  readonly others: number;
  /** file:line of a field of an object; null for an object that was not loaded. */
  readonly placeOf: (key: ObjectKey, field: string) => string | null;
}

/** In place of a path: standard input. */
export const standardInput = "-";
/** In places of findings. */
export const nameOfInput = "(standard input)";

/** A text beside those of the paths. */
export interface NamedText {
  /** In places of findings. */
  readonly name: string;
  readonly text: string;
}

/** How manifests are found and read. */
export interface Loading extends Reading {
  /** Whether folders may be those of a repository, with other YAML and JSON in it; false unless given. */
  readonly isRepository?: boolean;
  /** Patterns of paths in folders that are left out; none unless given. */
  readonly ignore?: readonly string[];
  readonly texts?: readonly NamedText[];
}

export function loadManifests(
  paths: readonly string[],
  policies: readonly ObjectKind[],
  references: readonly ObjectKind[] = [],
  keeps: Keeps = () => false,
  { isRepository = false, ignore = [], texts = [], ...reading }: Loading = {},
): LoadedManifests {
  const kinds = readableKinds(policies, references, reading);
  const found = findFiles(
    paths.filter((path) => path !== standardInput),
    { isRepository, ignores: ignoring(ignore) },
  );
  const whole = { keeps };
  const input = paths.includes(standardInput) ? [loadText(nameOfInput, readText(0), kinds, whole)] : [];
  const loaded = [
    ...input,
    ...texts.map(({ name, text }) => loadText(name, { text }, kinds, whole)),
    ...found.files.map(({ path }) =>
      // A file that is given is meant to hold objects.
      loadFile(path, kinds, { keeps, leavesOthers: isRepository && !found.given.has(path) }),
    ),
  ];
  const files = loaded.map(({ path, definitions, problems }) => ({
    ...{ path, version: 0, problems },
    definitions: definitions ?? [],
  }));
  const { entries, findings } = merged(files, emptySnapshot);
  return {
    objects: [...entries.values()].map((entry) => entry.object),
    problems: [
      ...found.missing.map((path) => placeProblem(path, "no such file or directory")),
      ...found.unreadable.map(({ path, message }) => placeProblem(path, message)),
      ...findings.map(({ problem }) => problem),
    ],
    missing: found.missing,
    ignored: loaded.flatMap(({ ignored }) => ignored),
    kept: loaded.flatMap(({ kept }) => kept),
    charts: found.charts,
    others: loaded.reduce((sum, { others }) => sum + others, 0),
    placeOf: (key, field) => entries.get(key)?.placeOf(field) ?? null,
  };
}

export interface LoadedFile extends Manifest {
  readonly path: string;
  readonly blank: boolean;
  /** The system refused to read the file, so the same file may be readable later. */
  readonly passing: boolean;
}

export function loadFile(
  path: string,
  kinds: readonly ReadableKind[],
  reading: ManifestReading = {},
): LoadedFile {
  return loadText(path, readText(path), kinds, reading);
}

export function loadText(
  path: string,
  read: { readonly text: string } | Refused,
  kinds: readonly ReadableKind[],
  reading: ManifestReading,
): LoadedFile {
  if ("error" in read) {
    const unread = { definitions: null, unidentified: true, problems: [placeProblem(path, read.error)] };
    return { ...unread, path, ignored: [], kept: [], others: 0, blank: false, passing: read.passing };
  }
  return {
    ...readManifest(path, read.text, kinds, reading),
    path,
    blank: read.text.trim() === "",
    passing: false,
  };
}
