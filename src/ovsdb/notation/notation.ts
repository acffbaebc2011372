// The notation of RFC 7047 section 5.1 for values: atoms, sets and maps, to and from JSON. Decoding knows the column's
// type and refuses other values; encoding follows the value's own shape and leaves the check to the server.

import { type AtomName, type ColumnDescription, isUuid, type Uuid } from "./description.ts";
import { ProtocolError } from "./errors.ts";
import type { Interner } from "./interner.ts";
import { StringSet } from "./string-set.ts";

/** A uuid is held as its text; the column's type distinguishes it from a string. */
export type Atom = string | number | boolean;
export type Value = Atom | null | Set<Atom> | StringSet | ReadonlyMap<Atom, Atom>;

/** How a column's value is stored, and what of the server's schema the notation depends on. */
export interface ColumnCodec {
  readonly shape: ColumnDescription["shape"];
  readonly key: AtomName;
  /** null unless the column is a map. */
  readonly value: AtomName | null;
  /** More than one element is allowed. A `modify` of such a column is a difference, of any other the new value. */
  readonly composite: boolean;
}

export function decodeAtom(type: AtomName, wire: unknown, interner: Interner): Atom {
  switch (type) {
    case "string":
      if (typeof wire === "string") return interner.share(wire);
      break;
    case "integer":
      return decodeInteger(wire);
    case "real":
      // JSON can say numbers that no double holds; they arrive as infinite.
      if (typeof wire === "number" && Number.isFinite(wire)) return wire;
      break;
    case "boolean":
      if (typeof wire === "boolean") return wire;
      break;
    case "uuid":
      return interner.share(decodeUuid(wire));
  }
  throw new ProtocolError(`expected <${type}> and got ${excerpt(wire)}`);
}

function decodeInteger(wire: unknown): number {
  if (typeof wire === "number" && Number.isInteger(wire)) {
    if (Number.isSafeInteger(wire)) return wire;
    throw new ProtocolError(`the integer ${wire} is beyond 2^53 and would lose digits`);
  }
  throw new ProtocolError(`expected <integer> and got ${excerpt(wire)}`);
}

export function decodeUuid(wire: unknown): Uuid {
  if (Array.isArray(wire) && wire[0] === "uuid") return wireUuid(wire[1]);
  throw new ProtocolError(`expected <uuid> and got ${excerpt(wire)}`);
}

/** The text of a uuid as the server sent it. */
export function wireUuid(text: unknown): Uuid {
  if (isUuid(text)) return text;
  throw new ProtocolError(`${excerpt(text)} is not a uuid`);
}

/** The elements of a <set>; a set of one may be a bare atom. */
export function decodeElements(type: AtomName, wire: unknown, interner: Interner): Atom[] {
  const elements = tagged("set", wire) ?? [wire];
  const atoms = elements.map((element) => decodeAtom(type, element, interner));
  if (type === "string") for (const atom of atoms) refuseNul(atom);
  return atoms;
}

/** A single atom, as nearly all values of such columns are. */
function decodeScalar(type: AtomName, wire: unknown, interner: Interner): Atom {
  const atom = decodeAtom(type, wire, interner);
  if (type === "string") refuseNul(atom);
  return atom;
}

/** A <set> of strings. Nothing is shared: the elements become one text. */
function decodeStrings(wire: unknown): StringSet {
  const elements = tagged("set", wire) ?? [wire];
  if (!elements.every((element) => typeof element === "string"))
    throw new ProtocolError(`expected <set> of <string> and got ${excerpt(wire)}`);
  try {
    return StringSet.of(elements);
  } catch (error) {
    throw error instanceof RangeError ? withNul(error) : error;
  }
}

/** RFC 7047 section 3.1 <string>: it should not contain NUL, and a StringSet cannot hold it. */
function refuseNul(atom: Atom): void {
  if (typeof atom === "string" && atom.includes("\0")) throw withNul();
}

function withNul(cause?: RangeError): ProtocolError {
  return new ProtocolError("a <string> contains NUL", { cause });
}

export function decodePairs(codec: ColumnCodec, wire: unknown, interner: Interner): Map<Atom, Atom> {
  const pairs = tagged("map", wire);
  if (pairs === null || codec.value === null)
    throw new ProtocolError(`expected <map> and got ${excerpt(wire)}`);
  const map = new Map<Atom, Atom>();
  for (const pair of pairs) {
    if (!Array.isArray(pair) || pair.length !== 2)
      throw new ProtocolError(`expected <pair>, got ${excerpt(pair)}`);
    map.set(decodeAtom(codec.key, pair[0], interner), decodeAtom(codec.value, pair[1], interner));
  }
  return map;
}

