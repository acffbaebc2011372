// A Source over files and directories of manifests, and everything that happens to them. Fails closed: a file that cannot
// be read, an object that is refused and a directory that was removed leave in force what was there; only a deletion deletes.
// A file that changes is read, and one that disappears is believed removed, when it has been quiet for a while (decision 0021);
// so the source is not synced while what was there at the start is still being written.
// Invariant: `changed` is called for exactly the keys whose objects differ from what `read` said before.

import { resolve } from "node:path";
import type { ObjectKey, Source, SourceListener, WorldObject } from "../../model/object.ts";
import type { Timer } from "../../lib/clock.ts";
import { invariant } from "../../lib/invariant.ts";
import { DirectoryWatch } from "./directory-watch.ts";
import type { FileState } from "./file-state.ts";
import { inOrder, readState, stateOfText, stillInForce } from "./file-state.ts";
import type { Found, FoundFile, Unreadable } from "./files.ts";
import { findFiles, isUnchanged } from "./files.ts";
import { ignoring } from "./glob.ts";
import type { ReadableKind } from "../objects/kinds.ts";
import { readableKinds } from "../objects/kinds.ts";
import { ignoredNote } from "../ignored.ts";
import type { DirectoryOptions } from "./options.ts";
import { ancestors, holdingDirectories, lostPaths, watched } from "./places.ts";
import { Settling } from "./settling.ts";
import type { Finding, Snapshot } from "./snapshot.ts";
import { differing, emptySnapshot, finding, merged } from "./snapshot.ts";
import { formatSourceProblem, placeProblem } from "../source-problem.ts";

/** A file that keeps changing for so long is reported. */
const restlessMs = 10_000;
const gone = "gone";

export class DirectorySource implements Source {
  readonly #options: Required<DirectoryOptions>;
  readonly #kinds: readonly ReadableKind[];
  readonly #watch: DirectoryWatch;
  #listener: SourceListener | null = null;
  #files: ReadonlyMap<string, FileState> = new Map();
  readonly #texts: readonly FileState[];
  #snapshot: Snapshot = emptySnapshot;
  /** What has been reported, with the version of the file it was found in. */
  #reported: ReadonlyMap<string, number> = new Map();
  #ignored: string | null = null;
  #versions = 0;
  readonly #settling: Settling;
  /** Something is there that was not read: it may hold any object. */
  #unseen = false;
  #synced = false;
  /** Everything was at rest once: what is missing is not on its way. */
  #isWhole = false;
  #startedMs = 0;
  /** When the look that is absorbed began: what it saw may have changed since. */
  #begun = { ms: 0, today: 0 };
  #contactMs: number;
  #isFirstLook = true;
  #event: Timer | null = null;
  #poll: Timer | null = null;

