// The threat model names tests: each is there, by that name. Links of SECURITY.md and of the model lead somewhere.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "@jest/globals";

const linksOf = (page: string) =>
  [...readFileSync(page, "utf8").matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, link = ""]) =>
    join(dirname(page), link),
  );

test.each(["SECURITY.md", "docs/threat-model.md", "docs/decisions/0024-who-may-read-metrics.md"])(
  "every link of %s leads to a file",
  (page) => {
    expect(linksOf(page).filter((path) => !existsSync(path))).toEqual([]);
  },
);

test("every test that the threat model names is in the file that it names", () => {
  const rows = readFileSync("docs/threat-model.md", "utf8").split("\n");
  let named = 0;
  for (const row of rows) {
    const files = [...row.matchAll(/\]\(\.\.\/([^)]+\.test\.ts)\)/g)].map(([, file = ""]) =>
      readFileSync(file, "utf8"),
    );
    if (files.length === 0) continue;
    for (const [, name = ""] of row.matchAll(/"([^"]+)"/g)) {
      named++;
      // The name of a group of tests may be a part of it.
      expect(
        files.some((text) => text.includes(`"${name.split(": ").at(-1)}"`) || text.includes(`"${name}"`))
          ? ""
          : name,
      ).toBe("");
    }
  }
  expect(named).toBeGreaterThan(12);
});
