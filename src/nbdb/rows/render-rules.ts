// Renders the rules of a policy: those that were added or changed where nothing else was, otherwise every one; and says what the
// rules hold together. Pure: the rows of before stay as they are.

import { isReused } from "../../lib/identity.ts";
import { invariant } from "../../lib/invariant.ts";
import type { ChangedTally, TallyChange } from "../../lib/tally.ts";
import { Tally } from "../../lib/tally.ts";
import { ruleChanges } from "../../policy/changes.ts";
import type { Direction, Rule } from "../../policy/ir.ts";
import { directions } from "../../policy/ir.ts";
import { factsOf } from "../../policy/rule-list.ts";
import type { Held, PolicyContext, RenderedPolicy, RuleRows } from "./policy-rows.ts";
import { ShareGroups } from "./match/subject-groups.ts";
import { isImpliedIn, isOfOneSort, renderRule, samePlace } from "./rule-rows.ts";
import type { SharedUnit } from "./sets/shared-unit.ts";
import type { DesiredPortGroup, UnitKey } from "./unit.ts";

/** Rows of a rule that was added, changed or removed. */
interface RowChange {
  readonly before: RuleRows | null;
  readonly after: RuleRows | null;
}

interface RulesContext extends PolicyContext {
  /** Whether the policy's rows are those of its rules, and were before. */
  readonly isOfRulesAlone: boolean;
}

export interface RenderedRules {
  readonly rules: ReadonlyMap<string, RuleRows>;
  readonly held: Held;
  /** What differs from the earlier rows; null: every part may. */
  readonly since: {
    readonly parts: readonly RowChange[];
    readonly groups: TallyChange<string, DesiredPortGroup>;
    readonly units: TallyChange<UnitKey, SharedUnit>;
  } | null;
}

/** Where nothing but some rules is another than before, the other rules are not looked at. */
export function renderRules(context: RulesContext): RenderedRules {
  const { before, isOfRulesAlone } = context;
  return before !== null && isOfRulesAlone && differsInRulesAlone(before, context)
    ? renderEdited(before, context)
    : renderEvery(context);
}

function renderEdited({ policy: was, rows }: RenderedPolicy, context: PolicyContext): RenderedRules {
  const rules = new Map(rows.rules);
  const shareGroups = new ShareGroups(rows.held.groups.values);
  const parts: RowChange[] = [];
  for (const direction of directions) {
    const of = { ...context, direction, shareGroups };
    for (const change of ruleChanges(was.rules[direction], context.policy.rules[direction])) {
      const rule = change.after ?? change.before;
      if (rule === null) continue;
      const key = partKey(direction, rule);
      const before = rules.get(key) ?? null;
      const after = change.after && renderRule(change.after, before, of);
      if (after === null) rules.delete(key);
      else rules.set(key, after);
      parts.push({ before, after });
    }
  }
  const { held, groups, units } = holding(rows.held, parts);
  return { rules, held, since: { parts, groups, units } };
}

function renderEvery(context: PolicyContext): RenderedRules {
  const { policy, before } = context;
  const rules = new Map<string, RuleRows>();
  const shareGroups = new ShareGroups(before?.rows.held.groups.values ?? noGroups);
  for (const direction of directions) {
    const of = { ...context, direction, shareGroups };
    for (const rule of policy.rules[direction]) {
      const key = partKey(direction, rule);
      invariant(!rules.has(key), "two rules have one direction, index and share");
      const old = before?.rows.rules.get(key) ?? null;
      rules.set(key, renderRule(rule, old, of));
    }
  }
  const all = Array.from(rules.values(), (after) => ({ before: null, after }));
  return { rules, held: holding(nothingHeld, all).held, since: null };
}

const noGroups: ReadonlyMap<string, DesiredPortGroup> = new Map();
const nothingHeld: Held = { groups: new Tally(), units: new Tally() };

/** What the rules hold after the changes, and what differs. */
function holding(before: Held, changes: readonly RowChange[]) {
  const groups = count(
    before.groups,
    changes.filter((one) => !isReused(one.before?.ownGroup, one.after?.ownGroup)),
    ({ ownGroup }) => (ownGroup === null ? [] : [[ownGroup.name, ownGroup]]),
  );
  const units = count(
    before.units,
    changes.filter((one) => !isReused(one.before?.peers, one.after?.peers)),
    ({ peers }) => peers.shared.map((one) => [one.unit, one]),
  );
  const held: Held = { groups: groups.tally, units: units.tally };
  return { held, groups: groups.change, units: units.change };
}

function count<K, V>(
  tally: Tally<K, V>,
  changes: readonly RowChange[],
  heldBy: (rows: RuleRows) => readonly (readonly [K, V])[],
): ChangedTally<K, V> {
  return tally.changed(
    changes.flatMap(({ before }) => (before === null ? [] : heldBy(before).map(([key]) => key))),
    changes.flatMap(({ after }) => (after === null ? [] : heldBy(after))),
  );
}

/** Whether rules that are the same objects have the places that they had, and their rows depend on nothing else that differs. */
function differsInRulesAlone(
  { policy: was, rows }: RenderedPolicy,
  { policy, options, portGroup }: PolicyContext,
): boolean {
  if (!isReused(rows.portGroup, portGroup)) return false;
  if (!isReused(was.logging, policy.logging) || !isReused(was.marks, policy.marks)) return false;
  if (!isOfOneSort(policy, was, options.tierLayout)) return false;
  return directions.every((direction) => {
    const { isAscending, heads } = factsOf(was.rules[direction]);
    // The places of a policy's rules are a run, where others take no turns with it: its ends say all of a list in order.
    const isRun = isAscending && policy.interleaved !== true;
    const telling = isRun ? [heads[0], heads.at(-1)] : heads;
    return telling.every((rule) => {
      const old = rule && rows.rules.get(partKey(direction, rule));
      if (old === undefined) return true;
      const isImplied = isImpliedIn(old.rule, { policy, options, direction });
      return old.isImplied === isImplied && samePlace(old.place, options.places.place(policy.key, old.rule));
    });
  });
}

function partKey(direction: Direction, { index, share }: Rule): string {
  return share === null ? `${direction} ${index}` : `${direction} ${index} ${share}`;
}
