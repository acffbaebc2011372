// What follows from where paths lie: which directories are above a place, which are watched, which held the files that were
// read, and which given paths were removed although no file there was deleted. Opens no file.

import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Found, Unreadable } from "./files.ts";

/** Every directory above an absolute path, the nearest first. */
export function ancestors(place: string): readonly string[] {
  const above = dirname(place);
  return above === place ? [] : [above, ...ancestors(above)];
}

/** The directories to watch: those walked, and those of files that were given by themselves or cannot be reached. */
export function watched({ files, directories, missing, unreadable }: Found): ReadonlySet<string> {
  const apart = [...files, ...unreadable].map(({ path }) => path);
  const parents = [...apart, ...missing].map((path) => dirname(resolve(path)));
  return new Set([...directories.map((path) => resolve(path)), ...parents]);
}

/**
 * Directories that files were read from, at any depth; none when everything can be looked at. `read`: the absolute paths of
 * those files.
 */
export function holdingDirectories(
  { unreadable, missing }: Found,
  read: Iterable<string>,
): ReadonlySet<string> {
  const isNeeded = unreadable.length + missing.length > 0;
  return new Set(isNeeded ? [...read].flatMap(ancestors) : []);
}

/**
 * Given paths that were removed and are no deleted file: a directory, or a file with the directory that it was in. `holding`: what
 * `holdingDirectories` gives.
 */
export function lostPaths({ missing }: Found, holding: ReadonlySet<string>): readonly Unreadable[] {
  const isLost = (path: string) => holding.has(resolve(path)) || !existsSync(dirname(resolve(path)));
  return missing.filter(isLost).map((path) => ({ path, message: "the directory cannot be read" }));
}