export function decodeValue(codec: ColumnCodec, wire: unknown, interner: Interner): Value {
  switch (codec.shape) {
    case "map":
      return decodePairs(codec, wire, interner);
    case "set":
      return codec.key === "string"
        ? decodeStrings(wire)
        : new Set(decodeElements(codec.key, wire, interner));
    case "one":
    case "optional": {
      if (!Array.isArray(wire)) return decodeScalar(codec.key, wire, interner);
      const elements = decodeElements(codec.key, wire, interner);
      const [element] = elements;
      if (elements.length > 1 || (element === undefined && codec.shape === "one")) {
        throw new ProtocolError(`expected one <${codec.key}> and got ${excerpt(wire)}`);
      }
      return element ?? null;
    }
  }
}

/** The value of a column that a row does not mention: update2 leaves defaults out (ovsdb-server(7) 4.1.14). */
export function defaultValue(codec: ColumnCodec): Value {
  switch (codec.shape) {
    case "map":
      return noPairs;
    case "set":
      return codec.key === "string" ? new StringSet() : new Set();
    case "optional":
      return null;
    case "one":
      return defaultAtoms[codec.key];
  }
}

// Maps are replaced, never changed in place, so all empty ones can be the same object.
const noPairs: ReadonlyMap<Atom, Atom> = new Map();
const defaultAtoms: Readonly<Record<AtomName, Atom>> = {
  string: "",
  integer: 0,
  real: 0,
  boolean: false,
  uuid: "00000000-0000-0000-0000-000000000000",
};

/**
 * A value as JSON: null is the empty set, a Set or array a <set>, a Map a <map>, `{named}` a <named-uuid>. The atom
 * types are those of the column, or null when the server's schema has no such column. Throws TypeError or RangeError
 * for what no OVSDB value can be.
 */
export function encodeValue(key: AtomName | null, value: AtomName | null, data: unknown): unknown {
  if (data === null) return ["set", []];
  if (data instanceof Map) {
    const pairs: unknown[] = [];
    for (const [k, v] of data as ReadonlyMap<unknown, unknown>)
      pairs.push([encodeAtom(key, k), encodeAtom(value, v)]);
    return ["map", pairs];
  }
  if (data instanceof Set || data instanceof StringSet || Array.isArray(data)) {
    if (key === "string" && isStrings(data)) return ["set", data];
    return ["set", Array.from<unknown, unknown>(data, (element) => encodeAtom(key, element))];
  }
  return encodeAtom(key, data);
}

/** The JSON of such a list is the list itself: a large one is not copied. */
function isStrings(data: unknown): data is readonly string[] {
  return Array.isArray(data) && data.every((element) => typeof element === "string");
}

function encodeAtom(type: AtomName | null, atom: unknown): unknown {
  switch (typeof atom) {
    case "string":
      return type === "uuid" ? ["uuid", atom] : atom;
    case "boolean":
      return atom;
    case "number":
      if (type === "integer" ? Number.isSafeInteger(atom) : Number.isFinite(atom)) return atom;
      throw new RangeError(`${atom} is not a number OVSDB can hold without loss`);
    case "object":
      if (atom !== null && "named" in atom && typeof atom.named === "string")
        return ["named-uuid", atom.named];
      break;
    default:
  }
  throw new TypeError(`${typeof atom} is not an OVSDB atom`);
}

function tagged(tag: "set" | "map", wire: unknown): readonly unknown[] | null {
  return Array.isArray(wire) && wire[0] === tag && Array.isArray(wire[1]) ? wire[1] : null;
}

/** The beginning of a JSON value, for a message; makes no text that is much longer. */
export function excerpt(wire: unknown): string {
  if (wire === undefined) return "nothing";
  let text = "";
  for (const token of tokens(wire, shownLength)) {
    text += token;
    if (text.length > shownLength) return `${text.slice(0, shownLength)}...`;
  }
  return text;
}

const shownLength = 80;

/** The JSON of a value in pieces, each made when it is asked for. At most `depth` levels of it are looked into. */
function* tokens(wire: unknown, depth: number): Generator<string, void> {
  if (typeof wire === "string") yield JSON.stringify(wire.slice(0, shownLength + 1));
  else if (typeof wire !== "object" || wire === null) yield String(wire);
  else if (depth === 0) yield "...";
  else if (Array.isArray(wire)) {
    yield "[";
    for (const [at, element] of wire.entries()) {
      if (at > 0) yield ",";
      yield* tokens(element, depth - 1);
    }
    yield "]";
  } else {
    let first = true;
    for (const [name, value] of Object.entries(wire)) {
      yield `${first ? "{" : ","}${JSON.stringify(name.slice(0, shownLength))}:`;
      yield* tokens(value, depth - 1);
      first = false;
    }
    yield first ? "{}" : "}";
  }
}
