// Findings that are one for a reader: of policies that differ in their namespace alone. What a message says of pods of that namespace
// may name others in each: the first one's is shown.

import { excerptOf } from "../../lib/text/few.ts";
import type { Finding } from "../finding.ts";
import { counted } from "../words.ts";
import { keyOfRef, nameOfRef, safe } from "./names.ts";

/** At least one, in their order. */
export interface Group {
  readonly first: Finding;
  readonly all: readonly Finding[];
}

/** A policy, or all that differ in their namespace alone, with what was found of each of them. */
export interface Block {
  readonly title: string;
  readonly groups: readonly Group[];
}

const shown = 3;

/** In the order of the first finding of each. */
export function groupsOf(findings: readonly Finding[]): readonly Group[] {
  // Two equal findings of one policy are two.
  const seen = new Map<string, number>();
  const groups = Map.groupBy(findings, (finding) => {
    const [own, text] = [keyOfRef(finding.policy), likeness(finding)];
    const nth = seen.get(`${own} ${text}`) ?? 0;
    seen.set(`${own} ${text}`, nth + 1);
    return `${nth} ${text}`;
  });
  return [...groups.values()].flatMap((all) => all.slice(0, 1).map((first) => ({ first, all })));
}

/** Groups of the same policies are one block. */
export function blocksOf(groups: readonly Group[]): readonly Block[] {
  const blocks = Map.groupBy(groups, ({ all }) => all.map(({ policy }) => keyOfRef(policy)).join());
  return [...blocks.values()].flatMap((list) =>
    list.slice(0, 1).map(({ all }) => ({ title: titleOf(all), groups: list })),
  );
}

/** The policy, or how many there are. */
export function titleOf(all: readonly Finding[]): string {
  const [first] = all;
  if (first === undefined) return "";
  if (all.length === 1) return nameOfRef(first.policy);
  const namespaces = all.map(({ policy }) => safe(policy.namespace ?? ""));
  const names = excerptOf(namespaces.length, namespaces.slice(0, shown));
  return `${nameOfRef({ ...first.policy, namespace: null })} in ${counted(all.length, "namespace")} (${names})`;
}

/** Equal for findings that differ in the namespace of their policy alone. */
function likeness({ id, severity, policy, rule, field, message, fix, related }: Finding): string {
  const { group, kind, namespace, name } = policy;
  const alike = (text: string): string => (namespace === null ? text : without(text, namespace));
  const at = rule === null ? null : [rule.direction, rule.index, rule.name, rule.action];
  const others = related.map((one) => [
    one.policy.kind,
    one.policy.namespace === namespace ? "" : one.policy.namespace,
    one.policy.name,
    one.rule?.direction,
    one.rule?.index,
  ]);
  const whose = [group, kind, namespace === null, name];
  return JSON.stringify([id, severity, whose, at, field, alike(message), alike(fix), others]);
}

/** The names of a namespace's objects, and its own, are one name. */
function without(text: string, namespace: string): string {
  const own = namespace.replaceAll(/[.\\+*?^$()[\]{}|]/g, "\\$&");
  const names = new RegExp(`(?<![\\w.-])${own}(?:/[\\w.-]+)?(?![\\w.-])`, "g");
  return text.replaceAll(names, "\0");
}
