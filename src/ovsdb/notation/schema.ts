// The server's schema (RFC 7047 section 3.2), parsed as far as a client needs it, and compared with a description.
// Every value of a description that passes can be decoded; one that does not pass is refused, and the error names the
// first gap.

import type { AtomName, ColumnDescription, DatabaseDescription } from "./description.ts";
import { ProtocolError, SchemaMismatchError } from "./errors.ts";
import { type ColumnCodec, excerpt } from "./notation.ts";

/** RFC 7047 section 3.2 <type>; `max` is Infinity for "unlimited". */
export interface ColumnType {
  readonly key: AtomName;
  readonly value: AtomName | null;
  readonly min: number;
  readonly max: number;
}

export type TableCodec = ReadonlyMap<string, ColumnCodec>;

export interface ServerSchema {
  readonly name: string;
  readonly version: string;
  readonly tables: ReadonlyMap<string, ReadonlyMap<string, ColumnType>>;
}

/** Reads a get_schema reply; throws ProtocolError. */
export function parseSchema(reply: unknown): ServerSchema {
  const schema = record(reply, "<database-schema>");
  const tables = new Map<string, ReadonlyMap<string, ColumnType>>();
  for (const [table, body] of Object.entries(record(schema["tables"], "tables"))) {
    const columns = new Map<string, ColumnType>(implicitColumns);
    for (const [name, column] of Object.entries(
      record(record(body, table)["columns"], `columns of ${table}`),
    )) {
      columns.set(name, parseType(record(column, name)["type"]));
    }
    tables.set(table, columns);
  }
  return { name: text(schema["name"]), version: text(schema["version"]), tables };
}

/** Section 3.2: every table has these, unlisted. */
const implicitColumns: readonly (readonly [string, ColumnType])[] = [
  ["_uuid", { key: "uuid", value: null, min: 1, max: 1 }],
  ["_version", { key: "uuid", value: null, min: 1, max: 1 }],
];

/** The codecs of every column of the server; described columns get the requested shape. Throws SchemaMismatchError. */
export function matchSchema(
  description: DatabaseDescription,
  schema: ServerSchema,
): ReadonlyMap<string, TableCodec> {
  const where = `${schema.name} ${schema.version}`;
  const { oldest, mayLack = [], neededBy = {} } = description;
  const missing = (what: string, name: string): SchemaMismatchError => {
    const by = neededBy[name];
    return new SchemaMismatchError(
      `${where} has no ${what} ${name}${by === undefined ? "" : `, which ${by} needs`}`,
    );
  };
  if (oldest !== undefined && isOlder(schema.version, oldest.version))
    throw new SchemaMismatchError(`${where} is older than ${oldest.version}, which ${oldest.reason} needs`);
  for (const [table, columns] of Object.entries(description.tables)) {
    const served = schema.tables.get(table);
    if (served === undefined && mayLack.includes(table)) continue;
    if (served === undefined) throw missing("table", table);
    for (const [column, wanted] of Object.entries(columns)) {
      const type = served.get(column);
      const name = `${table}.${column}`;
      if (type === undefined && mayLack.includes(name)) continue;
      if (type === undefined) throw missing("column", name);
      if (!fits(wanted, type)) {
        throw new SchemaMismatchError(
          `${where} has ${table}.${column} as ${formatType(type)}, not as ${formatDescription(wanted)}`,
        );
      }
    }
  }
  return new Map(
    Array.from(schema.tables, ([table, columns]) => [
      table,
      new Map(
        Array.from(columns, ([name, type]) => [name, codecOf(type, description.tables[table]?.[name])]),
      ),
    ]),
  );
}

/** Versions of three numbers, `7.11.0`; a part that is no number counts as older. */
function isOlder(version: string, than: string): boolean {
  const parts = version.split(".").map(Number);
  for (const [place, wanted] of than.split(".").map(Number).entries()) {
    const part = parts[place] ?? 0;
    if (part !== wanted) return !(part > wanted);
  }
  return false;
}

function codecOf(type: ColumnType, wanted: ColumnDescription | undefined): ColumnCodec {
  return {
    shape: wanted?.shape ?? shapeOf(type),
    key: type.key,
    value: type.value,
    composite: type.max > 1,
  };
}

function shapeOf(type: ColumnType): ColumnDescription["shape"] {
  if (type.value !== null) return "map";
  if (type.max > 1) return "set";
  return type.min === 0 ? "optional" : "one";
}

/** Whether every value of the type can be held in the described shape. */
function fits(wanted: ColumnDescription, type: ColumnType): boolean {
  if (wanted.of !== type.key) return false;
  if (wanted.shape === "map") return wanted.to === type.value;
  if (type.value !== null) return false;
  if (wanted.shape === "set") return true;
  return type.max === 1 && (wanted.shape === "optional" || type.min === 1);
}

function formatType(type: ColumnType): string {
  const atoms = type.value === null ? type.key : `${type.key} to ${type.value}`;
  return `${shapeOf(type)} ${atoms}`;
}

function formatDescription(wanted: ColumnDescription): string {
  return wanted.shape === "map" ? `map ${wanted.of} to ${wanted.to}` : `${wanted.shape} ${wanted.of}`;
}

function parseType(wire: unknown): ColumnType {
  if (typeof wire === "string") return { key: atomName(wire), value: null, min: 1, max: 1 };
  const type = record(wire, "<type>");
  const max = type["max"] ?? 1;
  return {
    key: baseType(type["key"]),
    value: type["value"] === undefined ? null : baseType(type["value"]),
    min: Number(type["min"] ?? 1),
    max: max === "unlimited" ? Infinity : Number(max),
  };
}

function baseType(wire: unknown): AtomName {
  return atomName(typeof wire === "string" ? wire : record(wire, "<base-type>")["type"]);
}

const atomNames: readonly AtomName[] = ["string", "integer", "real", "boolean", "uuid"];

function atomName(wire: unknown): AtomName {
  const name = atomNames.find((known) => known === wire);
  if (name === undefined) throw new ProtocolError(`expected <atomic-type> and got ${excerpt(wire)}`);
  return name;
}

function text(wire: unknown): string {
  if (typeof wire !== "string") throw new ProtocolError(`expected <string> and got ${excerpt(wire)}`);
  return wire;
}

/** A JSON object, or a ProtocolError that names what was expected. */
export function record(wire: unknown, what: string): Readonly<Record<string, unknown>> {
  if (!isRecord(wire)) throw new ProtocolError(`expected ${what} and got ${excerpt(wire)}`);
  return wire;
}

export function isRecord(wire: unknown): wire is Readonly<Record<string, unknown>> {
  return typeof wire === "object" && wire !== null && !Array.isArray(wire);
}
