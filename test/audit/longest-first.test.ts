import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { longestFirst, longFiles } from "../../scripts/support/longest-first.ts";

const repository = fileURLToPath(new URL("../../", import.meta.url));
const path = (name: string) => join(repository, name);

test("files are run by the time that they took, by the list, or by the time that they allow themselves", () => {
  const [listed = ""] = Object.keys(longFiles);
  const unlisted = ["test/audit/longest-first.test.ts", "test/kube/crds.test.ts"];
  const known = { "src/a.test.ts": 1_000_000, "src/b.test.ts": 500, [unlisted[0]!]: 2 };
  const names = [...unlisted, "src/b.test.ts", listed, "src/a.test.ts"];
  const order = longestFirst(
    names.map((name) => ({ path: path(name) })),
    known,
  );
  expect(order.map((one) => one.path)).toEqual(
    ["src/a.test.ts", listed, unlisted[1]!, "src/b.test.ts", unlisted[0]!].map(path),
  );
});

test("each file of the list exists", () => {
  expect(Object.keys(longFiles).filter((name) => !existsSync(path(name)))).toEqual([]);
});
