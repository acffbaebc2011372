// A Source over files and directories of manifests, and their changes. Fails closed: a file that cannot be read, an
// object that is refused and a directory that is gone leave the earlier objects in force; only a deletion deletes.
// Invariant: `changed` is called for exactly the keys for which `read` returns another object than before.

import { resolve, sep } from "node:path";
import type {
  ObjectKey,
  ObjectKind,
  Source,
  SourceListener,
  SourceProblem,
  WorldObject,
} from "../../model/object.ts";
import type { Clock, Timer } from "../../lib/clock.ts";
import { invariant } from "../../lib/invariant.ts";
import { DirectoryWatch } from "./directory-watch.ts";
import type { Found, FoundFile } from "./files.ts";
import { findFiles } from "./files.ts";
import type { ReadableKind } from "../objects/kinds.ts";
import { readableKinds } from "../objects/kinds.ts";
import { loadFile } from "./load.ts";
import type { DefinedFile, Finding, Snapshot } from "./snapshot.ts";
import { differing, emptySnapshot, merged } from "./snapshot.ts";
import { formatSourceProblem, placeProblem } from "../source-problem.ts";

export interface DirectoryOptions {
  readonly paths: readonly string[];
  readonly policies: readonly ObjectKind[];
  /** Kinds of objects that policies may refer to. */
  readonly references?: readonly ObjectKind[];
  readonly clock: Clock;
  /** Quiet time after a file event before files are read: editors save in several steps. */
  readonly settleMs?: number;
  /** How often files are checked without any event: some file systems have none. */
  readonly pollMs?: number;
}

interface FileState extends DefinedFile {
  readonly path: string;
  readonly stamp: string;
  /** Whether the file's present objects are unknown. */
  readonly obscure: boolean;
}

export class DirectorySource implements Source {
  readonly #options: Required<DirectoryOptions>;
  readonly #kinds: readonly ReadableKind[];
  readonly #watch: DirectoryWatch;
  #listener: SourceListener | null = null;
  #files: ReadonlyMap<string, FileState> = new Map();
  #snapshot: Snapshot = emptySnapshot;
  /** Reported findings, each with the version of its file. */
  #reported: ReadonlyMap<string, number> = new Map();
  #versions = 0;
  #settling: Timer | null = null;
  #poll: Timer | null = null;

