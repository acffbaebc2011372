// Networks in fewer words hold exactly the same addresses, and never take more words.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { network } from "../../test/support/ir.ts";
import { subtract } from "../model/cidr.ts";
import { fewestParts, sizeOf } from "./network-parts.ts";

const textOf = ({ cidr, except }: ReturnType<typeof fewestParts>[number]): string =>
  [cidr, ...except].join(" without ");

test.each([
  [subtract(network("10.0.0.0/8"), [network("10.96.0.10/32")]), "v4", ["10.0.0.0/8 without 10.96.0.10/32"]],
  [[network("10.0.0.0/8"), network("192.168.0.0/16")], "v4", ["10.0.0.0/8", "192.168.0.0/16"]],
  [[network("10.0.0.0/9")], "v4", ["10.0.0.0/9"]],
  [[], "v4", []],
  [
    subtract(network("2001:db8::/32"), [network("2001:db8::5/128"), network("2001:db8:8000::/48")]),
    "v6",
    ["2001:db8::/32 without 2001:db8::5/128 without 2001:db8:8000::/48"],
  ],
] as const)("%j", (networks, family, texts) => {
  expect(fewestParts(networks, family).map(textOf)).toEqual(texts);
});

const inner = fc
  .tuple(fc.nat(255), fc.nat(255), fc.integer({ min: 10, max: 32 }))
  .map(([a, b, length]) => network(`10.${a}.${b}.0/${length}`));

test("the same addresses in no more words, at random", () => {
  let shorter = 0;
  fc.assert(
    fc.property(fc.array(inner, { maxLength: 4 }), fc.array(inner, { maxLength: 3 }), (holes, kept) => {
      const whole = network("10.0.0.0/8");
      const networks = subtract(whole, holes);
      const parts = fewestParts(networks, "v4");
      expect(parts.flatMap(({ cidr, except }) => subtract(cidr, except))).toEqual(networks);
      expect(sizeOf(parts)).toBeLessThanOrEqual(networks.length);
      if (sizeOf(parts) < networks.length) shorter++;
      expect(kept.flatMap((one) => fewestParts([one], "v4"))).toEqual(
        kept.map((cidr) => ({ cidr, except: [] })),
      );
    }),
    { numRuns: 150 },
  );
  expect(shorter).toBeGreaterThan(30);
});
