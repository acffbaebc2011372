// The report: suppression by annotation, fingerprints, the choice of rules, order, and a dialect that lint knows nothing of.

import { describe, expect, test } from "@jest/globals";
import { namespace, pod } from "../../test/support/facts.ts";
import { found, reportOf } from "../../test/support/linted.ts";
import { anp, banp, podsWith } from "../../test/support/policies.ts";
import { toyDialect } from "../../test/support/toy-dialect.ts";
import { everyDialect } from "../dialects.ts";
import type { PolicyObject } from "../model/object.ts";
import { tiers } from "../policy/ir.ts";
import { ruleIds } from "./catalogue.ts";
import { annotation, readSuppressions } from "./suppressions.ts";

const all = { namespaces: {} };
const deny = { action: "Deny", from: [all] };
const allow = { action: "Allow", from: [all] };
const world = [
  namespace("red"),
  pod("red", "a", { ips: ["10.0.0.1"], labels: { app: "a" } }),
  pod("red", "b", { ips: ["10.0.0.2"], labels: { app: "b" } }),
];

function annotated(policy: PolicyObject, text: string): PolicyObject {
  return { ...policy, annotations: new Map([[annotation, text]]) };
}

describe("the annotation", () => {
  const read = (text: string | null) => {
    const { entries, faults } = readSuppressions(text, ruleIds);
    return [
      entries.map(({ id, rule, reason }) => [
        id,
        rule === null ? null : `${rule.direction} ${rule.index}`,
        reason,
      ]),
      faults.map((fault) => `${fault.text}|${fault.message}`),
    ];
  };
  // prettier-ignore
  const cases: [string | null, unknown[], string[]][] = [
    [null, [], []],
    ["NG001: it is known", [["NG001", null, "it is known"]], []],
    ["NG001@egress[2]: why; NG004: because: of this;", [["NG001", "egress 2", "why"], ["NG004", null, "because: of this"]], []],
    ["NG001", [], ["NG001|is not ID: REASON or ID@DIRECTION[INDEX]: REASON"]],
    ["NG001:", [], ["NG001:|is not ID: REASON or ID@DIRECTION[INDEX]: REASON"]],
    ["NG001@egress: why", [], ["NG001@egress: why|is not ID: REASON or ID@DIRECTION[INDEX]: REASON"]],
    ["NG001@sideways[1]: why", [], ["NG001@sideways[1]: why|is not ID: REASON or ID@DIRECTION[INDEX]: REASON"]],
    ["ng001: why", [], ["ng001: why|is not ID: REASON or ID@DIRECTION[INDEX]: REASON"]],
    ["NG999: why; NG001: good", [["NG001", null, "good"]], ["NG999: why|names NG999, which is not in the catalogue"]],
    [" ", [], ["|is empty"]],
  ];
  test.each(cases)("%j", (text, entries, faults) => {
    expect(read(text)).toEqual([entries, faults]);
  });

  const shadowed = anp("p", { ingress: [deny, allow, deny] });

  test("suppresses what it names, which is kept with its reason and not counted", () => {
    const { findings, counts } = reportOf([
      ...world,
      annotated(shadowed, "NG001@ingress[2]: kept for history"),
    ]);
    expect(findings.map(({ id, rule, suppressed }) => [id, rule?.index, suppressed])).toEqual([
      ["NG001", 1, null],
      ["NG001", 2, "kept for history"],
    ]);
    expect(counts).toEqual({ error: 0, warning: 1, info: 0, suppressed: 1 });
    const { counts: both } = reportOf([...world, annotated(shadowed, "NG001: why")]);
    expect(both).toEqual({ error: 0, warning: 0, info: 0, suppressed: 2 });
  });

  test("that suppresses nothing, or is not understood, is a finding (NG017), which nothing suppresses", () => {
    const text = "NG001: why; NG001@ingress[0]: idle; NG017: me too; nonsense";
    const { findings } = reportOf([...world, annotated(shadowed, text)]);
    expect(
      findings
        .filter(({ id }) => id === "NG017")
        .map(({ severity, message, field }) => [severity, message, field]),
    ).toEqual([
      [
        "warning",
        'the entry "nonsense" is not ID: REASON or ID@DIRECTION[INDEX]: REASON, so it suppresses nothing',
        'metadata.annotations["northgate/lint-ignore"]',
      ],
      [
        "info",
        'the entry "NG001@ingress[0]: idle" suppresses nothing: there is no such finding',
        'metadata.annotations["northgate/lint-ignore"]',
      ],
      [
        "info",
        'the entry "NG017: me too" suppresses nothing: there is no such finding that could be suppressed',
        'metadata.annotations["northgate/lint-ignore"]',
      ],
    ]);
  });

  test("of a rule that was not asked is not called idle", () => {
    const policy = annotated(anp("p", { ingress: [deny] }), "NG001: why");
    expect(found([...world, policy], ["NG017"])).toEqual(["NG017 info p"]);
    expect(
      found([...world, policy], [], { choice: { only: new Set(["NG017", "NG003"]), skip: new Set() } }),
    ).toEqual([]);
    expect(found([...world, policy], [], { choice: { only: null, skip: new Set(["NG001"]) } })).toEqual([]);
  });

  test("of another policy suppresses nothing here", () => {
    const other = annotated(banp({ ingress: [deny] }), "NG001: why");
    expect(found([...world, shadowed, other], ["NG001"])).toHaveLength(2);
    expect(reportOf([...world, shadowed, other]).counts.suppressed).toBe(0);
  });
});

