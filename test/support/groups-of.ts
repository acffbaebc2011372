// The groups that a policy needs.

import { groupChanges } from "../../src/policy/changes.ts";
import type { Group, Policy } from "../../src/policy/ir.ts";

/** A group may occur more than once. */
export function groupsOf(policy: Policy): readonly Group[] {
  return groupChanges(null, policy).added;
}
