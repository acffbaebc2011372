// JSON as encoded bytes: a large request is assembled from parts that were encoded one by one, in slices, and is not
// copied again. A short one is encoded once, as a whole.

/** Of so many characters a part is encoded by itself. */
const longPart = 1 << 16;

/** Values of a list, one after the other with commas between them. */
export class JsonPart {
  /** Encoded where it is long. */
  readonly json: string | Buffer;

  /** Of at least one value, as JSON. */
  constructor(texts: readonly string[]) {
    const text = texts.join(",");
    this.json = text.length < longPart ? text : Buffer.from(text);
  }
}

/** A message as JSON, in parts; lists that are already encoded are used as they are. A message without such a list is one part. */
export function messageParts(message: Readonly<Record<string, unknown>>): readonly Buffer[] {
  const parts: Buffer[] = [];
  let text = "{";
  const add = (json: string | Buffer): void => {
    if (typeof json === "string") {
      text += json;
      return;
    }
    parts.push(Buffer.from(text), json);
    text = "";
  };
  for (const [at, [name, value]] of Object.entries(message).entries()) {
    text += `${at === 0 ? "" : ","}${JSON.stringify(name)}:`;
    if (!Array.isArray(value)) {
      text += JSON.stringify(value);
      continue;
    }
    for (const [place, element] of value.entries()) {
      text += place === 0 ? "[" : ",";
      add(element instanceof JsonPart ? element.json : JSON.stringify(element));
    }
    text += value.length === 0 ? "[]" : "]";
  }
  parts.push(Buffer.from(`${text}}`));
  return parts;
}
