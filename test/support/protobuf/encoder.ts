// Objects in JSON → the protobuf that an API server sends of them, by kubernetes.proto beside this file. It knows nothing of the program:
// what the two disagree about is a mistake of one of them. As Kubernetes' own encoder, it writes empty texts, zeros and false where
// `zeros` says so.

import { readFileSync } from "node:fs";

interface ProtoField {
  readonly name: string;
  readonly number: number;
  readonly type: string;
  readonly repeated: boolean;
  /** The type of a map's values; null: it is no map. */
  readonly valueType: string | null;
}

type Json = Readonly<Record<string, unknown>>;

const field = /^ {2}(?:(optional|repeated) )?(?:map<string, (\w+)>|(\w+)) (\w+) = (\d+);$/;

export function parseProto(text: string): ReadonlyMap<string, readonly ProtoField[]> {
  const found = new Map<string, ProtoField[]>();
  let current: ProtoField[] = [];
  for (const line of text.split("\n")) {
    const [, message] = /^message (\w+) \{$/.exec(line) ?? [];
    if (message !== undefined) found.set(message, (current = []));
    const [match, label, valueType, type = "", name = "", number] = field.exec(line) ?? [];
    if (match === undefined) continue;
    const isMap = valueType !== undefined;
    current.push({
      name,
      type,
      number: Number(number),
      repeated: label === "repeated",
      valueType: isMap ? valueType : null,
    });
  }
  return found;
}

export const kubernetesMessages = parseProto(
  readFileSync(new URL("kubernetes.proto", import.meta.url), "utf8"),
);

/** Messages whose fields are in JSON those of the object around them (`json:",inline"`). */
const inlined: ReadonlySet<string> = new Set([
  "volumeSource",
  "handler",
  "localObjectReference",
  "ephemeralContainerCommon",
]);

export class Encoder {
  readonly #zeros: boolean;

  /** `zeros`: fields that the JSON lacks are written, empty, as Go's are that are no pointers. */
  constructor(zeros = false) {
    this.#zeros = zeros;
  }

  /** A message alone. */
  message(type: string, value: Json): Buffer {
    const fields = kubernetesMessages.get(type);
    if (fields === undefined) throw new Error(`no message ${type}`);
    return Buffer.concat(fields.flatMap((one) => this.#field(one, value)));
  }

  /** With what an API server puts around an object. */
  enveloped(apiVersion: string, kind: string, raw: Buffer): Buffer {
    const typeMeta = this.message("TypeMeta", { apiVersion, kind });
    const rest = [delimited(3, Buffer.of()), delimited(4, Buffer.of())];
    return Buffer.concat([Buffer.from("k8s\0"), delimited(1, typeMeta), delimited(2, raw), ...rest]);
  }

  object(apiVersion: string, kind: string, value: Json): Buffer {
    return this.enveloped(apiVersion, kind, this.message(kind, value));
  }

  /** `items`: each as a message. */
  list(apiVersion: string, kind: string, metadata: Json, items: readonly Buffer[]): Buffer {
    const parts = [
      delimited(1, this.message("ListMeta", metadata)),
      ...items.map((item) => delimited(2, item)),
    ];
    return this.enveloped(apiVersion, `${kind}List`, Buffer.concat(parts));
  }

  /** One frame of a watch. `object`: in its envelope. */
  frame(type: string, object: Buffer): Buffer {
    const event = Buffer.concat([delimited(1, Buffer.from(type)), delimited(2, delimited(1, object))]);
    const head = Buffer.alloc(4);
    head.writeUInt32BE(event.length);
    return Buffer.concat([head, event]);
  }

  #field({ name, number, type, repeated, valueType }: ProtoField, around: Json): readonly Buffer[] {
    if (inlined.has(name)) return [delimited(number, this.message(type, around))];
    const value = around[name];
    if (valueType !== null)
      return Object.entries((value ?? {}) as Json).map(([key, one]) =>
        delimited(number, Buffer.concat([delimited(1, Buffer.from(key)), this.#value(2, valueType, one)])),
      );
    if (repeated) return ((value ?? []) as readonly unknown[]).map((one) => this.#value(number, type, one));
    if (value !== undefined && value !== null) return [this.#value(number, type, value)];
    return this.#zeros && zero.has(type) ? [this.#value(number, type, zero.get(type))] : [];
  }

  #value(number: number, type: string, value: unknown): Buffer {
    switch (type) {
      case "string":
        return delimited(number, Buffer.from(String(value)));
      case "bytes":
        return delimited(number, Buffer.from(String(value), "base64"));
      case "bool":
        return Buffer.concat([varint(number << 3), varint(value === true ? 1 : 0)]);
      case "int32":
      case "int64":
        return Buffer.concat([varint(number << 3), varint(Number(value))]);
      default:
        return delimited(number, this.#special(type, value));
    }
  }

  /** Messages that JSON has in a form of their own. */
  #special(type: string, value: unknown): Buffer {
    switch (type) {
      case "Time":
      case "MicroTime":
        return this.message(type, { seconds: Math.floor(Date.parse(String(value)) / 1000) });
      case "Quantity":
        return this.message(type, { string: String(value) });
      case "FieldsV1":
        return delimited(1, Buffer.from(JSON.stringify(value)));
      case "IntOrString":
        return this.message(
          type,
          typeof value === "number" ? { type: 0, intVal: value } : { type: 1, strVal: value },
        );
      default:
        return this.message(type, value as Json);
    }
  }
}

const zero: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["string", ""],
  ["bool", false],
  ["int32", 0],
  ["int64", 0],
]);

export function delimited(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

/** Of a negative number ten bytes. */
export function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = BigInt.asUintN(64, BigInt(value)); ; rest >>= 7n) {
    if (rest < 0x80n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 0x7fn) | 0x80);
  }
}
