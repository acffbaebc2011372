// The isolation of a namespace by its NetworkPolicies, as a unit that they share: for each direction a port group with the
// pods that any of them isolates in it, a default deny, and an allow for the discovery of neighbours; where tiers are one stack,
// the deny alone, since the place before it is another's, and no deny where the end of the policies' tier is open. It is written with
// the first policy of the namespace and removed with the last. No other row refers to its rows.

import { isReused } from "../../lib/identity.ts";
import { sameSequence } from "../../lib/sequence.ts";
import type { Direction, Policy } from "../../policy/ir.ts";
import { directions } from "../../policy/ir.ts";
import type { DesiredAcl } from "./acl.ts";
import { isolationAcls } from "./acl.ts";
import { sameAcl } from "./compare.ts";
import { hashedName, isolationGroupIds, isolationOwnerType } from "./names.ts";
import type { RenderOptions } from "./render-mode.ts";
import { IsolatingPolicies } from "./isolating-policies.ts";
import type { SharedUnit } from "./sets/shared-unit.ts";
import type { DesiredPortGroup, UnitKey, UnitPart, UnitRows } from "./unit.ts";
import { nameInUnit, sharedUnit } from "./unit.ts";

export function isolationUnit(namespace: string): UnitKey {
  return sharedUnit(isolationOwnerType, namespace);
}

/** The namespace that the unit isolates; null for every other unit. */
export function isolatedBy(unit: UnitKey): string | null {
  return nameInUnit(unit, isolationOwnerType);
}

export function isolationOf(namespace: string): SharedUnit {
  const unit = isolationUnit(namespace);
  const users = new IsolatingPolicies();
  return {
    ...{ unit, users },
    render: (options, before) => rowsOf(unit, namespace, users, options, before),
  };
}

function rowsOf(
  unit: UnitKey,
  namespace: string,
  users: IsolatingPolicies,
  options: RenderOptions,
  before: UnitRows | null,
): UnitRows {
  const { families } = options;
  const portGroups: DesiredPortGroup[] = [];
  const parts = new Map<string, UnitPart>();
  for (const direction of directions) {
    const group = groupOf(unit, namespace, direction, users);
    const old = before?.portGroups.find(({ name }) => name === group.name);
    portGroups.push(old !== undefined && sameSequence(old.subjects, group.subjects) ? old : group);
    const acls = aclsOf(group, namespace, direction, users.first, options);
    if (acls === null) continue;
    const earlier = before?.parts.get(direction);
    const isKept = earlier !== undefined && sameAcls(earlier.acls, acls);
    parts.set(
      direction,
      isKept ? earlier : { portGroup: group.name, addressSets: [], acls, namedPorts: null },
    );
  }
  const isSame =
    before !== null &&
    isReused(before.families, families) &&
    sameSequence(before.portGroups, portGroups) &&
    sameSequence([...before.parts.values()], [...parts.values()]);
  return isSame ? before : { unit, families, portGroups, parts };
}

/** null: nothing is denied in the direction. The policies are of one tier, with one end. */
function aclsOf(
  group: DesiredPortGroup,
  namespace: string,
  direction: Direction,
  policy: Policy | null,
  { places, tierLayout }: RenderOptions,
): readonly DesiredAcl[] | null {
  if (policy === null || places.isOpenEnd(policy.key, direction)) return null;
  // The annotation of the namespace says how it is logged: all its policies say the same.
  const frame = { policy, namespace, direction, place: places.end(policy.key) };
  return isolationAcls(frame, group.name, tierLayout);
}

function groupOf(
  unit: UnitKey,
  namespace: string,
  direction: Direction,
  users: IsolatingPolicies,
): DesiredPortGroup {
  const externalIds = isolationGroupIds(namespace, direction);
  return { unit, name: hashedName(externalIds), externalIds, subjects: users.subjects(direction) };
}

function sameAcls(some: readonly DesiredAcl[], others: readonly DesiredAcl[]): boolean {
  return (
    some.length === others.length &&
    some.every((acl, at) => {
      const other = others[at];
      return other !== undefined && sameAcl(acl, other);
    })
  );
}
