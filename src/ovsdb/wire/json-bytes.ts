// JSON as encoded bytes: a large request is assembled from parts that were encoded one by one, in slices, and is not
// copied again.

/** Values of a list, encoded: one after the other with commas between them. */
export class JsonBytes {
  readonly bytes: Buffer;

  /** Of at least one value, as JSON. */
  constructor(texts: readonly string[]) {
    this.bytes = Buffer.from(texts.join(","));
  }
}

/** A message of so many bytes is one part: a copy takes less time than several parts take on their way to the system. */
const shortMessage = 1 << 16;

/** A message as JSON, in parts; lists that are already encoded are used as they are, unless the message is short. */
export function messageParts(message: Readonly<Record<string, unknown>>): readonly Buffer[] {
  const parts = encodedParts(message);
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return parts.length > 1 && length <= shortMessage ? [Buffer.concat(parts, length)] : parts;
}

function encodedParts(message: Readonly<Record<string, unknown>>): readonly Buffer[] {
  const parts: Buffer[] = [];
  let text = "{";
  const add = (bytes: Buffer): void => {
    parts.push(Buffer.from(text), bytes);
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
      if (element instanceof JsonBytes) add(element.bytes);
      else text += JSON.stringify(element);
    }
    text += value.length === 0 ? "[]" : "]";
  }
  parts.push(Buffer.from(`${text}}`));
  return parts;
}
