// A policy rendered again: its rows are those of a fresh rendering, whatever came before, and where they take over the
// earlier ones' tables, just the parts and shared units that differ are told.

import fc from "fast-check";
import { expect, test } from "@jest/globals";
import { irPolicies, irWorlds } from "../../../test/support/ir.ts";
import { text } from "../../../test/support/renderer.ts";
import { valuesAmong } from "../../../test/support/values-among.ts";
import type { Policy } from "../../policy/ir.ts";
import { expand } from "../../policy/partition.ts";
import { reusing } from "../../policy/reuse.ts";
import { Ranking } from "../ranking/ranking.ts";
import { unsayable } from "./admission.ts";
import type { PolicyRows, RenderedPolicy } from "./policy-rows.ts";
import type { RenderOptions } from "./render-mode.ts";
import { renderPolicy } from "./render.ts";
import type { PartChange, UnitPart } from "./unit.ts";

/** Whatever its order, and whichever version of the policy rows of named ports were made of. */
function sorted({ parts, portGroups, rules, shared }: PolicyRows): string {
  const rows = (entries: Iterable<readonly [string, unknown]>) =>
    Array.from(entries, ([key, value]) => `${key} ${text(plain(value))}`).sort();
  return text([
    rows(parts),
    rows(rules),
    rows(portGroups.map((group) => [group.name, group])),
    [...shared.keys()].sort(),
  ]);
}

function plain(rows: unknown): unknown {
  if (typeof rows !== "object" || rows === null || !("namedPorts" in rows)) return rows;
  const { namedPorts } = rows;
  return { ...rows, namedPorts: namedPorts && { ...namedPorts, policy: null } };
}

function changesOf(changes: readonly PartChange[]) {
  const present = (parts: readonly (UnitPart | null)[]) => new Set(parts.filter((part) => part !== null));
  return {
    come: present(changes.map(({ after }) => after)),
    gone: present(changes.map(({ before }) => before)),
  };
}

/** Places the policies where they are admitted, and takes those out that are not. */
function ranked(ranking: Ranking, policies: readonly Policy[]): readonly Policy[] {
  return policies.filter((policy) => {
    const isRefused = unsayable(policy).length > 0 || ranking.admit(policy).length > 0;
    if (isRefused) ranking.remove(policy.key);
    else ranking.upsert(policy);
    return !isRefused;
  });
}

test("has the rows of a fresh rendering", () => {
  let edited = 0;
  const step = fc.tuple(irWorlds, irPolicies);
  fc.assert(
    fc.property(fc.array(step, { minLength: 2, maxLength: 5 }), fc.boolean(), (steps, isPlain) => {
      const ranking = new Ranking("all");
      const options: RenderOptions = {
        ...{ families: ["v4", "v6"], zone: null, namedPorts: "list", addressSets: "rule" },
        places: ranking,
      };
      const known = new Map<string, RenderedPolicy>();
      const [first] = steps;
      for (const [world, drawn] of steps) {
        // Half of them are the first step's policies in another world, of which single values come and go.
        const policies = (isPlain && first !== undefined ? first[1] : drawn).map((one) =>
          reusing(
            expand(one, valuesAmong(world.world.namespaces.values())),
            known.get(one.key)?.policy ?? null,
          ),
        );
        for (const policy of ranked(ranking, policies)) {
          const before = known.get(policy.key) ?? null;
          const parts = new Set(before?.rows.parts.values());
          const was = before && sorted(before.rows);
          const shared = new Set(before?.rows.shared.keys());
          const rows = renderPolicy(policy, options, before);
          expect(sorted(rows)).toBe(sorted(renderPolicy(policy, options)));
          expect(before && sorted(before.rows)).toBe(was);
          known.set(policy.key, { policy, rows });
          if (rows.delta === null) continue;
          edited++;
          const { come, gone } = changesOf(rows.delta.parts);
          expect(come).toEqual(new Set(rows.parts.values()).difference(parts));
          expect(gone).toEqual(parts.difference(new Set(rows.parts.values())));
          if (rows.delta.shared === null) continue;
          const units = new Set(rows.shared.keys());
          expect(rows.delta.shared.removed).toEqual(shared.difference(units));
          expect(units.difference(shared).isSubsetOf(new Set(rows.delta.shared.added.keys()))).toBe(true);
        }
      }
    }),
    { numRuns: 300 },
  );
  expect(edited).toBeGreaterThan(100);
});
