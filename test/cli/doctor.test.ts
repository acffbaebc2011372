// `northgate doctor` as users run it: what it prints, its exit codes, and usage that it refuses. No cluster answers here.

import { expect, test } from "@jest/globals";
import type { DoctorReport } from "../../src/doctor/report.ts";
import { exitCodeOf, reportOf } from "../../src/doctor/report.ts";
import { fail, ok, skipped, unknown } from "../../src/doctor/finding.ts";
import { formatDoctor } from "../../src/cli/print/doctor-table.ts";
import { northgate } from "../support/program.ts";

const nowhere = ["--kubeconfig", "/nonexistent/config"];

test("without a cluster it fails, says why, and skips what it could not ask", () => {
  const { code, stdout, stderr } = northgate("doctor", ...nowhere);
  expect([code, stderr]).toEqual([1, ""]);
  expect(stdout).toMatch(/^FAIL {5}api-server {5}\/nonexistent\/config: ENOENT/);
  expect(stdout).toMatch(/→ name a kubeconfig: --kubeconfig FILE/);
  expect(stdout).toMatch(/^skipped {2}nb {13}--nb names no database$/m);
  expect(stdout).toMatch(/\n1 FAIL, \d+ skipped\n$/);
});

test("its JSON has a schema, counts and every check", () => {
  const { stdout } = northgate("doctor", ...nowhere, "-o", "json");
  const report = JSON.parse(stdout) as DoctorReport;
  expect(report).toMatchObject({ schema: "northgate.doctor/1", counts: { ok: 0, fail: 1, unknown: 0 } });
  expect(report.checks[0]).toMatchObject({ check: "api-server", state: "fail" });
  expect(report.counts.skipped).toBe(report.checks.length - 1);
});

test.each([
  [["--nb", "file:rows.json"], /--nb: a file shows nobody who writes/],
  [["--metrics-url", "127.0.0.1:9476"], /--metrics-url: .* is not http:\/\/HOST:PORT/],
  [["--metrics-url", "http://127.0.0.1:9476/metrics"], /--metrics-url/],
  [["--service-account", "northgate"], /--service-account: "northgate" is not NAMESPACE\/NAME/],
  [["--backend", "iptables"], /--zone is needed with --backend iptables/],
  [["--enable-admin-network-policy", "false"], /follows no kind of policy/],
])("%p is wrong usage", (flags, said) => {
  const { code, stderr } = northgate("doctor", ...nowhere, ...flags);
  expect(code).toBe(2);
  expect(stderr).toMatch(said);
});

const well = ok("api-server", "it answers");
const bad = fail("writer", "no instance writes to the Northbound database", "start northgate run");
const open = unknown("metrics", "no answer");

test.each([
  [[well, ...skipped(["nb"], "no database")], 0],
  [[well, open], 3],
  [[well, open, bad], 1],
])("the exit code of case %#", (checks, code) => {
  expect(exitCodeOf(reportOf(checks, "1"))).toBe(code);
});

test("lines are folded below their text, and colours are the caller's choice", () => {
  const report = reportOf([well, bad], "1");
  expect(formatDoctor(report, 44, false).split("\n")).toEqual([
    ...["ok       api-server  it answers", "FAIL     writer      no instance writes to"],
    ...["                     the Northbound database"],
    ...["                     → start northgate run", "", "1 ok, 1 FAIL", ""],
  ]);
  expect(formatDoctor(report, null, false)).not.toContain("\u001b");
  const [first = ""] = formatDoctor(report, null, true).split("\n");
  expect(first.startsWith("\u001b[")).toBe(true);
  expect(first).toContain("ok ");
});

test("what a cluster says cannot steer a terminal", () => {
  const report = reportOf([fail("api-server", "\u001b[2J", "\u0007")], "1");
  const text = formatDoctor(report, null, false);
  for (const sign of ["\u0007", "\u001b"]) expect(text).not.toContain(sign);
});
