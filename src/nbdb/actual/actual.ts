// The rows of ours that the database has now, read from the session's cache. Owned means: our owner-controller and one
// of our owner types in external_ids. Whatever is not owned is not here, and nothing here is ever written to.

import type { Condition, NamedUuid } from "../../ovsdb/operation.ts";
import type { Uuid } from "../../ovsdb/description.ts";
import type { Cache, Monitors } from "../../ovsdb/session.ts";
import type { ObjectKind } from "../../model/object.ts";
import { objectKey } from "../../model/object.ts";
import type { PolicyKey } from "../../policy/ir.ts";
import type { ExternalIds } from "../rows/names.ts";
import { keys, ownerController } from "../rows/names.ts";
import type { Northbound, NorthboundRow, NorthboundTable, OwnedTable } from "../rows/schema.ts";

export type Reference = Uuid | NamedUuid;

/** The kind of policy behind each owner type. */
export type Owners = ReadonlyMap<string, ObjectKind>;

/** The policy that external_ids name as a row's owner; null for a row that is not ours. */
export function ownerOf(externalIds: ExternalIds, owners: Owners): PolicyKey | null {
  const kind = owners.get(externalIds.get(keys.ownerType) ?? "");
  const name = externalIds.get(keys.name);
  if (kind === undefined || name === undefined) return null;
  if (externalIds.get(keys.ownerController) !== ownerController) return null;
  if (!kind.namespaced) return objectKey(kind, null, name);
  const colon = name.indexOf(":");
  return colon < 0 ? null : objectKey(kind, name.slice(0, colon), name.slice(colon + 1));
}

/**
 * What a session must keep: our rows whole, of every logical switch port its name, and, when the chassis are to be asked
 * (chassis-proof.ts), the one row in which they answer.
 */
export function northboundMonitors(owners: Owners, withChassis = false): Monitors<Northbound> {
  const anyOf: readonly Condition[] = [...owners.keys()].map((ownerType) => ({
    column: "external_ids",
    function: "includes",
    value: new Map([[keys.ownerType, ownerType]]),
  }));
  const ownerIn = (row: { readonly external_ids: ExternalIds }) => ownerOf(row.external_ids, owners);
  const owner = { columns: ["external_ids"], keyOf: ownerIn } as const;
  const name = {
    columns: ["name", "external_ids"],
    keyOf: (row: { readonly name: string; readonly external_ids: ExternalIds }) =>
      ownerIn(row) === null ? null : row.name,
  } as const;
  return {
    ACL: {
      anyOf,
      indexes: {
        id: {
          columns: ["external_ids"],
          keyOf: (row) => (ownerIn(row) === null ? null : (row.external_ids.get(keys.id) ?? null)),
        },
      },
    },
    Address_Set: { anyOf, indexes: { owner, name } },
    Port_Group: { anyOf, indexes: { owner, name } },
    Logical_Switch_Port: { indexes: { name: { columns: ["name"], keyOf: (row) => row.name } } },
    ...(withChassis ? { NB_Global: {} } : {}),
  };
}

export interface ActualRow<T extends NorthboundTable> {
  readonly uuid: Uuid;
  readonly row: NorthboundRow<T>;
}

export class Actual {
  readonly #cache: Cache<Northbound>;
  readonly #owners: Owners;

  constructor(cache: Cache<Northbound>, owners: Owners) {
    this.#cache = cache;
    this.#owners = owners;
  }

  addressSet(name: string): ActualRow<"Address_Set"> | null {
    return this.#first("Address_Set", "name", name);
  }

  portGroup(name: string): ActualRow<"Port_Group"> | null {
    return this.#first("Port_Group", "name", name);
  }

  /** ACLs have no unique index: someone's copy can carry an id of ours too. */
  acls(id: string): readonly ActualRow<"ACL">[] {
    return this.#find("ACL", "id", id);
  }

  ownedBy<T extends "Address_Set" | "Port_Group">(table: T, policy: PolicyKey): readonly ActualRow<T>[] {
    return this.#find(table, "owner", policy);
  }

  port(name: string): Uuid | null {
    for (const uuid of this.#cache.table("Logical_Switch_Port").find("name", name)) return uuid;
    return null;
  }

  portName(uuid: Uuid): string | null {
    return this.#cache.table("Logical_Switch_Port").get(uuid)?.name ?? null;
  }

  /** Every policy that owns a row. */
  owners(): ReadonlySet<PolicyKey> {
    const owners = new Set<PolicyKey>();
    for (const table of ["Port_Group", "Address_Set", "ACL"] as const) {
      for (const [, row] of this.#cache.table(table).entries()) {
        const owner = ownerOf(row.external_ids, this.#owners);
        if (owner !== null) owners.add(owner);
      }
    }
    return owners;
  }

  /** Rows of ours in a table, by owner type. */
  count(table: OwnedTable): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const [, row] of this.#cache.table(table).entries()) {
      const type = row.external_ids.get(keys.ownerType);
      if (type === undefined || ownerOf(row.external_ids, this.#owners) === null) continue;
      counts.set(type, (counts.get(type) ?? 0) + 1);
    }
    return counts;
  }

  #first<T extends OwnedTable>(table: T, index: string, key: string): ActualRow<T> | null {
    return this.#find(table, index, key)[0] ?? null;
  }

  #find<T extends OwnedTable>(table: T, index: string, key: string): readonly ActualRow<T>[] {
    const cached = this.#cache.table(table);
    const found: ActualRow<T>[] = [];
    for (const uuid of cached.find(index, key)) {
      const row = cached.get(uuid);
      if (row !== undefined) found.push({ uuid, row });
    }
    return found;
  }
}
