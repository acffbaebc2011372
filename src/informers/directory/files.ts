// Paths → manifest files, with a stamp that changes when a file does. Hidden names are skipped, so that the mount of a
// ConfigMap works: its files are links into `..data`, which is hidden. Links to directories are not followed.
// Directories that cannot be listed are reported, so that they do not count as empty.

import { isUtf8 } from "node:buffer";
import { readdirSync, readFileSync, statSync } from "node:fs";
import type { Dirent } from "node:fs";
import { join, normalize, resolve } from "node:path";

export interface FoundFile {
  readonly path: string;
  readonly stamp: string;
}

export interface Found {
  /** In the order of the paths given, then by name; each file once. */
  readonly files: readonly FoundFile[];
  readonly directories: readonly string[];
  /** Given paths that do not exist. */
  readonly missing: readonly string[];
  /** Directories that exist but cannot be listed. */
  readonly unlisted: readonly string[];
}

const manifestName = /^[^.].*\.(yaml|yml|json)$/i;
const maxBytes = 64 * 1024 * 1024;

export function findFiles(paths: readonly string[]): Found {
  const files = new Map<string, FoundFile>();
  const found = { directories: [] as string[], missing: [] as string[], unlisted: [] as string[] };
  const add = (path: string, stamp: string) => {
    if (!files.has(resolve(path))) files.set(resolve(path), { path, stamp });
  };
  const walk = (directory: string) => {
    found.directories.push(directory);
    const entries = entriesOf(directory);
    if (entries === null) found.unlisted.push(directory);
    for (const entry of entries ?? []) {
      const path = join(directory, entry.name);
      if (entry.isDirectory() && !entry.name.startsWith(".")) walk(path);
      const status = manifestName.test(entry.name) ? statusOf(path) : null;
      if (status?.isFile === true) add(path, status.stamp);
    }
  };
  for (const path of paths.map(normalize)) {
    const status = statusOf(path);
    if (status === null) found.missing.push(path);
    else if (status.isDirectory) walk(path);
    else add(path, status.stamp);
  }
  return { files: [...files.values()], ...found };
}

function entriesOf(directory: string): readonly Dirent[] | null {
  try {
    return readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return null;
  }
}

/** null when it is gone, or when a link has no target. */
function statusOf(path: string) {
  try {
    const status = statSync(path, { bigint: true });
    const stamp = [status.dev, status.ino, status.size, status.mtimeNs, status.ctimeNs].join(" ");
    return { stamp, isFile: status.isFile(), isDirectory: status.isDirectory() };
  } catch {
    return null;
  }
}

/** The text of a file, or why there is none. */
export function readText(path: string): { readonly text: string } | { readonly error: string } {
  try {
    const { size } = statSync(path);
    const bytes = size > maxBytes ? null : readFileSync(path);
    if (bytes === null || bytes.length > maxBytes)
      return { error: `is larger than ${maxBytes / 1024 / 1024} MiB` };
    if (bytes.includes(0)) return { error: "is not text: it has a zero byte" };
    if (!isUtf8(bytes)) return { error: "is not UTF-8 text" };
    return { text: new TextDecoder().decode(bytes) };
  } catch (error) {
    return { error: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  const code =
    typeof error === "object" && error !== null && "code" in error ? ` (${String(error.code)})` : "";
  return `cannot be read${code}`;
}
