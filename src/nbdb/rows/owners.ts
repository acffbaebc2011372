// Finds the owner of a row: its external_ids name our controller, an owner type and a name. For each of our owner types
// a function turns the external_ids into the unit; a row of any other type is not ours and is never written to.

import { unreachable } from "../../lib/invariant.ts";
import type { ObjectKind } from "../../model/object.ts";
import { objectKey } from "../../model/object.ts";
import type { PolicyKindTraits } from "../../policy/contracts/dialect.ts";
import type { OwnNodeWay } from "../../policy/own-node.ts";
import { ownNodeKey, ownNodeTypes } from "../../policy/own-node.ts";
import type { RowForm } from "../../policy/contracts/row-form.ts";
import { rowFormsOf } from "./form.ts";
import { isolationUnit } from "./isolation.ts";
import type { ExternalIds } from "./names.ts";
import {
  isolationOwnerType,
  isWatch,
  keys,
  nameOwnerOf,
  ownerController,
  podSelectorOwnerType,
  samplingOwnerType,
} from "./names.ts";
import { podSelectorUnit } from "./match/pod-selectors.ts";
import { selectorUnit } from "./sets/selector-sets.ts";
import type { UnitKey } from "./unit.ts";
import { unitOfPolicy } from "./unit.ts";
import { watchUnit } from "./sampling/watch.ts";

/** By owner type: the unit that external_ids of the type name; null when they name none. */
export type Owners = ReadonlyMap<string, (externalIds: ExternalIds) => UnitKey | null>;

/** A kind as far as its rows are concerned. */
export type RowKind = ObjectKind & Pick<PolicyKindTraits, "rowForm" | "expected" | "nodesReachOwnPods">;

type UnitOf = (name: string) => UnitKey;

/** For the kinds of policy, by the owner type of their policies' own units, and for the rows that policies of these kinds share. */
export function rowOwners(kinds: ReadonlyMap<string, RowKind>): Owners {
  const policies = Array.from(
    kinds,
    ([type, kind]) => [type, (externalIds: ExternalIds) => unitNamed(externalIds, kind)] as const,
  );
  const shared = [...kinds.values()].flatMap(sharedTypes);
  return new Map([
    ...policies,
    ...shared.map(([type, unitOf]) => [type, named(unitOf)] as const),
    [samplingOwnerType, watching],
  ]);
}

/** Of the rows by which OVN samples, those that follow the subjects of policies are a unit. */
function watching(externalIds: ExternalIds): UnitKey | null {
  return isWatch(externalIds.get(keys.name) ?? "") ? watchUnit : null;
}

/** Owner types of rows that policies of the kind share. */
function sharedTypes(kind: RowKind): readonly (readonly [string, UnitOf])[] {
  const way = kind.nodesReachOwnPods;
  return [
    ...rowFormsOf(kind).flatMap(typesOfForm),
    // No policy's, but a unit of its own: written and swept as a policy is.
    ...(way === undefined ? [] : [ownNodeType(way)]),
  ];
}

function ownNodeType(way: OwnNodeWay): readonly [string, UnitOf] {
  return [ownNodeTypes[way], (name) => unitOfPolicy(ownNodeKey(name, way))];
}

function typesOfForm(form: RowForm): readonly (readonly [string, UnitOf])[] {
  switch (form.sets) {
    case "rule":
      return [];
    case "selector":
      return Array.from(new Set([form.ownerType, nameOwnerOf(form.ownerType)]), (type) => [
        type,
        (name) => selectorUnit(type, name),
      ]);
    case "networkPolicy":
      return [
        [podSelectorOwnerType, podSelectorUnit],
        [isolationOwnerType, isolationUnit],
        // In a model where nodes' ways are elsewhere, those that another model has left are removed.
        ownNodeType("namespaced"),
      ];
    default:
      return unreachable(form);
  }
}

/**
 * The owner types of which a row proves that Northgate wrote rows of the kind; none: its rows look like OVN-Kubernetes'.
 * `type` is that of the kind's own policies.
 */
export function ownTypesOf(type: string, kind: RowKind): readonly string[] {
  const alsoForeign = new Set([
    // Forms that OVN-Kubernetes' own controllers write, too.
    ...(["rule", "networkPolicy"].includes(kind.rowForm?.sets ?? "") ? [type] : []),
    ...[isolationOwnerType, podSelectorOwnerType],
    // Of no kind.
    samplingOwnerType,
  ]);
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
