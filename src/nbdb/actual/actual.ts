// The rows of ours that the database has now, read from the session's cache. Owned means: our owner-controller and one
// of our owner types in external_ids. Whatever is not owned is not here, and nothing here is ever written to.

import type { Condition, NamedUuid } from "../../ovsdb/operation.ts";
import type { Uuid } from "../../ovsdb/description.ts";
import type { Cache, Monitors } from "../../ovsdb/session.ts";
import type { PolicyKey } from "../../policy/ir.ts";
import type { ExternalIds } from "../rows/names.ts";
import { keys, ownerController } from "../rows/names.ts";
import type { Northbound, NorthboundRow, NorthboundTable, OwnedTable } from "../rows/schema.ts";

export type Reference = Uuid | NamedUuid;

/** The policy that external_ids name as a row's owner; null for a row that is not ours. */
export function ownerOf(externalIds: ExternalIds, kinds: ReadonlySet<string>): PolicyKey | null {
  const kind = externalIds.get(keys.ownerType);
  const name = externalIds.get(keys.name);
  if (kind === undefined || name === undefined || !kinds.has(kind)) return null;
  if (externalIds.get(keys.ownerController) !== ownerController) return null;
  return `${kind}/${name.replace(":", "/")}` as PolicyKey;
}

/**
 * What a session must keep: our rows whole, of every logical switch port its name, and, when the chassis are to be asked
 * (chassis-proof.ts), the one row in which they answer.
 */
export function northboundMonitors(kinds: ReadonlySet<string>, withChassis = false): Monitors<Northbound> {
  const anyOf: readonly Condition[] = [...kinds].map((kind) => ({
    column: "external_ids",
    function: "includes",
    value: new Map([[keys.ownerType, kind]]),
  }));
  const ownerIn = (row: { readonly external_ids: ExternalIds }) => ownerOf(row.external_ids, kinds);
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
  readonly #kinds: ReadonlySet<string>;

  constructor(cache: Cache<Northbound>, kinds: ReadonlySet<string>) {
    this.#cache = cache;
    this.#kinds = kinds;
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
        const owner = ownerOf(row.external_ids, this.#kinds);
        if (owner !== null) owners.add(owner);
      }
    }
    return owners;
  }

  /** Rows of ours in a table, by the kind of policy that owns them. */
  count(table: OwnedTable): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const [, row] of this.#cache.table(table).entries()) {
      const kind = row.external_ids.get(keys.ownerType);
      if (kind === undefined || ownerOf(row.external_ids, this.#kinds) === null) continue;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
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
