// Values, conditions and mutations as ovsdb-server judges them (RFC 7047 section 5.1), for the fake. Whatever a column's
// type or rule does not allow is refused with the server's kind of error. Values are never changed in place.

import type {
  AtomName,
  ColumnDescription,
  Condition,
  Mutation,
  TransactionErrorKind,
} from "../../src/ovsdb/index.ts";
import { toUuid, type Uuid } from "../../src/ovsdb/index.ts";
import type { Atom, Value } from "../../src/ovsdb/notation/notation.ts";

/** What the schema says of a column beside its type. */
export interface ColumnRule {
  readonly references?: { readonly table: string; readonly strength: "strong" | "weak" };
  readonly integers?: readonly [least: number, most: number];
  readonly oneOf?: readonly string[];
  readonly maxLength?: number;
}

export type FakeColumn = ColumnDescription & { readonly rule: ColumnRule };

/** Why an operation is refused; the database adds which one it was. */
export class Refusal extends Error {
  readonly kind: TransactionErrorKind;

  constructor(kind: TransactionErrorKind, details: string) {
    super(details);
    this.kind = kind;
  }
}

/** The uuid of an insert of this transaction, by its uuid-name. */
export type ResolveNamed = (name: string) => Uuid;

export function defaultOf(column: ColumnDescription): Value {
  if (column.shape === "optional") return null;
  if (column.shape === "set") return new Set();
  if (column.shape === "map") return new Map();
  const atoms: Record<AtomName, Atom> = {
    string: "",
    integer: 0,
    real: 0,
    boolean: false,
    uuid: "00000000-0000-0000-0000-000000000000",
  };
  return atoms[column.of];
}

/** A value given by a client, checked against the column's type and rule. */
export function checkValue(column: FakeColumn, data: unknown, named: ResolveNamed): Value {
  if (column.shape === "map") {
    if (!(data instanceof Map)) throw new Refusal("syntax error", `${describe(data)} is not a map`);
    return checkPairs(column, data, named);
  }
  const elements = checkElements(column, data, named);
  if (column.shape === "set") return new Set(elements);
  const [element = null] = elements;
  if (elements.length > 1 || (element === null && column.shape === "one")) {
    throw new Refusal("syntax error", `${elements.length} elements where ${column.shape} is allowed`);
  }
  return element;
}

function checkPairs(
  column: FakeColumn & { shape: "map" },
  data: ReadonlyMap<unknown, unknown>,
  named: ResolveNamed,
): Map<Atom, Atom> {
  const target = { ...column, of: column.to };
  return new Map(
    Array.from(data, ([key, value]) => [checkAtom(column, key, named), checkAtom(target, value, named)]),
  );
}

function checkElements(column: FakeColumn, data: unknown, named: ResolveNamed): Atom[] {
  const given: readonly unknown[] =
    data === null ? [] : data instanceof Set ? [...data] : Array.isArray(data) ? data : [data];
  const elements = given.map((element) => checkAtom(column, element, named));
  if (new Set(elements).size < elements.length) throw new Refusal("ovsdb error", "set contains duplicate");
  return elements;
}

function checkAtom(column: FakeColumn, data: unknown, named: ResolveNamed): Atom {
  const atom = checkType(column.of, data, named);
  const { integers, oneOf, maxLength } = column.rule;
  if (typeof atom === "number" && integers !== undefined && (atom < integers[0] || atom > integers[1])) {
    throw new Refusal("constraint violation", `${atom} is not in the valid range ${integers.join(" to ")}`);
  }
  if (typeof atom === "string" && column.of === "string") {
    if (oneOf?.includes(atom) === false) {
      throw new Refusal(
        "constraint violation",
        `${atom} is not one of the allowed values (${oneOf.join(", ")})`,
      );
    }
    const length = Array.from(atom).length;
    if (maxLength !== undefined && length > maxLength) {
      throw new Refusal(
        "constraint violation",
        `"${atom}" length ${length} is greater than maximum allowed length ${maxLength}`,
      );
    }
  }
  return atom;
}

function checkType(type: AtomName, data: unknown, named: ResolveNamed): Atom {
  switch (type) {
    case "string":
      if (typeof data === "string") return data;
      break;
    case "integer":
      if (Number.isSafeInteger(data)) return Number(data);
      break;
    case "real":
      if (typeof data === "number") return data;
      break;
    case "boolean":
      if (typeof data === "boolean") return data;
      break;
    case "uuid":
      if (typeof data === "string") return toUuid(data);
      if (isNamed(data)) return named(data.named);
      break;
  }
  throw new Refusal("syntax error", `${describe(data)} is not a ${type}`);
}

