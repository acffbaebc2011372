// Terms for traffic against the documented grammar's examples, and for what that document has no example of against the
// forms that OVN takes (ovn-sb(5) Logical_Flow.match).

import { describe, expect, test } from "@jest/globals";
import type { PortMatch } from "../../../policy/ir.ts";
import { trafficTerms } from "./traffic.ts";

const port = (protocol: "tcp" | "udp" | "sctp", number: number) => ({
  kind: "port" as const,
  protocol,
  port: number,
});
const range = (protocol: "tcp" | "udp" | "sctp", start: number, end: number) => ({
  kind: "range" as const,
  protocol,
  start,
  end,
});

describe("numbered ports", () => {
  const cases: readonly (readonly [string, readonly PortMatch[], string | null])[] = [
    ["one", [port("tcp", 800)], "tcp && tcp.dst==800"],
    ["several, in order, not sorted", [port("tcp", 900), port("tcp", 800)], "tcp && tcp.dst=={900,800}"],
    ["repeated as often as the rule says", [port("tcp", 8), port("tcp", 8)], "tcp && tcp.dst=={8,8}"],
    ["one range", [range("tcp", 800, 850)], "tcp && 800<=tcp.dst<=850"],
    [
      "two ranges",
      [range("tcp", 800, 850), range("tcp", 900, 950)],
      "tcp && (800<=tcp.dst<=850 || 900<=tcp.dst<=950)",
    ],
    [
      "singles before ranges",
      [range("tcp", 1900, 2000), port("tcp", 800), range("tcp", 4900, 5000), port("tcp", 900)],
      "tcp && (tcp.dst=={800,900} || 1900<=tcp.dst<=2000 || 4900<=tcp.dst<=5000)",
    ],
    ["of a name only", [{ kind: "named", name: "x" }], null],
    ["of none", [], null],
    ["all of the protocol, whatever else is named", [port("tcp", 1), { kind: "protocol", number: 6 }], "tcp"],
    [
      "a source port",
      [{ ...port("tcp", 80), source: { start: 30000, end: 30000 } }],
      "tcp && (tcp.src==30000 && tcp.dst==80)",
    ],
    [
      "a range of source ports beside a plain one",
      [{ ...range("tcp", 1, 9), source: { start: 30000, end: 30010 } }, port("tcp", 80)],
      "tcp && (tcp.dst==80 || (30000<=tcp.src<=30010 && 1<=tcp.dst<=9))",
    ],
  ];
  test.each(cases)("%s", (_, ports, text) => {
    expect(trafficTerms(ports)).toEqual(text === null ? [] : [{ protocol: "tcp", term: text }]);
  });
  test("of udp and sctp", () => {
    expect(trafficTerms([port("sctp", 9), range("udp", 800, 850)])).toEqual([
      { protocol: "udp", term: "udp && 800<=udp.dst<=850" },
      { protocol: "sctp", term: "sctp && sctp.dst==9" },
    ]);
  });
});

describe("other protocols", () => {
  const any = { family: null, type: null, code: null };
  const others = (value: number) =>
    [...Array.from({ length: 256 }).keys()].filter((byte) => byte !== value).join(", ");
  test.each<readonly [string, readonly PortMatch[], readonly (readonly [string, string])[]]>([
    ["any ICMP", [{ kind: "icmp", ...any }], [["icmp", "(icmp4 || icmp6)"]]],
    ["ICMP for IPv4", [{ kind: "icmp", ...any, family: "v4" }], [["icmp", "icmp4"]]],
    [
      "an echo request",
      [{ kind: "icmp", family: "v4", type: 8, code: 0 }],
      [["icmp", "(icmp4.type == 8 && icmp4.code == 0)"]],
    ],
    [
      "a type of either",
      [{ kind: "icmp", ...any, type: 3 }],
      [["icmp", "(icmp4.type == 3 || icmp6.type == 3)"]],
    ],
    ["a code alone", [{ kind: "icmp", ...any, family: "v6", code: 4 }], [["icmp", "icmp6.code == 4"]]],
    [
      "ICMP by number",
      [
        { kind: "protocol", number: 1 },
        { kind: "protocol", number: 58 },
      ],
      [["icmp", "(icmp4 || icmp6)"]],
    ],
    [
      "GRE and ESP",
      [
        { kind: "protocol", number: 47 },
        { kind: "protocol", number: 50 },
      ],
      [["ip", "(ip.proto == 47 || ip.proto == 50)"]],
    ],
    [
      "several protocols, those with names too, beside another",
      [
        { kind: "protocols", numbers: [6, 17, 47] },
        { kind: "protocols", numbers: [1] },
        { kind: "protocol", number: 50 },
      ],
      [["ip", "(ip.proto == {6, 17, 47} || ip.proto == 1 || ip.proto == 50)"]],
    ],
    ["no protocol", [{ kind: "protocols", numbers: [] }], []],
    [
      "ICMP but a type",
      [{ kind: "otherIcmp", family: "v4", type: 8, code: null }],
      [["icmp", `icmp4.type == {${others(8)}}`]],
    ],
    [
      "ICMP but a code of a type, and that code",
      [
        { kind: "otherIcmp", family: "v6", type: 128, code: 1 },
        { kind: "icmp", family: "v6", type: 128, code: 1 },
      ],
      [
        [
          "icmp",
          `((icmp6.type == {${others(128)}} || (icmp6.type == 128 && icmp6.code == {${others(1)}})) || ` +
            "(icmp6.type == 128 && icmp6.code == 1))",
        ],
      ],
    ],
    [
      "some of all",
      [{ kind: "protocol", number: 47 }, { kind: "icmp", ...any, family: "v4" }, port("udp", 53)],
      [
        ["udp", "udp && udp.dst==53"],
        ["icmp", "icmp4"],
        ["ip", "ip.proto == 47"],
      ],
    ],
  ])("%s", (_, ports, expected) => {
    expect(trafficTerms(ports).map(({ protocol, term }) => [protocol, term])).toEqual(expected);
  });
});
