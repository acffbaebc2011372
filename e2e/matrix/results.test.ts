// docs/compatibility.md has the table of the results in this folder, and `make matrix` refuses versions that it does not know.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { matrixTable, readResults } from "./results.ts";
import { versionsOf } from "./versions.ts";

const page = fileURLToPath(new URL("../../docs/compatibility.md", import.meta.url));
/** Without the padding of columns. */
const cells = (table: string) => table.trim().replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---");

test("the page has the table of the results", () => {
  const [, rest = ""] = readFileSync(page, "utf8").split("<!-- matrix: begin -->");
  const [table = ""] = rest.split("<!-- matrix: end -->");
  expect(cells(table)).toBe(cells(matrixTable(readResults())));
});

test("a version without a run is called not run", () => {
  expect(matrixTable([])).toContain("| Kubernetes 1.32 | not run: no run of `make matrix K8S=1.32` yet |");
});

test("a file that failed and passes later is named with both", () => {
  const [first] = readResults();
  if (first === undefined) throw new Error("there are no results");
  const kept = { ...first, failing: ["test/a.test.ts"] };
  const again = { passed: 1, when: "2026-12-01T00:00:00.000Z", commit: "abc" };
  const [file = ""] = kept.failing;
  const passes = `\`${file}\`, which passes with \`abc\` (2026-12-01)`;
  expect(matrixTable([{ ...kept, again: { ...again, failing: [] } }])).toContain(passes);
  expect(matrixTable([{ ...kept, again: { ...again, failing: kept.failing } }])).not.toContain(
    "which passes",
  );
});

test("versions that are not known are refused, with those that are", () => {
  expect(versionsOf({ K8S: "1.32", OVN: "sid" }).map(({ version }) => version.name)).toEqual(["1.32", "sid"]);
  expect(() => versionsOf({ K8S: "1.12", OVN: "" })).toThrow("K8S=1.12: not one of 1.32, 1.34, 1.36");
});
