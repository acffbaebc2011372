// A policy rendered again: its rows are those of a fresh rendering, whatever came before, and no part that is another than
// before is missing among the edited ones.

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

/** Whatever its order. */
function sorted({ parts, portGroups, rules, shared }: PolicyRows): string {
  const rows = (entries: Iterable<readonly [string, unknown]>) =>
    Array.from(entries, ([key, value]) => `${key} ${text(value)}`).sort();
  return text([
    rows(parts),
    rows(rules),
    rows(portGroups.map((group) => [group.name, group])),
    [...shared.keys()].sort(),
  ]);
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
          const rows = renderPolicy(policy, options, before);
          expect(sorted(rows)).toBe(sorted(renderPolicy(policy, options)));
          known.set(policy.key, { policy, rows });
          if (rows.edited === null || before === null) continue;
          edited++;
          const keys = new Set([...rows.parts.keys(), ...before.rows.parts.keys()]);
          const others = [...keys].filter((key) => rows.parts.get(key) !== before.rows.parts.get(key));
          expect(others.filter((key) => rows.edited?.has(key) !== true)).toEqual([]);
        }
      }
    }),
    { numRuns: 300 },
  );
  expect(edited).toBeGreaterThan(100);
});
