// Networks hold what their bits say, in both families, and nothing of the other one.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { contains } from "./cidr.ts";
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
    // Written with four octets, an IPv4-mapped address is IPv4.
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
        // A v6 text that is an IPv4-mapped address is not v6 any more.
        fc.pre(parsed !== null && target !== null && target.includes(":") === (of === "v6"));
        expect(contains(parsed, target)).toBe(network >> shift === address >> shift);
      }),
    );
  });
});
