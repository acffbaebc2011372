// JSON that is bytes already: a large request is put together from values that were encoded one by one, in slices.

/** A JSON value, encoded. */
export class JsonBytes {
  readonly bytes: Buffer;

  constructor(value: unknown) {
    this.bytes = Buffer.from(JSON.stringify(value));
  }
}

/** A message as JSON; what is encoded already in its lists is taken as it is. */
export function messageBytes(message: Readonly<Record<string, unknown>>): Buffer {
  const parts: Buffer[] = [];
  for (const [name, value] of Object.entries(message)) {
    parts.push(Buffer.from(`${parts.length === 0 ? "{" : ","}${JSON.stringify(name)}:`));
    if (Array.isArray(value)) addList(value, parts);
    else parts.push(new JsonBytes(value).bytes);
  }
  return Buffer.concat([...parts, Buffer.from("}")]);
}

const comma = Buffer.from(",");

function addList(list: readonly unknown[], parts: Buffer[]): void {
  parts.push(Buffer.from("["));
  for (const [at, element] of list.entries()) {
    if (at > 0) parts.push(comma);
    parts.push(element instanceof JsonBytes ? element.bytes : new JsonBytes(element).bytes);
  }
  parts.push(Buffer.from("]"));
}
