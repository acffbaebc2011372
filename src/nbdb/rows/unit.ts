// A unit: rows that are made pending, planned, swept, split off and settled together. The rows of one policy alone are
// a unit; rows that several policies share are other units. Types, and how units are named.

import type { AddressSources } from "../../contents/address-lists.ts";
import type { NamedPortQuery, PortNumber } from "../../contents/named-ports.ts";
import type { IpFamily } from "../../model/ip.ts";
import type { GroupKey, PolicyKey, PortMatch } from "../../policy/ir.ts";
import { isOwnNode } from "../../policy/own-node.ts";
import type { ExistingAcl } from "../ranking/places.ts";
import type { AclFrame, DesiredAcl } from "./acl.ts";
import type { ExternalIds } from "./names.ts";
import type { NamedPortForm } from "./render-mode.ts";

export type UnitKey = string & { readonly __brand: "UnitKey" };

/** No policy's key begins with it: a key begins with the letters of a kind. */
const sharedMark = "#";

/** The unit of the rows that belong to this policy alone. */
export function unitOfPolicy(policy: PolicyKey): UnitKey {
  return String(policy) as UnitKey;
}

/** A unit that policies may share; `type` is a word, `name` is unique in the type. */
export function sharedUnit(type: string, name: string): UnitKey {
  return `${sharedMark}${type} ${name}` as UnitKey;
}

/** The name of a shared unit of this type; null for every other unit. */
export function nameInUnit(unit: UnitKey, type: string): string | null {
  const head = `${sharedMark}${type} `;
  return unit.startsWith(head) ? unit.slice(head.length) : null;
}

/** The rows that all Samples of ACLs need. */
export const samplingUnit = sharedUnit("sampling", "collector");

/** The policy that the unit belongs to; null for a shared unit. */
export function policyOfUnit(unit: UnitKey): PolicyKey | null {
  return unit.startsWith(sharedMark) ? null : (String(unit) as PolicyKey);
}

/** Whether the unit is that of a policy that a user wrote: no shared one, and no node's way to its own pods. */
export function isPolicyUnit(unit: UnitKey): boolean {
  const policy = policyOfUnit(unit);
  return policy !== null && !isOwnNode(policy);
}

export interface DesiredPortGroup {
  readonly unit: UnitKey;
  readonly name: string;
  readonly externalIds: ExternalIds;
  /** The groups whose local pods have their ports in the port group, each once. */
  readonly subjects: readonly GroupKey[];
}

export interface DesiredAddressSet extends AddressSources {
  readonly unit: UnitKey;
  readonly name: string;
  readonly externalIds: ExternalIds;
}

/** The set of addresses at which a rule's named ports have one number: desired while there is such an address. */
export interface NamedPortSet extends PortNumber {
  readonly name: string;
  readonly externalIds: ExternalIds;
  readonly named: NamedPortRule;
}

export type DeclaredPort = Extract<PortMatch, { kind: "declared" }>;

/** A rule with named ports: its ACLs for them depend on members. */
export interface NamedPortRule extends NamedPortQuery, AclFrame {
  readonly unit: UnitKey;
  /** Name of the port group that refers to its ACLs. */
  readonly portGroup: string;
  readonly form: NamedPortForm;
  /** The terms before the protocol. */
  readonly prefix: string;
  /** Ports by what the pods at both ends declare; listed in the match in every form. */
  readonly declared: readonly DeclaredPort[];
}

/** Rows of a unit that are rendered together; a policy's unit has one part for each rule. */
export interface UnitPart {
  /** Name of the unit's port group that refers to the part's ACLs; null: the part has none. */
  readonly portGroup: string | null;
  /** One for each family. */
  readonly addressSets: readonly DesiredAddressSet[];
  /** ACLs that depend on the policies alone. */
  readonly acls: readonly DesiredAcl[];
  readonly namedPorts: NamedPortRule | null;
}

/** A part whose rows changed; null: no part had its key before, or none has it now. */
export interface PartChange {
  readonly before: UnitPart | null;
  readonly after: UnitPart | null;
}

export interface UnitRows {
  readonly unit: UnitKey;
  /** The address sets for these families, as one list that stays the same object as long as the families do. */
  readonly families: readonly IpFamily[];
  readonly portGroups: readonly DesiredPortGroup[];
  /** By a key that finds the part again in a later rendering; their order means nothing. */
  readonly parts: ReadonlyMap<string, UnitPart>;
}

/** The places of ACLs in the database. Of a unit that policies share, its denials': they are at the end of the policies' tier. */
export type ExistingAcls = ReadonlyMap<UnitKey, readonly ExistingAcl[]>;
