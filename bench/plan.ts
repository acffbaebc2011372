// How long a plan takes on a large cluster: `node bench/plan.ts`, once for each edit. Prints what was looked at beside the times,
// because the machine may be busy; the work is the same everywhere (test/plan/counted.test.ts).

import { usualNeeds } from "../src/analysis/needs.ts";
import { judged } from "../src/plan/judged.ts";
import { Edits } from "../src/plan/summary/edits.ts";
import { summaryOf } from "../src/plan/summary/summary.ts";
import type { Policy } from "../src/policy/ir.ts";
import {
  hardPlan,
  largePlan,
  planFacts,
  planPolicies,
  planWorlds,
  rulesByIndex,
  withActionEdited,
  withFirstReplaced,
} from "../test/support/plan-world.ts";

const noEdits = new Edits({ added: [], changed: [], removed: [] }, { old: () => null, new: () => null });

/** "0.3 s, CPU 0.5", of the wall and of all threads. */
function secondsSince(start: number, before: NodeJS.CpuUsage): string {
  const { user, system } = process.cpuUsage(before);
  const both = [performance.now() - start, (user + system) / 1000];
  return both.map((ms) => (ms / 1000).toFixed(1)).join(" s, CPU ");
}

for (const [name, scale] of [
  ["10,000 pods, 200 identities, 100 policies", largePlan],
  ["networks that cut the pods' network", hardPlan],
] as const) {
  const facts = planFacts(scale);
  const old = planPolicies(scale);
  const others = planPolicies(scale, 2);
  const edits: Readonly<Record<string, readonly Policy[]>> = {
    "one action edited": withActionEdited(old, 0),
    "ten policies replaced": withFirstReplaced(old, others, 10),
    "all policies replaced": others,
  };
  for (const [what, next] of Object.entries(edits)) {
    const [start, cpu] = [performance.now(), process.cpuUsage()];
    const worlds = planWorlds(facts, old, next);
    const made = judged(worlds, { old: rulesByIndex, new: rulesByIndex });
    const seconds = secondsSince(start, cpu);
    const [after, cpuAfter] = [performance.now(), process.cpuUsage()];
    const summary = summaryOf(made, { worlds, facts, edits: noEdits, needs: usualNeeds });
    const { classes, work } = made;
    const { sources, destinations, looked, possible, tables } = work;
    process.stdout.write(
      `${name}; ${what}: ${seconds} s; ${sources} × ${destinations} kinds of ends, ` +
        `${looked} of ${possible} pairs, ${tables} tables, ${classes.length} classes; ` +
        `${secondsSince(after, cpuAfter)} s more for ${summary.length} changes\n`,
    );
  }
}
