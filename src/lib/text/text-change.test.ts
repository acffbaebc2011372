// A unified diff of changes is what `patch` applies to get the changed text.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import type { TextChange } from "./text-change.ts";
import { applied, unifiedDiff } from "./text-change.ts";

test("names the lines, with three around them", () => {
  const text = Array.from({ length: 20 }, (_, at) => `line ${at + 1}\n`).join("");
  const at = text.indexOf("line 10");
  const end = text.indexOf("line 11");
  expect(unifiedDiff("a.yaml", text, [{ start: at, end, text: "" }])).toBe(
    "--- a/a.yaml\n+++ b/a.yaml\n@@ -7,7 +7,6 @@\n line 7\n line 8\n line 9\n-line 10\n line 11\n line 12\n line 13\n",
  );
  expect(unifiedDiff("a.yaml", text, [])).toBe("");
});

/** Lines, and changes that do not overlap. */
const changed = fc
  .tuple(
    fc.array(fc.constantFrom("a\n", "bb\n", "\n", "- c # d\n"), { minLength: 1, maxLength: 40 }),
    fc.constantFrom("", "end"),
    fc.array(fc.tuple(fc.nat(200), fc.nat(12), fc.constantFrom("", "x", "y\n", "z\nz")), { maxLength: 6 }),
  )
  .map(([lines, last, cuts]) => {
    const text = lines.join("") + last;
    const changes: TextChange[] = [];
    for (const [from, size, to] of cuts.toSorted(([a], [b]) => a - b)) {
      const start = Math.max(from, changes.at(-1)?.end ?? 0);
      if (start >= text.length || (changes.at(-1)?.end ?? -1) === start) continue;
      changes.push({ start, end: Math.min(text.length, start + size), text: to });
    }
    return { text, changes };
  });

test("patch makes the changed text of it", () => {
  const folder = mkdtempSync(join(tmpdir(), "ng-diff-"));
  const file = join(folder, "f");
  try {
    fc.assert(
      fc.property(changed, ({ text, changes }) => {
        const diff = unifiedDiff("f", text, changes);
        if (diff === "") return;
        writeFileSync(file, text);
        const { status, stderr } = spawnSync(
          "git",
          ["apply", "--unsafe-paths", "--whitespace=nowarn", "--unidiff-zero", "-p1", "-"],
          {
            ...{ cwd: folder, input: diff, encoding: "utf8" },
            env: { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() },
          },
        );
        const expected = applied(text, changes);
        if (expected === text) return;
        expect([status, stderr, readFileSync(file, "utf8")]).toEqual([0, "", expected]);
      }),
      { numRuns: 60 },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
