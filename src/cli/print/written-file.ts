// Files that a command writes: whole, or not at all. They are written beside their place and then renamed, so that a full disk takes
// neither an earlier file nor leaves half of a new one. Where that cannot be, as of a device, of a file that is mounted by itself, and in a
// folder that is closed, what is there is written in place.

import type { Stats } from "node:fs";
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { codeOf } from "../../lib/error-code.ts";

/** Throws an Error of one sentence that names the file. `mode`: as WholeFile.open takes it. */
export function writeWhole(path: string, content: string | Uint8Array, mode?: number): void {
  const file = WholeFile.open(path, mode);
  try {
    file.write(content);
  } finally {
    file.close();
  }
}

interface Draft {
  readonly path: string;
  /** Of the system. */
  readonly file: number;
}

/** A file that has its content when `write` returns. Opened earlier it shows that there may be one. */
export class WholeFile {
  readonly #path: string;
  /** Where links lead to. */
  readonly #place: string;
  /** null: it is written in place. */
  readonly #draft: Draft | null;

  private constructor(path: string, place: string, draft: Draft | null) {
    this.#path = path;
    this.#place = place;
    this.#draft = draft;
  }

  /**
   * `mode`: its own, whatever an earlier one has; unless given, that of the earlier one. Throws an Error of one sentence that names the
   * file.
   */
  static open(path: string, mode?: number): WholeFile {
    return named(path, () => {
      const earlier = statSync(path, { throwIfNoEntry: false }) ?? null;
      const place = earlier === null ? path : realpathSync(path);
      const draft = earlier === null || earlier.isFile() ? draftOf(place, earlier, mode) : null;
      if (draft === null) accessSync(place, constants.W_OK);
      return new WholeFile(path, place, draft);
    });
  }

  /** Throws an Error of one sentence that names the file; an earlier one is as it was, unless it is written in place. */
  write(content: string | Uint8Array): void {
    named(this.#path, () => {
      if (this.#draft === null) {
        writeFileSync(this.#place, content);
        return;
      }
      writeFileSync(this.#draft.file, content);
      try {
        renameSync(this.#draft.path, this.#place);
      } catch (error) {
        if (codeOf(error) !== "EBUSY") throw error; // It is mounted by itself.
        writeFileSync(this.#place, content);
      }
    });
  }

  /** Without a file, unless it was written. */
  close(): void {
    if (this.#draft === null) return;
    closeSync(this.#draft.file);
    rmSync(this.#draft.path, { force: true });
  }
}

/** null: the folder is closed, and there is a file. */
function draftOf(place: string, earlier: Stats | null, mode: number | undefined): Draft | null {
  const path = `${place}.${process.pid}.part`;
  try {
    const file = openSync(path, "wx", mode ?? 0o666);
    if (earlier !== null) becomeLike(file, earlier, mode);
    return { path, file };
  } catch (error) {
    if (earlier !== null && ["EACCES", "EPERM", "EROFS"].includes(codeOf(error))) return null;
    throw error;
  }
}

function becomeLike(file: number, { mode: earlier, uid, gid }: Stats, mode: number | undefined): void {
  try {
    fchownSync(file, uid, gid);
  } catch {
    // Only root gives files away; to write one of another's is no fault.
  }
  fchmodSync(file, mode ?? earlier & 0o7777);
}

function named<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const why = String(error).replace(/^Error: /, "");
    throw new Error(`${path} cannot be written: ${why}`, { cause: error });
  }
}
