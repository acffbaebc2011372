// Bytes in any pieces → whole frames: of each the length comes first, as four bytes (k8s.io/apimachinery, util/framer). A frame that is
// not complete is dropped at the end: a cut connection ends in it.

const headLength = 4;

export class FrameSplitter {
  #pieces: Buffer[] = [];
  #held = 0;
  /** How many bytes there must be before another frame is complete, or its length known. */
  #wanted = headLength;

  /** Bytes of the frame that is not complete, as it announces them. */
  get pending(): number {
    return this.#wanted - headLength;
  }

  /** Frames that this piece completes. They are parts of it, not copies. */
  push(piece: Buffer): readonly Buffer[] {
    this.#pieces.push(piece);
    this.#held += piece.length;
    if (this.#held < this.#wanted) return [];
    const bytes = this.#pieces.length === 1 ? piece : Buffer.concat(this.#pieces, this.#held);
    const frames: Buffer[] = [];
    let at = 0;
    this.#wanted = wantedAt(bytes, at);
    while (bytes.length - at >= this.#wanted) {
      frames.push(bytes.subarray(at + headLength, at + this.#wanted));
      at += this.#wanted;
      this.#wanted = wantedAt(bytes, at);
    }
    this.#pieces = at === bytes.length ? [] : [bytes.subarray(at)];
    this.#held = bytes.length - at;
    return frames;
  }
}

function wantedAt(bytes: Buffer, at: number): number {
  return bytes.length - at < headLength ? headLength : headLength + bytes.readUInt32BE(at);
}