  constructor(options: DirectoryOptions) {
    this.#options = { settleMs: 100, pollMs: 5000, references: [], ...options };
    this.#kinds = readableKinds(options.policies, options.references);
    this.#watch = new DirectoryWatch(() => {
      this.#settle();
    });
  }

  /** Throws when one of the paths does not exist. */
  start(listener: SourceListener): void {
    invariant(this.#listener === null, "a source is started once");
    const found = findFiles(this.#options.paths);
    const [missing] = found.missing;
    if (missing !== undefined)
      throw new Error(formatSourceProblem(placeProblem(missing, "no such file or directory")));
    this.#listener = listener;
    this.#absorb(found);
    listener.synced();
    this.#rescan();
  }

  read(key: ObjectKey): WorldObject | null {
    return this.#snapshot.entries.get(key)?.object ?? null;
  }

  mayExist(key: ObjectKey): boolean {
    if (this.#snapshot.entries.has(key)) return true;
    const hides = ({ obscure, definitions }: FileState): boolean =>
      obscure || definitions.some((definition) => definition.key === key);
    return [...this.#files.values()].some(hides);
  }

  /** file:line of a field of the object that `read` gives; null when there is none. */
  placeOf(key: ObjectKey, field: string): string | null {
    return this.#snapshot.entries.get(key)?.placeOf(field) ?? null;
  }

  stop(): Promise<void> {
    this.#settling?.cancel();
    this.#poll?.cancel();
    this.#watch.close();
    this.#listener = null;
    return Promise.resolve();
  }

  /** Each event restarts the wait. */
  #settle(): void {
    if (this.#listener === null) return;
    this.#settling?.cancel();
    this.#settling = this.#options.clock.after(this.#options.settleMs, () => {
      this.#rescan();
    });
  }

  /** Watches first, so that a change during the read causes another event. */
  #rescan(): void {
    this.#poll?.cancel();
    this.#settling?.cancel();
    const found = findFiles(this.#options.paths);
    this.#watch.follow(watched(found));
    this.#absorb(found);
    if (this.#listener === null) return; // It may have stopped us.
    this.#poll = this.#options.clock.after(this.#options.pollMs, () => {
      this.#rescan();
    });
  }

  #absorb(found: Found): void {
    const lost = [...found.missing, ...found.unlisted].filter((path) => this.#hasFilesUnder(path));
    const files = found.files.map((file) => this.#present(file));
    const kept = [...this.#files.values()].filter(({ path }) => lost.some((above) => isUnder(path, above)));
    this.#replaceFiles([...kept, ...files]);
    const unlisted = found.unlisted.filter((path) => !lost.includes(path));
    this.#report([
      ...lost.map((path) => finding(path, "the directory cannot be read; its objects stay as they were")),
      ...unlisted.map((path) => finding(path, "the directory cannot be read")),
      ...this.#snapshot.findings,
    ]);
  }

  /** Merges nothing while every file is unchanged. */
  #replaceFiles(files: readonly FileState[]): void {
    const same = files.every((file) => this.#files.get(resolve(file.path)) === file);
    if (same && files.length === this.#files.size) return;
    const before = this.#snapshot;
    this.#files = new Map(files.map((file) => [resolve(file.path), file]));
    this.#snapshot = merged(this.#files.values(), before);
    for (const key of differing(before, this.#snapshot)) this.#listener?.changed(key);
  }

  #hasFilesUnder(path: string): boolean {
    return [...this.#files.values()].some((file) => isUnder(file.path, path));
  }

  /** The present file, read again when its stamp has changed. */
  #present({ path, stamp }: FoundFile): FileState {
    const last = this.#files.get(resolve(path));
    if (last?.stamp === stamp) return last;
    const { definitions, unidentified, problems, blank } = loadFile(path, this.#kinds);
    const version = ++this.#versions;
    const held = last?.definitions ?? [];
    if (definitions === null || (blank && held.length > 0)) {
      const reasons = blank
        ? [placeProblem(path, "is empty; delete the file to delete its objects")]
        : problems;
      const told = reasons.map((reason) => stillInForce(reason, held.length));
      return { path, stamp, version, definitions: held, problems: told, obscure: definitions === null };
    }
    if (!unidentified) return { path, stamp, version, definitions, problems, obscure: false };
    // The unidentified object may be one of the held objects, so none of them counts as deleted.
    const keys = new Set(definitions.map(({ key }) => key));
    const doubtful = held.filter(({ key }) => !keys.has(key));
    return { path, stamp, version, definitions: [...definitions, ...doubtful], problems, obscure: true };
  }

  /** Reports each finding once for each version of its file. */
  #report(findings: readonly Finding[]): void {
    const lines = findings.map((item) => [formatSourceProblem(item.problem), item] as const);
    for (const [line, { version, problem }] of lines)
      if (this.#reported.get(line) !== version) this.#listener?.problem(problem);
    this.#reported = new Map(lines.map(([line, { version }]) => [line, version]));
  }
}

function finding(path: string, message: string): Finding {
  return { version: 0, problem: placeProblem(path, message) };
}

function stillInForce(reason: SourceProblem, objects: number): SourceProblem {
  if (objects === 0) return reason;
  const message = `${reason.problem.message} (its ${objects} object${objects === 1 ? " stays" : "s stay"} as before)`;
  return { ...reason, problem: { ...reason.problem, message } };
}

function isUnder(path: string, directory: string): boolean {
  return resolve(path).startsWith(resolve(directory) + sep);
}

/** The walked directories, and the directories of files that were given by name. */
function watched(found: Found): ReadonlySet<string> {
  const parents = found.files.map(({ path }) => resolve(path, ".."));
  return new Set([...found.directories.map((path) => resolve(path)), ...parents]);
}
