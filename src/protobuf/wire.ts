// Reads protobuf's wire format from front to back, without copies. Refuses what no server writes: a value that ends behind its
// message, a number of more than ten bytes, a group, a field of another type than it is known by. Invariant: `at` never passes `end`.

/** The bytes are not what they should be. */
export class MalformedBytes extends Error {
  override readonly name = "MalformedBytes";
}

export const wireTypes = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** A varint has at most ten bytes of seven bits. */
const longestVarint = 10;

export class Wire {
  readonly bytes: Buffer;
  at: number;
  /** Of the message that is read. */
  end: number;
  /** Bits 32 to 63 of the last varint. */
  #high = 0;

  constructor(bytes: Buffer, at = 0) {
    this.bytes = bytes;
    this.at = at;
    this.end = bytes.length;
  }

  /** Bits 0 to 31 of a varint, as a signed number. */
  #varint(): number {
    const first = this.#byte();
    this.#high = 0;
    if (first < 0x80) return first;
    let low = first & 0x7f;
    for (let n = 1; n < longestVarint; n++) {
      const byte = this.#byte();
      const bits = byte & 0x7f;
      const shift = 7 * n;
      if (shift < 32) low |= bits << shift;
      if (shift === 28) this.#high = bits >> 4;
      else if (shift > 28) this.#high |= bits << (shift - 32);
      if (n === longestVarint - 1 && byte > 1) break;
      if (byte < 0x80) return low;
    }
    throw new MalformedBytes("a number is too long");
  }

  #byte(): number {
    if (this.at >= this.end) throw new MalformedBytes("a message ends too early");
    return this.bytes[this.at++] ?? 0;
  }

  /** The number of a field times eight, and its wire type. */
  tag(): number {
    const tag = this.#varint();
    if (tag < 8 || this.#high !== 0) throw new MalformedBytes("a field has no valid number");
    return tag;
  }

  /** Where the bytes that begin here end. */
  span(): number {
    const length = this.#varint();
    if (length < 0 || this.#high !== 0 || length > this.end - this.at)
      throw new MalformedBytes("a value is longer than its message");
    return this.at + length;
  }

  /** As protobuf's int32: of a longer number, the lowest 32 bits. */
  int32(): number {
    return this.#varint();
  }

  /** As protobuf's int64: of more than 53 bits, a near number, as JSON gives it. */
  int64(): number {
    const low = this.#varint() >>> 0;
    return this.#high * 2 ** 32 + low;
  }

  bool(): boolean {
    return this.#varint() !== 0 || this.#high !== 0;
  }

  /** UTF-8; what is none becomes U+FFFD. */
  text(): string {
    const end = this.span();
    const text = this.bytes.toString("utf8", this.at, end);
    this.at = end;
    return text;
  }

  skip(wireType: number): void {
    switch (wireType) {
      case wireTypes.varint:
        this.#varint();
        return;
      case wireTypes.bytes:
        this.at = this.span();
        return;
      case wireTypes.fixed64:
        this.#pass(8);
        return;
      case wireTypes.fixed32:
        this.#pass(4);
        return;
      default:
        throw new MalformedBytes("a field has an unknown type");
    }
  }

  #pass(length: number): void {
    if (length > this.end - this.at) throw new MalformedBytes("a value is longer than its message");
    this.at += length;
  }
}
