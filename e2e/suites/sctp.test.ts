// The SCTP that agnhost gets on kernels without one, tested in its own language: what is on the wire, lost packets, and sockets
// in a network namespace. Its tests skip those of sockets by name where there is no right to such a namespace.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, jest, test } from "@jest/globals";
import { patience } from "../../test/support/patience.ts";
import { findGo } from "../../test/support/upstream.ts";

jest.setTimeout(patience(120_000));

const folder = fileURLToPath(new URL("sctp/", import.meta.url));
const go = findGo(process.env);
if (go === null) {
  const why = "SCTP for agnhost is tested with Go, and neither PATH nor the usual places have one";
  if (process.env["CI"] === "true") throw new Error(why);
  process.stderr.write(`SKIPPED: ${why}\n`);
}

(go === null ? test.skip : test)("SCTP over raw sockets", () => {
  const { status, stdout, stderr } = spawnSync(go ?? "", ["test", "-count=1", "-v", "-timeout=100s", "."], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, CGO_ENABLED: "0", GOFLAGS: "", GOWORK: "off" },
  });
  const skipped = new Set(stdout.match(/(?<=--- SKIP: .*\n\s+socket_test\.go:\d+: ).*/g));
  for (const why of skipped) process.stderr.write(`SKIPPED: sockets of SCTP: ${why}\n`);
  expect(status === 0 ? "" : stdout + stderr).toBe("");
  expect(stdout).toContain("--- PASS: TestMessagesArriveWholeInOrderAndOnceWhateverIsLost");
  if (skipped.size === 0) expect(stdout).toContain("--- PASS: TestManyAskAtOnce");
});
