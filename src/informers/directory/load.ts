// Reads manifests once, for commands that do not watch: files, folders, and standard input under the name `-`. Missing
// paths are reported as problems.

import type { ObjectKey, ObjectKind, SourceProblem, WorldObject } from "../../model/object.ts";
import { findFiles, readText } from "./files.ts";
import type { Refused } from "./files.ts";
import type { ReadableKind, Reading } from "../objects/kinds.ts";
import { readableKinds } from "../objects/kinds.ts";
import type { KeptObject, Keeps, Manifest } from "./manifest.ts";
import { readManifest } from "./manifest.ts";
import { emptySnapshot, merged } from "./snapshot.ts";
import { placeProblem } from "../source-problem.ts";

export interface LoadedManifests {
  readonly objects: readonly WorldObject[];
  readonly problems: readonly SourceProblem[];
  /** The kinds of objects that are left alone, one text for each object. */
  readonly ignored: readonly string[];
  /** Objects of kinds that are not read, of those that the caller keeps. */
  readonly kept: readonly KeptObject[];
  /** file:line of a field of an object; null for an object that was not loaded. */
  readonly placeOf: (key: ObjectKey, field: string) => string | null;
}

/** In place of a path: standard input. */
export const standardInput = "-";
/** In places of findings. */
export const nameOfInput = "(standard input)";

export function loadManifests(
  paths: readonly string[],
  policies: readonly ObjectKind[],
  references: readonly ObjectKind[] = [],
  keeps?: Keeps,
  reading: Reading = {},
): LoadedManifests {
  const kinds = readableKinds(policies, references, reading);
  const found = findFiles(paths.filter((path) => path !== standardInput));
  const input = paths.includes(standardInput) ? [loadText(nameOfInput, readText(0), kinds, keeps)] : [];
  const loaded = [...input, ...found.files.map(({ path }) => loadFile(path, kinds, keeps))];
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
    ignored: loaded.flatMap(({ ignored }) => ignored),
    kept: loaded.flatMap(({ kept }) => kept),
    placeOf: (key, field) => entries.get(key)?.placeOf(field) ?? null,
  };
}

export interface LoadedFile extends Manifest {
  readonly path: string;
  readonly blank: boolean;
  /** The system refused to read the file, so the same file may be readable later. */
  readonly passing: boolean;
}

export function loadFile(path: string, kinds: readonly ReadableKind[], keeps?: Keeps): LoadedFile {
  return loadText(path, readText(path), kinds, keeps);
}

function loadText(
  path: string,
  read: { readonly text: string } | Refused,
  kinds: readonly ReadableKind[],
  keeps?: Keeps,
): LoadedFile {
  if ("error" in read) {
    const unread = { definitions: null, unidentified: true, problems: [placeProblem(path, read.error)] };
    return { ...unread, path, ignored: [], kept: [], blank: false, passing: read.passing };
  }
  return {
    ...readManifest(path, read.text, kinds, keeps),
    path,
    blank: read.text.trim() === "",
    passing: false,
  };
}
