// Expands a rule about the subject's own namespaces into plain rules: one for each value that those namespaces share,
// whose subject and peers have that value. Pure; the caller keeps the values and passes them in. Invariant: judge()
// gives the same verdict for the expanded policy as for the policy, and a rule that expands as before is the same
// object.

import { isReused } from "../lib/identity.ts";
import { invariant } from "../lib/invariant.ts";
import { sameSequence } from "../lib/sequence.ts";
import type { NamespaceFact } from "../model/facts.ts";
import { canonicalLabels } from "../model/labels.ts";
import { namespacesNamed } from "../model/selectable.ts";
import { allOf, everything, requirements, type Selector } from "../model/selector.ts";
import type { Direction, Peer, Policy, Rule, SameNamespaces, Subject, SubjectGroup } from "./ir.ts";
import { directions } from "./ir.ts";
import { factsOf } from "./rule-list.ts";

/** The namespaces that a selector selects, divided by their values of label keys; without keys, by name. */
export interface Partition {
  readonly key: PartitionKey;
  readonly namespaces: Selector;
  /** Sorted and distinct. */
  readonly keys: readonly string[];
}

/** Equal for partitions of equal selectors and keys. */
export type PartitionKey = string & { readonly __brand: "PartitionKey" };

/** The label values, or the name, that namespaces share. */
export interface PartitionValue {
  /**
   * Canonical text: the namespace's name, or JSON of the keys with their values. Label values are user text: hash it
   * before it becomes part of a name.
   */
  readonly share: string;
  /** Selects every namespace that has the value. */
  readonly namespaces: Selector;
}

/** A policy as its dialect compiled it, and its plain form for the values of some moment. */
export interface Expansion {
  readonly policy: Policy;
  readonly expanded: Policy;
}

/** The present values of a partition, each once, ordered by their text. */
export type ValuesOf = (partition: Partition) => readonly PartitionValue[];

export function partitionBy(namespaces: Selector, keys: readonly string[]): Partition {
  const sorted = [...new Set(keys)].sort();
  return {
    key: `${JSON.stringify(sorted)} ${namespaces.text}` as PartitionKey,
    namespaces,
    keys: sorted,
  };
}

/** The value of a namespace; null where it lacks one of the keys. */
export function valueOf(
  { keys }: Partition,
  { name, labels }: Pick<NamespaceFact, "name" | "labels">,
): PartitionValue | null {
  if (keys.length === 0) return { share: name, namespaces: namespacesNamed([name]) };
  const values = new Map<string, string>();
  for (const key of keys) {
    const value = labels.get(key);
    if (value === undefined) return null;
    values.set(key, value);
  }
  const equal = [...values].map(([key, value]) => ({ operator: "In" as const, key, values: [value] }));
  return { share: canonicalLabels(values), namespaces: requirements(equal) };
}

/** Each partition whose values the policy's plain rules depend on, once; none for a plain policy. */
export function partitionsOf(policy: Policy): readonly Partition[] {
  const found = directions
    .flatMap((direction) => policy.rules[direction])
    .flatMap(({ subject, peers }) =>
      peers.filter(isSameNamespaces).flatMap(({ keys }) => partitionsIn(subject ?? policy.subject, keys)),
    );
  return [...new Map(found.map((partition) => [partition.key, partition])).values()];
}

/**
 * The policy in plain rules; the policy itself where it is plain. Rules expanded from one rule keep its index and
 * differ in `share`. `before` is an earlier expansion, of this policy or of its object's earlier version; its objects
 * are reused where nothing differs.
 */
export function expand(policy: Policy, valuesOf: ValuesOf, before: Expansion | null = null): Policy {
  if (isPlain(policy)) return policy;
  const rulesOf = (direction: Direction): readonly Rule[] => {
    const kept = keptFrom(before, policy, direction);
    return policy.rules[direction].flatMap((rule) =>
      isShared(rule) ? plainRules(rule, rule.subject ?? policy.subject, valuesOf, kept(rule)) : [rule],
    );
  };
  const rules = { ingress: rulesOf("ingress"), egress: rulesOf("egress") };
  if (before !== null && isReused(before.policy, policy)) {
    const same = directions.every((one) => sameSequence(rules[one], before.expanded.rules[one]));
    if (same) return before.expanded;
  }
  return { ...policy, rules };
}

/** Whether the policy needs no expansion. A policy that does may have no partition: its subject selects nothing. */
export function isPlain({ rules }: Policy): boolean {
  return directions.every((direction) => !factsOf(rules[direction]).dependsOnSubject);
}

/**
 * The plain form of the policy with one sample value for each partition: the backend admits this while there are no
 * values.
 */
export function representative(policy: Policy): Policy {
  return expand(policy, ({ key }) => [{ share: key, namespaces: everything }]);
}

