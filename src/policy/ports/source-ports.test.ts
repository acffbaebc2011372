// Which source port stands for one that no rule names.

import { expect, test } from "@jest/globals";
import type { RuleText } from "../../../test/support/ir.ts";
import { irPolicy } from "../../../test/support/ir.ts";
import type { SourceRange } from "../ir.ts";
import { unnamedSourcePort } from "./source-ports.ts";

const from = (...sources: readonly SourceRange[]): RuleText => ({
  action: "deny",
  ports: sources.map((source) => ({ kind: "range", protocol: "tcp", start: 0, end: 65535, source })),
});
const range = (start: number, end: number): SourceRange => ({ start, end });
const allBut = (start: number, end: number): RuleText => ({
  action: "deny",
  ports: [
    {
      ...{ kind: "declared", protocol: "tcp", to: null },
      from: { ranges: [range(0, 65535)], names: [], except: { ranges: [range(start, end)], names: ["web"] } },
    },
  ],
});
const rest = (start: number, end: number): SourceRange => ({ start, end, isRest: true });

test.each<readonly [string, readonly RuleText[], number | undefined]>([
  ["nothing is said of source ports", [{ action: "deny" }], undefined],
  ["ports are meant, and none excepted", [from(range(1000, 1999))], undefined],
  ["one is excepted", [from(rest(0, 21), rest(23, 65535))], 65535],
  ["the highest are excepted", [from(rest(0, 1023))], 1023],
  ["others are meant", [from(rest(0, 21), rest(23, 65535)), from(range(1000, 65535))], 999],
  ["two rules leave different ones", [from(rest(0, 99)), from(rest(50, 65535))], 99],
  ["all but some and what the source declares are left", [allBut(40_000, 65535)], 39_999],
  ["every one is named", [from(rest(0, 99)), from(rest(100, 65535))], undefined],
])("%s", (_, ingress, expected) => {
  expect(unnamedSourcePort([irPolicy("a", { ingress }), irPolicy("b", {})])).toBe(expected);
  expect(unnamedSourcePort([irPolicy("a", { egress: ingress })])).toBe(expected);
});
