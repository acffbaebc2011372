// What `northgate explain` says of the packets of the proof's worlds is what the policies mean, verdict and deciders: asked
// over many worlds without an OVN. With one, test/proof/laboratory.ts asks it of every packet that ovn-trace and the
// dataplane judge.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { everyDialect } from "../../src/dialects.ts";
import type { Dialect } from "../../src/policy/contracts/dialect.ts";
import { installed as withTestDialect, trafficWorld } from "../dialect/worlds.ts";
import { counterexamples } from "./counterexamples.ts";
import { explainedOf } from "./explained.ts";
import { meaningOf, opinionText } from "./judges.ts";
import { withOwnNetworkPolicies } from "./own-network-policies.ts";
import { probesOf, probeText } from "./packets.ts";
import type { ProofWorld } from "./worlds.ts";
import { proofWorld, zone, zonedWorld } from "./worlds.ts";

const packetsPerWorld = 150;

interface Run {
  readonly worldOf: fc.Arbitrary<ProofWorld>;
  readonly zone: string | null;
  readonly installed: readonly Dialect[] | undefined;
}

function sample(worldOf: fc.Arbitrary<ProofWorld>, numRuns: number): readonly ProofWorld[] {
  return fc.sample(worldOf, { numRuns, seed: 4711 });
}

/** The packets on which the two differ, in words; and how many met a rule. */
function compared(world: ProofWorld, { zone: here, installed }: Omit<Run, "worldOf">) {
  const hearing = { networkPolicies: world.networkPolicies, zone: here, installed };
  const [meaning, explained] = [meaningOf(world.objects, hearing), explainedOf(world.objects, hearing)];
  let ruled = 0;
  const differing: string[] = [];
  for (const probe of probesOf(world, packetsPerWorld, here)) {
    const meant = meaning.opinion(probe.connection);
    if (meant === null) continue;
    if (meant.rules.length > 0) ruled++;
    const told = explained.opinion(probe.connection);
    const [one, other] = [opinionText(meant), told === null ? "cannot tell" : opinionText(told)];
    if (one !== other) differing.push(`${probeText(probe)}: ${one}, but explain: ${other}`);
  }
  return { differing, ruled };
}

test.each<readonly [string, Run]>([
  ["of the cluster-wide kinds", { worldOf: proofWorld, zone: null, installed: undefined }],
  ["in a database for one node", { worldOf: zonedWorld, zone, installed: undefined }],
  [
    "of every kind",
    { worldOf: withOwnNetworkPolicies(proofWorld), zone: null, installed: everyDialect.dialects },
  ],
  ["of a kind that no shared code knows", { worldOf: trafficWorld, zone: null, installed: withTestDialect }],
])("in random worlds %s", (_, { worldOf, ...run }) => {
  let ruled = 0;
  for (const world of sample(worldOf, 25)) {
    const { differing, ruled: met } = compared(world, run);
    expect(differing).toEqual([]);
    ruled += met;
  }
  expect(ruled).toBeGreaterThan(500);
});

test.each(Object.entries(counterexamples))("in the named world %s", (_, world) => {
  expect(compared(world, { zone: null, installed: undefined }).differing).toEqual([]);
});
