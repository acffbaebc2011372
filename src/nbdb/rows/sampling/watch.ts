// What samples connections that no policy judges (--observe watch): behind every place of policies an ACL for each direction that
// passes, on one port group of all subjects. A sampled `pass` ends no evaluation, so that no verdict depends on it. The rows are a unit
// that no policy uses: where they are refused, policies are in force all the same. No other row refers to its rows.

import { isReused } from "../../../lib/identity.ts";
import type { IpFamily } from "../../../model/ip.ts";
import type { GroupKey, PolicyKey } from "../../../policy/ir.ts";
import { watchAcls } from "../acl.ts";
import { CountedSubjects } from "../counted-subjects.ts";
import { hashedName, watchGroupIds } from "../names.ts";
import type { DesiredPortGroup, UnitKey, UnitPart, UnitRows } from "../unit.ts";
import { sharedUnit } from "../unit.ts";

export const watchUnit: UnitKey = sharedUnit("watch", "subjects");

const none: ReadonlySet<GroupKey> = new Set();

export class WatchedPolicies {
  readonly #subjectsOf = new Map<PolicyKey, ReadonlySet<GroupKey>>();
  readonly #subjects = new CountedSubjects();

  /** `portGroups`: of the policy's own unit, or those of rules with their own subjects. */
  set(policy: PolicyKey, portGroups: readonly DesiredPortGroup[]): void {
    const subjects = new Set(portGroups.flatMap((group) => group.subjects));
    this.#subjects.replace(this.#subjectsOf.get(policy) ?? none, subjects);
    this.#subjectsOf.set(policy, subjects);
  }

  remove(policy: PolicyKey): void {
    this.#subjects.replace(this.#subjectsOf.get(policy) ?? none, none);
    this.#subjectsOf.delete(policy);
  }

  /** The rows of the unit, `before` where they would be the same; null: no policy has a subject. */
  render(families: readonly IpFamily[], before: UnitRows | null): UnitRows | null {
    const { subjects } = this.#subjects;
    if (subjects.length === 0) return null;
    const [old] = before?.portGroups ?? [];
    if (before !== null && isReused(before.families, families) && isReused(old?.subjects, subjects))
      return before;
    const externalIds = watchGroupIds();
    const group = { unit: watchUnit, name: hashedName(externalIds), externalIds, subjects };
    const parts = before?.parts ?? new Map([["watch", partOf(group)]]);
    return { unit: watchUnit, families, portGroups: [group], parts };
  }
}

function partOf({ name }: DesiredPortGroup): UnitPart {
  return { portGroup: name, addressSets: [], acls: watchAcls(name), namedPorts: null };
}
