// Match text against the documented grammar's examples.

import { describe, expect, test } from "@jest/globals";
import type { Cidr, IpAddress } from "../../../model/ip.ts";
import { conjunction, namedPortElement, namedPortTerm, peerTerm, peersTerm, subjectTerm } from "./match.ts";

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

describe("peers that are several sets and networks", () => {
  const cidrs = (...texts: readonly string[]) => texts as readonly Cidr[];
  const v4 = (sets: readonly string[], ...networks: readonly string[]) =>
    ({ family: "v4", sets, networks: cidrs(...networks) }) as const;
  const v6 = (sets: readonly string[], ...networks: readonly string[]) =>
    ({ family: "v6", sets, networks: cidrs(...networks) }) as const;

  test("names are sorted, networks come behind them, and each stands once", () => {
    expect(peersTerm("ingress", [v4(["a9"])])).toBe("ip4.src == {$a9}");
    expect(peersTerm("egress", [v4(["a9", "a10"], "10.1.0.0/16", "10.0.0.0/16", "10.1.0.0/16")])).toBe(
      "ip4.dst == {$a10, $a9, 10.0.0.0/16, 10.1.0.0/16}",
    );
  });

  test("two families are one disjunction", () => {
    expect(peersTerm("ingress", [v4(["a1"]), v6(["a2"], "fd00::/64")])).toBe(
      "(ip4.src == {$a1} || ip6.src == {$a2, fd00::/64})",
    );
  });

  test("a family without peers is not compared, and without any nothing matches", () => {
    expect(peersTerm("egress", [v4([]), v6([], "fd00::/64")])).toBe("ip6.dst == {fd00::/64}");
    expect(peersTerm("egress", [v4([]), v6([])])).toBeNull();
    expect(peersTerm("egress", [])).toBeNull();
  });

  test("every address of a family is the family", () => {
    expect(peersTerm("egress", [v4(["a1"], "0.0.0.0/0"), v6(["a2"])])).toBe("(ip4 || ip6.dst == {$a2})");
    expect(peersTerm("ingress", [v4([], "0.0.0.0/0"), v6([], "::/0")])).toBe("(ip4 || ip6)");
  });
});

describe("addresses of pods that are restricted", () => {
  const cidrs = (...texts: readonly string[]) => texts as readonly Cidr[];
  const named = (sets: readonly string[], ...networks: readonly string[]) => ({
    sets,
    networks: cidrs(...networks),
  });
  const v4 = { family: "v4", ...named(["a1"]) } as const;
  const v6 = { family: "v6", ...named(["a2"]) } as const;

  test("the subject's own side stands beside the peers, family by family", () => {
    expect(peersTerm("ingress", [{ ...v4, own: cidrs("10.1.0.0/16", "10.0.0.0/16") }])).toBe(
      "ip4.src == {$a1} && ip4.dst == {10.0.0.0/16, 10.1.0.0/16}",
    );
    expect(
      peersTerm("egress", [
        { ...v4, own: cidrs("10.0.0.0/8") },
        { ...v6, own: cidrs("fd00::/8") },
      ]),
    ).toBe("((ip4.dst == {$a1} && ip4.src == {10.0.0.0/8}) || (ip6.dst == {$a2} && ip6.src == {fd00::/8}))");
  });

  test("a family without own addresses is left out, and one of which every address is meant needs no text", () => {
    expect(
      peersTerm("ingress", [
        { ...v4, own: [] },
        { ...v6, own: cidrs("::/0") },
      ]),
    ).toBe("ip6.src == {$a2}");
    expect(
      peersTerm("ingress", [
        { ...v4, own: [] },
        { ...v6, own: [] },
      ]),
    ).toBeNull();
    const everybody = { family: "v4", ...named([], "0.0.0.0/0") } as const;
    expect(peersTerm("ingress", [{ ...everybody, own: cidrs("10.0.0.0/8") }])).toBe(
      "ip4.dst == {10.0.0.0/8}",
    );
    expect(peersTerm("ingress", [{ ...everybody, own: cidrs("0.0.0.0/0") }])).toBe("ip4");
  });

  test("narrowed pods are in a set and in a network; other peers stand beside them", () => {
    const narrowed = [named(["a9"], "10.0.0.0/8")];
    expect(peersTerm("egress", [{ ...v4, ...named([]), narrowed }])).toBe(
      "ip4.dst == {$a9} && ip4.dst == {10.0.0.0/8}",
    );
    expect(peersTerm("egress", [{ ...v4, narrowed, own: cidrs("10.1.0.0/16") }])).toBe(
      "(ip4.dst == {$a1} || (ip4.dst == {$a9} && ip4.dst == {10.0.0.0/8})) && ip4.src == {10.1.0.0/16}",
    );
    expect(peersTerm("egress", [{ ...v4, narrowed: [named(["a9"], "0.0.0.0/0")] }])).toBe(
      "(ip4.dst == {$a1} || ip4.dst == {$a9})",
    );
    expect(peersTerm("egress", [{ ...v4, ...named([]), narrowed: [named(["a9"])] }])).toBeNull();
  });
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
