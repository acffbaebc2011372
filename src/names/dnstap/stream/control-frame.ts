// Control frames of Frame Streams (github.com/farsightsec/fstrm, control.h): a type, and content types.

export const controlTypes = { accept: 1, start: 2, stop: 3, ready: 4, finish: 5 } as const;
export type ControlType = keyof typeof controlTypes;

export interface ControlFrame {
  readonly type: ControlType;
  /** As they are written, in this order. */
  readonly contentTypes: readonly string[];
}

const contentTypeField = 1;
/** Of a content type, in fstrm. */
const mostTypeBytes = 256;
const numberBytes = 4;

const names = new Map(Object.entries(controlTypes).map(([name, number]) => [number, name as ControlType]));

/** null: it is malformed, or of an unknown type. */
export function readControlFrame(payload: Buffer): ControlFrame | null {
  if (payload.length < numberBytes) return null;
  const type = names.get(payload.readUInt32BE(0) as (typeof controlTypes)[ControlType]);
  if (type === undefined) return null;
  const contentTypes: string[] = [];
  let at = numberBytes;
  while (at < payload.length) {
    const head = at + 2 * numberBytes;
    if (head > payload.length || payload.readUInt32BE(at) !== contentTypeField) return null;
    const length = payload.readUInt32BE(at + numberBytes);
    if (length > mostTypeBytes || head + length > payload.length) return null;
    at = head + length;
    contentTypes.push(payload.toString("latin1", head, at));
  }
  return { type, contentTypes };
}

/** With its lengths, as it is sent. */
export function controlFrame({ type, contentTypes }: ControlFrame): Buffer {
  const fields = contentTypes.map((one) =>
    Buffer.concat([number(contentTypeField), number(one.length), Buffer.from(one, "latin1")]),
  );
  const payload = Buffer.concat([number(controlTypes[type]), ...fields]);
  return Buffer.concat([number(0), number(payload.length), payload]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(numberBytes);
  bytes.writeUInt32BE(value);
  return bytes;
}
