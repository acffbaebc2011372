// Finds the owner of a row: its external_ids name our controller, an owner type and a name. For each of our owner types
// a function turns the external_ids into the unit; a row of any other type is not ours and is never written to.

import type { ObjectKind } from "../../model/object.ts";
import { objectKey } from "../../model/object.ts";
import { ownNodeKey, ownNodeTypes } from "../../policy/own-node.ts";
import type { RowForm } from "./form.ts";
import { rowFormsOf } from "./form.ts";
import { isolationUnit } from "./isolation.ts";
import type { ExternalIds } from "./names.ts";
import {
  antreaSelectorOwnerType,
  isolationOwnerType,
  keys,
  ownerController,
  podSelectorOwnerType,
  selectorOwnerType,
} from "./names.ts";
import { podSelectorUnit } from "./pod-selectors.ts";
import { selectorUnit } from "./selector-sets.ts";
import type { UnitKey } from "./unit.ts";
import { unitOfPolicy } from "./unit.ts";

/** By owner type: the unit that external_ids of the type name; null when they name none. */
export type Owners = ReadonlyMap<string, (externalIds: ExternalIds) => UnitKey | null>;

/** For the kinds of policy, by the owner type of their policies' own units, and for the rows that policies of these kinds share. */
export function rowOwners(kinds: ReadonlyMap<string, ObjectKind>): Owners {
  const policies = Array.from(
    kinds,
    ([type, kind]) => [type, (externalIds: ExternalIds) => unitNamed(externalIds, kind)] as const,
  );
  const forms = new Set([...kinds.keys()].flatMap(rowFormsOf));
  const shared = [...sharedTypes].filter(([, [form]]) => forms.has(form));
  return new Map([...policies, ...shared.map(([type, [, unitOf]]) => [type, named(unitOf)] as const)]);
}

/** Owner types of rows that policies share, with the form of the policies that have them. */
const sharedTypes = new Map<string, readonly [RowForm, (name: string) => UnitKey]>([
  [selectorOwnerType, ["setASelector", (name) => selectorUnit(selectorOwnerType, name)]],
  [antreaSelectorOwnerType, ["antrea", (name) => selectorUnit(antreaSelectorOwnerType, name)]],
  [podSelectorOwnerType, ["networkPolicy", podSelectorUnit]],
  [isolationOwnerType, ["networkPolicy", isolationUnit]],
  // No policy's, but a unit of its own: written and swept as a policy is.
  [ownNodeTypes.namespaced, ["networkPolicy", (name) => unitOfPolicy(ownNodeKey(name, "namespaced"))]],
  [ownNodeTypes.first, ["antrea", (name) => unitOfPolicy(ownNodeKey(name, "first"))]],
]);

/** Owner types that OVN-Kubernetes' own controllers write, too. */
const alsoForeign: ReadonlySet<string> = new Set([
  "AdminNetworkPolicy",
  "BaselineAdminNetworkPolicy",
  "NetworkPolicy",
  isolationOwnerType,
  podSelectorOwnerType,
]);

/**
 * The owner types of which a row proves that Northgate wrote rows of the kind; none: its rows look like OVN-Kubernetes'.
 * `type` is that of the kind's own policies.
 */
export function ownTypesOf(type: string, kind: ObjectKind): readonly string[] {
  return [...rowOwners(new Map([[type, kind]])).keys()].filter((one) => !alsoForeign.has(one));
}

function named(unitOf: (name: string) => UnitKey): (externalIds: ExternalIds) => UnitKey | null {
  return (externalIds) => {
    const name = externalIds.get(keys.name);
    return name === undefined ? null : unitOf(name);
  };
}

/** A namespaced policy is named `namespace:name`; no name holds a colon. */
function unitNamed(externalIds: ExternalIds, kind: ObjectKind): UnitKey | null {
  const name = externalIds.get(keys.name);
  if (name === undefined) return null;
  if (!kind.namespaced) return unitOfPolicy(objectKey(kind, null, name));
  const colon = name.indexOf(":");
  if (colon < 0) return null;
  return unitOfPolicy(objectKey(kind, name.slice(0, colon), name.slice(colon + 1)));
}

/** The unit that external_ids name as a row's owner; null for a row that is not ours. */
export function ownerOf(externalIds: ExternalIds, owners: Owners): UnitKey | null {
  if (externalIds.get(keys.ownerController) !== ownerController) return null;
  const type = externalIds.get(keys.ownerType);
  const unitOf = type === undefined ? undefined : owners.get(type);
  return unitOf?.(externalIds) ?? null;
}
