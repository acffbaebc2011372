// The rows of a Northbound database, put together for questions about connections: which port is on which
// switch, which ACLs act there, and what every set and group holds. Each match is read once. Refuses two rows of one name
// and references to rows that are not there. Invariant: nothing here depends on who owns a row.

import type { Integer } from "./match/expression.ts";
import { MatchError, readInteger } from "./match/integers.ts";
import type { Scope } from "./match/parse.ts";
import { parseMatch } from "./match/parse.ts";
import type { RowRecords } from "./records.ts";
import { idOf } from "../rows/records.ts";
import type { ReadMatch, ReadAcl, SwitchStages } from "./stages.ts";
import { isTrue, stagesOf } from "./stages.ts";

export interface SwitchRows {
  /** null: the one switch on which all ports are, where it is not known which there are. */
  readonly name: string | null;
  readonly ports: ReadonlySet<string>;
  /** Ports to routers; none: an unnamed one is assumed. */
  readonly routerPorts: readonly string[];
  /** Without any, its stages allow everything, whatever the default. */
  readonly hasAcls: boolean;
  readonly stages: SwitchStages;
}

export interface DatabaseRows {
  readonly records: RowRecords;
  readonly acls: readonly ReadAcl[];
  readonly defaultAclDrop: boolean;
  /** null: there is no such port. */
  switchOf(port: string): SwitchRows | null;
}

/** Rows that no database would hold together. */
export class RowsError extends Error {
  override readonly name = "RowsError";
}

/** Throws RowsError. */
export function databaseRows(records: RowRecords): DatabaseRows {
  const portNames = new Map(
    records.Logical_Switch_Port.map(({ uuid, name }) => [uuid ?? name, name] as const),
  );
  /** Of keys of ports; a port that is not there is in no group. */
  const namesOf = (keys: readonly string[]): ReadonlySet<string> =>
    new Set(records.Logical_Switch === null ? keys : keys.flatMap((key) => portNames.get(key) ?? []));
  const rows = unique("Port_Group", records.Port_Group, ({ name }) => name);
  const members = new Map(Array.from(rows, ([name, { ports }]) => [name, namesOf(ports)]));
  const acls = readAcls(records, scopeOf(records, members));
  const aclsOf = (keys: readonly string[], where: string): readonly ReadAcl[] =>
    keys.map((key) => {
      const acl = acls.get(key);
      if (acl === undefined) throw new RowsError(`${where} refers to the ACL ${key}, which is not there`);
      return acl;
    });
  const groups = Array.from(rows, ([name, { acls: keys }]) => ({
    ports: members.get(name) ?? new Set<string>(),
    acls: aclsOf(keys, `Port_Group ${name}`),
  }));
  const switches = switchesOf(records, members).map((row) => ({
    ...{ name: row.name, ports: namesOf(row.ports) },
    acls: aclsOf(row.acls, `Logical_Switch ${String(row.name)}`),
  }));
  const types = new Map(records.Logical_Switch_Port.map(({ name, type }) => [name, type] as const));
  const drafts = new Map(switches.flatMap((one) => Array.from(one.ports, (port) => [port, one] as const)));
  const built = new Map<(typeof switches)[number], SwitchRows>();
  return {
    ...{ records, acls: [...acls.values()] },
    defaultAclDrop: isTrue(records.options["default_acl_drop"]),
    switchOf: (port) => {
      const draft = drafts.get(port);
      if (draft === undefined) return null;
      const one = built.get(draft) ?? withGroups(draft, groups, types);
      built.set(draft, one);
      return one;
    },
  };
}

interface SwitchDraft extends Pick<SwitchRows, "name" | "ports"> {
  readonly acls: readonly ReadAcl[];
}

/** The ACLs of every group that has a port on the switch act there. */
function withGroups(
  { name, ports, acls: own }: SwitchDraft,
  groups: readonly Pick<SwitchDraft, "ports" | "acls">[],
  types: ReadonlyMap<string, string>,
): SwitchRows {
  const acls = new Set(own);
  for (const group of groups)
    if (!ports.isDisjointFrom(group.ports)) for (const acl of group.acls) acls.add(acl);
  const routerPorts = [...ports].filter((port) => types.get(port) === "router");
  return { name, ports, routerPorts, hasAcls: acls.size > 0, stages: stagesOf([...acls]) };
}

/** Where it is not known which there are, the one on which all ports are. */
function switchesOf(
  { Logical_Switch }: RowRecords,
  members: ReadonlyMap<string, ReadonlySet<string>>,
): readonly {
  readonly name: string | null;
  readonly ports: readonly string[];
  readonly acls: readonly string[];
}[] {
  if (Logical_Switch !== null) return Logical_Switch;
  return [{ name: null, ports: [...members.values()].flatMap((ports) => [...ports]), acls: [] }];
}

function readAcls(records: RowRecords, scope: Scope): ReadonlyMap<string, ReadAcl> {
  const matches = new Map<string, ReadMatch>();
  const rows = unique("ACL", records.ACL, (row) => row.uuid ?? idOf(row) ?? "");
  return new Map(
    Array.from(rows, ([key, row]) => {
      const match = matches.get(row.match) ?? readMatch(row.match, scope);
      matches.set(row.match, match);
      return [key, { row, match }] as const;
    }),
  );
}

function unique<R>(table: string, rows: readonly R[], keyOf: (row: R) => string): ReadonlyMap<string, R> {
  const byKey = new Map<string, R>();
  for (const row of rows) {
    const key = keyOf(row);
    if (key === "") throw new RowsError(`a row of ${table} has neither a uuid nor a k8s.ovn.org/id`);
    if (byKey.has(key)) throw new RowsError(`${table} ${key} is there twice`);
    byKey.set(key, row);
  }
  return byKey;
}

function scopeOf(records: RowRecords, members: ReadonlyMap<string, ReadonlySet<string>>): Scope {
  const sets = unique("Address_Set", records.Address_Set, ({ name }) => name);
  const read = new Map<string, readonly Integer[]>();
  return {
    ports: (name) => members.get(name),
    addresses: (name) => {
      const set = sets.get(name);
      if (set === undefined) return undefined;
      const known = read.get(name) ?? set.addresses.flatMap(integerOf);
      read.set(name, known);
      return known;
    },
  };
}

/** OVN leaves out what is no address and warns of it. */
function integerOf(text: string): readonly Integer[] {
  try {
    return [readInteger(text.trim())];
  } catch (error) {
    if (error instanceof MatchError) return [];
    throw error;
  }
}

function readMatch(text: string, scope: Scope): ReadMatch {
  try {
    return { expression: parseMatch(text, scope) };
  } catch (error) {
    if (error instanceof MatchError) return { refused: error.message };
    throw error;
  }
}
