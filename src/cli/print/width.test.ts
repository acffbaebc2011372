// Who folds: a terminal, and a reader that says its width.

import { expect, test } from "@jest/globals";
import { widthOf } from "./width.ts";

test.each<readonly [isTTY: boolean, columns: number, said: string | undefined, width: number | null]>([
  [true, 100, undefined, 100],
  [true, 100, "40", 100],
  [true, 0, "40", null],
  [false, 0, undefined, null],
  [false, 0, "", null],
  [false, 0, "80", 80],
  [false, 0, "0", null],
  [false, 0, "-1", null],
  [false, 0, "many", null],
])("a terminal: %s, of %d columns, COLUMNS=%s: %s", (isTTY, columns, said, width) => {
  expect(widthOf({ isTTY, columns }, { COLUMNS: said })).toBe(width);
});
