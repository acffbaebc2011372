// Renders IR to desired rows: the contents of a policy's own unit. What depends on the policy alone is rendered once;
// what depends on members (ports, addresses, named ports) stays a description, which content.ts fills from the
// membership.

import { isReused } from "../../lib/identity.ts";
import type { Direction, Policy } from "../../policy/ir.ts";
import { directions } from "../../policy/ir.ts";
import type { AclPlace } from "../ranking/places.ts";
import { defaultDenyAcl } from "./acl.ts";
import { sameAcl } from "./compare.ts";
import { rowForm } from "./form.ts";
import { isolationOf } from "./isolation.ts";
import { subjectTerm } from "./match/match.ts";
import type { Ends, Held, PolicyRows, RenderedPolicy } from "./policy-rows.ts";
import type { RenderOptions } from "./render-mode.ts";
import type { RenderedRules } from "./render-rules.ts";
import { renderRules } from "./render-rules.ts";
import { samePlace } from "./rule-rows.ts";
import type { SharedUnit } from "./sets/shared-unit.ts";
import { policyGroup } from "./match/subject-groups.ts";
import type { DesiredPortGroup, UnitKey, UnitPart } from "./unit.ts";
import { unitOfPolicy } from "./unit.ts";

/**
 * `before`: the policy as last rendered in the same mode. Rows of a rule that would be the same are reused as the
 * same objects, provided that the rule itself is the same object. The rows of before stay as they are.
 */
export function renderPolicy(
  policy: Policy,
  options: RenderOptions,
  before: RenderedPolicy | null = null,
): PolicyRows {
  const { families } = options;
  const isOfMode = before !== null && isReused(before.rows.families, families);
  const kept = isOfMode && before.policy.key === policy.key ? before : null;
  const portGroup =
    kept !== null && isReused(kept.policy.subject, policy.subject)
      ? kept.rows.portGroup
      : policyGroup(policy);
  const isolation = isolationUnitOf(policy, options);
  const ends = endsOf(policy, options, isolation !== null);
  const defaults = isolation === null ? [...defaultDenies(policy, portGroup, ends, kept)] : [];
  const rendered = renderRules({
    ...{ policy, options, portGroup, before: kept },
    isOfRulesAlone: defaults.length === 0 && isReused(kept?.rows.parts, kept?.rows.rules),
  });
  const { rules, held, since } = rendered;
  return {
    ...{ unit: unitOfPolicy(policy.key), families, portGroup, rules, held, ends },
    portGroups: portGroupsOf(policy, portGroup, rendered, kept),
    parts: defaults.length === 0 ? rules : new Map<string, UnitPart>([...rules, ...defaults]),
    shared: sharedUnits(held, isolation),
    delta: since && { parts: since.parts, shared: isAlike(kept, policy, ends) ? since.units : null },
  };
}

/** Whether a policy of which single rules differ says the same of an isolation as before: then that is as it was. */
function isAlike(before: RenderedPolicy | null, { unmatched }: Policy, ends: Ends): boolean {
  return directions.every((direction) => {
    if (before?.policy.unmatched[direction] !== unmatched[direction]) return false;
    const [was, is] = [before.rows.ends[direction], ends[direction]];
    return was === is || (was != null && is !== null && samePlace(was, is));
  });
}

/** `isShared`: the unit that denies is its namespace's, in both directions whatever this policy says. */
function endsOf({ key, unmatched }: Policy, { places }: RenderOptions, isShared: boolean): Ends {
  const endOf = (direction: Direction): AclPlace | null =>
    (unmatched[direction] === "next" && !isShared) || places.isOpenEnd(key, direction)
      ? null
      : places.end(key);
  return { ingress: endOf("ingress"), egress: endOf("egress") };
}

/** The same list as before where the groups are the same; none of a policy of which nothing is enforced. */
function portGroupsOf(
  { isInert }: Policy,
  portGroup: DesiredPortGroup,
  { held, since }: RenderedRules,
  before: RenderedPolicy | null,
): readonly DesiredPortGroup[] {
  if (isInert === true) return [];
  const isSame =
    before?.rows.portGroups[0] === portGroup &&
    since?.groups.added.size === 0 &&
    since.groups.removed.size === 0;
  return isSame ? before.rows.portGroups : [portGroup, ...held.groups.values.values()];
}

function sharedUnits({ units }: Held, isolation: SharedUnit | null): ReadonlyMap<UnitKey, SharedUnit> {
  return isolation === null ? units.values : new Map([...units.values, [isolation.unit, isolation]]);
}

/** Where a namespace's default denies are one unit, every policy of the namespace uses it; null: they are the policy's own. */
function isolationUnitOf(policy: Policy, options: RenderOptions): SharedUnit | null {
  const { namespace } = policy.ref;
  return rowForm(policy, options).sets === "networkPolicy" && namespace !== null
    ? isolationOf(namespace)
    : null;
}

/** The default denies of the directions in which the policy denies what no rule matches, unless none comes to that. */
function* defaultDenies(
  policy: Policy,
  portGroup: DesiredPortGroup,
  ends: Ends,
  before: RenderedPolicy | null,
): Generator<readonly [string, UnitPart]> {
  for (const direction of directions) {
    const place = ends[direction];
    if (place === null) continue;
    const key = `${direction} default`;
    const acl = defaultDenyAcl(policy, direction, place, subjectTerm(direction, portGroup.name));
    const old = before?.rows.parts.get(key);
    const isSame = old?.acls[0] !== undefined && sameAcl(old.acls[0], acl);
    yield [key, isSame ? old : { portGroup: portGroup.name, addressSets: [], acls: [acl], namedPorts: null }];
  }
}
