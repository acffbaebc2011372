// Namespaces whose pods are not judged: the Namespace was not read, and some policy of either world asks for labels of it
// that are not known. Other pods of an unread Namespace are judged as those of any other.

import { selectsNamespace } from "../../unknowns/asked-labels.ts";
import type { NamespaceFact } from "../../model/facts.ts";
import type { Policy, SubjectGroup } from "../../policy/ir.ts";
import { directions } from "../../policy/ir.ts";
import { peersAsked } from "../../policy/peers.ts";
import type { Both, PolicyWorld } from "../worlds.ts";
import { ages } from "../worlds.ts";

/** Their names. */
export function openNamespaces(worlds: Both<PolicyWorld>): ReadonlySet<string> {
  const unread = ages
    .flatMap((age) => [...worlds[age].facts.namespaces.values()])
    .filter(({ isUnread }) => isUnread === true);
  if (unread.length === 0) return new Set();
  const asked = askedBy(ages.flatMap((age) => worlds[age].policies));
  return new Set(unread.filter((fact) => asked.some((group) => isOpen(group, fact))).map(({ name }) => name));
}

type Asked = ReturnType<typeof peersAsked>[number] | SubjectGroup;

/** Each group once. */
function askedBy(policies: readonly Policy[]): readonly Asked[] {
  const rules = policies.flatMap(({ rules: all }) => directions.flatMap((direction) => all[direction]));
  const groups: readonly Asked[] = [
    ...policies.flatMap(({ subject }) => subject),
    ...rules.flatMap(({ subject, peers }) => [...(subject ?? []), ...peers.flatMap(peersAsked)]),
  ];
  const texts = groups.map((group) => [textOf(group), group] as const);
  return [...new Map(texts).values()];
}

/** Equal for groups that ask the same of a namespace; "" of those that ask nothing. */
function textOf(group: Asked): string {
  if (group.kind === "pods") return group.namespaces.text;
  return group.kind === "sameNamespaces" ? JSON.stringify(group.keys) : "";
}

function isOpen(group: Asked, fact: NamespaceFact): boolean {
  if (group.kind === "pods") return selectsNamespace(group.namespaces, fact) === null;
  return group.kind === "sameNamespaces" && group.keys.some((key) => !fact.labels.has(key));
}
