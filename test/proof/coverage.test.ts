// Whether the generator makes what the proof is said to be about: features of its worlds and of the packets that are judged,
// counted over a fixed sample, and faults that these packets must tell from the right meaning. No OVN is asked.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { faults } from "./faults.ts";
import { encounters, features, seenOf } from "./features.ts";
import type { Meaning } from "./judges.ts";
import { meaningOf } from "./judges.ts";
import { candidates, choose } from "./laboratory.ts";
import { ownFeatures } from "./own-features.ts";
import { ownDialects, withOwnNetworkPolicies } from "./own-network-policies.ts";
import { probesOf } from "./packets.ts";
import type { ProofWorld } from "./worlds.ts";
import { proofWorld, zone, zonedWorld } from "./worlds.ts";

const sampled = { numRuns: 300, seed: 4711 };
const worlds = fc.sample(proofWorld, sampled);
/** Judging is dearer than looking. */
const judgedWorlds = worlds.slice(0, 150);
const least = 2;

function judgedIn(world: ProofWorld, meaning: Meaning, inZone: string | null) {
  const judged = probesOf(world, candidates, inZone).flatMap((probe) => {
    const meant = meaning.opinion(probe.connection);
    return meant === null ? [] : [{ probe, meant }];
  });
  return choose(judged);
}

const judged = judgedWorlds.map((world) => ({
  world,
  packets: judgedIn(world, meaningOf(world.objects, { networkPolicies: world.networkPolicies }), null),
}));

describe(`${worlds.length} worlds of the proof have`, () => {
  const seen = worlds.map((world) => seenOf(world));
  test.each(Object.entries(features))("%s", (_, [isSo, atLeast]) => {
    expect(seen.filter(isSo).length).toBeGreaterThanOrEqual(atLeast);
  });
});

const ownWorlds = fc.sample(withOwnNetworkPolicies(proofWorld), sampled);
describe(`${ownWorlds.length} worlds with NetworkPolicies of ours have`, () => {
  const seen = ownWorlds.map((world) => seenOf(world, ownDialects));
  test.each(Object.entries(ownFeatures))("%s", (_, [isSo, atLeast]) => {
    expect(seen.filter(isSo).length).toBeGreaterThanOrEqual(atLeast);
  });
});

describe("the packets of worlds with NetworkPolicies of ours meet", () => {
  const packets = ownWorlds
    .slice(0, judgedWorlds.length / 2)
    .flatMap((world) => judgedIn(world, meaningOf(world.objects, { installed: ownDialects }), null));
  const names = Object.keys(encounters).filter((name) =>
    /NetworkPolicy|NetworkPolicies|all three/.test(name),
  );

  // Half as many packets as above.
  test.each(names)("%s", (name) => {
    const [isSo, atLeast] = encounters[name] ?? [() => false, 1];
    const met = packets.filter(({ probe, meant }) => isSo(probe, meant));
    expect(met.length).toBeGreaterThanOrEqual(Math.floor(atLeast / 2));
  });
});

describe(`the packets of ${judgedWorlds.length} worlds meet`, () => {
  const packets = judged.flatMap((one) => one.packets);
  test.each(Object.entries(encounters))("%s", (_, [isSo, atLeast]) => {
    expect(packets.filter(({ probe, meant }) => isSo(probe, meant)).length).toBeGreaterThanOrEqual(atLeast);
  });

  test("one of two policies of equal priority", () => {
    const alike = judged.filter(({ world }) => features["two policies of one priority"]?.[0](seenOf(world)));
    const met = alike.flatMap((one) => one.packets).filter(({ meant }) => meant.rules.length > 0);
    expect(met.length).toBeGreaterThan(100);
  });
});

describe("the packets tell the right meaning from", () => {
  test.each(Object.entries(faults))("%s", (_, fault) => {
    let told = 0;
    for (const { world, packets } of judged) {
      const wrong = fault(world);
      const differs = packets.some(
        ({ probe, meant }) => (wrong.opinion(probe.connection) ?? meant).verdict !== meant.verdict,
      );
      if (differs && ++told === least) break;
    }
    expect(told).toBe(least);
  });
});

describe("a database for one node is asked about", () => {
  const asked = fc.sample(zonedWorld, { ...sampled, numRuns: 40 }).flatMap((world) => {
    const meaning = meaningOf(world.objects, { networkPolicies: world.networkPolicies, zone });
    return judgedIn(world, meaning, zone);
  });
  const isRemote = (node: string | null | undefined) => node !== undefined && node !== null && node !== zone;

  test("its pods' packets to pods of other nodes, and rules met by them", () => {
    const there = asked.filter(({ probe }) => isRemote(probe.connection.to.pod?.node));
    expect(there.filter(({ meant }) => meant.rules.length > 0).length).toBeGreaterThan(100);
    expect(there.flatMap(({ meant }) => meant.rules).filter((rule) => rule.includes(" ingress "))).toEqual(
      [],
    );
  });

  test("packets from pods of other nodes, and rules met by them", () => {
    const here = asked.filter(({ probe }) => isRemote(probe.connection.from.pod?.node));
    expect(here.filter(({ meant }) => meant.rules.length > 0).length).toBeGreaterThan(100);
    expect(here.flatMap(({ meant }) => meant.rules).filter((rule) => rule.includes(" egress "))).toEqual([]);
  });

  test("packets from one of its pods to another", () => {
    const within = asked.filter(
      ({ probe }) => probe.connection.from.pod?.node === zone && probe.connection.to.pod?.node === zone,
    );
    expect(within.length).toBeGreaterThan(100);
  });
});
