// What is reported to the owner of a ClusterGroup or Group: whether its members are computed. They are not while a child is
// missing, nested too deep or not understood, or while a part of the group cannot be expressed; what is known of the members
// counts all the same. A Service that is missing is none of it: it selects nothing.

import type { ReferencedObject } from "../model/object.ts";
import type { Problem } from "../model/problem.ts";
import { Field, Problems } from "../model/reader.ts";
import type { ReferenceStatus, ReferenceVerdict } from "../policy/contracts/dialect.ts";
import type { Resolve } from "../policy/contracts/resolve.ts";
import { readGroupObject } from "./peers/groups.ts";
import { clusterGroupKind, groupKind } from "./kinds.ts";
import { Reading } from "./reading.ts";
import { conditionType } from "./words.ts";

export const groupStatus = {
  type: (zone: string | null) => conditionType("GroupMembersComputed", zone),
  judge,
} satisfies ReferenceStatus;

function judge(object: ReferencedObject, resolve: Resolve): ReferenceVerdict {
  const [problems, closed] = [new Problems(), new Problems()];
  readGroupObject(object, new Reading(object.namespace, resolve, closed), problems);
  const found = [...problems.list(), ...closed.list()];
  const texts = found.map(({ field, message }) => `${field}: ${message}`);
  const reason = reasonOf(found, childrenOf(object, resolve));
  if (reason !== null) return { isTrue: false, reason, message: texts.join("; "), problems: found };
  const warnings = texts.length === 0 ? "" : `; warnings: ${texts.join("; ")}`;
  const message = `The group's members are known${warnings}`;
  return { isTrue: true, reason: "MembersComputed", message, problems: found };
}

/** null: the members are computed. */
function reasonOf(found: readonly Problem[], children: readonly (ReferencedObject | null)[]): string | null {
  if (children.some((child) => child !== null && specOf(child).has("childGroups")))
    return "ChildGroupsNestingExceeded";
  if (found.some(({ severity }) => severity === "error")) return "NotRealizable";
  return children.includes(null) ? "ChildGroupMissing" : null;
}

function childrenOf(object: ReferencedObject, resolve: Resolve): readonly (ReferencedObject | null)[] {
  const { namespace } = object;
  const kind = namespace === null ? clusterGroupKind : groupKind;
  const names = specOf(object)
    .at("childGroups")
    .items()
    .map(({ raw }) => raw);
  return names.filter((name) => typeof name === "string").map((name) => resolve(kind, namespace, name));
}

function specOf({ spec }: ReferencedObject): Field {
  return new Field(new Problems(), "spec", spec);
}
