// The text of one line's match: the order of options, and how ports, protocols and ICMP are written.

import { expect, test } from "@jest/globals";
import type { Cidr } from "../model/ip.ts";
import type { GroupKey } from "../policy/ir.ts";
import { matchTexts } from "./print-match.ts";
import type { LineMatch, TrafficMatch } from "./program.ts";

const any: TrafficMatch = {
  ...{ protocol: null, sources: null, destinations: null, named: null, icmpTypes: null, icmpCodes: null },
};
const group = "pods {} {}" as GroupKey;
const set = expect.stringMatching(/^-m set --match-set ng4-g-[a-z2-7]{16} dst$/);
const named = { kind: "port", group, name: "http" } as const;
const at = (port: number) => ({ start: port, end: port });

function match(traffic: Partial<TrafficMatch>, others: Partial<LineMatch> = {}): LineMatch {
  return {
    family: null,
    peer: { kind: "any" },
    traffic: { ...any, ...traffic },
    isTranslated: false,
    ...others,
  };
}

test.each<[string, LineMatch, readonly unknown[]]>([
  ["any packet", match({}), [""]],
  ["a group", match({}, { peer: { kind: "group", group } }), [set]],
  ["a network", match({}, { peer: { kind: "network", cidr: "10.0.0.0/8" as Cidr } }), ["-d 10.0.0.0/8"]],
  ["a whole family", match({}, { peer: { kind: "network", cidr: "0.0.0.0/0" as Cidr } }), [""]],
  ["another family", match({}, { family: "v6" }), []],
  ["one port", match({ protocol: 6, destinations: [at(80)] }), ["-p tcp -m tcp --dport 80"]],
  [
    "both ports",
    match({ protocol: 132, sources: [{ start: 1, end: 9 }], destinations: [at(80)] }),
    ["-p sctp -m sctp --sport 1:9 --dport 80"],
  ],
  [
    "several ports, and a load balancer's connections",
    match({ protocol: 17, destinations: [at(53), { start: 80, end: 90 }] }, { isTranslated: true }),
    ["-p udp -m multiport --dports 53,80:90 -m conntrack --ctstate DNAT"],
  ],
  [
    "a named port",
    match({ named }),
    [expect.stringMatching(/^-m set --match-set ng4-p-[a-z2-7]{16} dst,dst$/)],
  ],
  [
    "a named port of one protocol",
    match({ protocol: 6, sources: [at(7)], named }),
    [expect.stringMatching(/^-p tcp -m tcp --sport 7 -m set --match-set ng4-p-\w{16} dst,dst$/)],
  ],
  ["a protocol", match({ protocol: 47 }), ["-p 47"]],
  ["protocol 0", match({ protocol: 0 }), ['-m u32 --u32 "0x6&0xff=0x0"']],
  ["an ICMP type", match({ protocol: 1, icmpTypes: [at(8)] }), ["-p icmp -m icmp --icmp-type 8"]],
  [
    "ICMP type 255, which means any type to the match by type",
    match({ protocol: 1, icmpTypes: [at(255)], icmpCodes: [at(0)] }),
    [
      '-p icmp -m u32 --u32 "0x0>>0x16&0x3c@0x0>>0x18&0xff=0xff" -m u32 --u32 "0x0>>0x16&0x3c@0x0>>0x10&0xff=0x0"',
    ],
  ],
  [
    "type and code",
    match({ protocol: 1, icmpTypes: [at(3)], icmpCodes: [at(1)] }),
    ["-p icmp -m icmp --icmp-type 3/1"],
  ],
  [
    "a code of any type",
    match({ protocol: 1, icmpCodes: [at(1)] }),
    ['-p icmp -m u32 --u32 "0x0>>0x16&0x3c@0x0>>0x10&0xff=0x1"'],
  ],
  [
    "all ICMP types but one",
    match({
      protocol: 1,
      icmpTypes: [
        { start: 0, end: 7 },
        { start: 9, end: 255 },
      ],
    }),
    ['-p icmp -m u32 --u32 "0x0>>0x16&0x3c@0x0>>0x18&0xff=0x0:0x7,0x9:0xff"'],
  ],
  [
    "all codes but one of a type",
    match({ protocol: 1, icmpTypes: [at(8)], icmpCodes: [at(0), { start: 2, end: 255 }] }),
    ['-p icmp -m icmp --icmp-type 8 -m u32 --u32 "0x0>>0x16&0x3c@0x0>>0x10&0xff=0x0,0x2:0xff"'],
  ],
  [
    "addresses of the subject",
    match({}, { peer: { kind: "network", cidr: "10.0.0.0/8" as Cidr }, own: "10.1.0.0/16" as Cidr }),
    ["-s 10.1.0.0/16 -d 10.0.0.0/8"],
  ],
  [
    "a group by some addresses",
    match({}, { peer: { kind: "group", group, within: "10.0.0.0/8" as Cidr }, own: "0.0.0.0/0" as Cidr }),
    [expect.stringMatching(/^-d 10\.0\.0\.0\/8 -m set --match-set ng4-g-[a-z2-7]{16} dst$/)],
  ],
])("%s", (_what, line, texts) => {
  expect(matchTexts(line, "egress", "v4")).toEqual(texts);
});

test("16 ports are two rules, and a range counts as two ports", () => {
  const ports = Array.from({ length: 16 }, (_, nth) => at(2 * nth + 1));
  const counts = (destinations: LineMatch["traffic"]["destinations"]) =>
    matchTexts(match({ protocol: 6, destinations }), "egress", "v4").map((text) => text.split(",").length);
  expect(counts(ports)).toEqual([15, 1]);
  expect(counts([...ports.slice(0, 14), { start: 100, end: 200 }])).toEqual([14, 1]);
  expect(counts([...ports.slice(0, 13), { start: 100, end: 200 }])).toEqual([14]);
});

test("of an ingress rule the peer is the source", () => {
  const peer = { kind: "network", cidr: "10.0.0.0/8" } as const;
  expect(matchTexts(match({}, { peer: { ...peer, cidr: peer.cidr as Cidr } }), "ingress", "v4")).toEqual([
    "-s 10.0.0.0/8",
  ]);
});
