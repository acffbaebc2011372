// The complement after any sequence of changes, against the subtraction of what is held and against single addresses; how many
// elements a change touches.

import fc from "fast-check";
import { describe, expect, test } from "@jest/globals";
import { contains, subtract } from "../model/cidr.ts";
import type { Cidr, IpAddress, IpFamily } from "../model/ip.ts";
import { everyAddress, ipFamilies, parseCidr } from "../model/ip.ts";
import { ip } from "../../test/support/facts.ts";
import { Complement, complementOf, elementsAround } from "./complement.ts";

const start = { v4: "10.0.0.", v6: "fd00::" } as const;
const bits = { v4: 32, v6: 128 } as const;

/** Addresses and networks of which many overlap, nest, repeat, or make up another one; rarely everything. */
function networksOf(family: IpFamily): fc.Arbitrary<IpAddress | Cidr> {
  const address = fc.nat({ max: 15 }).map((last) => addressAt(family, last));
  const network = fc.tuple(address, fc.integer({ min: bits[family] - 5, max: bits[family] }));
  return fc.oneof(
    { weight: 12, arbitrary: address },
    { weight: 12, arbitrary: network.map(([text, length]) => cidr(`${text}/${length}`)) },
    { weight: 1, arbitrary: fc.constantFrom(everyAddress(family), cidr(`${start[family]}0/8`)) },
  );
}

function addressAt(family: IpFamily, last: number): IpAddress {
  return ip(start[family] + last.toString(family === "v4" ? 10 : 16));
}

function cidr(text: string): Cidr {
  const parsed = parseCidr(text);
  if (parsed === null) throw new Error(`not a network: ${text}`);
  return parsed;
}

/** Every address where something is held, and one where nothing is. */
function universe(family: IpFamily): readonly IpAddress[] {
  return [
    ...Array.from({ length: 40 }, (_, at) => addressAt(family, at)),
    ip(family === "v4" ? "192.0.2.1" : "2001:db8::1"),
  ];
}
const asCidr = (network: IpAddress | Cidr, family: IpFamily) =>
  network.includes("/") ? (network as Cidr) : cidr(`${network}/${bits[family]}`);

describe.each(ipFamilies)("of %s", (family) => {
  test("any sequence of changes ends in the complement of what is held", () => {
    let changed = 0;
    fc.assert(
      fc.property(fc.array(fc.tuple(networksOf(family), fc.boolean()), { maxLength: 30 }), (changes) => {
        const complement = new Complement(family);
        const copy = new Set<Cidr>([everyAddress(family)]);
        const held: (IpAddress | Cidr)[] = [];
        for (const [network, isAdded] of changes) {
          const at = held.indexOf(network);
          if (!isAdded && at < 0) continue;
          if (isAdded) held.push(network);
          else held.splice(at, 1);
          const { left, came } = isAdded ? complement.add(network) : complement.remove(network);
          if (left.length > 0) changed++;
          // Nothing leaves that was not there, and nothing comes twice.
          for (const one of left) expect(copy.delete(one)).toBe(true);
          for (const one of came) {
            expect(copy.has(one)).toBe(false);
            copy.add(one);
          }
          expect([...complement.elements()].sort()).toEqual([...copy].sort());
          if (network.includes("/")) continue;
          const around = [...elementsAround(network as IpAddress)];
          expect(around).toHaveLength(2 * bits[family] + 1);
          expect(around).toEqual(expect.arrayContaining([...left, ...came]));
        }
        const networks = held.map((one) => asCidr(one, family));
        const whole = subtract(everyAddress(family), networks);
        expect([...complement.elements()]).toEqual(whole);
        expect(complementOf(family, held)).toEqual(whole);
        for (const address of universe(family))
          expect(whole.some((one) => contains(one, address))).toBe(
            !networks.some((one) => contains(one, address)),
          );
        for (const network of held) complement.remove(network);
        expect([...complement.elements()]).toEqual([everyAddress(family)]);
      }),
      { numRuns: 60 },
    );
    expect(changed).toBeGreaterThan(30);
  });

  test("an address changes at most one element for each of its bits, and one more", () => {
    const complement = new Complement(family);
    const addresses = Array.from({ length: 300 }, (_, at) =>
      ip(
        family === "v4" ? `10.${at % 7}.${at % 11}.${at % 250}` : `fd00::${at % 7}:${(at * 31).toString(16)}`,
      ),
    );
    const most = { first: 0, second: 0 };
    for (const address of addresses) {
      const { left, came } = complement.add(address);
      expect(left.length).toBeLessThanOrEqual(1);
      most.first = Math.max(most.first, came.length);
    }
    for (const address of addresses) {
      const { left, came } = complement.remove(address);
      expect(came.length).toBeLessThanOrEqual(1);
      most.second = Math.max(most.second, left.length);
    }
    expect(most).toEqual({ first: bits[family], second: bits[family] });
  });
});

test("what is not held cannot leave, and what is of the other family cannot come", () => {
  const complement = new Complement("v4");
  complement.add(ip("10.0.0.1"));
  expect(() => complement.remove(ip("10.0.0.2"))).toThrow("without being held");
  expect(() => complement.remove(cidr("10.0.0.0/8"))).toThrow("without being held");
  expect(() => complement.add(ip("fd00::1"))).toThrow("one family");
  complement.remove(ip("10.0.0.1"));
  expect(() => complement.remove(ip("10.0.0.1"))).toThrow("without being held");
});
