// The tour of `make demo`, as it is: it holds its own promises and ends with 0. It takes what `make build` built.

import { spawnSync } from "node:child_process";
import { expect, jest, test } from "@jest/globals";
import { ovnOrSkip } from "../support/find.ts";
import { patience } from "../support/patience.ts";

jest.setTimeout(patience(180_000));

const ovn = await ovnOrSkip();

(ovn === null ? test.skip : test)("the tour ends, and all that it promises holds", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/demo.ts"], {
    ...{ encoding: "utf8", timeout: patience(150_000), maxBuffer: 64 * 2 ** 20 },
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  // A slow machine is shown progress there.
  expect([status, status === 0 ? "" : stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/\n7\. Stop\n/);
});
