// Whom the changed parts of policies are about: by policy and subject, whether an end that was judged is among them, and of
// which rules no end is a peer. Asks the comparisons of all families: an end of one of them is enough.

import type { Direction, Policy, Rule, Subject } from "../policy/ir.ts";
import { directions } from "../policy/ir.ts";
import { isOwnPolicy } from "../policy/outside.ts";
import type { Role } from "../verdicts/ends/kinds.ts";
import { subjectSide } from "../verdicts/ends/kinds.ts";
import type { Entry, RuleOfWorld } from "../verdicts/entries.ts";
import { subjectText } from "../verdicts/entries.ts";
import type { Comparison } from "../verdicts/comparison.ts";
import type { Age } from "../verdicts/worlds.ts";
import { ages } from "../verdicts/worlds.ts";

/** A policy's subject, or that of some of its rules, where something about it is in one world only. */
export interface ChangedSubject {
  readonly policy: Policy;
  readonly subject: Subject;
  /** The worlds that have it. */
  readonly ages: ReadonlySet<Age>;
  /** It selects a pod that is an end in both worlds. */
  readonly isJudged: boolean;
}

export interface LonelyRule {
  readonly policy: Policy;
  readonly direction: Direction;
  readonly rule: Rule;
}

export interface ChangedSubjects {
  readonly subjects: readonly ChangedSubject[];
  /** Rules of which no peer is an end. */
  readonly lonely: readonly LonelyRule[];
}

export function changedSubjects(comparisons: readonly Comparison[]): ChangedSubjects {
  const [first] = comparisons;
  if (first === undefined) return { subjects: [], lonely: [] };
  // An entry has the same number in every family.
  const judged = new Set(comparisons.flatMap(withSubjects));
  const met = new Set(comparisons.flatMap(withPeers));
  const found = new Map<string, ChangedSubject>();
  const lonely: LonelyRule[] = [];
  for (const { entry, age, direction, said } of changedIn(first)) {
    const key = `${said.policy.key} ${subjectText(entry.subject)}`;
    const known = found.get(key);
    found.set(key, {
      ...{ policy: said.policy, subject: entry.subject, ages: new Set([...(known?.ages ?? []), age]) },
      isJudged: known?.isJudged === true || judged.has(entry.id),
    });
    const { policy, rule } = said;
    if (rule !== null && asksForPeers(entry) && !met.has(entry.id)) lonely.push({ policy, direction, rule });
  }
  return { subjects: [...found.values()], lonely };
}

interface ChangedEntry {
  readonly entry: Entry;
  readonly age: Age;
  readonly direction: Direction;
  readonly said: RuleOfWorld;
}

/** Those of the old world first: what an edit makes of a policy is last. */
function changedIn({ frame: { entries } }: Comparison): readonly ChangedEntry[] {
  return ages.flatMap((age) =>
    directions.flatMap((direction) =>
      entries[direction][age].flatMap((entry) => {
        const said = entry.said[age];
        const isWritten = said !== null && !isOwnPolicy(said.policy.key);
        return entry.changed && isWritten && !entry.isOpen ? [{ entry, age, direction, said }] : [];
      }),
    ),
  );
}

/** The numbers of changed entries that apply to a pod. */
function withSubjects({ frame, kinds }: Comparison): readonly number[] {
  const roles: readonly Role[] = ["from", "to"];
  return roles.flatMap((role) =>
    ages.flatMap((age) => {
      const { rows } = frame.sides[subjectSide[role]][age];
      const ofPods = kinds[role].filter(({ pods, workloads }) => pods.length + workloads.length > 0);
      const all = ofPods.flatMap(({ places }) => places[age].flatMap((group) => group.rows));
      const applying = [...new Set(all)].flatMap((row) => rows.at(row).ofPods);
      return [...new Set(applying)].filter(({ changed }) => changed).map(({ id }) => id);
    }),
  );
}

/** The numbers of changed entries that an end is a peer of. */
function withPeers({ frame }: Comparison): readonly number[] {
  return ages.flatMap((age) =>
    directions.flatMap((direction) => {
      const { columns } = frame.sides[direction][age];
      const changed = frame.entries[direction][age].filter((entry) => entry.changed && asksForPeers(entry));
      return changed.filter((entry) => columns.matched(entry, null).length > 0).map(({ id }) => id);
    }),
  );
}

/** Who is a peer in the subject's own namespaces depends on the subject; a rule without peers asks for none. */
function asksForPeers({ isolates, peers }: Entry): boolean {
  return !isolates && peers.length > 0 && !peers.some(({ kind }) => kind === "sameNamespaces");
}