/** Values that are mostly added or removed at a time. */
const few = 4;

/** The earlier expansions of one rule, asked for in the order in which they stood. */
class KeptRules {
  readonly #rules: readonly Rule[];
  #next = 0;
  #missed = 0;
  #places: ReadonlyMap<string | null, number> | null = null;

  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
  }

  /** The expansion for the share; null: there was none. */
  take(share: string | null): Rule | null {
    const rules = this.#rules;
    if (rules[this.#next]?.share !== share) {
      const at = this.#placeOf(share);
      if (at < 0) return null;
      this.#next = at;
    }
    return rules[this.#next++] ?? null;
  }

  /** -1: there is none. A table of all is made when many are asked for. */
  #placeOf(share: string | null): number {
    const rules = this.#rules;
    if (this.#places === null && this.#missed++ < few) return rules.findIndex((rule) => rule.share === share);
    this.#places ??= new Map(rules.map((rule, at) => [rule.share, at]));
    return this.#places.get(share) ?? -1;
  }
}

/** The earlier expansions of a rule: those that need not be made again. */
type KeptOf = (rule: Rule) => KeptRules;

const noRules = new KeptRules([]);

function keptFrom(before: Expansion | null, policy: Policy, direction: Direction): KeptOf {
  if (before === null) return () => noRules;
  const sources = new Set(before.policy.rules[direction]);
  const runs = runsOf(before.expanded.rules[direction]);
  const sameSubject = isReused(before.policy.subject, policy.subject);
  return (rule) => {
    if (!sources.has(rule) || (rule.subject === null && !sameSubject)) return noRules;
    return new KeptRules(runs.get(rule.index) ?? []);
  };
}

/** Rules of one index follow each other in an expansion. */
function runsOf(rules: readonly Rule[]): ReadonlyMap<number, readonly Rule[]> {
  const runs = new Map<number, readonly Rule[]>();
  let start = 0;
  for (let at = 0; at < rules.length; at++) {
    const index = rules[at]?.index;
    if (index === undefined || rules[at + 1]?.index === index) continue;
    runs.set(index, rules.slice(start, at + 1));
    start = at + 1;
  }
  return runs;
}

/** A rule for the peers that do not depend on the subject's namespace, and one for each value, ordered by its text. */
function plainRules(rule: Rule, subject: Subject, valuesOf: ValuesOf, kept: KeptRules): readonly Rule[] {
  const plain = rule.peers.filter((peer) => !isSameNamespaces(peer));
  const rules = plain.length === 0 ? [] : [kept.take(null) ?? { ...rule, peers: plain }];
  const byKeys = Map.groupBy(rule.peers.filter(isSameNamespaces), ({ keys }) =>
    JSON.stringify([...new Set(keys)].sort()),
  );
  for (const peers of byKeys.values()) {
    for (const value of valuesIn(partitionsIn(subject, peers[0]?.keys ?? []), valuesOf))
      rules.push(kept.take(value.share) ?? ruleOf(value, rule, subject, peers));
  }
  return rules;
}

/** The peers become all namespaces of the value; the subject keeps those of its own namespaces that have the value. */
function ruleOf(
  { share, namespaces }: PartitionValue,
  rule: Rule,
  subject: Subject,
  peers: readonly SameNamespaces[],
): Rule {
  const inValue = (group: SubjectGroup): SubjectGroup => {
    invariant(group.kind === "pods", "the pods of a node have no namespaces of their own");
    const isEvery = group.namespaces.text === everything.text;
    return { ...group, namespaces: isEvery ? namespaces : allOf([group.namespaces, namespaces]) };
  };
  return {
    ...rule,
    share,
    subject: subject.map(inValue),
    peers: peers.map(({ pods }) => ({ kind: "pods", namespaces, pods })),
  };
}

function partitionsIn(subject: Subject, keys: readonly string[]): readonly Partition[] {
  return subject.map((group) => partitionBy(group.kind === "pods" ? group.namespaces : everything, keys));
}

/** The order of a partition's values. */
export function byText(a: PartitionValue, b: PartitionValue): number {
  return a.share < b.share ? -1 : 1;
}

/** Values of any of the partitions, each once, by text. */
function valuesIn(partitions: readonly Partition[], valuesOf: ValuesOf): readonly PartitionValue[] {
  const [first] = partitions;
  if (first !== undefined && partitions.length === 1) return valuesOf(first);
  const values = new Map<string, PartitionValue>();
  for (const partition of partitions) for (const value of valuesOf(partition)) values.set(value.share, value);
  return [...values.values()].sort(byText);
}

function isShared(rule: Rule): boolean {
  return rule.peers.some(isSameNamespaces);
}

function isSameNamespaces(peer: Peer): peer is SameNamespaces {
  return peer.kind === "sameNamespaces";
}