function isNamed(data: unknown): data is { named: string } {
  return typeof data === "object" && data !== null && "named" in data && typeof data.named === "string";
}

export function matches(column: FakeColumn, held: Value, condition: Condition, named: ResolveNamed): boolean {
  const given =
    column.shape === "map"
      ? checkValue(column, condition.value, named)
      : checkElements(column, condition.value, named);
  const have = entriesOf(held);
  const want = entriesOf(Array.isArray(given) ? new Set(given) : given);
  switch (condition.function) {
    case "==":
      return have.size === want.size && want.isSubsetOf(have);
    case "!=":
      return have.size !== want.size || !want.isSubsetOf(have);
    case "includes":
      return want.isSubsetOf(have);
    case "excludes":
      return want.isDisjointFrom(have);
    default:
      return compare(condition.function, held, given);
  }
}

function compare(test: "<" | "<=" | ">" | ">=", held: Value, given: unknown): boolean {
  const bound: unknown = Array.isArray(given) ? given[0] : given;
  if (typeof bound !== "number") throw new Refusal("syntax error", `${test} needs a number`);
  if (typeof held !== "number") return false;
  if (test === "<") return held < bound;
  if (test === "<=") return held <= bound;
  return test === ">" ? held > bound : held >= bound;
}

/** A value's elements, or pairs as text, so that all shapes compare alike. */
function entriesOf(value: Value): ReadonlySet<unknown> {
  if (value === null) return new Set();
  if (value instanceof Set) return value;
  if (value instanceof Map) return new Set(Array.from(value, (pair) => JSON.stringify(pair)));
  return new Set([value]);
}

export function equalValues(a: Value, b: Value): boolean {
  const [left, right] = [entriesOf(a), entriesOf(b)];
  return left.size === right.size && left.isSubsetOf(right);
}

/** Whether a mutator may be applied to a column at all, whatever its rows hold. */
export function checkMutator(column: FakeColumn, mutator: Mutation["mutator"]): void {
  if ((mutator === "insert" || mutator === "delete") && column.shape === "one") {
    throw new Refusal("syntax error", `"${mutator}" may not be applied to a single value`);
  }
}

export function mutate(column: FakeColumn, held: Value, mutation: Mutation, named: ResolveNamed): Value {
  const { mutator, value } = mutation;
  if (mutator !== "insert" && mutator !== "delete") return calculate(column, held, mutator, value);
  if (held instanceof Map && column.shape === "map") return mutateMap(column, held, mutation, named);
  const elements = new Set(checkElements(column, value, named));
  const have: ReadonlySet<Atom> = held instanceof Set ? held : new Set(held === null ? [] : [held as Atom]);
  const result = mutator === "insert" ? have.union(elements) : have.difference(elements);
  if (column.shape === "set") return result;
  if (result.size > 1)
    throw new Refusal("constraint violation", "more than one element in an optional column");
  return [...result][0] ?? null;
}

function mutateMap(
  column: FakeColumn & { shape: "map" },
  held: ReadonlyMap<Atom, Atom>,
  { mutator, value }: Mutation,
  named: ResolveNamed,
): Value {
  const result = new Map(held);
  if (value instanceof Map) {
    for (const [key, to] of checkPairs(column, value, named)) {
      // A key that is there keeps its value, and only an equal pair leaves.
      if (mutator === "insert") result.set(key, result.get(key) ?? to);
      else if (result.get(key) === to) result.delete(key);
    }
    return result;
  }
  if (mutator === "insert") throw new Refusal("syntax error", `${describe(value)} is not a map`);
  for (const key of checkElements(column, value, named)) result.delete(key);
  return result;
}

function calculate(column: FakeColumn, held: Value, mutator: string, by: unknown): Value {
  if (typeof held !== "number" || typeof by !== "number") {
    throw new Refusal("syntax error", `${mutator} needs numbers`);
  }
  if (by === 0 && (mutator === "/=" || mutator === "%="))
    throw new Refusal("domain error", "division by zero");
  const results: Record<string, number> = {
    "+=": held + by,
    "-=": held - by,
    "*=": held * by,
    "/=": column.of === "integer" ? Math.trunc(held / by) : held / by,
    "%=": held % by,
  };
  return checkAtom(column, results[mutator], noNames);
}

const noNames: ResolveNamed = () => {
  throw new Refusal("syntax error", "a number was expected");
};

function describe(data: unknown): string {
  return data === undefined ? "undefined" : JSON.stringify(data);
}
