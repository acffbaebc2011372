// DNS messages as servers write them (RFC 1035), for tests: names compressed or not. It knows nothing of the program.

export interface WrittenRecord {
  readonly owner: string;
  readonly type: number;
  readonly ttl: number;
  /** An address as bytes, or the name that is meant. */
  readonly data: Buffer | string;
}

export interface WrittenMessage {
  /** The second 16 bits of the head. */
  readonly flags: number;
  readonly question: { readonly name: string; readonly type: number };
  readonly answers: readonly WrittenRecord[];
  readonly additionals?: readonly WrittenRecord[];
  readonly compressed: boolean;
}

/** A response without error. */
export const plainResponse = 0x8180;

export function writeMessage({
  flags,
  question,
  answers,
  additionals = [],
  compressed,
}: WrittenMessage): Buffer {
  const writer = new Writer(compressed);
  writer.numbers(0x1234, flags, 1, answers.length, 0, additionals.length);
  writer.name(question.name);
  writer.numbers(question.type, 1);
  for (const one of [...answers, ...additionals]) writer.record(one);
  return writer.written;
}

class Writer {
  readonly #bytes = Buffer.allocUnsafe(65_535);
  #length = 0;
  readonly #compressed: boolean;
  readonly #places = new Map<string, number>();

  constructor(compressed: boolean) {
    this.#compressed = compressed;
  }

  get written(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  numbers(...values: readonly number[]): void {
    this.raw(Buffer.from(values.flatMap((value) => [value >> 8, value & 0xff])));
  }

  raw(bytes: Buffer): void {
    this.#length += bytes.copy(this.#bytes, this.#length);
  }

  name(text: string): void {
    const place = this.#places.get(text);
    if (place !== undefined) this.numbers(0xc000 | place);
    else if (text === "") this.raw(Buffer.of(0));
    else {
      if (this.#compressed && this.#length < 0x4000) this.#places.set(text, this.#length);
      const [label = "", ...rest] = text.split(".");
      this.raw(Buffer.from([label.length, ...Buffer.from(label, "latin1")]));
      this.name(rest.join("."));
    }
  }

  record({ owner, type, ttl, data }: WrittenRecord): void {
    this.name(owner);
    this.numbers(type, 1, ttl >>> 16, ttl & 0xffff);
    const at = this.#length;
    this.numbers(0);
    if (typeof data === "string") this.name(data);
    else this.raw(data);
    this.#bytes.writeUInt16BE(this.#length - at - 2, at);
  }
}
