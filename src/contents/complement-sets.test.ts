// Complements that are kept, against the whole lists of their elements, whatever addresses came and went; what is looked at again
// after a change holds all that differs.

import fc from "fast-check";
import { expect, test } from "@jest/globals";
import { ip } from "../../test/support/facts.ts";
import { network } from "../../test/support/ir.ts";
import type { IpAddress } from "../model/ip.ts";
import { familyOf, ipFamilies } from "../model/ip.ts";
import type { Membership } from "../policy/contracts/membership.ts";
import type { GroupKey } from "../policy/ir.ts";
import { AddressLists } from "./address-lists.ts";
import { elementsAround } from "./complement.ts";
import { ComplementSets } from "./complement-sets.ts";

const addresses = [
  "10.0.0.1",
  "10.0.0.2",
  "10.0.0.3",
  "10.9.0.1",
  "fd00::1",
  "fd00::2",
  "fd00::5",
  "fd00::9",
].map(ip);
const groups = ["one", "two"] as readonly string[] as readonly GroupKey[];

function membershipOf(members: ReadonlyMap<GroupKey, ReadonlySet<IpAddress>>): Membership {
  const fail = (): never => {
    throw new Error("nothing but addresses is asked for");
  };
  return {
    addresses: (group) => members.get(group) ?? fail(),
    ...{ pods: fail, pod: fail, namedPorts: fail, holders: fail, groupsOf: fail },
  };
}

const change = fc.tuple(fc.constantFrom(...groups), fc.constantFrom(...addresses), fc.boolean());

test.each(ipFamilies)("of %s, kept elements are those of the whole list after any changes", (family) => {
  let changed = 0;
  const networks = [network("10.0.0.2/32"), network("10.9.0.0/16"), network("fd00::2/127")];
  const ofFamily = new Set(networks.filter((one) => familyOf(one) === family));
  fc.assert(
    fc.property(fc.array(change, { minLength: 6, maxLength: 15 }), (changes) => {
      const members = new Map(groups.map((group) => [group, new Set<IpAddress>()]));
      const membership = membershipOf(members);
      const [kept, unkept] = [true, false].map((keeps) => new ComplementSets(membership, keeps));
      const set = { family, groups, networks: ofFamily, isComplement: true } as const;
      let before = new Set(new AddressLists(membership).of(set));
      for (const element of before) expect(kept?.has(set, element)).toBe(true);
      for (const [group, address, comes] of changes) {
        if (comes) members.get(group)?.add(address);
        else members.get(group)?.delete(address);
        if (familyOf(address) !== family) continue;
        const told = new Set(kept?.touch(set, [address]));
        const now = new Set(new AddressLists(membership).of(set));
        const around = [...elementsAround(address)];
        const moved = before.symmetricDifference(now);
        if (moved.size > 0) changed++;
        expect(moved.isSubsetOf(new Set(around))).toBe(true);
        // The set was asked about before, so that what is told is no more than what differs.
        expect(told).toEqual(moved);
        expect(new Set(unkept?.touch(set, [address]))).toEqual(new Set(around));
        for (const asked of [around, [...now]])
          expect(asked.filter((one) => kept?.has(set, one))).toEqual(asked.filter((one) => now.has(one)));
        for (const one of around.slice(-2)) expect(unkept?.has(set, one)).toBe(now.has(one));
        expect(new AddressLists(membership).mostIn(set)).toBeGreaterThanOrEqual(now.size);
        before = now;
      }
    }),
    { numRuns: 25 },
  );
  expect(changed).toBeGreaterThan(15);
});

test("texts that nobody has written are no elements", () => {
  const complements = new ComplementSets(membershipOf(new Map()), false);
  const set = { family: "v4", groups: [], networks: new Set<never>(), isComplement: true } as const;
  for (const text of ["", "10.0.0.1", "0.0.0.0/00", "1.2.3.4/0", "::/0", "garbage"])
    expect(complements.has(set, text)).toBe(false);
  expect(complements.has(set, "0.0.0.0/0")).toBe(true);
});
