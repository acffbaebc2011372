// Reports that something may have changed in one of the followed directories, never what. Where the system cannot watch
// (too many watches, unsupported file system) it reports nothing, and the source must poll.

import { watch } from "node:fs";
import type { FSWatcher } from "node:fs";

export class DirectoryWatch {
  readonly #notify: () => void;
  readonly #watchers = new Map<string, FSWatcher>();

  constructor(notify: () => void) {
    this.#notify = notify;
  }

  /** Follows exactly these directories from now on. */
  follow(directories: ReadonlySet<string>): void {
    for (const directory of [...this.#watchers.keys()])
      if (!directories.has(directory)) this.#drop(directory);
    for (const directory of directories) if (!this.#watchers.has(directory)) this.#add(directory);
  }

  close(): void {
    this.follow(new Set());
  }

  #add(directory: string): void {
    try {
      const watcher = watch(directory, this.#notify);
      watcher.on("error", () => {
        this.#drop(directory);
      });
      this.#watchers.set(directory, watcher);
    } catch {
      // Polling finds what this watcher misses.
    }
  }

  #drop(directory: string): void {
    this.#watchers.get(directory)?.close();
    this.#watchers.delete(directory);
  }
}
