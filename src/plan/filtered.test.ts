// The part of a plan that somebody looks for, against each class and cell of random plans: nothing of it is left out, and each of
// its cells is in a window.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { podKey } from "../model/facts.ts";
import { partOf, windowOf } from "./filtered.ts";
import { classesOf, matrixOf } from "./matrix.ts";
import type { PlanReport, SummaryLine, VerdictClass } from "./report.ts";

const spaces = ["a", "ab", "b", "c", "d"];
const ends = fc.subarray(spaces, { minLength: 1 }).map((names) => ({
  title: "",
  pods: names.map((name) => podKey(name, "x")),
  workloads: [],
  addresses: [],
}));
const verdict = fc.constantFrom("allow", "deny", "unknown");
const policy = fc.constantFrom("open", "closed", "other").map((name) => ({
  ...{ group: "networking.k8s.io", kind: "NetworkPolicy", namespace: "a", name },
}));
const decider = fc.oneof(
  policy.map((one) => ({ verdict: "deny", by: "rule", policy: one })),
  fc.array(policy, { maxLength: 2 }).map((policies) => ({ verdict: "deny", by: "isolation", policies })),
);
const deciders = fc.record({ egress: decider, ingress: decider });
const classes = fc.array(
  fc.record({
    from: ends,
    to: ends,
    old: verdict,
    new: verdict,
    by: fc.record({ old: deciders, new: deciders }),
  }),
  { maxLength: 6 },
);
const filters = fc.record({
  becomes: fc.option(verdict),
  namespace: fc.constantFrom("", "a", "b", "nowhere"),
  policy: fc.constantFrom("", "closed", "networkpolicy a/o", "none"),
});
type Filter = Parameters<typeof partOf>[1];

test("a part has each class and line that it is about, and no other; its windows have each cell once", () => {
  let parts = 0;
  fc.assert(
    fc.property(classes, filters, fc.integer({ min: 1, max: 3 }), (drawn, drawnFilter, rows) => {
      const changes = drawn as unknown as readonly VerdictClass[];
      const filter = drawnFilter as Filter;
      const summary = changes.map((_, at) => ({ classes: [at] }) as unknown as SummaryLine);
      const part = partOf({ verdicts: { changes, summary } } as unknown as PlanReport, filter);
      const wanted = drawn.flatMap((one, at) => {
        const named = [one.by.old, one.by.new]
          .flatMap(({ egress, ingress }) => [egress, ingress])
          .flatMap((by) => ("policy" in by ? [by.policy] : by.policies))
          .map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`.toLowerCase());
        const places = [...one.from.pods, ...one.to.pods].map((key) => key.split("/")[0] ?? "");
        const isWanted =
          (filter.becomes === null || one.new === filter.becomes) &&
          (filter.policy === "" || named.some((name) => name.includes(filter.policy))) &&
          places.some((place) => place.includes(filter.namespace));
        return isWanted ? [at] : [];
      });
      expect(part.changes).toEqual(wanted.map((at) => changes[at]));
      expect(part.summary.flatMap((line) => line.classes)).toEqual(wanted);
      const cells = matrixOf(part).cells.filter(({ from, to }) =>
        [from, to].some((place) => place.includes(filter.namespace)),
      );
      const seen: string[] = [];
      for (let row = 0; row < Math.max(1, part.matrix.from.length); row += rows)
        for (let column = 0, all = 1; column < all; column += 2) {
          const window = windowOf(part.matrix, { row, column }, { rows, columns: 2 });
          all = window.totals.to;
          expect(window.from.length > 0 && window.cells.length === 0).toBe(false);
          expect([window.row, window.column, window.totals.cells]).toEqual([row, column, cells.length]);
          for (const { from, to } of window.cells) {
            expect(window.from.includes(from) && window.to.includes(to)).toBe(true);
            seen.push(`${from} ${to}`);
            expect(classesOf(part, from, to).length).toBeGreaterThan(0);
          }
        }
      expect(seen.sort()).toEqual(cells.map(({ from, to }) => `${from} ${to}`).sort());
      if (wanted.length > 0 && wanted.length < drawn.length) parts++;
    }),
    { numRuns: 300 },
  );
  expect(parts).toBeGreaterThan(20);
});

test("what comes to be denied is first; behind the last window is the last", () => {
  const one = (from: string, to: string, next: string) => ({
    ...{ from: { pods: [podKey(from, "x")], workloads: [], addresses: [] } },
    ...{ to: { pods: [podKey(to, "y")], workloads: [], addresses: [] }, old: "unknown", new: next },
  });
  const changes = [
    ...[one("a", "z", "unknown"), one("b", "z", "allow"), one("c", "z", "allow"), one("c", "y", "allow")],
    one("d", "x", "deny"),
  ] as unknown as readonly VerdictClass[];
  const report = { verdicts: { changes, summary: [] } } as unknown as PlanReport;
  const { matrix } = partOf(report, { becomes: null, namespace: "", policy: "" });
  expect([matrix.from, matrix.to]).toEqual([
    ["d", "c", "b", "a"],
    ["x", "z", "y"],
  ]);
  expect(windowOf(matrix, { row: 99, column: 3 }, { rows: 3, columns: 2 })).toMatchObject({
    ...{
      row: 3,
      column: 0,
      from: ["a"],
      to: ["z"],
      cells: [{ from: "a", to: "z" }],
      totals: { from: 4, to: 1 },
    },
  });
});
