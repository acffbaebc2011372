// What the reader of a node serves is read back as it was counted, and every other text is refused with its line.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { registryOf } from "../metrics/registry.ts";
import { observeMetrics } from "../observe/metrics.ts";
import type { ObservedRule } from "../observe/rule.ts";
import { keyOfRule } from "../observe/rule.ts";
import type { RuleCount } from "../observe/tally.ts";
import type { Action } from "../policy/ir.ts";
import { keyOfPlace } from "./hits.ts";
import { MetricsTextError, readMetricsText } from "./metrics-text.ts";

const readAtMs = 1_800_000_000_000;

function textOf(counts: readonly RuleCount[], node = "worker-1"): Promise<string> {
  const reader = { counts, readings: { ok: 1, failed: 0 }, ageMs: 0, readAtMs };
  return registryOf({ table: observeMetrics, parts: { reader, samples: null, node } }, "0.0.0").metrics();
}

const name = fc.oneof(
  fc.constantFrom("web", "db", 'a"b', "a\\nb", "a\nb", "{x}", 'a,b="c" 1'),
  fc.string({ unit: "binary", maxLength: 8 }),
);
const action = fc.constantFrom<Action>("allow", "deny", "pass", "reject");
const rule: fc.Arbitrary<ObservedRule> = fc.record({
  policy: fc.record({
    group: fc.constantFrom("", "g.io"),
    kind: fc.constantFrom("A", "B"),
    namespace: fc.option(name.filter((one) => one !== "")),
    name,
  }),
  direction: fc.constantFrom("ingress" as const, "egress" as const),
  rule: fc.oneof(fc.nat(99_999), fc.constantFrom("default" as const, "isolation" as const)),
  ...{ action, word: fc.constant("") },
});
const count: fc.Arbitrary<RuleCount> = fc
  .record({
    ...{ rule, state: fc.constantFrom("new" as const, "established" as const, "any" as const) },
    ...{ packets: fc.maxSafeNat(), bytes: fc.nat(), entries: fc.constant(1), ageMs: fc.constant(0) },
    sinceMs: fc.nat(1_800_000_000).map((seconds) => seconds * 1000),
  })
  .map((one) => ({ ...one, packets: Math.floor(one.packets / 4) }));

test("what a reader serves is read as what it has counted", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(count, {
        maxLength: 12,
        selector: ({ rule: of, state }) => `${state} ${keyOfRule(of)}`,
      }),
      name,
      async (counts, node) => {
        const read = readMetricsText(await textOf(counts, node));
        expect(read).toMatchObject({ node, readAt: readAtMs / 1000, leftOut: 0 });
        const found = new Map(
          [...read.rules].flatMap(([key, actions]) =>
            Array.from(actions, ([of, one]) => [`${key} ${of}`, one]),
          ),
        );
        const expected = new Map<string, { packets: number; bytes: number; since: number }>();
        for (const { rule: of, packets, bytes, sinceMs } of counts) {
          const key = `${keyOfPlace(of.policy, of.direction, of.rule ?? "default")} ${of.action}`;
          const sum = expected.get(key) ?? { packets: 0, bytes: 0, since: 0 };
          expected.set(key, {
            ...{ packets: sum.packets + packets, bytes: sum.bytes + bytes },
            since: Math.max(sum.since, (sinceMs ?? 0) / 1000),
          });
        }
        expect(found).toEqual(expected);
      },
    ),
    { numRuns: 150 },
  );
});

const one: RuleCount = {
  rule: {
    policy: { group: "g.io", kind: "Policy", namespace: "web", name: "p" },
    ...{ direction: "ingress", rule: 0, action: "allow", word: "Allow" },
  },
  ...{ state: "new", packets: 3, bytes: 30, entries: 1, ageMs: 0, sinceMs: 1_000 },
};
/** Line and message. */
function faultIn(text: string): readonly [number | null, string] | null {
  try {
    readMetricsText(text);
    return null;
  } catch (error) {
    if (!(error instanceof MetricsTextError)) throw error;
    return [error.line, error.message];
  }
}

test("another program's row is passed over", async () => {
  const text = await textOf([{ ...one, rule: { ...one.rule, rule: null } }]);
  expect(readMetricsText(text).rules.size).toBe(0);
});

test.each([
  ["a line of no form", (text: string) => `# x\n<html>\n${text}`, 2, /no line of metrics/],
  [
    "a label that a scraper adds",
    (text: string) => text.replace('{group="g.io"', '{job="n",group="g.io"'),
    true,
    /label job/,
  ],
  [
    "a label that is missing",
    (text: string) => text.replace('group="g.io",', ""),
    true,
    /lacks the label group/,
  ],
  ["a direction", (text: string) => text.replace('"ingress"', '"up"'), true, /direction/],
  ["a place", (text: string) => text.replace('rule="0"', 'rule="-1"'), true, /the rule -1/],
  ["a count", (text: string) => text.replace(/(state="new"\}) 3/, "$1 3.5"), true, /3\.5, which is no count/],
  [
    "a count that is not exact",
    (text: string) => text.replace(/(state="new"\}) 3/, "$1 1e300"),
    true,
    /no count/,
  ],
  ["a time", (text: string) => text.replace(/(action="allow"\}) 1/, "$1 NaN"), true, /no time/],
  ["an open label", (text: string) => text.replace('state="new"}', 'state="new'), true, /labels or a value/],
  ["a long line", (text: string) => `${text}x{a="${"a".repeat(9_000)}"} 1\n`, true, /longer than/],
  ["two nodes in one", (text: string) => `${text}${text}`, true, /earlier line/],
  [
    "an end in the middle",
    (text: string) => text.slice(0, text.indexOf("northgate_switch_readings")),
    null,
    /no northgate_switch_read/,
  ],
  [
    "a rule without a time",
    (text: string) => text.replace(/northgate_rule_counted_since\S*\{.*\n/, ""),
    true,
    /without northgate_rule_counted/,
  ],
  ["another program's", () => "up 1\n", null, /northgate observe-node/],
  ["nothing", () => "", null, /northgate observe-node/],
  [
    "a switch that was not read",
    (text: string) => text.replace(/^(northgate_switch_read_timestamp_seconds) .*$/m, "$1 0"),
    null,
    /before the reader/,
  ],
])("refused: %s", async (_, broken, line, message) => {
  const text = await textOf([one]);
  expect(faultIn(text)).toBeNull();
  const [at, said] = faultIn(broken(text)) ?? [];
  expect(said).toMatch(message);
  if (line === true) expect(at).toBeGreaterThan(0);
  else expect(at).toBe(line);
});
