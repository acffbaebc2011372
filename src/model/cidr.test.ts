// Networks hold the addresses that match their prefix bits, in both families, and none of the other family.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { contains, holdsNetwork, partsWithin, subtract } from "./cidr.ts";
import { parseCidr, parseIp } from "./ip.ts";
import type { Cidr, IpAddress } from "./ip.ts";

const cidr = (text: string): Cidr => parseCidr(text) ?? raise(text);
const ip = (text: string): IpAddress => parseIp(text) ?? raise(text);

function raise(text: string): never {
  throw new Error(`not canonical: ${text}`);
}

const width = { v4: 32, v6: 128 } as const;

function textOf(family: "v4" | "v6", value: bigint): string {
  const [size, base, separator] = family === "v4" ? [8n, 10, "."] : ([16n, 16, ":"] as const);
  const parts = BigInt(width[family]) / size;
  const words = Array.from({ length: Number(parts) }, (_, at) => {
    const shift = size * (parts - 1n - BigInt(at));
    return ((value >> shift) & ((1n << size) - 1n)).toString(base);
  });
  return words.join(separator);
}

test.each([
  ["10.0.0.0/8", "10.1.0.0/16", true],
  ["10.0.0.0/8", "10.0.0.0/8", true],
  ["10.1.0.0/16", "10.0.0.0/8", false],
  ["10.0.0.0/8", "11.0.0.0/16", false],
  ["0.0.0.0/0", "fd00::/8", false],
  ["fd00::/9", "fd80::/16", false],
  ["::/0", "fd00::1/128", true],
])("%s holds %s: %s", (outer, inner, expected) => {
  const [one, other] = [parseCidr(outer), parseCidr(inner)];
  expect(one !== null && other !== null && holdsNetwork(one, other)).toBe(expected);
});

describe("contains", () => {
  test.each([
    ["10.0.0.0/8", "10.255.255.255", true],
    ["10.0.0.0/8", "11.0.0.0", false],
    ["10.0.0.0/8", "9.255.255.255", false],
    ["10.0.0.17/32", "10.0.0.17", true],
    ["10.0.0.17/32", "10.0.0.16", false],
    ["10.0.0.16/29", "10.0.0.23", true],
    ["10.0.0.16/29", "10.0.0.24", false],
    ["0.0.0.0/0", "255.255.255.255", true],
    ["0.0.0.0/0", "::", false],
    ["::/0", "ffff::", true],
    ["::/0", "10.0.0.1", false],
    // An IPv4-mapped address written with four octets is IPv4.
    ["::/0", "::ffff:10.0.0.1", false],
    ["10.0.0.0/8", "::ffff:10.0.0.1", true],
    ["fd00::10/125", "fd00::17", true],
    ["fd00::10/125", "fd00::18", false],
    ["::/96", "::102:304", true],
    ["fd18::2/128", "fd18::2", true],
    ["fd18::2/128", "fd18::3", false],
  ])("%s, %s: %s", (network, address, expected) => {
    expect(contains(cidr(network), ip(address))).toBe(expected);
  });

  test("as the leading bits say", () => {
    const family = fc.constantFrom("v4" as const, "v6" as const);
    const drawn = family.chain((of) =>
      fc.record({
        of: fc.constant(of),
        network: fc.bigInt(0n, (1n << BigInt(width[of])) - 1n),
        length: fc.integer({ min: 0, max: width[of] }),
        flipped: fc.integer({ min: 0, max: width[of] }),
      }),
    );
    fc.assert(
      fc.property(drawn, ({ of, network, length, flipped }) => {
        const address = flipped === width[of] ? network : network ^ (1n << BigInt(flipped));
        const shift = BigInt(width[of] - length);
        const parsed = parseCidr(`${textOf(of, network)}/${length}`);
        const target = parseIp(textOf(of, address));
        // A v6 text that is an IPv4-mapped address counts as v4.
        fc.pre(parsed !== null && target !== null && target.includes(":") === (of === "v6"));
        expect(contains(parsed, target)).toBe(network >> shift === address >> shift);
      }),
    );
  });
});

