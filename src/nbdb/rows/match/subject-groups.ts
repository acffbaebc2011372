// The Port_Groups of subjects: that of a policy, that of a rule with a subject of its own, and that of all rules of a policy
// with one share and one subject. Invariant: the name and the content of a group follow from the policy's head and from one
// rule alone, so that an added or removed rule leaves the groups of others as they are.

import type { Direction, Policy, Rule, Subject } from "../../../policy/ir.ts";
import type { ExternalIds } from "../names.ts";
import { hashedName, portGroupIds, rulePortGroupIds, sharePortGroupIds } from "../names.ts";
import { groupKeys } from "../../../contents/rule-peers.ts";
import { textHash } from "../../../contents/text-hash.ts";
import type { DesiredPortGroup } from "../unit.ts";
import { unitOfPolicy } from "../unit.ts";

interface RuleOf {
  readonly policy: Policy;
  readonly direction: Direction;
  readonly shareGroups: ShareGroups;
}

/** The groups of a policy's rules with a share, while it is rendered: what several rules have is one object, and stays the same. */
export class ShareGroups {
  readonly #earlier: ReadonlyMap<string, DesiredPortGroup>;
  /** By share and subject. */
  readonly #groups = new Map<string, DesiredPortGroup>();

  /** `earlier`: groups of the policy's earlier rows, by name. */
  constructor(earlier: ReadonlyMap<string, DesiredPortGroup>) {
    this.#earlier = earlier;
  }

  of(policy: Policy, share: string, subject: Subject): DesiredPortGroup {
    const keys = groupKeys(subject);
    const key = JSON.stringify([share, ...keys]);
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const group = groupOf(policy, sharePortGroupIds(policy, share, textHash(JSON.stringify(keys))), subject);
    const same = this.#earlier.get(group.name) ?? group;
    this.#groups.set(key, same);
    return same;
  }
}

export function policyGroup(policy: Policy): DesiredPortGroup {
  return groupOf(policy, portGroupIds(policy), policy.subject);
}

/** null: the rule has the subject of the policy. */
export function ruleGroup(rule: Rule, { policy, direction, shareGroups }: RuleOf): DesiredPortGroup | null {
  const { subject, share } = rule;
  if (subject === null) return null;
  if (share === null) return groupOf(policy, rulePortGroupIds(policy, direction, rule), subject);
  return shareGroups.of(policy, share, subject);
}

function groupOf(policy: Policy, externalIds: ExternalIds, subject: Subject): DesiredPortGroup {
  const unit = unitOfPolicy(policy.key);
  return { unit, name: hashedName(externalIds), externalIds, subjects: groupKeys(subject) };
}
