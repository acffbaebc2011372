// The rows that the database has now and that this controller owns, read from the session's cache. A row is owned when
// owners.ts finds a unit in its external_ids. Other rows never appear here, and the controller never writes to them.

import type { Condition, NamedUuid } from "../../ovsdb/notation/operation.ts";
import type { Uuid } from "../../ovsdb/notation/description.ts";
import type { Cache, Monitors } from "../../ovsdb/session/session.ts";
import type { GroupKind } from "../../model/object.ts";
import { kindText, kindTextOf } from "../../model/object.ts";
import { namesIn } from "./match-names.ts";
import { sampled, sampleMonitors } from "./samples.ts";
import type { ExternalIds } from "../rows/names.ts";
import { keys } from "../rows/names.ts";
import type { Owners } from "../rows/owners.ts";
import { ownerOf } from "../rows/owners.ts";
import type { Northbound, NorthboundRow, NorthboundTable, OwnedTable } from "../rows/schema.ts";
import { aclColumns } from "../rows/schema.ts";
import type { UnitKey } from "../rows/unit.ts";
import { policyOfUnit } from "../rows/unit.ts";

export type Reference = Uuid | NamedUuid;

/**
 * What a session must monitor: all columns of our rows, the names of logical switches and their ports, and of the one
 * row of NB_Global the zone's name, the writer's claim and, when chassis-proof.ts is to ask the chassis, their answer.
 * Where ACLs are sampled, what they are sampled with.
 */
export function northboundMonitors(
  owners: Owners,
  { chassis = false, samples = false }: { readonly chassis?: boolean; readonly samples?: boolean } = {},
): Monitors<Northbound> {
  const anyOf: readonly Condition[] = Array.from(owners.keys(), (type) => ({
    column: "external_ids",
    function: "includes",
    value: new Map([[keys.ownerType, type]]),
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
      ...(samples ? {} : { columns: aclColumns }),
      anyOf,
      indexes: {
        id: {
          columns: ["external_ids"],
          keyOf: (row) => (ownerIn(row) === null ? null : (row.external_ids.get(keys.id) ?? null)),
        },
        // Whoever owns it.
        named: { columns: ["match"], keyOf: ({ match }) => namesIn(match) },
        ...(samples ? { sampled } : {}),
      },
    },
    Address_Set: { anyOf, indexes: { owner, name } },
    Port_Group: { anyOf, indexes: { owner, name } },
    Logical_Switch_Port: { indexes: { name: { columns: ["name"], keyOf: (row) => row.name } } },
    Logical_Switch: { columns: ["name"] },
    ...(samples ? sampleMonitors : {}),
    NB_Global: { columns: ["name", "external_ids", ...(chassis ? (["nb_cfg", "hv_cfg"] as const) : [])] },
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

  /** ACLs have no unique index: a copy that another client made can carry the id of our ACL too. */
  acls(id: string): readonly ActualRow<"ACL">[] {
    return this.#find("ACL", "id", id);
  }

  /** The ACLs that the unit's port groups refer to. */
  aclsOf(unit: UnitKey): readonly ActualRow<"ACL">[] {
    const acls = this.#cache.table("ACL");
    const referred = this.ownedBy("Port_Group", unit).flatMap(({ row }) => [...row.acls]);
    return referred.flatMap((uuid) => {
      const row = acls.get(uuid);
      return row !== undefined && ownerOf(row.external_ids, this.#owners) === unit ? [{ uuid, row }] : [];
    });
  }

  /** Every ACL that is owned, with its owner. */
  *ownedAcls(): Generator<readonly [UnitKey, NorthboundRow<"ACL">]> {
    for (const [, row] of this.#cache.table("ACL").entries()) {
      const owner = ownerOf(row.external_ids, this.#owners);
      if (owner !== null) yield [owner, row];
    }
  }

  /** The ACLs that a port group refers to, of every owner. */
  portGroupAcls(uuid: Uuid): Iterable<Uuid> {
    return this.#cache.table("Port_Group").get(uuid)?.acls ?? [];
  }

  acl(uuid: Uuid): NorthboundRow<"ACL"> | null {
    return this.#cache.table("ACL").get(uuid) ?? null;
  }

  /** ACLs that name a set or group, as `$set` or `@group`, also those that only look like ours: every writer counts. */
  aclsNaming(name: string): ReadonlySet<Uuid> {
    return this.#cache.table("ACL").find("named", name);
  }

  /** Whether the ACL is of others among the rows that the session follows: of kinds that are not asked about here. */
  isOfOthers(uuid: Uuid): boolean {
    const acl = this.acl(uuid);
    return acl !== null && ownerOf(acl.external_ids, this.#owners) === null;
  }

  ownedBy<T extends "Address_Set" | "Port_Group">(table: T, unit: UnitKey): readonly ActualRow<T>[] {
    return this.#find(table, "owner", unit);
  }

  /** Port groups of these names that the unit owns. */
  ownedAmong(names: Iterable<string>, unit: UnitKey): readonly ActualRow<"Port_Group">[] {
    const found = Array.from(names).flatMap((name) => this.portGroup(name) ?? []);
    return found.filter(({ row }) => ownerOf(row.external_ids, this.#owners) === unit);
  }

  port(name: string): Uuid | null {
    return this.#cache.table("Logical_Switch_Port").findOne("name", name) ?? null;
  }

  portName(uuid: Uuid): string | null {
    return this.#cache.table("Logical_Switch_Port").get(uuid)?.name ?? null;
  }

  /** Whether there is a row of ours, or one that looks like it, that can be in force. */
  get hasRules(): boolean {
    return this.#cache.table("ACL").size > 0 || this.#cache.table("Port_Group").size > 0;
  }

  get hasSwitch(): boolean {
    return this.#cache.table("Logical_Switch").size > 0;
  }

  /** The zone that the database is for, as OVN-Kubernetes names it in NB_Global; empty: it does not say. */
  get zone(): string {
    for (const [, { name }] of this.#cache.table("NB_Global").entries()) return name;
    return "";
  }

  /** Every unit that owns a row. */
  owners(): ReadonlySet<UnitKey> {
    const found = new Set<UnitKey>();
    for (const table of ["Port_Group", "Address_Set", "ACL"] as const) {
      for (const [, row] of this.#cache.table(table).entries()) {
        const owner = ownerOf(row.external_ids, this.#owners);
        if (owner !== null) found.add(owner);
      }
    }
    return found;
  }

  /** How many policies of the kind own a row. */
  countPolicies(kind: GroupKind): number {
    const policies = Iterator.from(this.owners()).map(policyOfUnit);
    return policies.filter((key) => key !== null && kindTextOf(key) === kindText(kind)).toArray().length;
  }

  /** The number of our rows in a table, by owner type. */
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
    const cached = this.#cache.table(table);
    const uuid = cached.findOne(index, key);
    const row = uuid === undefined ? undefined : cached.get(uuid);
    return uuid === undefined || row === undefined ? null : { uuid, row };
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
