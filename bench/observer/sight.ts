// The observed rows of one database, kept as little as comparing them needs: set columns of strings as fingerprints,
// everything else as it came. Takes update2 messages (ovsdb-server(7) 4.1.14), in which a set's change is the elements
// that changed sides.

import { isRecord } from "../../src/ovsdb/notation/schema.ts";
import { Fingerprint } from "./fingerprint.ts";
import { columnsOf, type Image, mapText, scalarText, type Table, tables } from "./image.ts";

const idKey = "k8s.ovn.org/id";
const fingerprinted: ReadonlySet<string> = new Set(["addresses", "ports"]);
const mapColumns: ReadonlySet<string> = new Set(["options", "external_ids"]);

export interface SeenRow {
  readonly table: Table;
  /** null: the row is none of a policy's. */
  id: string | null;
  readonly texts: Record<string, string>;
  readonly prints: Map<string, Fingerprint>;
  readonly maps: Map<string, Map<string, string>>;
  readonly acls: Set<string>;
}

export class Sight {
  readonly #rows = new Map<string, SeenRow>();
  readonly #byId = new Map<string, Set<string>>();

  /** Applies one update and returns the ids of the rows that it touched. */
  apply(updates: unknown): ReadonlySet<string> {
    const touched = new Set<string>();
    if (!isRecord(updates)) throw new Error("an update is no JSON object");
    for (const table of tables) {
      const rows = updates[table];
      for (const [uuid, change] of Object.entries(isRecord(rows) ? rows : {})) {
        const id = this.#change(table, uuid, isRecord(change) ? change : {});
        if (id !== null) touched.add(id);
      }
    }
    return touched;
  }

  ids(): Iterable<string> {
    return this.#byId.keys();
  }

  /** What the rows of this id say: none, one, or more than there may be. */
  images(id: string): readonly Image[] {
    return [...(this.#byId.get(id) ?? [])].map((uuid) => this.#image(uuid));
  }

  #change(table: Table, uuid: string, change: Readonly<Record<string, unknown>>): string | null {
    if ("delete" in change) return this.#remove(uuid);
    const fresh = change["initial"] ?? change["insert"];
    if (fresh === undefined) return this.#modify(uuid, change["modify"]);
    const row: SeenRow = {
      ...{ table, id: null, texts: {} },
      ...{ prints: new Map(), maps: new Map(), acls: new Set() },
    };
    for (const column of columnsOf[table]) take(row, column, isRecord(fresh) ? fresh[column] : undefined);
    this.#rows.set(uuid, row);
    this.#file(uuid, row);
    return row.id;
  }

  #modify(uuid: string, wire: unknown): string | null {
    const row = this.#rows.get(uuid);
    if (row === undefined || !isRecord(wire)) throw new Error(`a change of ${uuid}, which was never told of`);
    for (const [column, value] of Object.entries(wire)) take(row, column, value);
    const before = row.id;
    this.#file(uuid, row);
    return row.id ?? before;
  }

  #remove(uuid: string): string | null {
    const id = this.#rows.get(uuid)?.id ?? null;
    this.#rows.delete(uuid);
    if (id !== null) this.#unfile(uuid, id);
    return id;
  }

  #file(uuid: string, row: SeenRow): void {
    const id = row.maps.get("external_ids")?.get(idKey) ?? null;
    if (id === row.id) return;
    if (row.id !== null) this.#unfile(uuid, row.id);
    row.id = id;
    if (id === null) return;
    const uuids = this.#byId.get(id);
    if (uuids === undefined) this.#byId.set(id, new Set([uuid]));
    else uuids.add(uuid);
  }

  #unfile(uuid: string, id: string): void {
    const uuids = this.#byId.get(id);
    uuids?.delete(uuid);
    if (uuids?.size === 0) this.#byId.delete(id);
  }

  #image(uuid: string): Image {
    const row = this.#rows.get(uuid);
    if (row === undefined) return {};
    const image: Record<string, string> = { ...row.texts };
    for (const [column, print] of row.prints) image[column] = print.text;
    for (const [column, map] of row.maps) image[column] = mapText(map);
    if (row.table === "Port_Group") {
      const ids = [...row.acls].map((acl) => this.#rows.get(acl)?.id ?? acl);
      image["acls"] = Fingerprint.of(ids).text;
    }
    return image;
  }
}

/** What an update says of one column, inserted or changed: for a new row everything changes sides. */
function take(row: SeenRow, column: string, value: unknown): void {
  if (column === "acls") {
    for (const uuid of elements(value)) if (!row.acls.delete(uuid)) row.acls.add(uuid);
  } else if (fingerprinted.has(column)) {
    const print = row.prints.get(column) ?? new Fingerprint();
    row.prints.set(column, print);
    for (const element of elements(value)) print.toggle(element);
  } else if (mapColumns.has(column)) {
    const map = row.maps.get(column) ?? new Map<string, string>();
    row.maps.set(column, map);
    for (const [key, text] of pairs(value)) {
      if (map.get(key) === text) map.delete(key);
      else map.set(key, text);
    }
  } else {
    row.texts[column] = Array.isArray(value) ? "null" : scalarText(value ?? defaults[column] ?? null);
  }
}

/** Values that update2 leaves out. */
const defaults: Readonly<Record<string, unknown>> = { priority: 0, tier: 0, log: false };

/** A set's elements, or a bare one; references as their uuids. */
function* elements(value: unknown): Generator<string> {
  if (value === undefined) return;
  const list: readonly unknown[] =
    Array.isArray(value) && value[0] === "set" && Array.isArray(value[1]) ? value[1] : [value];
  for (const element of list) yield typeof element === "string" ? element : referenced(element);
}

function referenced(element: unknown): string {
  if (Array.isArray(element) && typeof element[1] === "string") return element[1];
  throw new Error("a set holds what is neither text nor reference");
}

function* pairs(value: unknown): Generator<[string, string]> {
  if (!Array.isArray(value) || !Array.isArray(value[1])) return;
  for (const pair of value[1] as readonly unknown[]) {
    if (Array.isArray(pair)) yield [String(pair[0]), String(pair[1])];
  }
}
