// Ports of a match in nftables: ascending, and merged where ranges overlap or touch, and nowhere else.

import { expect, test } from "@jest/globals";
import type { PortRange } from "../../policy/ir.ts";
import { nftMatches } from "./print-match.ts";

const any = { protocol: 6, sources: null, named: null, icmpTypes: null, icmpCodes: null } as const;
const text = (...destinations: readonly PortRange[]) =>
  nftMatches(
    { family: null, peer: { kind: "any" }, traffic: { ...any, destinations }, isTranslated: false },
    "egress",
    ["v4", "v6"],
  );

test.each<[readonly (readonly [number, number])[], string]>([
  [[[80, 80]], "tcp dport 80"],
  [
    [
      [90, 95],
      [80, 88],
    ],
    "tcp dport { 80-88, 90-95 }",
  ],
  [
    [
      [80, 88],
      [89, 95],
    ],
    "tcp dport 80-95",
  ],
  [
    [
      [80, 95],
      [85, 86],
    ],
    "tcp dport 80-95",
  ],
])("%j", (ranges, expected) => {
  expect(text(...ranges.map(([start, end]) => ({ start, end })))).toEqual([expected]);
});
