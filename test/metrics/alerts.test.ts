// Each alert fires when it should and not before, and is silent in healthy worlds: promtool plays the series. And each has
// what the person needs who is called by it.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { stringify } from "yaml";
import { metricFamilies, observeFamilies, seriesNames } from "../../scripts/support/metric-families.ts";
import { alertRules, rulesFile } from "../../scripts/support/monitoring.ts";
import { northgate } from "../support/program.ts";
import { describeWithPrometheus } from "../support/describe-prometheus.ts";
import { alertCases, alsoHealthy, healthy } from "./alert-cases.ts";

/** One instance that Prometheus scrapes, its series, and which alerts of it fire at which minute. */
interface Played {
  readonly instance: string;
  readonly world: Readonly<Record<string, string | null>>;
  readonly ask: readonly { readonly minute: number; readonly alert: string; readonly fires: boolean }[];
}

/** A series of the instance, with the labels that it has of its own. */
function named(series: string, instance: string): string {
  const [name = "", labels = ""] = series.split(/[{}]/);
  const job = labels.startsWith("job=") ? "" : `job="northgate-system/northgate"`;
  const own = [job, `instance="${instance}"`, labels];
  return `${name}{${own.filter((part) => part !== "").join(",")}}`;
}

const everyFamily = async () => [...(await metricFamilies()), ...observeFamilies];

/** Instances that are scraped by one Prometheus. An alert about all of them has no instance. */
function promtoolTest(instances: readonly Played[]): unknown {
  return {
    interval: "1m",
    input_series: instances.flatMap(({ instance, world }) =>
      Object.entries({ ...healthy, ...world }).flatMap(([series, values]) =>
        values === null ? [] : [{ series: named(series, instance), values }],
      ),
    ),
    promql_expr_test: instances.flatMap(({ instance, ask }) =>
      ask.map(({ minute, alert, fires }) => ({
        expr: `count(ALERTS{alertname="${alert}",alertstate="firing",instance="${ofAll.includes(alert) ? "" : instance}"})`,
        eval_time: `${minute}m`,
        exp_samples: fires ? [{ labels: "{}", value: 1 }] : [],
      })),
    ),
  };
}

/** Alerts that are told once, however many instances there are. */
const ofAll = [
  ...["NorthgateDown", "NorthgatePoliciesRejected", "NorthgateMissingKind"],
  ...["NorthgateNamesRefused", "NorthgateNamesLimited"],
];
const minutes = [1, 4, 9, 14, 19, 24, 29, 34, 39, 44, 49, 54, 59];
const cases: readonly Played[] = alertCases.flatMap(({ alert, fires, at, notAt, quiet }) => [
  {
    instance: `${alert} fires`,
    world: fires,
    ask: [
      { minute: notAt, alert, fires: false },
      { minute: at, alert, fires: true },
    ],
  },
  {
    instance: `${alert} is quiet`,
    world: quiet,
    ask: minutes.map((minute) => ({ minute, alert, fires: false })),
  },
]);
/** promtool takes its time for each group. */
const isOfAll = ({ instance }: Played): boolean => ofAll.some((alert) => instance.startsWith(`${alert} `));
const caseGroups: readonly (readonly Played[])[] = [
  cases.filter((one) => !isOfAll(one)),
  ...cases.filter(isOfAll).map((one) => [one]),
];
const worldGroups = [["writes", {}] as const, ...Object.entries(alsoHealthy)].map(([instance, world]) => [
  {
    instance,
    world,
    ask: minutes.flatMap((minute) => alertRules.map(({ alert }) => ({ minute, alert, fires: false }))),
  },
]);

