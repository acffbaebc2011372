// How long a plan takes on a large cluster: `node bench/plan.ts`, once for each edit. Prints what was looked at beside the times,
// because the machine may be busy; the work is the same everywhere (test/plan/counted.test.ts).

import { judged } from "../src/plan/judged.ts";
import type { RuleNamer } from "../src/plan/shown-classes.ts";
import type { Policy } from "../src/policy/ir.ts";
import {
  hardPlan,
  largePlan,
  planFacts,
  planPolicies,
  planWorlds,
  withActionEdited,
  withFirstReplaced,
} from "../test/support/plan-world.ts";

const namer: RuleNamer = (_policy, direction, { index, name, action }) => {
  return { direction, index, name, action, word: action, place: null };
};

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
    const { classes, work } = judged(planWorlds(facts, old, next), { old: namer, new: namer });
    const { user, system } = process.cpuUsage(cpu);
    const seconds = [performance.now() - start, (user + system) / 1000].map((ms) => (ms / 1000).toFixed(1));
    const { sources, destinations, looked, possible, tables } = work;
    process.stdout.write(
      `${name}; ${what}: ${seconds.join(" s, CPU ")} s; ${sources} × ${destinations} kinds of ends, ` +
        `${looked} of ${possible} pairs, ${tables} tables, ${classes.length} classes\n`,
    );
  }
}
