// Reads unknown JSON: a Field is a value with its path, and everything wrong with it becomes a Problem under that path.
// Never throws, never converts, and treats null as absent, as the API server does when it prunes. Invariant: a reader
// that returns null has reported an error.

import type { Problem, ProblemCode } from "./problem.ts";
import { quote } from "./quote.ts";

/** How many findings of each severity one object may show; the first ones suffice. */
const shownProblems = 20;

export class Problems {
  readonly #errors: Problem[] = [];
  readonly #warnings: Problem[] = [];
  #count = 0;

  add(problem: Problem): void {
    this.#count++;
    const list = problem.severity === "error" ? this.#errors : this.#warnings;
    if (list.length < shownProblems) list.push(problem);
  }

  /** Number of findings so far, those that are not shown included. */
  get count(): number {
    return this.#count;
  }

  get failed(): boolean {
    return this.#errors.length > 0;
  }

  /** Errors first, each in the order in which they were found. */
  list(): readonly Problem[] {
    return [...this.#errors, ...this.#warnings];
  }
}

type JsonObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function childPath(path: string, name: string): string {
  if (!/^[A-Za-z_][\w-]{0,62}$/.test(name)) return `${path}[${quote(name)}]`;
  return path === "" ? name : `${path}.${name}`;
}

/** A place in a value. Its path is formatted on request: most fields never need it. */
interface Place {
  readonly parent: Field;
  readonly child: string | number;
}

export class Field {
  readonly #place: string | Place;
  readonly #problems: Problems;
  readonly #value: unknown;
  readonly #code: ProblemCode;

  constructor(problems: Problems, place: string | Place, value: unknown, code: ProblemCode = "InvalidField") {
    this.#place = place;
    this.#problems = problems;
    this.#value = value;
    this.#code = code;
  }

  /** As kubectl prints it. */
  get path(): string {
    if (typeof this.#place === "string") return this.#place;
    const { parent, child } = this.#place;
    return typeof child === "number" ? `${parent.path}[${child}]` : childPath(parent.path, child);
  }

  get present(): boolean {
    return isPresent(this.#value);
  }

  get isObject(): boolean {
    return isObject(this.#value);
  }

  /** The value as a message may show it. */
  get quoted(): string {
    return quote(this.#value);
  }

  /** The value itself, for code that only passes it on. */
  get raw(): unknown {
    return this.#value;
  }

  /** Number of findings in the whole object so far. */
  get findings(): number {
    return this.#problems.count;
  }

  /** The same field, but its own and its children's findings have another code. */
  coded(code: ProblemCode): Field {
    return new Field(this.#problems, this.#place, this.#value, code);
  }

  /** The parsed contents of the field's text, under the field's own path. */
  with(value: unknown): Field {
    return new Field(this.#problems, this.#place, value, this.#code);
  }

  /** Returns null so that a reader can report and give up in one expression. */
  error(message: string, code = this.#code): null {
    this.#problems.add({ code, severity: "error", field: this.path, message });
    return null;
  }

  warn(message: string, code = this.#code): void {
    this.#problems.add({ code, severity: "warning", field: this.path, message });
  }

  /** The named child; absent when this is not an object or has no such child. */
  at(name: string): Field {
    return new Field(this.#problems, { parent: this, child: name }, this.#child(name), this.#code);
  }

  /** Names of an object's fields; none when this is not an object. */
  names(): readonly string[] {
    return isObject(this.#value) ? Object.keys(this.#value) : [];
  }

  /** Elements of a list; none when this is not a list. */
  items(limit = Infinity): readonly Field[] {
    if (!isList(this.#value)) return [];
    const items = this.#value.length > limit ? this.#value.slice(0, limit) : this.#value;
    return items.map((item, child) => new Field(this.#problems, { parent: this, child }, item, this.#code));
  }

  /** Whether the named child is present. */
  has(name: string): boolean {
    return isPresent(this.#child(name));
  }

  /** Names of the children that are not among the known ones. */
  others(known: readonly string[]): readonly string[] {
    return this.names().filter((name) => !known.includes(name));
  }

  object(): boolean {
    if (isObject(this.#value)) return true;
    this.#mismatch("an object");
    return false;
  }

  /** The elements of a list of bounded length; of a longer one, the first `max` are read for their problems. */
  list(min: number, max: number): readonly Field[] | null {
    if (!isList(this.#value)) return this.#mismatch("a list");
    const { length } = this.#value;
    if (length < min) return this.error(`must have at least ${min} element${min === 1 ? "" : "s"}`);
    if (length > max) this.error(`must have at most ${max} elements, not ${length}`, "TooMany");
    return this.items(max);
  }

  string(): string | null {
    return typeof this.#value === "string" ? this.#value : this.#mismatch("a string");
  }

  boolean(): boolean | null {
    return typeof this.#value === "boolean" ? this.#value : this.#mismatch("true or false");
  }

  integer(min: number, max: number): number | null {
    const value = this.#value;
    if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
    return this.#mismatch(`an integer from ${min} to ${max}`);
  }

  number(min: number, max: number): number | null {
    const value = this.#value;
    if (typeof value === "number" && value >= min && value <= max) return value;
    return this.#mismatch(`a number from ${min} to ${max}`);
  }

  #child(name: string): unknown {
    return isObject(this.#value) && Object.hasOwn(this.#value, name) ? this.#value[name] : undefined;
  }

  #mismatch(wanted: string): null {
    if (!this.present) return this.error("this field is required", "MissingField");
    return this.error(`must be ${wanted}, not ${this.quoted}`);
  }
}

/** undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads every field, to find all problems; null when one of them could not be read. */
export function readAll<T>(
  fields: readonly Field[],
  read: (field: Field, index: number) => T | null,
): readonly T[] | null {
  const values: T[] = [];
  fields.forEach((field, index) => {
    const value = read(field, index);
    if (value !== null) values.push(value);
  });
  return values.length === fields.length ? values : null;
}
