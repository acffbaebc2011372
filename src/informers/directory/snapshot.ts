// Merges many files into one set of objects. Of several definitions of an object the first in order counts; a refused
// one leaves the object's previous version in force. Depends only on the files and the previous snapshot.

import type { ObjectKey, SourceProblem, WorldObject } from "../../model/object.ts";
import { firstOf, placeProblem } from "../source-problem.ts";
import type { Definition } from "./manifest.ts";

/** A definition that was accepted. */
export interface AcceptedDefinition extends Definition {
  readonly object: WorldObject;
}

export interface DefinedFile {
  readonly path: string;
  /** Changes with each reading of the file. */
  readonly version: number;
  readonly definitions: readonly Definition[];
  readonly problems: readonly SourceProblem[];
}

export interface Finding {
  readonly version: number;
  readonly problem: SourceProblem;
}

/** Of no reading. */
export function finding(path: string, message: string): Finding {
  return { version: 0, problem: placeProblem(path, message) };
}

export interface Snapshot {
  readonly entries: ReadonlyMap<ObjectKey, AcceptedDefinition>;
  readonly findings: readonly Finding[];
}

export const emptySnapshot: Snapshot = { entries: new Map(), findings: [] };

export function merged(files: Iterable<DefinedFile>, previous: Snapshot): Snapshot {
  const first = new Map<ObjectKey, Definition>();
  const findings: Finding[] = [];
  for (const { path, version, definitions, problems } of files) {
    const all = [...problems];
    for (const definition of definitions) {
      const other = first.get(definition.key);
      if (other === undefined) first.set(definition.key, definition);
      else all.push(secondDefinition(definition, other));
    }
    for (const problem of firstOf(path, all)) findings.push({ version, problem });
  }
  const entries = new Map<ObjectKey, AcceptedDefinition>();
  for (const definition of first.values()) {
    const entry = isEntry(definition) ? definition : previous.entries.get(definition.key);
    if (entry !== undefined) entries.set(entry.key, entry);
  }
  return { entries, findings };
}

function isEntry(definition: Definition): definition is AcceptedDefinition {
  return definition.object !== null;
}

function secondDefinition(definition: Definition, first: Definition): SourceProblem {
  const message = `is defined already at ${first.placeOf("")}, and that definition counts`;
  return {
    place: definition.placeOf("metadata.name"),
    object: definition.title,
    key: definition.key,
    problem: { code: "InvalidObject", severity: "error", field: "metadata.name", message },
  };
}

/** Keys whose objects differ between the two, in a fixed order. */
export function differing(before: Snapshot, after: Snapshot): readonly ObjectKey[] {
  const keys = new Set([...before.entries.keys(), ...after.entries.keys()]);
  return [...keys].filter((key) => before.entries.get(key)?.text !== after.entries.get(key)?.text);
}
