// In which order units may take effect: every prefix of the groups is a prefix of the order of evaluation.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { DesiredRows } from "../desired/unit-state.ts";
import type { UnitKey } from "../rows/unit.ts";
import { byPrecedence } from "./precedence.ts";

interface Acl {
  readonly tier: number;
  readonly priority: number;
  readonly action: string;
}
type Units = Readonly<Record<string, readonly Acl[]>>;

const acl = (tier: number, priority: number, action = "drop"): Acl => ({ tier, priority, action });

function groupsOf(units: Units): readonly (readonly string[])[] {
  const desired = (unit: UnitKey): DesiredRows | null => {
    const acls = (units[unit] ?? []).map((row) => ({ row }));
    const parts = new Map([["part", { acls, namedPorts: null }]]);
    return { rows: { parts } } as unknown as DesiredRows;
  };
  return byPrecedence(Object.keys(units) as UnitKey[], desired);
}

describe("units take effect", () => {
  test("by tier, then from the highest priority to the lowest", () => {
    const units = { c: [acl(2, 9)], b: [acl(1, 5)], a: [acl(1, 7), acl(1, 6)] };
    expect(groupsOf(units)).toEqual([["a"], ["b"], ["c"]]);
  });

  test("first, where they have no ACLs", () => {
    expect(groupsOf({ a: [acl(1, 7)], set: [] })).toEqual([["set"], ["a"]]);
  });

  test("together, where ACLs of one lie among those of another", () => {
    const units = { a: [acl(1, 9), acl(1, 5)], b: [acl(1, 7)], c: [acl(1, 4)] };
    expect(groupsOf(units)).toEqual([["a", "b"], ["c"]]);
  });

  test("one after the other at one place, if all that is there does the same", () => {
    expect(groupsOf({ a: [acl(2, 7, "allow")], b: [acl(2, 7, "allow-related")] })).toEqual([["a"], ["b"]]);
    expect(groupsOf({ a: [acl(2, 7, "allow")], b: [acl(2, 7)] })).toEqual([["a", "b"]]);
    expect(groupsOf({ a: [acl(2, 7)], b: [acl(2, 7)], c: [acl(2, 7, "pass")] })).toEqual([["a", "b", "c"]]);
  });

  test("so that no packet ever has a verdict that neither no rules nor all rules give it", () => {
    const action = fc.constantFrom("allow", "allow-related", "drop", "pass");
    const one = fc.record({
      tier: fc.integer({ min: 1, max: 2 }),
      priority: fc.integer({ min: 1, max: 4 }),
      action,
    });
    const units = fc.dictionary(
      fc.constantFrom("a", "b", "c", "d", "e", "f"),
      fc.array(one, { maxLength: 3 }),
      {
        noNullPrototype: true,
      },
    );
    fc.assert(
      fc.property(units, fc.func(fc.boolean()), (some, matches) => {
        const found = groupsOf(some);
        expect(found.flat().sort()).toEqual(Object.keys(some).sort());
        const rules = (names: readonly string[]): readonly Acl[] =>
          names.flatMap((name) => (some[name] ?? []).filter((rule, at) => matches(name, at, rule)));
        const final = verdictsOf(rules(found.flat()));
        for (let count = 0; count <= found.length; count++) {
          for (const verdict of verdictsOf(rules(found.slice(0, count).flat()))) {
            expect(["none", ...final]).toContain(verdict);
          }
        }
      }),
    );
  });
});

/** What a packet that all of these match may meet: of different ACLs at one place, OVN says of none that it comes first. */
function verdictsOf(acls: readonly Acl[]): readonly string[] {
  let passing: readonly Acl[] = acls;
  for (;;) {
    const [first] = passing.toSorted((a, b) => a.tier - b.tier || b.priority - a.priority);
    if (first === undefined) return ["none"];
    const there = passing.filter(({ tier, priority }) => tier === first.tier && priority === first.priority);
    const verdicts = new Set(there.map((rule) => rule.action.replace("-related", "")));
    if (!verdicts.has("pass")) return [...verdicts];
    const after = verdictsOf(passing.filter(({ tier }) => tier > first.tier));
    if (verdicts.size > 1) return [...[...verdicts].filter((one) => one !== "pass"), ...after];
    passing = passing.filter(({ tier }) => tier > first.tier);
  }
}
