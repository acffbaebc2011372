// The filters of nodes in worlds of all kinds of policies, as dialects compile them: AdminNetworkPolicy, BaselineAdminNetworkPolicy,
// ClusterNetworkPolicy, NetworkPolicy and Antrea's. The worlds and packets are those that judge the rows of OVN.

import { expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import { meaningOf } from "../proof/judges.ts";
import { probesOf, probeText } from "../proof/packets.ts";
import { sorted } from "../proof/worlds.ts";
import { patience } from "../support/patience.ts";
import { dialects, textOf, worldsOfAllKinds } from "./laboratory.ts";
import { Nodes, tools } from "./nodes.ts";

jest.setTimeout(patience(300_000));

const worlds = 100;
const packetsPerWorld = 200;

test.each(tools)("judge packets as policies mean it, for %s", (tool) => {
  const seen = { allow: 0, drop: 0, unfiltered: 0, ruled: 0 };
  const property = fc.property(worldsOfAllKinds, (world) => {
    const { nodes } = sorted(world.objects);
    const filters = new Nodes(nodes, (node) => textOf(world.objects, node, tool), tool);
    const meaning = meaningOf(world.objects, { installed: dialects });
    for (const probe of probesOf(world, packetsPerWorld)) {
      const opinion = meaning.opinion(probe.connection);
      const outcome = filters.outcome(probe.connection);
      if (outcome === "unfiltered") seen.unfiltered++;
      if (opinion === null || outcome === "unfiltered") continue;
      const verdict = outcome === "accepted" ? "allow" : "drop";
      expect([probeText(probe), verdict]).toEqual([probeText(probe), opinion.verdict]);
      seen[opinion.verdict]++;
      if (opinion.rules.length > 0) seen.ruled++;
    }
  });
  fc.assert(property, { numRuns: worlds });
  expect(seen.allow + seen.drop).toBeGreaterThan(50 * worlds);
  expect(seen.ruled / (seen.allow + seen.drop)).toBeGreaterThan(0.4);
  expect(seen.drop / (seen.allow + seen.drop)).toBeGreaterThan(0.2);
  expect(seen.unfiltered).toBeGreaterThan(0);
});
