// The program's file that tests start: the sources, or the built program of $NORTHGATE_TEST_PROGRAM, which starts in a third of the
// time. `make test` builds first and sets it; a single test that is run by hand sees what was edited last.

import { fileURLToPath } from "node:url";

export const mainFile =
  process.env["NORTHGATE_TEST_PROGRAM"] ?? fileURLToPath(new URL("../../src/main.ts", import.meta.url));
