// Match text against the documented grammar's examples.

import { expect, test } from "@jest/globals";
import type { IpAddress } from "../../model/ip.ts";
import { conjunction, namedPortElement, namedPortTerm, peerTerm, subjectTerm } from "./match.ts";

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
