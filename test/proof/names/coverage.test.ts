// Whether the worlds of names hold what they are to prove: both forms of names in rules of all kinds, answers of every sort, packets that
// a rule of names decides, and packets that tell a wrong reading from the right one. No OVN is asked.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { Policy } from "../../../src/policy/ir.ts";
import { exactHostName } from "../../../src/model/selectors/host-names.ts";
import { peerTerms } from "../../../src/policy/normal-form.ts";
import type { Meaning } from "../judges.ts";
import { compiled, meaningOf } from "../judges.ts";
import { candidates, choose } from "../laboratory.ts";
import { withOwnNetworkPolicies } from "../own-network-policies.ts";
import { probesOf } from "../packets.ts";
import type { Judged } from "../voices.ts";
import type { ProofWorld } from "../worlds.ts";
import { proofWorld } from "../worlds.ts";
import { leads } from "./answers.ts";
import { namesDialects, withNames } from "./policies.ts";
import type { Reading } from "./written-out.ts";
import { rightReading, writtenOut } from "./written-out.ts";

const worlds = fc.sample(withNames(withOwnNetworkPolicies(proofWorld)), { numRuns: 150, seed: 15 });

function judgedIn(world: ProofWorld): readonly Judged[] {
  const meaning = world.witness?.meaning(null);
  const judged = probesOf(world, candidates).flatMap((probe) => {
    const meant = meaning?.opinion(probe.connection) ?? null;
    return meant === null ? [] : [{ probe, meant }];
  });
  return choose(judged);
}

const judged = worlds.map((world) => ({ world, packets: judgedIn(world) }));

/** What rules of names are of the policy: their names and wildcards. */
function namesIn({ rules }: Policy) {
  const groups = rules.egress.flatMap((rule) => peerTerms(rule).flatMap(({ anyOf }) => anyOf.hostNames));
  const exact = groups.filter(({ names }) => exactHostName(names) !== null).length;
  return { exact, wildcards: groups.length - exact };
}

test("names of both forms are in policies of all kinds that have them", () => {
  const met = new Set<string>();
  for (const world of worlds)
    for (const policy of compiled(world.objects, namesDialects)) {
      const { exact, wildcards } = namesIn(policy);
      const kind = `${policy.ref.group} ${policy.ref.kind}`;
      if (exact > 0) met.add(`${kind}: exact`);
      if (wildcards > 0) met.add(`${kind}: wildcards`);
    }
  const upstream = "policy.networking.k8s.io";
  const kinds = [
    ...[`${upstream} AdminNetworkPolicy`, `${upstream} ClusterNetworkPolicy`],
    ...["crd.antrea.io ClusterNetworkPolicy", "crd.antrea.io NetworkPolicy"],
  ];
  expect([...met].toSorted()).toEqual(
    kinds.flatMap((kind) => [`${kind}: exact`, `${kind}: wildcards`]).toSorted(),
  );
});

test("answers are of both families, shared, refused, and missing", () => {
  const count = { v4: 0, v6: 0, shared: 0, refused: 0, empty: 0 };
  for (const { objects, answers = [] } of worlds) {
    const facts = objects.filter((one) => one.kind === "HostName");
    const all = facts.flatMap((fact) => ("ips" in fact ? fact.ips : []));
    if (all.some((ip) => ip.includes("."))) count.v4++;
    if (all.some((ip) => ip.includes(":"))) count.v6++;
    if (new Set(all).size < all.length) count.shared++;
    if (answers.flatMap(({ addresses }) => addresses).length > all.length) count.refused++;
    if (facts.some((fact) => "ips" in fact && fact.ips.length === 0)) count.empty++;
  }
  expect(count).toEqual({
    ...{ v4: expect.any(Number), v6: expect.any(Number), shared: expect.any(Number) },
    ...{ refused: expect.any(Number), empty: expect.any(Number) },
  });
  for (const [, number] of Object.entries(count)) expect(number).toBeGreaterThan(worlds.length / 8);
});

/** Readings that implementations may have. */
const wrong: Readonly<Record<string, Partial<Reading>>> = {
  "names that allow nothing": { matches: () => false, matchesText: () => false },
  "names that are every name": { matches: () => true, matchesText: () => true },
  "wildcards that match their own apex": {
    matches: (pattern, name) =>
      rightReading.matches(pattern, name) || rightReading.matches(pattern.replace(/^\*\./, ""), name),
    matchesText: (pattern, name) =>
      rightReading.matchesText(pattern, name) || rightReading.matchesText(pattern.replace(/^\*\./, ""), name),
  },
  "a wildcard of one label": {
    matches: (pattern, name) =>
      rightReading.matches(pattern, name) &&
      (!pattern.startsWith("*") || name.split(".").length === pattern.replace(/\.$/, "").split(".").length),
  },
  "names in another case that are others": {
    matches: (pattern, name) =>
      pattern === name || (pattern.startsWith("*") && rightReading.matches(pattern, name)),
  },
  "addresses of pods and nodes that are taken": {
    leads: (address, name) => leads(address, name, { pods: [], nodes: [] }),
  },
};

describe("the packets tell the right meaning from", () => {
  test.each(Object.entries(wrong))("%s", (_, reading) => {
    const differing = judged.filter(({ world, packets }) => {
      const objects = world.objects.filter((one) => one.kind !== "HostName");
      const meaning: Meaning = meaningOf(
        writtenOut(objects, world.answers ?? [], { ...rightReading, ...reading }),
        { networkPolicies: world.networkPolicies, installed: namesDialects },
      );
      return packets.some(
        ({ probe, meant }) => (meaning.opinion(probe.connection) ?? meant).verdict !== meant.verdict,
      );
    });
    expect(differing.length).toBeGreaterThan(1);
  });
});

test("many packets are decided by names", () => {
  const packets = judged.flatMap(({ packets: some }) => some);
  const named = packets.filter(({ meant }) =>
    meant.rules.some((rule) => /(\/names|Antrea).* allow$/.test(rule)),
  );
  expect(named.length).toBeGreaterThan(packets.length / 50);
});
