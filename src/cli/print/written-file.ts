// Files that a command writes: whole, or not at all. They are written beside their place and then renamed, so that a full disk takes
// neither an earlier file nor leaves half of a new one.

import type { Stats } from "node:fs";
import {
  closeSync,
  fchmodSync,
  fchownSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";

/** Throws an Error of one sentence that names the file. `mode`: as WholeFile.open takes it. */
export function writeWhole(path: string, content: string | Uint8Array, mode?: number): void {
  const draft = WholeFile.open(path, mode);
  try {
    draft.write(content);
  } finally {
    draft.close();
  }
}

/** A file that has its content when `write` returns. Opened earlier it shows that there may be one. */
export class WholeFile {
  readonly #path: string;
  /** Where it is written; null: in place, as to a pipe or a terminal, which a new file must not replace. */
  readonly #draft: string | null;
  readonly #place: string;
  readonly #file: number;

  private constructor(path: string, place: string, earlier: Stats | null, mode?: number) {
    this.#path = path;
    this.#place = place;
    this.#draft = earlier === null || earlier.isFile() ? `${place}.${process.pid}.part` : null;
    this.#file = openSync(this.#draft ?? place, this.#draft === null ? "w" : "wx", mode ?? 0o666);
    if (earlier !== null && this.#draft !== null) this.#becomeLike(earlier, mode);
  }

  /**
   * `mode`: its own, whatever an earlier one has; unless given, that of the earlier one. Throws an Error of one sentence that names the
   * file.
   */
  static open(path: string, mode?: number): WholeFile {
    return named(path, () => {
      const earlier = statSync(path, { throwIfNoEntry: false }) ?? null;
      return new WholeFile(path, earlier === null ? path : realpathSync(path), earlier, mode);
    });
  }

  /** Throws an Error of one sentence that names the file; an earlier one is as it was. */
  write(content: string | Uint8Array): void {
    named(this.#path, () => {
      writeFileSync(this.#file, content);
      if (this.#draft !== null) renameSync(this.#draft, this.#place);
    });
  }

  #becomeLike({ mode: earlier, uid, gid }: Stats, mode: number | undefined): void {
    try {
      fchownSync(this.#file, uid, gid);
    } catch {
      // Only root gives files away; to write one of another's is no fault.
    }
    fchmodSync(this.#file, mode ?? earlier & 0o7777);
  }

  /** Without a file, unless it was written. */
  close(): void {
    closeSync(this.#file);
    if (this.#draft !== null) rmSync(this.#draft, { force: true });
  }
}

function named<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const why = String(error).replace(/^Error: /, "");
    throw new Error(`${path} cannot be written: ${why}`, { cause: error });
  }
}
