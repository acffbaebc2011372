// Match text against the documented grammar's examples.

import { describe, expect, test } from "@jest/globals";
import type { IpAddress } from "../../model/ip.ts";
import type { PortMatch } from "../../policy/ir.ts";
import { conjunction, namedPortElement, namedPortTerm, peerTerm, portTerm, subjectTerm } from "./match.ts";

const port = (protocol: "tcp" | "udp" | "sctp", number: number): PortMatch => ({
  kind: "port",
  protocol,
  port: number,
});
const range = (protocol: "tcp" | "udp" | "sctp", start: number, end: number): PortMatch => ({
  kind: "range",
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
    ["of other protocols only", [port("udp", 1), { kind: "named", name: "x" }], null],
  ];
  test.each(cases)("%s", (_, ports, text) => {
    expect(portTerm("tcp", ports)).toBe(text);
  });
  test("of udp and sctp", () => {
    expect(portTerm("udp", [range("udp", 800, 850)])).toBe("udp && 800<=udp.dst<=850");
    expect(portTerm("sctp", [port("sctp", 9)])).toBe("sctp && sctp.dst==9");
  });
});

test("sides", () => {
  expect(subjectTerm("ingress", "a1")).toBe("outport == @a1");
  expect(subjectTerm("egress", "a1")).toBe("inport == @a1");
  expect(peerTerm("ingress", [{ family: "v4", name: "a2" }])).toBe("((ip4.src == $a2))");
  expect(peerTerm("egress", [{ family: "v6", name: "a3" }])).toBe("((ip6.dst == $a3))");
  const both = [
    { family: "v4", name: "a10866219164408727385" },
    { family: "v6", name: "a10866216965385470963" },
  ] as const;
  expect(conjunction([subjectTerm("egress", "a11812002181470226204"), peerTerm("egress", both), null])).toBe(
    "inport == @a11812002181470226204 && " +
      "((ip4.dst == $a10866219164408727385 || ip6.dst == $a10866216965385470963))",
  );
});

test("named ports", () => {
  const elements = [
    namedPortElement("10.128.1.4" as IpAddress, "tcp", 3535),
    namedPortElement("fe00:10:128:1::4" as IpAddress, "tcp", 3535),
  ];
  expect(namedPortTerm("tcp", elements)).toBe(
    "tcp && ((ip4.dst == 10.128.1.4 && tcp.dst == 3535) || (ip6.dst == fe00:10:128:1::4 && tcp.dst == 3535))",
  );
});
