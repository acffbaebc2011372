// The rows that stand in a Northbound database, put together for questions about connections: which port is on which
// switch, which ACLs act there, and what every set and group holds. Each match is read once. Refuses two rows of one name
// and references to rows that are not there. Invariant: nothing here depends on who owns a row.

import type { Expression, Integer } from "./match/expression.ts";
import { MatchError, readInteger } from "./match/integers.ts";
import type { Scope } from "./match/parse.ts";
import { parseMatch } from "./match/parse.ts";
import type { AclRecord, Identified, RowRecords } from "./records.ts";
import { idOf } from "./records.ts";

/** A match that was read, or why it could not be. */
export type ReadMatch = { readonly expression: Expression } | { readonly refused: string };

export interface StandingAcl {
  readonly row: Identified<AclRecord>;
  readonly match: ReadMatch;
}

export interface StandingSwitch {
  /** null: the one switch on which all ports are, where it is not known which there are. */
  readonly name: string | null;
  readonly ports: ReadonlySet<string>;
  /** Ports to routers; none: an unnamed one is assumed. */
  readonly routerPorts: readonly string[];
  readonly acls: readonly StandingAcl[];
}

export interface StandingRows {
  readonly records: RowRecords;
  /** Every switch, by each of its ports. */
  readonly switchOf: ReadonlyMap<string, StandingSwitch>;
  readonly defaultAclDrop: boolean;
}

/** Rows that no database would hold together. */
export class RowsError extends Error {
  override readonly name = "RowsError";
}

/** Throws RowsError. */
export function standingRows(records: RowRecords): StandingRows {
  const portNames = new Map(
    records.Logical_Switch_Port.map((port) => [port.uuid ?? port.name, port.name] as const),
  );
  const nameOf = (key: string): string =>
    records.Logical_Switch === null ? key : (portNames.get(key) ?? "");
  const groups = unique("Port_Group", records.Port_Group, ({ name }) => name);
  const members = new Map(
    Array.from(groups, ([name, { ports }]) => [
      name,
      new Set(ports.map(nameOf).filter((port) => port !== "")),
    ]),
  );
  const scope = scopeOf(records, members);
  const matches = new Map<string, ReadMatch>();
  const acls = unique("ACL", records.ACL, (row) => row.uuid ?? idOf(row) ?? "");
  const standing = new Map(
    Array.from(acls, ([key, row]) => [key, { row, match: matchOf(row.match, scope, matches) }] as const),
  );
  const found = (key: string, where: string): StandingAcl => {
    const acl = standing.get(key);
    if (acl === undefined) throw new RowsError(`${where} refers to the ACL ${key}, which is not there`);
    return acl;
  };
  const switchOf = new Map<string, StandingSwitch>();
  for (const one of switchesOf(records, members)) {
    const ports = new Set(one.ports.map(nameOf).filter((port) => port !== ""));
    const here = new Set(one.acls.map((key) => found(key, `Logical_Switch ${String(one.name)}`)));
    for (const [name, { acls: keys }] of groups) {
      if (ports.isDisjointFrom(members.get(name) ?? new Set())) continue;
      for (const key of keys) here.add(found(key, `Port_Group ${name}`));
    }
    const types = one.types;
    const built: StandingSwitch = {
      name: one.name,
      ports,
      routerPorts: [...ports].filter((port) => types.get(port) === "router"),
      acls: [...here],
    };
    for (const port of ports) switchOf.set(port, built);
  }
  return { records, switchOf, defaultAclDrop: isTrue(records.options["default_acl_drop"]) };
}

/** As OVN reads an option of type boolean whose default is false. */
export function isTrue(text: string | undefined): boolean {
  return text?.toLowerCase() === "true";
}

interface SwitchDraft {
  readonly name: string | null;
  readonly ports: readonly string[];
  readonly acls: readonly string[];
  /** Types of ports by name. */
  readonly types: ReadonlyMap<string, string>;
}

function switchesOf(
  { Logical_Switch, Logical_Switch_Port }: RowRecords,
  members: ReadonlyMap<string, ReadonlySet<string>>,
): readonly SwitchDraft[] {
  const types = new Map(Logical_Switch_Port.map(({ name, type }) => [name, type] as const));
  if (Logical_Switch !== null) return Logical_Switch.map((row) => ({ ...row, types }));
  return [{ name: null, ports: [...members.values()].flatMap((ports) => [...ports]), acls: [], types }];
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

function matchOf(text: string, scope: Scope, known: Map<string, ReadMatch>): ReadMatch {
  const read = known.get(text) ?? readMatch(text, scope);
  known.set(text, read);
  return read;
}

function readMatch(text: string, scope: Scope): ReadMatch {
  try {
    return { expression: parseMatch(text, scope) };
  } catch (error) {
    if (error instanceof MatchError) return { refused: error.message };
    throw error;
  }
}
