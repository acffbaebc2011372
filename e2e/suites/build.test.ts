// The script that builds the suites' programs: what it refuses, and that what is built needs neither Go nor a network.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { testWithPrograms } from "../conformance/describe.ts";
import { suiteNames } from "../conformance/programs.ts";

const script = fileURLToPath(new URL("build.sh", import.meta.url));
const cache = fileURLToPath(new URL("../../.cache/conformance", import.meta.url));
let folder = "";

beforeEach(() => {
  folder = mkdtempSync("/tmp/ng-suites-");
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Go is nowhere to be found but as a program that fails. */
function build(...args: readonly string[]): { status: number | null; stderr: string } {
  const bin = join(folder, "path");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "go"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  const env = { PATH: `${bin}:/usr/bin:/bin`, GOPROXY: "off", GOFLAGS: "-mod=readonly" };
  return spawnSync(script, args, { env, encoding: "utf8" });
}

test("a program that it does not know is refused, and it names those that it does", () => {
  const { status, stderr } = build(folder, "flannel");
  expect(status).toBe(2);
  expect(stderr).toContain(
    "there is no 'flannel', but agnhost kube-controller-manager anp.test cnp.test netpol.test cyclonus",
  );
});

testWithPrograms(suiteNames)("what is built and fits its sources is not built again", () => {
  expect(build(cache)).toMatchObject({ status: 0, stderr: "" });
});
