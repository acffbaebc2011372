// What `make conformance` is asked for is read, and what it does not know is refused by name.

import { isAbsolute } from "node:path";
import { expect, test } from "@jest/globals";
import { parts } from "./cyclonus-parts.ts";
import type { SuiteRun } from "./results.ts";
import { help, keptRuns, nameOf, partsToRun, settingsOf } from "./run-settings.ts";
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
  expect(settingsOf({ SAMPLES: "yes" })).toMatchObject({
    ...{ samples: true, out: "bench/results/conformance-samples.json" },
  });
  expect(settingsOf({ CLUSTER: "real" }).suites).toEqual(["anp", "cnp", "netpol", "cyclonus"]);
  expect(settingsOf({ SUITE: "netpol,anp" }).suites).toEqual(["anp", "netpol"]);
});

test.each([
  [{ SUITE: "anp,gateway" }, "SUITE=gateway: not one of anp, cnp, netpol, cyclonus, all"],
  [{ FAMILIES: "v4" }, "FAMILIES=v4: not one of ipv4, ipv6, dual"],
  [{ ONLY: "A" }, "ONLY names tests of one suite: give SUITE too"],
  [{ SUITE: "anp", ONLY: "A", PAGE: "docs/conformance.md" }, "PAGE is for whole suites: leave ONLY out"],
  [{ BACKEND: "ebpf" }, "BACKEND=ebpf: not one of ovn, iptables"],
  [{ BACKEND: "iptables", PAGE: "docs/conformance.md" }, "PAGE is for BACKEND=ovn"],
  [{ BACKEND: "iptables", SAMPLES: "yes" }, "SAMPLES is for BACKEND=ovn and CLUSTER=agent"],
  [{ CLUSTER: "real", SAMPLES: "yes" }, "SAMPLES is for BACKEND=ovn and CLUSTER=agent"],
  [{ SAMPLES: "yes", PAGE: "docs/conformance.md" }, "PAGE is for runs without SAMPLES"],
  [{ FROM: "a.json" }, "FROM is written into a page: give PAGE too"],
  [{ RESUME: "maybe" }, "RESUME=maybe: not one of no, yes"],
  [{ RESUME: "yes" }, "RESUME is for one run of SUITE=cyclonus as a whole"],
  [{ RESUME: "yes", SUITE: "cyclonus", RUNS: "2" }, "RESUME is for one run of SUITE=cyclonus as a whole"],
  [
    { RESUME: "yes", SUITE: "cyclonus", ONLY: "action" },
    "RESUME is for one run of SUITE=cyclonus as a whole",
  ],
  [{ CLUSTER: "kind" }, "CLUSTER=kind: not one of agent, real"],
  [{ CLUSTER: "real", FAMILIES: "ipv6" }, "CLUSTER=real is for FAMILIES=ipv4 and BACKEND=ovn, without ARGS"],
  [{ CLUSTER: "real", ARGS: "--zone=a" }, "CLUSTER=real is for FAMILIES=ipv4 and BACKEND=ovn, without ARGS"],
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
    { ...run, suite: "anp", families: "ipv4", cluster: "real" },
  ];
  const of = (FAMILIES: string) => keptRuns(earlier, settingsOf({ SUITE: "anp", FAMILIES }), "abc");
  expect(of("ipv4")).toEqual(earlier.slice(1));
  expect(of("ipv6")).toEqual([earlier[0], ...earlier.slice(2)]);
  expect(keptRuns(earlier, settingsOf({ SUITE: "anp", CLUSTER: "real" }), "abc")).toEqual(
    earlier.slice(0, 3),
  );
  expect(of("dual")).toEqual(earlier);
  expect(nameOf("anp", settingsOf({}), 1)).toBe("anp");
  expect(nameOf("anp", settingsOf({ CLUSTER: "real" }), 1)).toBe("anp-real");
  expect(nameOf("anp", settingsOf({ FAMILIES: "dual", RUNS: "2" }), 2)).toBe("anp-dual-2");
});

test("a run of Cyclonus goes on with the parts that are not there, of this program, and not broken", () => {
  const run = { when: "2026-11-27T20:00:00Z", load: 1, seconds: 1, tests: [], broken: null };
  const part = (name: string, more: object = {}) => ({
    ...{ ...run, suite: "cyclonus", part: name, families: "ipv4", program: "abc" },
    ...more,
  });
  const earlier = [
    { ...run, suite: "anp" },
    part("targets"),
    part("actions", { program: "def" }),
    part("conflicts", { broken: "it ended without its table" }),
    part("peers", { families: "ipv6" }),
    { ...part("rest"), part: undefined },
  ].map((one) => JSON.parse(JSON.stringify(one)) as SuiteRun);
  const settings = settingsOf({ SUITE: "cyclonus", RESUME: "yes" });
  const kept = keptRuns(earlier, settings, "abc");
  expect(kept.map(({ suite, part: name }) => [suite, name])).toEqual([
    ["anp", undefined],
    ["cyclonus", "targets"],
    ["cyclonus", "peers"],
  ]);
  const names = (had: readonly SuiteRun[]) =>
    partsToRun("cyclonus", settings, had).map((one) => one?.name ?? null);
  expect(names(kept)).toEqual(parts.map(({ name }) => name).filter((name) => name !== "targets"));
  const anew = settingsOf({ SUITE: "cyclonus" });
  expect(keptRuns(earlier, anew, "abc").map(({ suite, families }) => [suite, families])).toEqual([
    ["anp", undefined],
    ["cyclonus", "ipv6"],
  ]);
  expect(partsToRun("cyclonus", anew, earlier)).toEqual(parts);
  expect(partsToRun("anp", anew, [])).toEqual([null]);
  expect(partsToRun("cyclonus", settingsOf({ SUITE: "cyclonus", ONLY: "action" }), [])).toEqual([null]);
});

test("the help names each suite with its size", () => {
  for (const { title, tests } of Object.values(suiteFacts))
    expect(help).toContain(`${title}: ${tests} tests`);
});
