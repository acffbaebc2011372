// The fields of a message that are read, and the value that they make: the same that JSON.parse makes of the object's JSON, with these
// fields alone. Everything else is passed over without a look at it. How deep values nest follows from the description, not from the bytes.

import { MalformedBytes, Wire, wireTypes } from "./wire.ts";

interface Named {
  /** In JSON. */
  readonly name: string;
  /** JSON has it even when it is empty, 0 or false; otherwise it is absent then. */
  readonly always?: true;
}

export type FieldShape =
  | (Named & { readonly type: "text" | "texts" | "int32" | "int64" | "bool" | "bytes" | "listOfBytes" })
  | (Named & { readonly type: "message" | "list"; readonly of: Shape })
  /** A message whose fields are in JSON those of the message around it. */
  | { readonly name: "(inline)"; readonly type: "inline"; readonly of: Shape }
  /** `only`: the keys that are read, all unless given. */
  | (Named & { readonly type: "textMap"; readonly only?: readonly Buffer[] });

/** By the number of the field, with holes: one that has no entry is passed over. */
export type Shape = readonly (FieldShape | undefined)[];

export type Value = Record<string, unknown>;

/** Throws MalformedBytes. */
export function decode(bytes: Buffer, shape: Shape, at = 0): Value {
  const value: Value = {};
  readInto(value, new Wire(bytes, at), shape);
  return value;
}

function readInto(value: Value, wire: Wire, shape: Shape): void {
  while (wire.at < wire.end) {
    const tag = wire.tag();
    const wireType = tag & 7;
    const field = shape[tag >>> 3];
    if (field === undefined) wire.skip(wireType);
    else {
      if (wireType !== wireTypeOf(field)) throw new MalformedBytes(`${field.name} has another type`);
      readField(value, wire, field);
    }
  }
}

function wireTypeOf({ type }: FieldShape): number {
  return type === "int32" || type === "int64" || type === "bool" ? wireTypes.varint : wireTypes.bytes;
}

function readField(value: Value, wire: Wire, field: FieldShape): void {
  const { name } = field;
  switch (field.type) {
    case "text":
      put(value, field, wire.text());
      return;
    case "int32":
      put(value, field, wire.int32());
      return;
    case "int64":
      put(value, field, wire.int64());
      return;
    case "bool":
      put(value, field, wire.bool());
      return;
    case "texts":
      listAt(value, name).push(wire.text());
      return;
    case "bytes":
      value[name] = bytesAt(wire);
      return;
    case "listOfBytes":
      listAt(value, name).push(bytesAt(wire));
      return;
    case "message":
      nested(wire, field.of, objectAt(value, name));
      return;
    case "inline":
      nested(wire, field.of, value);
      return;
    case "list": {
      const item: Value = {};
      nested(wire, field.of, item);
      listAt(value, name).push(item);
      return;
    }
    case "textMap":
      entry(wire, objectAt(value, name), field.only);
  }
}

function put(value: Value, { name, always }: Named, read: string | number | boolean): void {
  if (always === true || (read !== "" && read !== 0 && read !== false)) value[name] = read;
  // The last one counts.
  else if (name in value) Reflect.deleteProperty(value, name);
}

function bytesAt(wire: Wire): Buffer {
  const end = wire.span();
  const bytes = wire.bytes.subarray(wire.at, end);
  wire.at = end;
  return bytes;
}

function nested(wire: Wire, shape: Shape, value: Value): void {
  const { end } = wire;
  wire.end = wire.span();
  readInto(value, wire, shape);
  wire.end = end;
}

function objectAt(value: Value, name: string): Value {
  const there = value[name];
  if (isValue(there)) return there;
  const made: Value = {};
  value[name] = made;
  return made;
}

export function isValue(value: unknown): value is Value {
  return typeof value === "object" && value !== null;
}

function listAt(value: Value, name: string): unknown[] {
  const there = value[name];
  if (Array.isArray(there)) return there;
  const made: unknown[] = [];
  value[name] = made;
  return made;
}

/** The tags of an entry of a map: a message of a key and a value. */
const keyTag = (1 << 3) | wireTypes.bytes;
const valueTag = (2 << 3) | wireTypes.bytes;

function entry(wire: Wire, map: Value, only: readonly Buffer[] | undefined): void {
  const { bytes, end } = wire;
  wire.end = wire.span();
  let keyAt = wire.at;
  let keyEnd = keyAt;
  let textAt = keyAt;
  let textEnd = keyAt;
  while (wire.at < wire.end) {
    const tag = wire.tag();
    if (tag !== keyTag && tag !== valueTag) wire.skip(tag & 7);
    else {
      const to = wire.span();
      if (tag === keyTag) {
        keyAt = wire.at;
        keyEnd = to;
      } else {
        textAt = wire.at;
        textEnd = to;
      }
      wire.at = to;
    }
  }
  wire.end = end;
  if (only?.some((key) => isSame(key, bytes, keyAt, keyEnd)) === false) return;
  const key = bytes.toString("utf8", keyAt, keyEnd);
  const text = bytes.toString("utf8", textAt, textEnd);
  // As JSON.parse: it is a key like any other.
  if (key === "__proto__")
    Object.defineProperty(map, key, { value: text, enumerable: true, configurable: true, writable: true });
  else map[key] = text;
}

function isSame(key: Buffer, bytes: Buffer, from: number, to: number): boolean {
  return key.length === to - from && bytes.compare(key, 0, key.length, from, to) === 0;
}
