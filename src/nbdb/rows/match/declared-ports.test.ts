// The text of ports by what the pods at both ends declare.

import { expect, test } from "@jest/globals";
import { ip } from "../../../../test/support/facts.ts";
import type { EndPorts, PortList } from "../../../policy/ir.ts";
import { declaredElement } from "./declared-ports.ts";
import { namedPortTerm } from "./match.ts";

const none: PortList = { ranges: [], names: [] };
const named = (...names: readonly string[]): EndPorts => ({ ...none, names, except: none });
const range = (start: number, end: number) => ({ ranges: [{ start, end }], names: [] });
const pods = new Map([
  [
    "web",
    [
      ["10.0.0.1", 80],
      ["fd00::1", 80],
      ["10.0.0.2", 81],
    ] as const,
  ],
  ["admin", [["10.0.0.1", 80]] as const],
]);

const textOf = (from: EndPorts | null, to: EndPorts | null): string | null =>
  declaredElement({ kind: "declared", protocol: "tcp", from, to }, (_, names) =>
    names.flatMap((name) => (pods.get(name) ?? []).map(([address, port]) => ({ ip: ip(address), port }))),
  );

test.each<readonly [string, EndPorts | null, EndPorts | null, string | null]>([
  [
    "a name of the source, by number, then by family",
    named("web"),
    null,
    "((ip4.src == {10.0.0.1} && tcp.src == 80) || (ip6.src == {fd00::1} && tcp.src == 80) || (ip4.src == {10.0.0.2} && tcp.src == 81))",
  ],
  [
    "ports of both ends",
    { ...range(1000, 1999), except: none },
    named("admin"),
    "(1000<=tcp.src<=1999 && (ip4.dst == {10.0.0.1} && tcp.dst == 80))",
  ],
  ["a name that nobody declares", named("nobodys"), null, null],
  ["a name beside it", null, named("nobodys", "admin"), "(ip4.dst == {10.0.0.1} && tcp.dst == 80)"],
  ["a name but another", null, { ...named("admin"), except: { ranges: [], names: ["web"] } }, null],
  [
    "a name but a number",
    null,
    { ...named("web"), except: range(80, 80) },
    "(ip4.dst == {10.0.0.2} && tcp.dst == 81)",
  ],
  [
    "all but what nobody declares",
    null,
    { ...range(0, 65535), except: { ranges: [], names: ["nobodys"] } },
    "tcp",
  ],
  [
    "ranges that include a name",
    null,
    { ranges: range(79, 81).ranges, names: ["web"], except: none },
    "79<=tcp.dst<=81",
  ],
])("%s", (_, from, to, text) => {
  expect(textOf(from, to)).toBe(text);
});

test("what is left out is said by the networks around it, and in the other family by the family", () => {
  const text = textOf(null, { ...range(80, 90), except: { ranges: [], names: ["admin"] } }) ?? "";
  const networks = Array.from({ length: 32 }, (_, at) => at + 1);
  expect(text.match(/\/\d+/g)?.map((length) => Number(length.slice(1)))).toEqual(
    expect.arrayContaining(networks),
  );
  expect(text).toMatch(
    /^\(81<=tcp\.dst<=90 \|\| \(ip4\.dst == \{0\.0\.0\.0\/5, .*\} && tcp\.dst == 80\) \|\| /,
  );
  expect(text).toMatch(/ \|\| \(ip6 && tcp\.dst == 80\)\)$/);
  expect(text).not.toMatch(/!/);
});

test("an element that is all of the protocol is the protocol", () => {
  expect(namedPortTerm("tcp", ["tcp.dst==80", "tcp"])).toBe("tcp");
});
