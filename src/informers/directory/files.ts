// Paths → manifest files, with a stamp that changes when a file does. Hidden names are skipped, which makes the mount of a
// ConfigMap work: its files are links into `..data`, which is one. Links to directories are not followed. What is there
// and cannot be looked at is named with its reason, so that it is never mistaken for deleted.

import { isUtf8 } from "node:buffer";
import { closeSync, fstatSync, lstatSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import type { Dirent } from "node:fs";
import { dirname, join, normalize, relative, resolve, sep } from "node:path";
import type { Ignores } from "./glob.ts";
import { codeOf } from "../../lib/error-code.ts";

export interface FoundFile {
  readonly path: string;
  /** Another text after each change of the file or of its rights. */
  readonly stamp: string;
  /** Another text when another file is at the path. */
  readonly inode: string;
  /** Its entry changed after its last write: it was renamed, or got other rights or times, when it was whole. */
  readonly finished: boolean;
  /** When the file or its entry changed last, in ms since 1970. */
  readonly changedMs: number;
}

/** A file or directory that is there, or whose way is closed: what it holds is unknown. */
export interface Unreadable {
  readonly path: string;
  /** With the code of the system. */
  readonly message: string;
}

export interface Found {
  /** In the order of the paths given, then by name; each file once. */
  readonly files: readonly FoundFile[];
  readonly directories: readonly string[];
  /** Given paths that do not exist. */
  readonly missing: readonly string[];
  readonly unreadable: readonly Unreadable[];
  /** When a name was last added to or removed from one of the directories, in ms since 1970. */
  readonly listedMs: number;
  /** Of the files, those that were given themselves. */
  readonly given: ReadonlySet<string>;
  /** Helm charts whose templates are left out. */
  readonly charts: readonly string[];
}

const manifestName = /^[^.].*\.(yaml|yml|json)$/is;
const maxBytes = 64 * 1024 * 1024;
const pieceBytes = 64 * 1024;

/** How folders are looked through. */
export interface Looking {
  /** Paths below a given folder that are left out; none unless given. */
  readonly ignores?: Ignores;
  /** Whether folders may be those of a repository: of a Helm chart, what is no manifest before it is rendered is left out. */
  readonly isRepository?: boolean;
}

export function findFiles(paths: readonly string[], looking: Looking = {}): Found {
  const walk = new Walk(looking);
  for (const path of paths.map(normalize)) walk.given(path);
  return {
    files: [...walk.files.values()],
    directories: walk.directories,
    missing: walk.missing,
    unreadable: [...walk.unreadable].map(([path, message]) => ({ path, message })),
    listedMs: walk.listedMs,
    given: walk.named,
    charts: walk.charts,
  };
}

/** A folder that has it is a Helm chart; its templates are in a folder beside it. */
const chartFile = "Chart.yaml";
const chartTemplates = "templates";

class Walk {
  readonly named = new Set<string>();
  readonly charts: string[] = [];
  readonly #looking: Looking;
  /** The folder that was given, which paths to leave out are below. */
  #root = "";
  readonly files = new Map<string, FoundFile>();
  readonly directories: string[] = [];
  readonly missing: string[] = [];
  readonly unreadable = new Map<string, string>();
  listedMs = 0;

  constructor(looking: Looking) {
    this.#looking = looking;
  }

  given(path: string): void {
    const status = statusOf(path);
    if (!("error" in status)) {
      this.#root = path;
      if (status.isDirectory) this.#directory(path);
      else {
        this.named.add(path);
        this.#add(path, status);
      }
    } else if (isGone(status.error)) this.missing.push(path);
    else this.unreadable.set(path, `cannot be read (${status.error})`);
  }

  #directory(directory: string): void {
    const entries = entriesOf(directory);
    if ("error" in entries && isGone(entries.error)) {
      this.#gone(directory); // It was removed after its parent was listed.
      return;
    }
    this.directories.push(directory);
    const status = statusOf(directory);
    if (!("error" in status)) this.listedMs = Math.max(this.listedMs, status.changedMs);
    if ("error" in entries) this.#closed(directory, "the directory cannot be read", entries.error);
    else for (const entry of this.#wanted(directory, entries)) this.#entry(directory, entry);
  }

  #wanted(directory: string, entries: readonly Dirent[]): readonly Dirent[] {
    const { ignores, isRepository = false } = this.#looking;
    const meant = entries.filter(
      ({ name }) => ignores?.(relative(this.#root, join(directory, name)).replaceAll(sep, "/")) !== true,
    );
    const isChart = isRepository && meant.some((one) => one.name === chartFile && one.isFile());
    if (isChart && meant.some((one) => one.name === chartTemplates)) this.charts.push(directory);
    const ofChart = isChart ? [chartFile, chartTemplates] : [];
    return meant.filter(({ name }) => !ofChart.includes(name));
  }

  #entry(directory: string, entry: Dirent): void {
    const path = join(directory, entry.name);
    if (entry.isDirectory() && !entry.name.startsWith(".")) this.#directory(path);
    if (entry.isDirectory() || !manifestName.test(entry.name)) return;
    const status = statusOf(path);
    if (!("error" in status)) {
      if (status.isFile) this.#add(path, status);
    } else if (!isGone(status.error)) this.#closed(path, "cannot be read", status.error);
    else if (entry.isSymbolicLink())
      this.unreadable.set(path, `is a link that leads nowhere (${status.error})`);
    else this.#gone(path);
  }

  /** Names are read as UTF-8, and what was not is not found under the name that was made of it. */
  #gone(path: string): void {
    if (path.includes("\ufffd")) this.unreadable.set(path, "has a name that is not UTF-8 and cannot be read");
  }

  /** One line for a directory in which no name can be looked up, or one for the path itself. */
  #closed(path: string, message: string, error: string): void {
    if (isSearchable(path)) this.unreadable.set(path, `${message} (${error})`);
    else this.unreadable.set(dirname(path), `the directory cannot be searched (${error})`);
  }

  #add(path: string, { stamp, inode, finished, changedMs }: Status): void {
    const key = resolve(path);
    if (!this.files.has(key)) this.files.set(key, { path, stamp, inode, finished, changedMs });
  }
}

