// Bytes in any pieces → frames of Frame Streams (github.com/farsightsec/fstrm, fstrm.h). A data frame is its length as four bytes, and
// then its payload. A length of 0 announces a control frame: its length and its payload follow. Refuses frames that are longer than
// any of dnstap. Invariant: what is held never exceeds one frame of the greatest length.

const lengthBytes = 4;
/** Of a control frame, in fstrm. */
const mostControlBytes = 512;
/** A dnstap message of `full` has at most one DNS message of 65,535 bytes of a query and one of a response, beside addresses and names. */
export const mostFrameBytes = 2 * 65_535 + 4_096;

/** Why a stream ends early. Each is a label value of a metric. */
export type FrameFault =
  | "frame too long"
  | "control frame too long"
  | "control frame malformed"
  | "control frame out of order"
  | "data before the start"
  | "other content type";

export interface Frame {
  readonly kind: "data" | "control";
  /** A part of what was pushed, or of a buffer of its own. It is not changed later. */
  readonly payload: Buffer;
}

export interface Split {
  readonly frames: readonly Frame[];
  /** After these frames. null: none. */
  readonly fault: FrameFault | null;
}

export class FrameSplitter {
  #awaited: "length" | "control length" | Frame["kind"] = "length";
  #wanted = lengthBytes;
  /** Holds the beginning of what is awaited; null while nothing of it has come. */
  #held: Buffer | null = null;
  #filled = 0;
  #fault: FrameFault | null = null;

  /** Whether a part of a frame has come, and its end has not. */
  get isWithinFrame(): boolean {
    return this.#filled > 0 || this.#awaited !== "length";
  }

  /** The frames that this piece completes. After a fault there are no more. */
  push(piece: Buffer): Split {
    const frames: Frame[] = [];
    let at = 0;
    while (this.#fault === null && at < piece.length) {
      const missing = this.#wanted - this.#filled;
      const bytes = this.#completed(piece.subarray(at, at + missing));
      at += missing;
      if (bytes !== null) this.#take(bytes, frames);
    }
    return { frames, fault: this.#fault };
  }

  /** All bytes that are wanted; null: they are not complete. */
  #completed(part: Buffer): Buffer | null {
    if (part.length === this.#wanted) return part;
    const held = (this.#held ??= Buffer.allocUnsafe(this.#wanted));
    part.copy(held, this.#filled);
    this.#filled += part.length;
    if (this.#filled < this.#wanted) return null;
    this.#held = null;
    this.#filled = 0;
    return held;
  }

  #take(bytes: Buffer, frames: Frame[]): void {
    switch (this.#awaited) {
      case "length": {
        const length = bytes.readUInt32BE(0);
        if (length === 0) this.#await("control length", lengthBytes);
        else if (length > mostFrameBytes) this.#fault = "frame too long";
        else this.#await("data", length);
        return;
      }
      case "control length": {
        const length = bytes.readUInt32BE(0);
        if (length > mostControlBytes) this.#fault = "control frame too long";
        else if (length === 0) this.#fault = "control frame malformed";
        else this.#await("control", length);
        return;
      }
      case "data":
      case "control":
        frames.push({ kind: this.#awaited, payload: bytes });
        this.#await("length", lengthBytes);
    }
  }

  #await(next: "length" | "control length" | Frame["kind"], length: number): void {
    this.#awaited = next;
    this.#wanted = length;
  }
}
