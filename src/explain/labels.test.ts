// What explain says of namespaces that nobody has read, against every labelling of them by brute force: a verdict is that of all
// labellings, and it is unknown only where two of them, or an order of equal policies, end differently.

import fc from "fast-check";
import { expect, test } from "@jest/globals";
import { ip } from "../../test/support/facts.ts";
import { connectionsIn, factsIn, irPolicies, irWorlds } from "../../test/support/ir.ts";
import { everyLabelling, unreadIn } from "../../test/support/labellings.ts";
import { podKey } from "../model/facts.ts";
import { FactStore } from "../model/fact-store.ts";
import type { Connection } from "../policy/evaluate.ts";
import { outcomes } from "../policy/ties.ts";
import { AskedWorld } from "./asked.ts";
import { sidesOf } from "./sides.ts";

function isSelf({ from, to }: Connection): boolean {
  const name = ({ pod }: Connection["from"]) => (pod === null ? "" : podKey(pod.namespace, pod.name));
  return from.pod !== null && name(from) === name(to);
}

test("the verdict is that of every labelling, and unknown where two differ", () => {
  const seen = { allow: 0, deny: 0, unknown: 0 };
  fc.assert(
    fc.property(irWorlds, irPolicies, fc.nat(), (drawn, policies, pick) => {
      const { world, pods } = unreadIn(drawn, ["red", "blue", "green"]);
      const facts = new FactStore();
      for (const fact of [...factsIn(world), ...pods]) facts.put(fact);
      const asked = new AskedWorld(
        { facts, records: () => [], policies: () => policies },
        { dialects: [], placeOf: () => null },
      );
      const connections = connectionsIn({ world, pods }, ip).filter((one) => !isSelf(one));
      for (const connection of connections.filter((_, at) => at % 7 === pick % 7).slice(0, 8)) {
        const worlds = everyLabelling(connection, world);
        const possible = new Set(worlds.flatMap((one) => [...outcomes(connection, one, policies).verdicts]));
        const { verdict, caveats } = sidesOf(asked, connection, { isDetailed: false });
        expect(verdict).toBe(possible.size > 1 ? "unknown" : [...possible][0]);
        if (verdict === "unknown") expect(caveats).not.toEqual([]);
        if (worlds.length > 1) seen[verdict]++;
      }
    }),
    { numRuns: 60 },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(5);
});
