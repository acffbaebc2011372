// The lists of any sets against the addresses themselves; sets of the same groups have one list, and what is kept is bounded.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { ip } from "../../test/support/facts.ts";
import { network } from "../../test/support/ir.ts";
import { familyOf, ipFamilies, type IpAddress } from "../model/ip.ts";
import type { Membership } from "../policy/contracts/membership.ts";
import type { GroupKey } from "../policy/ir.ts";
import { AddressLists, hasAddress, type AddressSources } from "./address-lists.ts";

const groupKeys = ["one", "two", "three"] as readonly string[] as readonly GroupKey[];

function membershipOf(members: ReadonlyMap<GroupKey, ReadonlySet<IpAddress>>): Membership {
  const fail = (): never => {
    throw new Error("nothing but addresses is asked for");
  };
  return {
    addresses: (group) => members.get(group) ?? fail(),
    ...{ pods: fail, pod: fail, namedPorts: fail, holders: fail, groupsOf: fail },
  };
}

const address = fc.oneof(fc.ipV4(), fc.constantFrom("fd00::1", "fd00::2", "fd00::a")).map(ip);
const world = fc.tuple(...groupKeys.map(() => fc.uniqueArray(address, { maxLength: 12 })));
const sources = fc.record({
  family: fc.constantFrom(...ipFamilies),
  groups: fc.shuffledSubarray([...groupKeys]),
  networks: fc.constantFrom(new Set([network("192.0.2.0/24")]), new Set<never>()),
});

test("a list has just the addresses and networks of its set, ascending, however often it is asked for", () => {
  let merged = 0;
  fc.assert(
    fc.property(world, fc.array(sources, { minLength: 1, maxLength: 12 }), (members, sets) => {
      const membership = membershipOf(
        new Map(groupKeys.map((group, at) => [group, new Set(members[at])] as const)),
      );
      const lists = new AddressLists(membership);
      for (const { networks, ...set } of sets) {
        const own = new Set([...networks].filter((one) => familyOf(one) === set.family));
        const asked: AddressSources = { ...set, networks: own };
        const inGroups = set.groups.flatMap((group) => [...membership.addresses(group).keys()]);
        const wanted = new Set<string>([...inGroups.filter((one) => familyOf(one) === set.family), ...own]);
        const list = lists.of(asked);
        expect(list).toEqual([...wanted].sort());
        expect(list.every((one) => hasAddress(membership, asked, one))).toBe(true);
        expect(lists.mostIn(asked)).toBeGreaterThanOrEqual(list.length);
        if (own.size > 0) continue;
        if (set.groups.length > 1 && list.length > 0) merged++;
        if (list.length > 0) expect(lists.of(asked)).toBe(list);
      }
    }),
  );
  expect(merged).toBeGreaterThan(30);
});

test("merged lists of a large commit do not stay", () => {
  const many = Array.from({ length: 150_000 }, (_, at) =>
    ip(`10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`),
  );
  const membership = membershipOf(
    new Map(groupKeys.map((group, at) => [group, new Set([...many, ip(`10.9.0.${at}`)])])),
  );
  const lists = new AddressLists(membership);
  const [one, two, three] = groupKeys;
  const pair = (a: GroupKey | undefined, b: GroupKey | undefined): AddressSources => ({
    ...{ family: "v4", networks: new Set(), groups: [a, b].filter((each) => each !== undefined) },
  });
  const first = lists.of(pair(one, two));
  expect(lists.of(pair(one, two))).toBe(first);
  expect(lists.of(pair(two, three))).toHaveLength(first.length);
  const again = lists.of(pair(one, two));
  expect(again).toEqual(first);
  expect(again).not.toBe(first);
});
