// The classes of a heap snapshot by the memory of their own objects. Reads the file as a stream: a snapshot of a large
// heap is longer than a string may be.

import { createReadStream } from "node:fs";

export interface ClassSize {
  readonly name: string;
  readonly count: number;
  readonly bytes: number;
}

/** As V8 writes them: type, name, id, self_size, edge_count, detachedness. */
const fieldsPerNode = 6;
const types = [
  ...["hidden", "array", "string", "object", "code", "closure", "regexp", "number", "native"],
  ...["synthetic", "concatenated string", "sliced string", "symbol", "bigint", "object shape"],
];
const objectType = types.indexOf("object");

interface Sum {
  readonly type: number;
  readonly name: number;
  count: number;
  bytes: number;
}

export async function classSizes(path: string): Promise<readonly ClassSize[]> {
  const sums = new Map<number, Sum>();
  const scanner = new Scanner(sums);
  const chunks: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: 1 << 20 });
  for await (const chunk of chunks) scanner.push(chunk);
  return [...sums.values()]
    .map(({ type, name, count, bytes }) => ({
      name: type === objectType ? (scanner.names.get(name) ?? "?") : `(${types[type] ?? type})`,
      ...{ count, bytes },
    }))
    .sort((a, b) => b.bytes - a.bytes);
}

const nodesStart = '"nodes":[';
const stringsStart = '"strings":[';

/** Integers until the nodes end, then the strings that name objects. */
class Scanner {
  readonly names = new Map<number, string>();
  readonly #sums: Map<number, Sum>;
  #state: "head" | "nodes" | "middle" | "strings" = "head";
  #text = "";
  #fields: number[] = [];
  #string = 0;

  constructor(sums: Map<number, Sum>) {
    this.#sums = sums;
  }

  push(chunk: Buffer): void {
    this.#text += chunk.toString("latin1");
    if (this.#state === "head") this.#skipTo(nodesStart, "nodes");
    if (this.#state === "nodes") this.#nodes();
    if (this.#state === "middle") this.#skipTo(stringsStart, "strings");
    if (this.#state === "strings") this.#strings();
  }

  #skipTo(start: string, state: "nodes" | "strings"): void {
    const at = this.#text.indexOf(start);
    if (at >= 0) this.#state = state;
    this.#text = at >= 0 ? this.#text.slice(at + start.length) : this.#text.slice(-start.length);
  }

  #nodes(): void {
    const end = this.#text.indexOf("]");
    const whole = end >= 0 ? end : this.#text.lastIndexOf(",");
    for (const text of this.#text.slice(0, Math.max(0, whole)).split(",")) {
      if (text.trim() === "") continue;
      this.#fields.push(Number(text));
      if (this.#fields.length === fieldsPerNode) this.#node();
    }
    this.#text = this.#text.slice(whole + 1);
    if (end >= 0) this.#state = "middle";
  }

  #node(): void {
    const [type = 0, name = 0, , bytes = 0] = this.#fields;
    this.#fields = [];
    const key = type === objectType ? name : -1 - type;
    const sum = this.#sums.get(key) ?? { type, name, count: 0, bytes: 0 };
    this.#sums.set(key, sum);
    sum.count++;
    sum.bytes += bytes;
  }

  #strings(): void {
    const literal = /"((?:[^"\\]|\\.)*)"\s*[,\]]/gsy;
    let from = 0;
    for (;;) {
      while (/\s/.test(this.#text[from] ?? "")) from++;
      literal.lastIndex = from;
      const found = literal.exec(this.#text);
      if (found === null) break;
      if (this.#sums.has(this.#string)) this.names.set(this.#string, found[1] ?? "");
      this.#string++;
      from = literal.lastIndex;
    }
    this.#text = this.#text.slice(from);
  }
}
