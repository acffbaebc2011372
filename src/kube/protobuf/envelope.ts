// What an API server puts around objects in protobuf: four bytes and a runtime.Unknown around an object, a list or a Status; a
// WatchEvent around those of a watch (k8s.io/apimachinery, runtime/serializer/protobuf). Refuses another kind than was asked for.

import { bytes, givenText, int32, listOfBytes, message, shape, text } from "../../protobuf/fields.ts";
import type { Shape, Value } from "../../protobuf/message.ts";
import { decode, isValue } from "../../protobuf/message.ts";
import { MalformedBytes } from "../../protobuf/wire.ts";

/** Of a content type: what stands before its parameters. */
export const protobufType = "application/vnd.kubernetes.protobuf";

/** Objects of a kind, and those of their fields that are read. */
export interface ObjectShape {
  readonly apiVersion: string;
  readonly kind: string;
  readonly fields: Shape;
}

export interface ListAnswer {
  /** As JSON has it, with no items. */
  readonly body: unknown;
  /** Each is decoded when it is reached. Throws MalformedBytes at one that cannot be. */
  readonly items: Iterable<unknown>;
}

export interface EventAnswer {
  /** Empty: there is none. */
  readonly type: string;
  readonly object: unknown;
}

const magic = Buffer.from("k8s\0");

const unknown = shape({
  1: message("typeMeta", { 1: givenText("apiVersion"), 2: givenText("kind") }),
  2: bytes("raw"),
  3: text("contentEncoding"),
  4: text("contentType"),
});
const list = shape({
  1: message("metadata", { 2: text("resourceVersion"), 3: text("continue") }),
  2: listOfBytes("items"),
});
const watchEvent = shape({ 1: text("type"), 2: message("object", { 1: bytes("raw") }) });
/** What a failure shows of it. */
const status = shape({
  3: text("message"),
  5: message("details", { 5: int32("retryAfterSeconds") }),
  6: int32("code"),
});

interface Opened {
  readonly apiVersion: unknown;
  readonly kind: unknown;
  readonly raw: Buffer;
}

function opened(answer: Buffer): Opened {
  if (!answer.subarray(0, magic.length).equals(magic)) throw new MalformedBytes("an object begins otherwise");
  const {
    typeMeta,
    raw,
    contentEncoding,
    contentType = protobufType,
  } = decode(answer, unknown, magic.length);
  if (contentEncoding !== undefined || contentType !== protobufType || !isValue(typeMeta))
    throw new MalformedBytes("an object is encoded otherwise");
  const { apiVersion, kind } = typeMeta;
  return { apiVersion, kind, raw: Buffer.isBuffer(raw) ? raw : Buffer.of() };
}

function isOf({ apiVersion, kind }: Opened, of: string, named: string): boolean {
  return apiVersion === of && kind === named;
}

function isStatus(one: Opened): boolean {
  return isOf(one, "v1", "Status");
}

/** A Status as JSON has it; of anything else null. Throws MalformedBytes. */
export function readStatus(answer: Buffer): unknown {
  const one = opened(answer);
  return isStatus(one) ? decode(one.raw, status) : null;
}

/** Throws MalformedBytes. */
export function readList(answer: Buffer, { apiVersion, kind, fields }: ObjectShape): ListAnswer {
  const one = opened(answer);
  if (!isOf(one, apiVersion, `${kind}List`)) throw new MalformedBytes("a list is of another kind");
  const { metadata, items = [] } = decode(one.raw, list);
  const decoded = (Array.isArray(items) ? items : []).filter((item) => Buffer.isBuffer(item));
  return { body: { metadata, items: [] }, items: oneByOne(decoded, fields) };
}

function* oneByOne(items: readonly Buffer[], fields: Shape): Generator<Value, void> {
  for (const item of items) yield decode(item, fields);
}

/** The object is a Status where the watch has failed. Throws MalformedBytes. */
export function readEvent(frame: Buffer, { apiVersion, kind, fields }: ObjectShape): EventAnswer {
  const { type = "", object } = decode(frame, watchEvent);
  const raw = isValue(object) ? object["raw"] : undefined;
  if (typeof type !== "string" || !Buffer.isBuffer(raw)) throw new MalformedBytes("an event has no object");
  const one = opened(raw);
  if (isOf(one, apiVersion, kind)) return { type, object: decode(one.raw, fields) };
  if (isStatus(one)) return { type, object: decode(one.raw, status) };
  throw new MalformedBytes("an object of an event is of another kind");
}
