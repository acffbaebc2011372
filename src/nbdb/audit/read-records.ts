// Reads rows from JSON: what `northgate render -o json` prints, or the tables of `ovsdb-client -f json dump`, one JSON
// object a line, whose values are in the notation of RFC 7047 section 5.1. Everything that is wrong becomes an error that
// names table, row and column; a file with an error gives no rows, because half of the rows have another meaning.

import type { Problem } from "../../model/problem.ts";
import type { Field } from "../../model/reader.ts";
import { Field as Root, parseJson, Problems, readAll } from "../../model/reader.ts";
import { isRecord } from "../../ovsdb/notation/schema.ts";
import type { Texts } from "../rows/records.ts";
import type { Identified, RowRecords } from "./records.ts";
import { plainTables } from "./dump.ts";

export type ReadRows =
  | { readonly records: RowRecords }
  /** Field and message of each. */
  | { readonly problems: readonly Pick<Problem, "field" | "message">[] };

const directions = ["from-lport", "to-lport"];
const actions = ["allow", "allow-related", "allow-stateless", "drop", "reject", "pass"];
const needed = ["ACL", "Port_Group", "Address_Set"];

export function readRecords(text: string): ReadRows {
  const tables = tablesIn(text);
  if (typeof tables === "string") return { problems: [{ field: "", message: tables }] };
  const problems = new Problems();
  const records = recordsIn(new Root(problems, "", tables));
  return records === null || problems.failed ? { problems: problems.list() } : { records };
}

/** Or what is wrong. */
function tablesIn(text: string): Readonly<Record<string, unknown>> | string {
  const one = parseJson(text);
  const tables = isRecord(one) && !("headings" in one) ? one : plainTables(text);
  if (typeof tables === "string") return tables;
  const missing = needed.filter((name) => !Object.hasOwn(tables, name));
  if (missing.length === 0) return tables;
  return `no table ${missing.join(", ")}: neither what \`northgate render -o json\` prints nor what \`ovsdb-client -f json dump\` does`;
}

function recordsIn(root: Field): RowRecords | null {
  const table = <R>(name: string, read: (row: Field) => R | null): readonly Identified<R>[] | null => {
    const rows = root.at(name).list(0, Infinity);
    return rows === null ? null : readAll(rows, (row) => identified(row, read));
  };
  const acls = table("ACL", readAcl);
  const portGroups = table("Port_Group", readPortGroup);
  const addressSets = table("Address_Set", readAddressSet);
  const hasSwitches = root.has("Logical_Switch");
  const switches = hasSwitches ? table("Logical_Switch", readSwitch) : null;
  const ports = hasSwitches ? table("Logical_Switch_Port", readPort) : [];
  const options = root.has("NB_Global") ? readOptions(root.at("NB_Global")) : {};
  if (acls === null || portGroups === null || addressSets === null) return null;
  if ((hasSwitches && switches === null) || ports === null || options === null) return null;
  return {
    ACL: acls,
    Port_Group: portGroups,
    Address_Set: addressSets,
    Logical_Switch: switches,
    Logical_Switch_Port: ports,
    options,
  };
}

function identified<R>(row: Field, read: (row: Field) => R | null): Identified<R> | null {
  if (!row.object()) return null;
  const uuid = row.has("_uuid") ? row.at("_uuid").string() : null;
  const record = read(row);
  return record === null ? null : { ...record, uuid };
}

function readAcl(row: Field) {
  const action = oneOf(row.at("action"), actions);
  const direction = oneOf(row.at("direction"), directions);
  const priority = row.at("priority").integer(0, 32767);
  const tier = row.at("tier").integer(0, 3);
  const match = row.at("match").string();
  const options = texts(row.at("options"));
  const external_ids = texts(row.at("external_ids"));
  if (action === null || direction === null || priority === null || tier === null || match === null)
    return null;
  if (options === null || external_ids === null) return null;
  const optional = (name: string): string | null => elements(row.at(name))[0] ?? null;
  return {
    ...{ name: optional("name"), action, direction, priority, tier, match },
    ...{ log: row.at("log").raw === true, severity: optional("severity"), meter: optional("meter") },
    ...{ label: row.has("label") ? (row.at("label").integer(0, 2 ** 32 - 1) ?? 0) : 0 },
    ...{ options, external_ids },
  };
}

function readPortGroup(row: Field) {
  const name = row.at("name").string();
  const external_ids = texts(row.at("external_ids"));
  if (name === null || external_ids === null) return null;
  return { name, external_ids, ports: elements(row.at("ports")), acls: elements(row.at("acls")) };
}

function readAddressSet(row: Field) {
  const name = row.at("name").string();
  const external_ids = texts(row.at("external_ids"));
  if (name === null || external_ids === null) return null;
  return { name, addresses: elements(row.at("addresses")), external_ids };
}

function readSwitch(row: Field) {
  const name = row.at("name").string();
  return name === null ? null : { name, ports: elements(row.at("ports")), acls: elements(row.at("acls")) };
}

function readPort(row: Field) {
  const name = row.at("name").string();
  return name === null ? null : { name, type: elements(row.at("type"))[0] ?? "" };
}

/** Of the only row; none: the database is new. */
function readOptions(table: Field): Texts | null {
  const [row] = table.list(0, 1) ?? [];
  return row === undefined ? {} : texts(row.at("options"));
}

function oneOf(field: Field, known: readonly string[]): string | null {
  const text = field.string();
  if (text === null || known.includes(text)) return text;
  return field.error(`must be ${known.join(", ")}, not ${field.quoted}`);
}

/** A set of texts: a list, a text alone, or nothing. */
function elements(field: Field): readonly string[] {
  if (!field.present) return [];
  if (typeof field.raw === "string") return [field.raw];
  const items = field.list(0, Infinity);
  return items === null ? [] : (readAll(items, (item) => item.string()) ?? []);
}

function texts(field: Field): Texts | null {
  if (!field.present) return {};
  if (!field.object()) return null;
  const pairs = readAll(
    field.names().map((name) => field.at(name)),
    (value, at) => {
      const text = value.string();
      return text === null ? null : ([field.names()[at] ?? "", text] as const);
    },
  );
  return pairs === null ? null : Object.fromEntries(pairs);
}
