// The records of one data set, by the template of its number (RFC 7011, sections 3.4.3 and 7). Nothing is read past the end of the set.

/** A field of a record: the number of an information element, with that of its enterprise, 0 for those of IANA. */
export type FieldKey = number;

export function fieldKey(element: number, enterprise = 0): FieldKey {
  return enterprise * 0x8000 + element;
}

/** One data record. */
export interface IpfixRecord {
  readonly domain: number;
  /** When its message was exported, in seconds since 1970. */
  readonly exportedAt: number;
  readonly fields: ReadonlyMap<FieldKey, Buffer>;
}

export interface Field {
  readonly key: FieldKey;
  /** null: of variable length. */
  readonly bytes: number | null;
}

export interface Template {
  readonly fields: readonly Field[];
  /** Its records are about the sender itself, and are passed over. */
  readonly isOfOptions: boolean;
}

export interface DataSet {
  readonly domain: number;
  readonly template: number;
  readonly exportedAt: number;
  readonly body: Buffer;
}

export interface ReadRecords {
  readonly records: readonly IpfixRecord[];
  /** Records of options, which are about the sender itself. */
  readonly passedOver: number;
  /** Why the rest of the set was not read; null: it was. */
  readonly stopped: "malformed" | "over the limit" | null;
}

/** At most so many records, with those that are passed over. */
export function readRecords(template: Template, set: DataSet, most: number): ReadRecords {
  const { fields, isOfOptions } = template;
  const { domain, exportedAt, body } = set;
  const least = fields.reduce((sum, { bytes }) => sum + (bytes ?? 1), 0);
  const records: IpfixRecord[] = [];
  let passedOver = 0;
  const end = (stopped: ReadRecords["stopped"]): ReadRecords => ({ records, passedOver, stopped });
  // A record of no bytes would be there without end.
  if (least === 0) return end("malformed");
  // What is shorter than a record is padding.
  for (let at = 0; at + least <= body.length;) {
    if (records.length + passedOver >= most) return end("over the limit");
    const record = isOfOptions ? null : new Map<FieldKey, Buffer>();
    for (const { key, bytes } of fields) {
      const { from, length } = bytes === null ? variableAt(body, at) : { from: at, length: bytes };
      if (from + length > body.length) return end("malformed");
      record?.set(key, body.subarray(from, from + length));
      at = from + length;
    }
    if (record === null) passedOver++;
    else records.push({ domain, exportedAt, fields: record });
  }
  return end(null);
}

/** RFC 7011 section 7: the length is one byte, or 255 and then two. Past the end it is more than there can be. */
function variableAt(body: Buffer, at: number): { readonly from: number; readonly length: number } {
  const beyond = { from: body.length, length: 1 };
  if (at >= body.length) return beyond;
  const short = body.readUInt8(at);
  if (short < 255) return { from: at + 1, length: short };
  return at + 3 > body.length ? beyond : { from: at + 3, length: body.readUInt16BE(at + 1) };
}
