// What the source knows of one file, and what a new reading makes of it. A file that cannot be read or was emptied keeps
// the objects it had; so do objects that may hide behind a slip in a name or a kind (decision 0004).

import type { SourceProblem } from "../../model/object.ts";
import type { ReadableKind } from "../objects/kinds.ts";
import { placeProblem } from "../source-problem.ts";
import type { FoundFile } from "./files.ts";
import type { NamedText } from "./load.ts";
import { loadFile, loadText } from "./load.ts";
import type { KeptObject, ManifestReading } from "./manifest.ts";
import type { DefinedFile } from "./snapshot.ts";

export interface FileState extends DefinedFile {
  /** The kinds of objects in it that are left alone, one text for each object. */
  readonly ignored: readonly string[];
  /** Objects of kinds that are not read, of those that the caller keeps. */
  readonly kept: readonly KeptObject[];
  readonly stamp: string;
  readonly inode: string;
  /** Which objects are in the file now is unknown. */
  readonly obscure: boolean;
  /** The system refused to read the file, so the same file is tried again. */
  readonly retried: boolean;
}

/** Reads the file. `version` is the number of this reading. */
export function readState(
  { path, stamp, inode }: FoundFile,
  last: FileState | undefined,
  kinds: readonly ReadableKind[],
  version: number,
  reading?: ManifestReading,
): FileState {
  const { definitions, unidentified, problems, ignored, kept, blank, passing } = loadFile(
    path,
    kinds,
    reading,
  );
  const state = { path, stamp, inode, version, ignored, kept, retried: passing };
  const held = last?.definitions ?? [];
  if (definitions === null || (blank && held.length > 0)) {
    const reasons = blank
      ? [placeProblem(path, "is empty; delete the file to delete its objects")]
      : problems;
    const shown = reasons.map((reason) => stillInForce(reason, held.length));
    return { ...state, definitions: held, problems: shown, obscure: definitions === null };
  }
  if (!unidentified) return { ...state, definitions, problems, obscure: false };
  // One of the held objects may be the one whose name or kind cannot be made out now, so none is taken for deleted.
  const keys = new Set(definitions.map(({ key }) => key));
  const doubtful = held.filter(({ key }) => !keys.has(key));
  return { ...state, definitions: [...definitions, ...doubtful], problems, obscure: true };
}

/** Of a text that is in no file. It stays as it is. */
export function stateOfText(
  { name, text }: NamedText,
  kinds: readonly ReadableKind[],
  reading: ManifestReading,
): FileState {
  const { definitions, problems, ignored, kept } = loadText(name, { text }, kinds, reading);
  const fixed = { stamp: "", inode: "", version: 0, obscure: false, retried: false };
  return { ...fixed, path: name, definitions: definitions ?? [], problems, ignored, kept };
}

/** Adds to a problem of a whole file that its objects are kept. */
export function stillInForce(reason: SourceProblem, objects: number): SourceProblem {
  if (objects === 0) return reason;
  const message = `${reason.problem.message} (its ${objects} object${objects === 1 ? " stays" : "s stay"} as before)`;
  return { ...reason, problem: { ...reason.problem, message } };
}

/** Files as found, with each kept one before the file that it stood before: the order says which definition counts. */
export function inOrder(
  before: ReadonlyMap<string, FileState>,
  found: ReadonlyMap<string, FileState>,
  kept: ReadonlySet<string>,
): ReadonlyMap<string, FileState> {
  const ordered = new Map<string, FileState>();
  const places = [...before.keys()];
  let next = 0;
  const addKept = (end: number) => {
    for (; next < end; next++) {
      const place = places[next] ?? "";
      const state = before.get(place);
      if (state !== undefined && kept.has(place)) ordered.set(place, state);
    }
  };
  const indices = new Map(places.map((place, i) => [place, i]));
  for (const [place, state] of found) {
    addKept(indices.get(place) ?? 0);
    ordered.set(place, state);
  }
  addKept(places.length);
  return ordered;
}