interface Failed {
  readonly error: string;
}

interface Status extends Omit<FoundFile, "path"> {
  readonly isFile: boolean;
  readonly isDirectory: boolean;
}

/** Nothing has the name, or a link with the name leads nowhere. */
function isGone(error: string): boolean {
  return error === "ENOENT" || error === "ENOTDIR";
}

function entriesOf(directory: string): readonly Dirent[] | Failed {
  try {
    return readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    return { error: codeOf(error) };
  }
}

function statusOf(path: string): Status | Failed {
  try {
    const status = statSync(path, { bigint: true });
    const inode = `${status.dev} ${status.ino}`;
    return {
      inode,
      stamp: [inode, status.size, status.mtimeNs, status.ctimeNs].join(" "),
      finished: status.ctimeNs > status.mtimeNs,
      changedMs: Number((status.ctimeNs > status.mtimeNs ? status.ctimeNs : status.mtimeNs) / 1_000_000n),
      isFile: status.isFile(),
      isDirectory: status.isDirectory(),
    };
  } catch (error) {
    return { error: codeOf(error) };
  }
}

/** Whether names in the directory of the path can be looked up. */
function isSearchable(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Whether the file is still the one that was found. */
export function isUnchanged({ path, stamp }: FoundFile): boolean {
  const status = statusOf(path);
  return !("error" in status) && status.stamp === stamp;
}

export interface Refused {
  readonly error: string;
  /** The system refused, so the same file may be readable later. */
  readonly passing: boolean;
}

/** The text of a file, or of an open one by its number, or why there is none. Of a larger one no more than the limit is read. */
export function readText(path: string | number): { readonly text: string } | Refused {
  try {
    const bytes = typeof path === "number" ? bytesIn(path) : bytesOf(path);
    if (bytes === null) return refused(`is larger than ${maxBytes / 1024 / 1024} MiB`);
    if (bytes.includes(0)) return refused("is not text: it has a zero byte");
    if (!isUtf8(bytes)) return refused("is not UTF-8 text");
    return { text: new TextDecoder().decode(bytes) };
  } catch (error) {
    return { error: `cannot be read (${codeOf(error)})`, passing: true };
  }
}

function bytesOf(path: string): Buffer | null {
  const file = openSync(path, "r");
  try {
    return bytesIn(file);
  } finally {
    closeSync(file);
  }
}

/** null: too many. A pipe or a device has no size before it is read, and a file may grow meanwhile. */
function bytesIn(file: number): Buffer | null {
  const { size } = fstatSync(file);
  if (size > maxBytes) return null;
  const pieces: Buffer[] = [];
  for (let length = 0; length <= maxBytes;) {
    const piece = Buffer.allocUnsafe(Math.max(size + 1 - length, pieceBytes));
    const count = readSome(file, piece);
    if (count === 0) return Buffer.concat(pieces);
    pieces.push(piece.subarray(0, count));
    length += count;
  }
  return null;
}

const pauseMs = 5;

/** Waits for a standard input that the program at its other end has made one that does not wait. */
function readSome(file: number, piece: Buffer): number {
  for (;;)
    try {
      return readSync(file, piece);
    } catch (error) {
      if (codeOf(error) !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
}

function refused(error: string): Refused {
  return { error, passing: false };
}
