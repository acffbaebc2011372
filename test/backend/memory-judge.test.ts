// The in-memory backend against the meaning of the IR: over random worlds, policies and connections its filter gives the
// verdict that policy/evaluate.ts gives. So the IR after the partition is enough for a backend of another build.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { judge } from "../../src/policy/evaluate.ts";
import { Driver } from "./driver.ts";
import { connectionsIn, world } from "./generator-world.ts";
import { anyPolicy, policiesOf } from "./generator.ts";
import { MemoryBackend } from "./memory-backend.ts";
import { refusalsOf } from "./memory-chain.ts";
import { judgeByStore } from "./memory-judge.ts";
import { MemoryStore } from "./memory-store.ts";
import { isTied } from "./ties.ts";

const trial = world.chain((given) => {
  const connection = connectionsIn(given);
  return fc.record({
    given: fc.constant(given),
    policies: policiesOf(anyPolicy),
    connections:
      connection === null ? fc.constant([]) : fc.array(connection, { minLength: 20, maxLength: 20 }),
  });
});

describe("the in-memory backend", () => {
  test("gives the verdicts of the IR's meaning", async () => {
    const seen = { allow: 0, deny: 0, tied: 0, refused: 0, admitted: 0 };
    const property = fc.asyncProperty(trial, async ({ given, policies, connections }) => {
      const store = new MemoryStore();
      const driver = new Driver(
        (membership) => new MemoryBackend({ store, membership, mayExist: () => false }),
      );
      driver.backend.serve(["v4", "v6"]);
      driver.seeWorld(given);
      const admitted = policies.filter((policy) => refusalsOf(policy).length === 0);
      seen.refused += policies.length - admitted.length;
      seen.admitted += admitted.length;
      driver.apply(...admitted);
      expect((await driver.commit()).interrupted).toBeNull();
      for (const connection of connections) {
        if (isTied(connection, given, admitted)) {
          seen.tied++;
          continue;
        }
        const { verdict } = judge(connection, given, admitted);
        seen[verdict]++;
        expect(judgeByStore(store, connection)).toBe(verdict);
      }
    });
    await fc.assert(property, { numRuns: 1000 });
    // Both verdicts are common, and little is left out.
    expect(seen.allow).toBeGreaterThan(2000);
    expect(seen.deny).toBeGreaterThan(2000);
    expect(seen.tied).toBeLessThan(seen.allow + seen.deny);
    expect(seen.refused).toBeLessThan(seen.admitted);
  });
});
