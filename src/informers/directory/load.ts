// Reads manifests once, for commands that do not watch. Missing paths are reported as problems.

import type { ObjectKey, ObjectKind, SourceProblem, WorldObject } from "../../model/object.ts";
import { findFiles, readText } from "./files.ts";
import type { ReadableKind } from "../objects/kinds.ts";
import { readableKinds } from "../objects/kinds.ts";
import type { Manifest } from "./manifest.ts";
import { readManifest } from "./manifest.ts";
import { emptySnapshot, merged } from "./snapshot.ts";
import { placeProblem } from "../source-problem.ts";

export interface LoadedManifests {
  readonly objects: readonly WorldObject[];
  readonly problems: readonly SourceProblem[];
  /** file:line of a field of an object; null for an object that was not loaded. */
  readonly placeOf: (key: ObjectKey, field: string) => string | null;
}

export function loadManifests(
  paths: readonly string[],
  policies: readonly ObjectKind[],
  references: readonly ObjectKind[] = [],
): LoadedManifests {
  const kinds = readableKinds(policies, references);
  const found = findFiles(paths);
  const files = found.files.map(({ path }) => {
    const { definitions, problems } = loadFile(path, kinds);
    return { path, version: 0, definitions: definitions ?? [], problems };
  });
  const { entries, findings } = merged(files, emptySnapshot);
  return {
    objects: [...entries.values()].map((entry) => entry.object),
    problems: [
      ...found.missing.map((path) => placeProblem(path, "no such file or directory")),
      ...found.unreadable.map(({ path, message }) => placeProblem(path, message)),
      ...findings.map(({ problem }) => problem),
    ],
    placeOf: (key, field) => entries.get(key)?.placeOf(field) ?? null,
  };
}

export interface LoadedFile extends Manifest {
  readonly blank: boolean;
  /** The system refused to read the file, so the same file may be readable later. */
  readonly passing: boolean;
}

export function loadFile(path: string, kinds: readonly ReadableKind[]): LoadedFile {
  const read = readText(path);
  if ("error" in read) {
    const problems = [placeProblem(path, read.error)];
    return { definitions: null, unidentified: true, problems, blank: false, passing: read.passing };
  }
  return { ...readManifest(path, read.text, kinds), blank: read.text.trim() === "", passing: false };
}
