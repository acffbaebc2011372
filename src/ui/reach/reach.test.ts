// What the page cuts out of a matrix: every cell of it can be reached, and a cell's question for the tester is about two pods of
// it, with traffic that it names.

import fc from "fast-check";
import { describe, expect, test } from "@jest/globals";
import { askPage } from "../../../test/support/ask-page.ts";
import { namespace, pod } from "../../../test/support/facts.ts";
import { anp, namespacesWith } from "../../../test/support/policies.ts";
import { shownWorld } from "../../../test/support/shown-world.ts";
import { explain } from "../../explain/explain.ts";
import { matrix } from "../../matrix/matrix.ts";
import { cellText } from "../../matrix/words.ts";
import type { AskedProtocol } from "../../model/protocols.ts";
import type { CellShown, MatrixShown, NeighboursShown } from "../shown/reach.ts";
import type { ShownWorld } from "../world.ts";

const spaces = ["red", "blue", "green", "grey"];
const facts = spaces.flatMap((name, at) => [
  namespace(name, { tenant: name }),
  ...[0, 1].map((copy) =>
    pod(name, `p${copy}`, { labels: { n: `${copy}` }, ips: [`10.0.${at}.${copy + 1}`] }),
  ),
]);
const policies = fc.array(
  fc.record({
    tenant: fc.constantFrom(...spaces),
    from: fc.constantFrom(...spaces),
    action: fc.constantFrom("Allow", "Deny"),
    port: fc.constantFrom(80, 443, null),
  }),
  { minLength: 1, maxLength: 5 },
);

function worldOf(drawn: typeof policies extends fc.Arbitrary<infer T> ? T : never) {
  const objects = drawn.map(({ tenant, from, action, port }, at) =>
    anp(`p${at}`, {
      ...{ priority: at, subject: { namespaces: { matchLabels: { tenant } } } },
      ingress: [
        {
          ...{ action, from: [namespacesWith({ tenant: from })] },
          ...(port === null ? {} : { ports: [{ portNumber: { protocol: "TCP", port } }] }),
        },
      ],
    }),
  );
  const own = shownWorld([...facts, ...objects]);
  const report = matrix(own.asked, { namespace: null, protocol: null, port: null });
  const world: ShownWorld = { ...own, matrix: () => ({ value: report, revision: "1" }) };
  return { report, world };
}

test("its windows together have every cell, and nothing else", () => {
  fc.assert(
    fc.property(policies, fc.integer({ min: 1, max: 5 }), (drawn, limit) => {
      const { report, world } = worldOf(drawn);
      const starts = report.places.map((_, at) => at).filter((at) => at % limit === 0);
      const windows = starts.flatMap((from) => starts.map((to) => `limit=${limit}&from=${from}&to=${to}`));
      const seen = windows.flatMap((asked) => {
        const { rows, columns, total } = askPage<MatrixShown>(world, `/api/matrix?${asked}`);
        expect(total).toBe(report.places.length);
        return rows.flatMap(({ place, cells }) =>
          cells.flatMap((reach, at) =>
            reach === null ? [] : [`${place.name} ${columns[at]!.name} ${reach}`],
          ),
        );
      });
      expect(seen.sort()).toEqual(report.cells.map(({ from, to, reach }) => `${from} ${to} ${reach}`).sort());
    }),
    { numRuns: 25 },
  );
});

test("a cell in words, with a question that explain answers and that the cell does not contradict", () => {
  fc.assert(
    fc.property(policies, (drawn) => {
      const { report, world } = worldOf(drawn);
      for (const { from, to, reach, traffic } of report.cells) {
        const told = askPage<CellShown>(world, `/api/matrix/cell?from=${from}&to=${encodeURIComponent(to)}`);
        expect(told).toMatchObject({ from, to, reach, text: cellText(traffic) });
        const { question } = told;
        if (from.startsWith("(") || to.startsWith("(")) expect(question).toBeNull();
        if (question === null) continue;
        expect([question.from.split("/")[0], question.to.split("/")[0]]).toEqual([from, to]);
        const asked = { ...question, protocol: question.protocol as AskedProtocol, port: question.port ?? 0 };
        const { verdict } = explain(world.asked, asked, { isDetailed: false });
        if (reach === "all") expect(verdict).toBe("allow");
        if (reach === "none") expect(verdict).toBe("deny");
      }
    }),
    { numRuns: 25 },
  );
});

test("a namespace's neighbours are its row and its column", () => {
  const { report, world } = worldOf([{ tenant: "red", from: "blue", action: "Deny", port: null }]);
  const { shown, total } = askPage<NeighboursShown>(world, "/api/matrix/of?namespace=red");
  expect(total).toBe(report.places.length);
  expect(shown.find(({ place }) => place.name === "blue")).toMatchObject({
    in: { reach: "none", text: "none: all traffic" },
    out: { reach: "all" },
  });
  expect(askPage<NeighboursShown>(world, "/api/matrix/of?namespace=nowhere")).toMatchObject({ total: 0 });
});

describe("while the matrix is computed", () => {
  test.each(["/api/matrix", "/api/matrix/cell?from=a&to=b", "/api/matrix/of?namespace=a"])("%s", (path) => {
    expect(askPage(shownWorld(facts), path)).toEqual({ isMaking: true });
  });

  test("names that are no cell", () => {
    const { world } = worldOf([]);
    expect(askPage(world, "/api/matrix/cell?from=red&to=__proto__")).toEqual({
      error: "there is no connection between the two",
    });
  });
});