  constructor(options: DirectoryOptions) {
    this.#options = {
      settleMs: 100,
      quietMs: 500,
      pollMs: 5000,
      references: [],
      reading: {},
      isRepository: false,
      ...{ ignore: [], texts: [] },
      today: Date.now,
      onIgnored: () => undefined,
      keeps: () => false,
      onKept: () => undefined,
      ...options,
    };
    this.#contactMs = this.#options.clock.now();
    this.#kinds = readableKinds(options.policies, options.references, options.reading);
    const { keeps, texts } = this.#options;
    this.#texts = texts.map((text) => stateOfText(text, this.#kinds, { keeps }));
    this.#settling = new Settling(this.#options.quietMs);
    this.#watch = new DirectoryWatch(() => {
      this.#settle();
    });
  }

  /** Throws when one of the paths does not exist or may not be looked at. */
  start(listener: SourceListener): void {
    invariant(this.#listener === null, "a source is started once");
    const found = this.#find();
    const [missing] = found.missing;
    if (missing !== undefined)
      throw new Error(formatSourceProblem(placeProblem(missing, "no such file or directory")));
    const closed = found.unreadable.find(
      ({ path }) => !found.directories.includes(path) && this.#isGiven(path),
    );
    if (closed !== undefined) throw new Error(formatSourceProblem(placeProblem(closed.path, closed.message)));
    this.#listener = listener;
    this.#startedMs = this.#options.clock.now();
    this.#rescan();
  }

  read(key: ObjectKey): WorldObject | null {
    return this.#snapshot.entries.get(key)?.object ?? null;
  }

  mayExist(key: ObjectKey): boolean {
    if (this.#unseen || this.#snapshot.entries.has(key)) return true;
    const hides = ({ obscure, definitions }: FileState): boolean =>
      obscure || definitions.some((definition) => definition.key === key);
    return [...this.#files.values()].some(hides);
  }

  /** What is wrong with the files of now, as lines. */
  get problems(): readonly string[] {
    return [...this.#reported.keys()];
  }

  /** When all given paths could be looked at last, by the clock. */
  get contactMs(): number {
    return this.#contactMs;
  }

  /** file:line of a field of the object that `read` gives; null when there is none. */
  placeOf(key: ObjectKey, field: string): string | null {
    return this.#snapshot.entries.get(key)?.placeOf(field) ?? null;
  }

  stop(): Promise<void> {
    this.#event?.cancel();
    this.#poll?.cancel();
    this.#watch.close();
    this.#listener = null;
    return Promise.resolve();
  }

  /** Each event starts the wait again. */
  #settle(): void {
    if (this.#listener === null) return;
    this.#event?.cancel();
    this.#event = this.#options.clock.after(this.#options.settleMs, () => {
      this.#rescan();
    });
  }

  /** Watches first, so that what changes while files are read is an event again. */
  #rescan(): void {
    this.#poll?.cancel();
    this.#event?.cancel();
    const begun = { ms: this.#options.clock.now(), today: this.#options.today() };
    const found = this.#find();
    const isRootLost = [...found.missing, ...found.unreadable.map(({ path }) => path)].some((path) =>
      this.#isGiven(path),
    );
    if (!isRootLost) this.#contactMs = this.#options.clock.now();
    this.#watch.follow(watched(found));
    this.#begun = begun;
    this.#absorb(found);
    this.#sync();
    if (this.#listener === null) return; // It may have stopped us.
    this.#poll = this.#options.clock.after(this.#nextLookMs(), () => {
      this.#rescan();
    });
  }

  /** What is still being written after a while is left out: rows that it may describe are kept, as `mayExist` says. */
  #sync(): void {
    const waitedMs = this.#options.clock.now() - this.#startedMs;
    if (this.#synced || !(this.#isWhole || waitedMs >= restlessMs)) return;
    this.#synced = true;
    this.#listener?.synced();
  }

  /** No later than the first file that may then be believed. */
  #nextLookMs(): number {
    const { pollMs, quietMs } = this.#options;
    const longest = this.#isWhole ? pollMs : Math.min(pollMs, quietMs);
    return Math.min(longest, Math.max(1, Math.ceil(this.#settling.dueMs ?? longest)));
  }

  #absorb(found: Found): void {
    this.#settling.look(this.#begun.ms, this.#options.clock.now());
    const holding = holdingDirectories(found, this.#files.keys());
    const unread = [...found.unreadable, ...lostPaths(found, holding)];
    const closed = new Set(unread.map(({ path }) => resolve(path)));
    const isBelow = (place: string) => ancestors(place).some((above) => closed.has(above));
    const places = new Map(found.files.map((file) => [resolve(file.path), file]));
    const present = new Map<string, FileState>();
    for (const [place, file] of places) {
      const state = this.#present(file, this.#files.get(place));
      if (state !== undefined) present.set(place, state);
    }
    // A file that was just added may be the removed one, under another name.
    const someAreNew = present.size < places.size;
    const away = [...this.#files.keys()].filter((place) => !places.has(place));
    const kept = away.filter(
      (place) => closed.has(place) || isBelow(place) || !this.#settling.rests(place, gone) || someAreNew,
    );
    this.#isFirstLook = false;
    this.#isWhole ||= this.#settling.dueMs === null && !this.#isRecent(found.listedMs);
    this.#unseen = unread.length > 0 || this.#settling.dueMs !== null || !this.#isWhole;
    this.#replaceFiles(inOrder(this.#files, present, new Set(kept)));
    const outermost = unread.filter(({ path }) => !isBelow(resolve(path)));
    const restless = this.#settling.restless(restlessMs);
    this.#report([
      ...outermost.map((item) => this.#findingOf(item, holding)),
      ...restless.map((path) =>
        finding(path, "is written without a pause; what it had stays until it rests"),
      ),
      ...this.#snapshot.findings,
    ]);
    const note = ignoredNote(this.#all(this.#files).flatMap(({ ignored }) => ignored));
    if (note !== null && note !== this.#ignored) this.#options.onIgnored(note);
    this.#ignored = note;
  }

  #findingOf({ path, message }: Unreadable, holding: ReadonlySet<string>): Finding {
    const file = this.#files.get(resolve(path));
    if (file !== undefined)
      return { version: 0, problem: stillInForce(placeProblem(path, message), file.definitions.length) };
    return finding(path, holding.has(resolve(path)) ? `${message}; its objects stay as they were` : message);
  }

  /** Nothing is merged again while every file is as it was. */
  #replaceFiles(files: ReadonlyMap<string, FileState>): void {
    const same = [...files].every(([place, file]) => this.#files.get(place) === file);
    const before = this.#snapshot;
    const isFirst = before === emptySnapshot && this.#texts.length > 0;
    if (same && files.size === this.#files.size && !isFirst) return;
    this.#files = files;
    this.#snapshot = merged(this.#all(files), before);
    for (const key of differing(before, this.#snapshot)) this.#listener?.changed(key);
    this.#options.onKept(this.#all(files).flatMap(({ kept }) => kept));
  }

  #all(files: ReadonlyMap<string, FileState>): readonly FileState[] {
    return [...this.#texts, ...files.values()];
  }

  /** On a clock that may be another than the file system's. */
  #isRecent(ms: number): boolean {
    return Math.abs(this.#begun.today - ms) < this.#options.quietMs;
  }

  #isGiven(path: string): boolean {
    return this.#options.paths.some((given) => resolve(given) === resolve(path));
  }

  /** The file as it is now, read again when its stamp is another and it is at rest; undefined when it was never read. */
  #present(found: FoundFile, last: FileState | undefined): FileState | undefined {
    if (last?.stamp === found.stamp) return last.retried ? this.#retry(found, last) : last;
    const replaced = found.finished && last !== undefined && last.inode !== found.inode;
    const stood = this.#isFirstLook && (found.finished || !this.#isRecent(found.changedMs));
    const place = resolve(found.path);
    if (!stood && !replaced && !this.#settling.rests(place, found.stamp)) return last;
    const state = this.#readState(found, last, ++this.#versions);
    if (isUnchanged(found)) return state;
    this.#settling.stirred(place);
    return last;
  }

  #find(): Found {
    const { paths, isRepository, ignore } = this.#options;
    return findFiles(paths, { isRepository, ignores: ignoring(ignore) });
  }

  /** A file that is given is meant to hold objects. */
  #readState(found: FoundFile, last: FileState | undefined, version: number): FileState {
    const { keeps, isRepository } = this.#options;
    const leavesOthers = isRepository && !this.#isGiven(found.path);
    return readState(found, last, this.#kinds, version, { keeps, leavesOthers });
  }

  /** A file that still cannot be read is no new reading. */
  #retry(found: FoundFile, last: FileState): FileState {
    const state = this.#readState(found, last, this.#versions + 1);
    if (state.retried) return last;
    this.#versions++;
    return state;
  }

  /** Each finding once for each reading of its file. */
  #report(findings: readonly Finding[]): void {
    const lines = findings.map((item) => [formatSourceProblem(item.problem), item] as const);
    for (const [line, { version, problem }] of lines)
      if (this.#reported.get(line) !== version) this.#listener?.problem(problem);
    this.#reported = new Map(lines.map(([line, { version }]) => [line, version]));
  }
}
