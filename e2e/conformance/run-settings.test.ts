// What `make conformance` is asked for is read, and what it does not know is refused by name.

import { isAbsolute } from "node:path";
import { expect, test } from "@jest/globals";
import { help, keptRuns, nameOf, settingsOf } from "./run-settings.ts";
import { suiteFacts } from "./suites.ts";

test("nothing given: every suite once, and no page is written", () => {
  const settings = settingsOf({});
  expect(settings).toMatchObject({
    suites: ["anp", "cnp", "netpol", "cyclonus"],
    only: null,
    runs: 1,
    families: "ipv4",
    page: null,
  });
  expect(isAbsolute(settings.folder)).toBe(true);
});

test("suites, tests, families and flags", () => {
  const asked = {
    SUITE: "cnp",
    ONLY: "A,B",
    FAMILIES: "dual",
    ARGS: "--named-ports=sets  --zone=node",
    RUNS: "3",
  };
  expect(settingsOf(asked)).toMatchObject({
    ...{ suites: ["cnp"], only: ["A", "B"], families: "dual", runs: 3 },
    northgateArgs: ["--named-ports=sets", "--zone=node"],
  });
  expect(settingsOf({ BACKEND: "iptables" })).toMatchObject({
    ...{ backend: "iptables", out: "bench/results/conformance-iptables.json" },
  });
  expect(settingsOf({ SUITE: "netpol,anp" }).suites).toEqual(["anp", "netpol"]);
});

test.each([
  [{ SUITE: "anp,gateway" }, "SUITE=gateway: not one of anp, cnp, netpol, cyclonus, all"],
  [{ FAMILIES: "v4" }, "FAMILIES=v4: not one of ipv4, ipv6, dual"],
  [{ ONLY: "A" }, "ONLY names tests of one suite: give SUITE too"],
  [{ SUITE: "anp", ONLY: "A", PAGE: "docs/conformance.md" }, "PAGE is for whole suites: leave ONLY out"],
  [{ BACKEND: "ebpf" }, "BACKEND=ebpf: not one of ovn, iptables"],
  [{ BACKEND: "iptables", PAGE: "docs/conformance.md" }, "PAGE is for BACKEND=ovn"],
  [{ RUNS: "0" }, "RUNS=0: not a whole number from 1 to 99"],
])("%j is refused", (env, message) => {
  expect(() => settingsOf(env)).toThrow(message);
});

test("results of other suites and families are kept, and their files have names of their own", () => {
  const run = { when: "2026-11-22T08:00:00Z", load: 1, seconds: 1, tests: [], broken: null };
  const earlier = [
    { ...run, suite: "anp" },
    { ...run, suite: "anp", families: "ipv6" },
    { ...run, suite: "cnp", families: "ipv4" },
  ];
  const of = (FAMILIES: string) => keptRuns(earlier, settingsOf({ SUITE: "anp", FAMILIES }));
  expect(of("ipv4")).toEqual(earlier.slice(1));
  expect(of("ipv6")).toEqual([earlier[0], earlier[2]]);
  expect(of("dual")).toEqual(earlier);
  expect(nameOf("anp", settingsOf({}), 1)).toBe("anp");
  expect(nameOf("anp", settingsOf({ FAMILIES: "dual", RUNS: "2" }), 2)).toBe("anp-dual-2");
});

test("the help names each suite with its size", () => {
  for (const { title, tests } of Object.values(suiteFacts))
    expect(help).toContain(`${title}: ${tests} tests`);
});
