// What is said of a run, and when it is right: not when a name was wrong, and not when nothing was seen.

import { expect, test } from "@jest/globals";
import type { Report } from "./report.ts";
import { isNamedRight, reportText } from "./report.ts";

const report: Report = {
  tally: {
    ...{ reported: 30, connections: 12, right: 28, withinChange: 4 },
    ...{ wrong: ["one", "other"], notJudged: new Map() },
  },
  probes: { probes: 100, denied: 9, seen: 8, unseen: ["a → b"] },
  samples: new Map([
    ["read", 70],
    ["lost", 3],
    ["without_template", 1],
  ]),
  said: ["northgate: 2 events were lost"],
};
const withTally = (tally: Partial<Report["tally"]>) => ({ ...report, tally: { ...report.tally, ...tally } });

test("what is said has every number, and what was lost", () => {
  expect(reportText("cnp", report)).toBe(
    [
      "cnp: 30 drops of 12 connections reported: 28 named right (4 within a change, which states of the cluster name differently), 2 wrong, 0 not judged",
      "  the suite tried 100 connections; of those that the policies deny, 8 of 9 were reported",
      "  of 70 samples: 3 lost, 0 unread, 0 malformed, 1 without template, 0 over limit",
      "  observe says: northgate: 2 events were lost",
      "  wrong: one",
      "  wrong: other",
      "  not reported: a → b",
      "",
    ].join("\n"),
  );
  const reasons = withTally({ notJudged: new Map([["an answer", 3]]), wrong: Array(25).fill("one") });
  const text = reportText("anp", reasons);
  expect(text).toContain("25 wrong, 3 not judged\n  not judged: 3, an answer\n");
  expect(text.match(/ {2}wrong: one\n/g)).toHaveLength(20);
  expect(text).toContain("  wrong: 5 more\n");
});

test("a run is right when all names are, and when something was dropped", () => {
  expect([report, withTally({ wrong: [] }), withTally({ wrong: [], right: 0 })].map(isNamedRight)).toEqual([
    false,
    true,
    false,
  ]);
});
