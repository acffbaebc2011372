// Bytes in any pieces → whole lines of text. An unterminated rest is dropped: a cut connection ends in it.

import { StringDecoder } from "node:string_decoder";

export class LineSplitter {
  readonly #decoder = new StringDecoder("utf8");
  #rest = "";

  /** Characters of a line that is not complete. */
  get pending(): number {
    return this.#rest.length;
  }

  /** Lines that this piece completes; blank ones are left out. */
  push(piece: Uint8Array): readonly string[] {
    const [first = "", ...others] = this.#decoder.write(piece).split("\n");
    const lines = [this.#rest + first, ...others];
    this.#rest = lines.pop() ?? "";
    return lines.filter((line) => line.trim() !== "");
  }
}
