// Renders the rules of a policy: those that came or changed where nothing else did, otherwise every one; and tells what the
// rules hold together.

import { invariant } from "../../lib/invariant.ts";
import { Tally } from "../../lib/tally.ts";
import { ruleChanges } from "../../policy/changes.ts";
import type { Direction, Rule } from "../../policy/ir.ts";
import { directions } from "../../policy/ir.ts";
import { factsOf } from "../../policy/rule-list.ts";
import type { Held, PolicyContext, RenderedPolicy, RuleRows } from "./policy-rows.ts";
import { isOfOneSort, renderRule, samePlace } from "./rule-rows.ts";

/** Rows of a rule that came, changed or went. */
interface RowChange {
  /** As in PolicyRows.rules. */
  readonly key: string;
  readonly was: RuleRows | null;
  readonly is: RuleRows | null;
}

export interface RenderedRules {
  readonly rules: ReadonlyMap<string, RuleRows>;
  readonly held: Held;
  /** Keys of the rules that may have other rows than before; null: all may. */
  readonly edited: ReadonlySet<string> | null;
}

/** Where nothing but some rules is another than before, the other rules are not looked at. */
export function renderRules(context: PolicyContext): RenderedRules {
  const { before } = context;
  return before !== null && differsInRulesAlone(before, context)
    ? renderEdited(before, context)
    : renderEvery(context);
}

function renderEdited({ policy: was, rows }: RenderedPolicy, context: PolicyContext): RenderedRules {
  const rules = new Map(rows.rules);
  const known = new Map(rows.held.groups.values);
  const changes: RowChange[] = [];
  for (const direction of directions) {
    for (const { before, after } of ruleChanges(was.rules[direction], context.policy.rules[direction])) {
      const rule = after ?? before;
      if (rule === null) continue;
      const key = partKey(direction, rule);
      const old = rows.rules.get(key) ?? null;
      const is = after && renderRule(after, old, { ...context, direction, known });
      if (is === null) rules.delete(key);
      else rules.set(key, is);
      changes.push({ key, was: old, is });
    }
  }
  return { rules, held: heldAfter(rows.held, changes), edited: new Set(changes.map(({ key }) => key)) };
}

function renderEvery(context: PolicyContext): RenderedRules {
  const { policy, before } = context;
  const rules = new Map<string, RuleRows>();
  const known = new Map(before?.rows.held.groups.values);
  for (const direction of directions) {
    for (const rule of policy.rules[direction]) {
      const key = partKey(direction, rule);
      invariant(!rules.has(key), "two rules have one direction, index and share");
      rules.set(key, renderRule(rule, before?.rows.rules.get(key) ?? null, { ...context, direction, known }));
    }
  }
  const changes = Array.from(rules, ([key, is]) => ({ key, was: null, is }));
  return { rules, held: heldAfter(nothingHeld, changes), edited: null };
}

const nothingHeld: Held = { groups: new Tally(), units: new Tally() };

/** What the rules hold after the changes. */
function heldAfter({ groups, units }: Held, changes: readonly RowChange[]): Held {
  return {
    groups: counted(
      groups,
      changes.filter(({ was, is }) => was?.ownGroup !== is?.ownGroup),
      ({ ownGroup }) => (ownGroup === null ? [] : [[ownGroup.name, ownGroup]]),
    ),
    units: counted(
      units,
      changes.filter(({ was, is }) => was?.peers !== is?.peers),
      ({ peers }) => peers.shared.map((one) => [one.unit, one]),
    ),
  };
}

function counted<K, V>(
  tally: Tally<K, V>,
  changes: readonly RowChange[],
  heldBy: (rows: RuleRows) => readonly (readonly [K, V])[],
): Tally<K, V> {
  return tally.changed(
    changes.flatMap(({ was }) => (was === null ? [] : heldBy(was).map(([key]) => key))),
    changes.flatMap(({ is }) => (is === null ? [] : heldBy(is))),
  );
}

/** Whether rules that are the same objects have the places that they had, and their rows depend on nothing else that differs. */
function differsInRulesAlone(
  { policy: was, rows }: RenderedPolicy,
  { policy, options, portGroup }: PolicyContext,
): boolean {
  if (portGroup !== rows.portGroup) return false;
  if (policy.logging !== was.logging || !isOfOneSort(policy, was)) return false;
  return directions.every((direction) => {
    const { isAscending, heads } = factsOf(was.rules[direction]);
    // The places of a policy's rules are a run, where others take no turns with it: its ends say all of a list in order.
    const isRun = isAscending && policy.interleaved !== true;
    const telling = isRun ? [heads[0], heads.at(-1)] : heads;
    return telling.every((rule) => {
      const old = rule && rows.rules.get(partKey(direction, rule));
      return old === undefined || samePlace(old.place, options.places.place(policy.key, old.rule));
    });
  });
}

function partKey(direction: Direction, { index, share }: Rule): string {
  return share === null ? `${direction} ${index}` : `${direction} ${index} ${share}`;
}
