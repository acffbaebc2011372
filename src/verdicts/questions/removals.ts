// What becomes of the decisions of one world when rules are removed one after the other. Each side of a connection is evaluated
// alone. Exact: a removal is without effect exactly when the tier of the rules allows, denies and passes the same of every connection
// that the reach evaluates, in every order of policies of equal priority; then every verdict is the same. Removals that are kept
// count in those that follow, so all of them together are without effect, too.

import type { Direction, Policy } from "../../policy/ir.ts";
import type { Entry } from "../entries.ts";
import { saidIn } from "../entries.ts";
import type { Reach } from "../reach.ts";
import type { Before } from "./rule-reachability.ts";
import type { Row } from "../row.ts";
import { effectOfRule, ruleOf } from "../row.ts";
import type { Traffic } from "../traffic.ts";
import { noTraffic, textOf } from "../traffic.ts";
import type { Walked } from "../walk.ts";
import { walk } from "../walk.ts";

/** A policy, or a rule of it with all its parts. */
export interface Removable {
  readonly policy: Policy;
  /** null: the whole policy. */
  readonly rule: { readonly direction: Direction; readonly index: number } | null;
}

export class Removals {
  readonly #reach: Reach;
  /** By policy, the rows that it is met in. */
  readonly #rows = new Map<Policy, Set<Row>>();
  readonly #removed = new Set<Entry>();

  constructor(reach: Reach) {
    this.#reach = reach;
    for (const row of reach.rows())
      for (const { entry } of row.walked.met) {
        const { policy } = saidIn(entry.said);
        const rows = this.#rows.get(policy) ?? new Set();
        this.#rows.set(policy, rows.add(row));
      }
  }

  /**
   * What of the same tier decides or passes in its place, in the order of evaluation. null: without it the tier says something
   * else, or it says nothing with it.
   */
  replacing(one: Removable): readonly Before[] | null {
    const own = this.#entriesOf(one);
    const tier = tierOf(own);
    const found = new Set<Entry>();
    for (const row of this.#rows.get(one.policy) ?? []) {
      const before = without(row.walked, this.#removed);
      const said = saidBy(before, own);
      if (said === noTraffic) continue;
      const after = without(row.walked, this.#removed.union(own));
      if (effectsIn(before, tier) !== effectsIn(after, tier)) return null;
      for (const spoken of after.says)
        if (spoken.entry.tier === tier && (spoken.said & said) !== noTraffic) found.add(spoken.entry);
    }
    return found.size === 0 ? null : this.#named(found);
  }

  /** Keeps the removal. */
  remove(one: Removable): void {
    for (const entry of this.#entriesOf(one)) this.#removed.add(entry);
  }

  /** Those that some connection meets. */
  #entriesOf({ policy, rule }: Removable): ReadonlySet<Entry> {
    const entries = new Set<Entry>();
    for (const { walked } of this.#rows.get(policy) ?? [])
      for (const { entry } of walked.met) {
        const said = saidIn(entry.said);
        if (said.policy !== policy) continue;
        if (rule === null || (said.direction === rule.direction && said.rule?.index === rule.index))
          entries.add(entry);
      }
    return entries;
  }

  #named(entries: ReadonlySet<Entry>): readonly Before[] {
    const found = [...entries].map((entry) => {
      const { policy, direction } = saidIn(entry.said);
      const rule = ruleOf(entry);
      return { policy, entry: rule, direction, at: this.#reach.placeOf(direction, rule ?? policy) };
    });
    // Ingress first, as everywhere.
    found.sort((a, b) => (a.direction === b.direction ? a.at - b.at : a.direction === "ingress" ? -1 : 1));
    return found.map(({ policy, entry }) => ({ policy, entry }));
  }
}

/** Rules of a policy are in one tier. */
function tierOf(entries: ReadonlySet<Entry>): number | null {
  const [first] = entries;
  return first?.tier ?? null;
}

function without(walked: Walked, removed: ReadonlySet<Entry>): Walked {
  const { met, says, silent } = walked;
  if (removed.size === 0 || !met.some(({ entry }) => removed.has(entry))) return walked;
  const left = new Map(
    met.flatMap(({ entry, traffic }) => (removed.has(entry) ? [] : [[entry, traffic] as const])),
  );
  const all = says.reduce((sum, { said }) => sum | said, silent);
  return walk([...left.keys()], (entry) => left.get(entry) ?? noTraffic, all);
}

/** Of isolations of one tier that all do the same the first one speaks: the others say it with it. */
function saidBy({ met, says }: Walked, own: ReadonlySet<Entry>): Traffic {
  const isolates = met.some(({ entry }) => entry.isolates && own.has(entry));
  let all = noTraffic;
  for (const { entry, said } of says)
    if (own.has(entry) || (isolates && entry.isolates && entry.tier === tierOf(own))) all |= said;
  return all;
}

/** What the tier allows, denies and passes; equal texts for equal traffic. */
function effectsIn({ says }: Walked, tier: number | null): string {
  const effects = { allow: noTraffic, deny: noTraffic, pass: noTraffic };
  for (const { entry, said } of says) if (entry.tier === tier) effects[effectOfRule(entry)] |= said;
  return [effects.allow, effects.deny, effects.pass].map(textOf).join(" ");
}