describe("a fingerprint", () => {
  const prints = (...ingress: object[]) =>
    new Map(
      reportOf([...world, anp("p", { ingress })])
        .findings.filter(({ id }) => id === "NG001")
        .map(({ rule, fingerprint }) => [rule?.index, fingerprint]),
    );

  test("stays when the rule moves, and changes with its content", () => {
    const before = prints(deny, allow).get(1);
    expect(before).toMatch(/^[0-9a-f]{32}$/);
    expect(prints({ ...deny, name: "first" }, deny, allow).get(2)).toBe(before);
    expect(prints(deny, { ...allow, ports: [{ portNumber: { port: 80 } }] }).get(1)).not.toBe(before);
    expect(prints(deny, allow).get(1)).toBe(before);
  });

  test("of two findings about one rule differs", () => {
    const networks = ["10.0.0.1/8", "10.0.0.2/7"];
    const { findings } = reportOf([
      ...world,
      anp("p", { egress: [{ action: "Allow", to: [{ networks }] }] }),
    ]);
    const own = findings.filter(({ id }) => id === "NG015");
    expect(own.length).toBeGreaterThan(1);
    expect(new Set(own.map(({ fingerprint }) => fingerprint)).size).toBe(own.length);
  });
});

test("findings come in the order of evaluation, the same for any order of the objects", () => {
  const objects = [
    banp({ ingress: [deny] }),
    anp("b", { priority: 1, ingress: [deny, deny] }),
    anp("a", { priority: 2, egress: [] }),
    ...world,
  ];
  const lines = found(objects);
  expect(lines).toEqual([
    "NG001 warning b ingress[1]",
    "NG016 warning a",
    "NG016 warning default",
    "NG002 warning default ingress[0]",
  ]);
  expect(found(objects.toReversed())).toEqual(lines);
});

test("a dialect that is installed is looked at without a change here", () => {
  const toy = toyDialect({
    group: "toys.example.com",
    namespaced: false,
    tier: tiers.admin,
    ownerType: "Toy",
  });
  const task = { dialects: [toy, ...everyDialect.dialects] };
  const first = toy.policy("first", { app: "a", from: "b" });
  const second = banp({
    subject: { pods: { namespaceSelector: {}, podSelector: { matchLabels: { app: "a" } } } },
    ingress: [{ action: "Deny", from: [podsWith({}, { app: "b" })] }],
  });
  expect(
    found([...world, first, second, toy.policy("lost", { app: "nobody", from: "b" })], [], task),
  ).toEqual([
    "NG004 warning lost",
    "NG016 warning lost",
    // Only `b` can connect to `a`.
    "NG016 warning default",
    "NG002 warning default ingress[0]",
    "NG026 info red",
  ]);
  const { findings } = reportOf([...world, first, second], task);
  expect(findings.find(({ id }) => id === "NG002")?.related).toMatchObject([
    {
      policy: { group: "toys.example.com", kind: "NetworkPolicy", name: "first" },
      rule: { index: 0, place: "NetworkPolicy.toys.example.com/first the rule" },
    },
  ]);
});
