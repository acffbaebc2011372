// The printed filters against the meaning of the IR: over random worlds, policies and connections, a packet's way through the text of
// both ends' nodes ends as policy/evaluate.ts says.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { refusalsOf } from "../../src/netfilter/admission.ts";
import { judge } from "../../src/policy/evaluate.ts";
import type { Policy } from "../../src/policy/ir.ts";
import { connectionsIn, world } from "../backend/generator-world.ts";
import { anyPolicy, mixedPolicy, policiesOf } from "../backend/generator.ts";
import { isTied } from "../backend/ties.ts";
import { Nodes, textsOf, tools } from "./nodes.ts";

/** Of those of one tier and priority, rules take turns: a text that orders them says nothing. */
const interleaved = (policy: Policy): Policy => ({ ...policy, interleaved: true });

const trial = world.chain((given) => {
  const connection = connectionsIn(given);
  return fc.record({
    given: fc.constant(given),
    policies: fc.oneof(policiesOf(anyPolicy), policiesOf(mixedPolicy)),
    takeTurns: fc.boolean(),
    deny: fc.constantFrom("reject", "drop"),
    established: fc.constantFrom("keep", "recheck"),
    connections:
      connection === null ? fc.constant([]) : fc.array(connection, { minLength: 20, maxLength: 20 }),
  });
});

describe.each(tools)("the filters of a cluster's nodes, for %s,", (tool) => {
  test("give the verdicts of the IR's meaning", () => {
    const seen = { allow: 0, deny: 0, tied: 0, unfiltered: 0, unplaced: 0, refused: 0, admitted: 0 };
    const property = fc.property(trial, ({ given, policies, takeTurns, deny, established, connections }) => {
      const admitted = policies
        .filter((policy) => refusalsOf(policy).length === 0)
        .map((policy) => (takeTurns ? interleaved(policy) : policy));
      seen.refused += policies.length - admitted.length;
      seen.admitted += admitted.length;
      const nodes = new Nodes(given.nodes, textsOf(given, admitted, { deny, established }, tool), tool);
      for (const connection of connections) {
        if (isTied(connection, given, admitted)) {
          seen.tied++;
          continue;
        }
        const outcome = nodes.outcome(connection);
        if (outcome === "unfiltered" || outcome === "unplaced") {
          seen[outcome]++;
          continue;
        }
        const { verdict } = judge(connection, given, admitted);
        seen[verdict]++;
        expect(outcome === "accepted" ? "allow" : "deny").toBe(verdict);
      }
    });
    fc.assert(property, { numRuns: 1000 });
    // Both verdicts are common, and little is left out.
    expect(seen.allow).toBeGreaterThan(1000);
    expect(seen.deny).toBeGreaterThan(1000);
    expect(seen.unfiltered).toBeGreaterThan(0);
    expect(seen.tied + seen.unplaced).toBeLessThan(seen.allow + seen.deny);
    expect(seen.refused).toBeLessThan(1.5 * seen.admitted);
  });
});
