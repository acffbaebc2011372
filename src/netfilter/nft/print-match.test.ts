// Ports of a match in nftables: ascending, and merged where ranges overlap or touch, and nowhere else. Addresses of both ends, the
// source's first.

import { expect, test } from "@jest/globals";
import type { Cidr } from "../../model/ip.ts";
import type { GroupKey, PortRange } from "../../policy/ir.ts";
import type { LineMatch } from "../program.ts";
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

const icmp = (others: Partial<LineMatch>) =>
  nftMatches(
    {
      ...{ family: "v4", peer: { kind: "any" }, isTranslated: false },
      traffic: {
        ...{ ...any, protocol: 1, destinations: null },
        icmpTypes: [
          { start: 0, end: 7 },
          { start: 9, end: 255 },
        ],
      },
      ...others,
    },
    "ingress",
    ["v4", "v6"],
  );

test("all ICMP types but one, to addresses of the subject and from a group by some addresses", () => {
  const types = "icmp type { 0-7, 9-255 }";
  const own = "10.1.0.1/32" as Cidr;
  const peer = { kind: "group", group: "pods {} {}" as GroupKey, within: "10.0.0.0/8" as Cidr } as const;
  expect(icmp({ own })).toEqual([`ip daddr 10.1.0.1 ${types}`]);
  expect(icmp({ own: "0.0.0.0/0" as Cidr })).toEqual([`ip saddr 0.0.0.0/0 ${types}`]);
  expect(icmp({ own, peer })).toEqual([
    expect.stringMatching(
      /^ip saddr @ng4-g-[a-z2-7]{16} ip saddr 10\.0\.0\.0\/8 ip daddr 10\.1\.0\.1 icmp type /,
    ),
  ]);
});