describeWithPrometheus("alerts", ({ promtool }) => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ng-alerts-"));
    writeFileSync(join(folder, "rules.yaml"), rulesFile);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  /** What promtool says, and whether it is content. */
  const played = (
    groups: readonly (readonly Played[])[],
    rules = "rules.yaml",
  ): { status: number | null; said: string } => {
    const file = join(folder, "test.yaml");
    const tests = groups.map(promtoolTest);
    writeFileSync(file, stringify({ rule_files: [rules], evaluation_interval: "1m", tests }));
    const { status, stdout, stderr } = spawnSync(promtool, ["test", "rules", file], { encoding: "utf8" });
    return { status, said: `${stdout}${stderr}` };
  };

  test("the rules are ones that Prometheus takes", () => {
    const { status, stderr } = spawnSync(promtool, ["check", "rules", join(folder, "rules.yaml")], {
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  test("each fires when it should, not before, and not for what only looks like it", () => {
    expect(alertCases.map(({ alert }) => alert).toSorted()).toEqual(
      alertRules.map(({ alert }) => alert).toSorted(),
    );
    expect(played(caseGroups)).toEqual({ status: 0, said: expect.stringContaining("SUCCESS") });
  });

  test("none fires in a healthy world", () => {
    expect(played(worldGroups)).toEqual({ status: 0, said: expect.stringContaining("SUCCESS") });
  });

  test("a rule that never fires, and one that always does, are noticed", () => {
    const wrong = [
      ["northgate_held_back == 1", "northgate_held_back == 2"],
      ["northgate_contested_policies > 0", "northgate_contested_policies >= 0"],
    ].reduce((rules, [was = "", is = ""]) => {
      expect(rules).toContain(was);
      return rules.replace(was, is);
    }, rulesFile);
    writeFileSync(join(folder, "wrong.yaml"), wrong);
    const { status, said } = played(caseGroups.slice(0, 1), "wrong.yaml");
    expect(status).not.toBe(0);
    expect(said).toMatch(/NorthgateHeldBack fires[^]*exp:/);
    expect(said).toMatch(/NorthgateContested is quiet[^]*got:/);
  });
});

describe("what an alert says", () => {
  const runbooks = readFileSync(new URL("../../docs/runbooks.md", import.meta.url), "utf8");

  test.each(alertRules.map((rule) => [rule.alert, rule] as const))(
    "%s",
    (_, { alert, labels, annotations }) => {
      expect(labels).toEqual({ severity: expect.stringMatching(/^(critical|warning)$/) });
      expect(Object.keys(annotations).toSorted()).toEqual(["description", "runbook_url", "summary"]);
      const { summary = "", description = "", runbook_url = "" } = annotations;
      expect(summary.length).toBeLessThan(90);
      expect(description).toMatch(/\.$/);
      expect(runbook_url).toBe(`https://northgate.example/docs/runbooks.md#${alert.toLowerCase()}`);
      const section = runbooks.split(/^## /m).find((text) => text.startsWith(`${alert}\n`)) ?? "";
      for (const part of ["Means:", "Look at:", "Mend:"]) expect(section).toContain(`**${part}**`);
    },
  );

  test("the runbooks have a section for each alert and for no other", () => {
    const sections = [...runbooks.matchAll(/^## (Northgate\w+)$/gm)].map(([, name]) => name);
    expect(sections).toEqual(alertRules.map(({ alert }) => alert));
  });

  test("the runbooks name only commands of ours that exist", () => {
    const named = [...runbooks.matchAll(/\bnorthgate ([a-z]+) (?=-)/g)].map(([, command = ""]) => command);
    expect(named.length).toBeGreaterThan(2);
    const { stdout } = northgate("--help");
    for (const command of named) expect(stdout).toMatch(new RegExp(`^  ${command} `, "m"));
  });

  test("the log lines and metrics that the runbooks quote are the program's", async () => {
    const { stdout } = spawnSync("grep", ["-rhoE", '"[a-z][^"]{20,}"', "src"], { encoding: "utf8" });
    const quoted = [
      ...runbooks.matchAll(/`(an? [a-z][^`]{20,}|this instance [^`]*|rows that [^`]*|the database [^`]*)`/g),
    ];
    expect(quoted.length).toBeGreaterThan(8);
    for (const [, line = ""] of quoted) expect(stdout).toContain(line.replaceAll(/\s+/g, " "));
    const known = new Set((await everyFamily()).flatMap((family) => [family.name, ...seriesNames(family)]));
    const metrics = runbooks.match(/\b(northgate|process|nodejs)_\w+/g) ?? [];
    expect(metrics.filter((name) => !known.has(name))).toEqual([]);
  });

  test("every series of ours that a rule asks for exists", async () => {
    const known = new Set((await everyFamily()).flatMap(seriesNames));
    const asked = alertRules.flatMap(({ expr }) => expr.match(/\b(northgate|process|nodejs)_\w+/g) ?? []);
    expect(asked.length).toBeGreaterThan(alertRules.length);
    expect(asked.filter((name) => !known.has(name))).toEqual([]);
  });
});
