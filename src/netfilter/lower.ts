// Compiles policies to the program of a packet filter. The order is that of policy/order.ts: tiers, policies, and rules that take
// turns. A rule becomes a line for each pair of a peer and a sort of traffic. A subject of all pods of a node has no line: such a
// subject is about traffic that the node itself sends to its pods, which no chain filters.

import { namespaceNamedBy } from "../model/selectable.ts";
import type { Direction, GroupKey, Policy, Rule, Subject } from "../policy/ir.ts";
import { groupKey } from "../policy/ir.ts";
import { subjectForm } from "../policy/normal-form.ts";
import type { EqualPolicies } from "../policy/order.ts";
import { byTier, equalsOf, rulesOfEquals, tierKey } from "../policy/order.ts";
import { Remembered } from "../lib/remembered.ts";
import { lineMatches } from "./lower-rule.ts";
import type { Block, Branch, FilterProgram, Line, TierEnd, TierProgram } from "./program.ts";

/** In any order. Each must be admitted (admission.ts). */
export function lower(policies: readonly Policy[]): FilterProgram {
  return { egress: lowerSide(policies, "egress"), ingress: lowerSide(policies, "ingress") };
}

function lowerSide(policies: readonly Policy[], direction: Direction): readonly TierProgram[] {
  return byTier(policies).flatMap(([tier, ofTier]) => {
    const equals = equalsOf(ofTier);
    const blocks = equals.flatMap((turn) => blocksOfTurn(turn, direction));
    const ends = equals.flat().flatMap((policy) => endOf(policy, direction));
    const branches = branchesOf(blocks, ends);
    return branches.length === 0 ? [] : [{ key: tierKey(tier), name: tier.name, branches }];
  });
}

/** With the namespace of all pods that it applies to; null: they may be in any. */
type Placed<T> = T & { readonly namespace: string | null };

/** By namespace where every subject is in one: a new connection meets the policies of its pod's namespace alone. */
function branchesOf(blocks: readonly Placed<Block>[], ends: readonly Placed<TierEnd>[]): readonly Branch[] {
  const namespaces = new Set([...blocks, ...ends].map(({ namespace }) => namespace));
  if (namespaces.has(null)) return [{ namespace: null, blocks, ends }];
  const [byBlock, byEnd] = [Map.groupBy(blocks, placeOf), Map.groupBy(ends, placeOf)];
  return [...namespaces].toSorted().map((namespace) => ({
    ...{ namespace, blocks: byBlock.get(namespace) ?? [], ends: byEnd.get(namespace) ?? [] },
  }));
}

function placeOf<T>({ namespace }: Placed<T>): string | null {
  return namespace;
}

/** Of policies that are compiled again because others have changed. */
const knownBlocks = new Remembered<Policy, Direction, readonly Placed<Block>[]>();

/** The same blocks for the same policy: a printer may keep what it has made of them. */
function blocksOfTurn(turn: EqualPolicies, direction: Direction): readonly Placed<Block>[] {
  const [policy, ...others] = turn;
  const make = () => blocksOf(rulesOfEquals(turn, direction), direction);
  return policy === undefined || others.length > 0 ? make() : knownBlocks.of(policy, direction, make);
}

/** Rules of one policy about one subject that follow each other are one block. */
function blocksOf(
  rules: readonly { readonly policy: Policy; readonly rule: Rule }[],
  direction: Direction,
): readonly Placed<Block>[] {
  const blocks: (Placed<Block> & { readonly of: Subject; readonly lines: Line[] })[] = [];
  for (const { policy, rule } of rules) {
    const of = rule.subject ?? policy.subject;
    const subject = podGroups(of);
    const lines = knownLines.of(policy, rule, () => linesOf(policy, rule, subject, direction));
    if (subject.length === 0 || lines.length === 0) continue;
    const last = blocks.at(-1);
    if (last?.policy === policy.key && last.of === of) last.lines.push(...lines);
    else blocks.push({ policy: policy.key, of, subject, namespace: namespaceOf(of), lines: [...lines] });
  }
  return blocks;
}

/** Of policies that take turns with one that has changed. */
const knownLines = new Remembered<Policy, Rule, readonly Line[]>();

function linesOf(
  policy: Policy,
  rule: Rule,
  subject: readonly GroupKey[],
  direction: Direction,
): readonly Line[] {
  const { index, action: verdict } = rule;
  const severity = rule.logging === null ? policy.logging[verdict] : rule.logging.severity;
  const log = severity === null ? null : [...logOf(policy, direction, String(index)), ...labelOf(rule)];
  return lineMatches(rule, subject, direction).map((match) => ({ ...match, index, verdict, log }));
}

/** A log of a packet filter has no severity. */
function logOf(
  { shortKind, ref: { namespace, name } }: Policy,
  direction: Direction,
  place: string,
): readonly string[] {
  return [shortKind, namespace === null ? name : `${namespace}/${name}`, direction, place];
}

/** Of any length; a prefix has room for little more than what it is about. */
function labelOf({ logging }: Rule): readonly string[] {
  const label = logging?.label ?? null;
  return label === null ? [] : [label.slice(0, longestLabel)];
}

const longestLabel = 16;

/** As of blocks. */
const knownEnds = new Remembered<Policy, Direction, readonly Placed<TierEnd>[]>();

function endOf(policy: Policy, direction: Direction): readonly Placed<TierEnd>[] {
  return knownEnds.of(policy, direction, () => newEndOf(policy, direction));
}

function newEndOf(policy: Policy, direction: Direction): readonly Placed<TierEnd>[] {
  const subject = policy.unmatched[direction] === "deny" ? podGroups(policy.subject) : [];
  if (subject.length === 0) return [];
  const log = policy.logging.deny === null ? null : logOf(policy, direction, "isolation");
  return [{ policy: policy.key, subject, namespace: namespaceOf(policy.subject), log }];
}

function podGroups(subject: Subject): readonly GroupKey[] {
  return [...new Set(subjectForm(subject).pods.map(groupKey))];
}

function namespaceOf(subject: Subject): string | null {
  const [first = null, ...others] = new Set(
    subjectForm(subject).pods.map(({ namespaces }) => namespaceNamedBy(namespaces)),
  );
  return others.length === 0 ? first : null;
}
