// Reads a DNS message (RFC 1035, section 4) from front to back: numbers, and names with their compression. Refuses what no server writes:
// a name of more than 255 bytes, a pointer to anything but an earlier place or to another pointer, and names of more labels in all than
// the message has bytes. So a message takes steps in proportion to its length. Invariant: the place never passes the end.

import { MalformedBytes } from "../../../protobuf/wire.ts";

const mostNameBytes = 255;
/** The two bits that tell a pointer from a label. */
const pointerMark = 0xc0;
const plainLabel = /^[a-z0-9_-]+$/i;

export class DnsBytes {
  readonly #bytes: Buffer;
  #at = 0;
  /** A record of an address takes 16 bytes or more: names of 16 labels all fit, however they are compressed. */
  #labelsLeft: number;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#labelsLeft = bytes.length;
  }

  /** How many bytes have been read. */
  get at(): number {
    return this.#at;
  }

  uint16(): number {
    return this.#bytes.readUInt16BE(this.#pass(2));
  }

  uint32(): number {
    return this.#bytes.readUInt32BE(this.#pass(4));
  }

  /** A part of the message, not a copy. */
  take(length: number): Buffer {
    const from = this.#pass(length);
    return this.#bytes.subarray(from, this.#at);
  }

  /**
   * In lower case, without the final dot; the root is empty. A byte that names of hosts do not have is written as \DDD, as in zone files,
   * so that different names have different texts.
   */
  name(): string {
    const labels: string[] = [];
    let left = mostNameBytes;
    let bound = this.#at;
    let end: number | null = null;
    for (let length = this.#byte(); length !== 0; length = this.#byte()) {
      if ((length & pointerMark) === pointerMark) {
        const to = ((length & ~pointerMark) << 8) | this.#byte();
        end ??= this.#at;
        this.#at = bound = this.#labelBefore(bound, to);
      } else {
        left -= length + 1;
        // One byte is for the root.
        if (left < 1) throw new MalformedBytes("a name is too long");
        labels.push(this.#label(length));
      }
    }
    if (end !== null) this.#at = end;
    return labels.join(".");
  }

  #label(length: number): string {
    if ((length & pointerMark) !== 0) throw new MalformedBytes("a name has an unknown kind of label");
    if (--this.#labelsLeft < 0) throw new MalformedBytes("a DNS message has too many labels");
    const from = this.#pass(length);
    const text = this.#bytes.toString("latin1", from, this.#at);
    return plainLabel.test(text) ? text.toLowerCase() : escaped(text);
  }

  #labelBefore(bound: number, to: number): number {
    if (to >= bound || ((this.#bytes[to] ?? 0) & pointerMark) !== 0)
      throw new MalformedBytes("a name has a wrong pointer");
    return to;
  }

  #byte(): number {
    return this.#bytes[this.#pass(1)] ?? 0;
  }

  /** Where the bytes begin that are passed. */
  #pass(length: number): number {
    const from = this.#at;
    if (length > this.#bytes.length - from) throw new MalformedBytes("a DNS message ends too early");
    this.#at = from + length;
    return from;
  }
}

/** `text`: a character for each byte. */
function escaped(text: string): string {
  return Array.from(text, (character) =>
    plainLabel.test(character)
      ? character.toLowerCase()
      : `\\${String(character.codePointAt(0)).padStart(3, "0")}`,
  ).join("");
}