describe("subtract", () => {
  test.each<readonly [string, string, readonly string[], readonly string[]]>([
    ["nothing", "10.0.0.0/8", [], ["10.0.0.0/8"]],
    ["itself", "10.0.0.0/8", ["10.0.0.0/8"], []],
    ["a larger one", "10.0.0.0/8", ["0.0.0.0/0"], []],
    ["one beside it", "10.0.0.0/8", ["11.0.0.0/8"], ["10.0.0.0/8"]],
    ["the other family", "10.0.0.0/8", ["::/0"], ["10.0.0.0/8"]],
    ["its first half", "10.0.0.0/8", ["10.0.0.0/9"], ["10.128.0.0/9"]],
    ["both halves", "10.0.0.0/8", ["10.128.0.0/9", "10.0.0.0/9"], []],
    ["a quarter", "10.0.0.0/8", ["10.64.0.0/10"], ["10.0.0.0/10", "10.128.0.0/9"]],
    ["one inside another", "10.0.0.0/8", ["10.1.0.0/16", "10.0.0.0/9"], ["10.128.0.0/9"]],
    ["one twice", "10.0.0.0/30", ["10.0.0.1/32", "10.0.0.1/32"], ["10.0.0.0/32", "10.0.0.2/31"]],
    ["an address", "10.0.0.0/30", ["10.0.0.2/32"], ["10.0.0.0/31", "10.0.0.3/32"]],
    ["an IPv6 half", "fd00::/8", ["fd00::/9"], ["fd80::/9"]],
    ["an IPv6 address", "fd00::/126", ["fd00::3/128"], ["fd00::/127", "fd00::2/128"]],
    ["two of four", "10.0.0.0/24", ["10.0.0.64/26", "10.0.0.128/26"], ["10.0.0.0/26", "10.0.0.192/26"]],
    // The part of IPv6 in which IPv4 addresses are mapped is no IPv4 network.
    ["beside mapped addresses", "::fffe:0:0/95", ["::fffe:0:0/96"], ["::ffff:0:0/96"]],
  ])("%s", (_, network, except, expected) => {
    expect(subtract(cidr(network), except.map(cidr))).toEqual(expected);
  });

  test("an address from all of a family leaves a network a bit", () => {
    expect(subtract(cidr("0.0.0.0/0"), [cidr("10.1.2.3/32")])).toHaveLength(32);
    expect(subtract(cidr("::/0"), [cidr("fd00::1/128")])).toHaveLength(128);
  });

  /** Networks and addresses that differ in only a few of the last bits, so that they overlap. */
  const drawn = fc.constantFrom("v4" as const, "v6" as const).chain((of) => {
    const base = of === "v4" ? 0x0a000000n : 0xfd00n << 112n;
    const address = fc.bigInt(0n, 63n).map((last) => base | last);
    const network = fc.record({
      address,
      length: fc.integer({ min: width[of] - 7, max: width[of] }),
    });
    const text = network.map((one) => cidr(`${textOf(of, one.address)}/${one.length}`));
    return fc.record({
      whole: text,
      except: fc.array(text, { maxLength: 5 }),
      addresses: fc.constant(Array.from({ length: 129 }, (_, last) => ip(textOf(of, base + BigInt(last))))),
      bits: fc.constant(width[of]),
    });
  });

  test("leaves exactly what is in no exception, each address once, in order, in no more networks than said", () => {
    fc.assert(
      fc.property(drawn, ({ whole, except, addresses, bits }) => {
        const left = subtract(whole, except);
        const length = (one: Cidr) => Number(one.slice(one.indexOf("/") + 1));
        for (const address of addresses) {
          const isLeft = contains(whole, address) && !except.some((one) => contains(one, address));
          expect(left.filter((one) => contains(one, address))).toHaveLength(isLeft ? 1 : 0);
        }
        const bound = except.reduce((sum, one) => sum + Math.max(0, length(one) - length(whole)), 1);
        expect(left.length).toBeLessThanOrEqual(bound);
        // The fewest: no two remaining networks are the halves of one.
        const halves = left.map((one) => [length(one), one] as const).filter(([of]) => of > bits - 7);
        for (const [of, one] of halves) {
          const first = cidr(`${one.slice(0, one.indexOf("/"))}/${of - 1}`);
          expect(
            halves.filter(([other, next]) => other === of && contains(first, addressOf(next))).length,
          ).toBe(1);
        }
        const starts = left.map((one) => addresses.indexOf(addressOf(one)));
        expect(starts).toEqual(starts.toSorted((a, b) => a - b));
      }),
      { numRuns: 300 },
    );
  });

  function addressOf(one: Cidr): IpAddress {
    return ip(one.slice(0, one.indexOf("/")));
  }
});

describe("partsWithin", () => {
  const cidrs = (...texts: readonly string[]) => texts as readonly Cidr[];
  test.each([
    [
      "nested",
      cidrs("10.0.0.0/8"),
      cidrs("10.1.0.0/16", "10.2.0.0/16"),
      [],
      cidrs("10.1.0.0/16", "10.2.0.0/16"),
    ],
    ["around", cidrs("10.1.0.0/16", "11.0.0.0/8"), cidrs("10.0.0.0/8"), [], cidrs("10.1.0.0/16")],
    ["twice", cidrs("10.0.0.0/8", "10.0.0.0/8"), cidrs("10.0.0.0/8"), [], cidrs("10.0.0.0/8")],
    ["of two families", cidrs("::/0"), cidrs("0.0.0.0/0"), [], []],
    ["excepted", cidrs("10.1.0.0/16"), cidrs("10.0.0.0/8"), cidrs("10.0.0.0/9"), []],
    ["of nothing", [], cidrs("10.0.0.0/8"), [], []],
  ])("%s", (_, networks, within, except, parts) => {
    expect(partsWithin(networks, within, except)).toEqual(parts.map((cidr) => ({ cidr, except: [] })));
  });

  test("an exception stays with the networks around it", () => {
    const except = cidrs("10.1.2.0/24", "::/1");
    expect(partsWithin(cidrs("10.1.0.0/16", "10.2.0.0/16"), cidrs("0.0.0.0/0"), except)).toEqual([
      { cidr: "10.1.0.0/16", except: ["10.1.2.0/24"] },
      { cidr: "10.2.0.0/16", except: [] },
    ]);
  });
});
