// NG001, NG002, NG003, NG013, NG016: rules that come to nothing, case by case. That the table behind them is the judge's,
// reach.property.test.ts shows.

import { describe, expect, test } from "@jest/globals";
import { namespace, pod } from "../../../test/support/facts.ts";
import { acnp, annp, service } from "../../../test/support/antrea.ts";
import { found, reportOf } from "../../../test/support/linted.ts";
import type { PolicyObject } from "../../model/object.ts";
import { anp, banp, cnp, namespacesWith, np } from "../../../test/support/policies.ts";

const red = namespacesWith({ tenant: "red" });
const blue = namespacesWith({ tenant: "blue" });
const all = { namespaces: {} };
const world = [
  namespace("red", { tenant: "red" }),
  namespace("blue", { tenant: "blue" }),
  pod("red", "a", { ips: ["10.0.0.1"], ports: [{ name: "web", protocol: "tcp", port: 80 }] }),
  pod("red", "b", { ips: ["10.0.0.2"] }),
  pod("blue", "a", { ips: ["10.0.0.3"] }),
];
const allow = (...from: unknown[]) => ({ action: "Allow", from });
const deny = (...from: unknown[]) => ({ action: "Deny", from });
const pass = (...from: unknown[]) => ({ action: "Pass", from });
const on = (rule: object, ...numbers: number[]) => ({
  ...rule,
  ports: numbers.map((port) => ({ portNumber: { protocol: "TCP", port } })),
});
const through = (rule: object, start: number, end: number) => ({
  ...rule,
  ports: [{ portRange: { protocol: "TCP", start, end } }],
});

const inOrder = ["NG001", "NG002", "NG013", "NG016"];

describe("in a world with pods", () => {
  // prettier-ignore
  const cases: [string, object[], string[]][] = [
    ["a rule behind one that matches the same", [deny(red), allow(red)], ["NG001 warning p ingress[1]"]],
    ["a rule behind several that together match the same", [deny(red), deny(blue), allow(all)], ["NG001 warning p ingress[2]"]],
    ["a rule that has one pod left", [deny(red), allow(all)], []],
    ["a range behind the ranges that make it up", [through(deny(red), 1, 50), through(deny(red), 51, 99), through(allow(red), 20, 70)], ["NG001 warning p ingress[2]"]],
    ["a range of which one port is left", [through(deny(red), 1, 50), through(deny(red), 52, 99), through(allow(red), 20, 70)], []],
    ["all ports behind some", [on(deny(red), 80, 443), allow(red)], []],
    ["a name behind its number", [{ ...deny(blue), ports: [{ portNumber: { port: 80 } }] }, { ...allow(blue), ports: [{ namedPort: "web" }] }], ["NG001 warning p ingress[1]"]],
    ["a network behind a wider one", [deny(all), allow(red)], ["NG001 warning p ingress[1]"]],
  ];
  test.each(cases)("%s", (_, ingress, expected) => {
    expect(found([...world, anp("p", { ingress })], ["NG001"])).toEqual(expected);
  });

  test("networks that halve a network cover it, and their number on the way is shown", () => {
    const to = (action: string, ...networks: string[]) => ({ action, to: [{ networks }] });
    const policy = anp("p", {
      egress: [
        to("Deny", "1.0.0.0/9"),
        to("Allow", "1.128.0.0/9"),
        to("Deny", "1.0.0.0/8"),
        to("Deny", "1.0.0.0/7"),
      ],
    });
    const [first, ...others] = reportOf([...world, policy], {
      choice: { only: new Set(["NG001"]), skip: new Set() },
    }).findings;
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      rule: { direction: "egress", index: 2, action: "deny" },
      field: "spec.egress[2]",
      message:
        "never decides: earlier rules of the policy match everything that it matches (egress[0], egress[1])",
      fix: "delete it, or move it above egress[0]",
      related: [{ rule: { index: 0 } }, { rule: { index: 1 } }],
    });
  });

  test("a pod and itself are no connection: a rule for a lonely pod's own namespace matches nobody", () => {
    const policy = anp("p", { subject: blue, ingress: [deny(blue), allow(blue)] });
    expect(found([...world, policy], ["NG001", "NG002"])).toEqual([
      // By its selectors, since no connection meets it.
      "NG001 warning p ingress[1]",
    ]);
  });

  test("what an earlier policy or an earlier tier decides cannot be reached", () => {
    const objects = [
      ...world,
      anp("first", { priority: 1, ingress: [deny(red), pass(blue)] }),
      anp("second", { priority: 2, ingress: [allow(red), allow(blue), allow(red, blue)] }),
      banp({ ingress: [deny(red), deny(blue)] }),
    ];
    expect(found(objects, inOrder)).toEqual([
      "NG016 warning second",
      "NG002 warning second ingress[0]",
      "NG002 warning second ingress[1]",
      // The other two match all of it before.
      "NG001 warning second ingress[2]",
      "NG002 warning default ingress[0]",
    ]);
  });

  test("isolation by a NetworkPolicy hides the baseline, and is named", () => {
    const objects = [
      ...world,
      np(
        "isolated",
        { podSelector: {}, policyTypes: ["Ingress"], ingress: [{ from: [{ namespaceSelector: {} }] }] },
        "red",
      ),
      banp({ subject: red, ingress: [deny(blue)] }),
    ];
    const { findings } = reportOf(objects);
    const hidden = findings.find(({ id }) => id === "NG002");
    expect(hidden).toMatchObject({ policy: { name: "default" }, rule: { index: 0 } });
    expect(hidden?.related.map(({ policy }) => policy.name)).toEqual(["isolated"]);
  });

  test("policies of equal priority hide nothing", () => {
    const objects = [anp("one", { ingress: [deny(red)] }), anp("two", { ingress: [deny(red)] })];
    expect(found([...world, ...objects], ["NG002"])).toEqual([]);
  });

  test("a pass is for nobody when no later tier speaks of its connections", () => {
    const policy = anp("p", { ingress: [pass(red), pass(blue)] });
    const baseline = banp({ ingress: [deny(red)] });
    expect(found([...world, policy, baseline], ["NG013"])).toEqual(["NG013 info p ingress[1]"]);
    expect(found([...world, policy], ["NG013"])).toEqual([
      "NG013 info p ingress[0]",
      "NG013 info p ingress[1]",
    ]);
    const isolating = np("np", { podSelector: {} }, "red");
    expect(found([...world, policy, isolating], ["NG013"])).toEqual([]);
  });
});

describe("what only today's objects leave a rule", () => {
  const said = (id: string, ...policies: PolicyObject[]) =>
    reportOf([...world, ...policies], { choice: { only: new Set([id]), skip: new Set() } }).findings.map(
      ({ policy: { name }, rule, message, fix }) => [name, rule?.index ?? null, message, fix],
    );

  test("is said to be of them, and the rule is not to be deleted", () => {
    // Another namespace may come that is neither.
    const others = namespacesWith({ team: "x" });
    const later = deny({ namespaces: { matchExpressions: [{ key: "tenant", operator: "Exists" }] } });
    expect(said("NG001", anp("p", { ingress: [allow(red), allow(blue), later, pass(others)] }))).toEqual([
      [
        "p",
        2,
        "decides nothing among today's objects: earlier rules of the policy match all that it matches of them (ingress[0], ingress[1])",
        "none is needed if its objects are added later; otherwise move it above ingress[0]",
      ],
    ]);
    expect(
      said(
        "NG002",
        anp("p", { priority: 1, ingress: [allow(red), allow(blue)] }),
        anp("q", { priority: 2, ingress: [later, pass(others)] }),
      ),
    ).toEqual([
      [
        "q",
        0,
        "decides nothing among today's objects: policies before this one decide all that it matches of them (AdminNetworkPolicy p ingress[0], AdminNetworkPolicy p ingress[1])",
        "none is needed if its objects are added later; otherwise give the policy a lower priority number, or narrow AdminNetworkPolicy p ingress[0], AdminNetworkPolicy p ingress[1]",
      ],
    ]);
  });

  test("is said of a pass that a later policy for others could take up", () => {
    const policy = anp("p", { ingress: [pass(red)] });
    expect(said("NG013", policy, banp({ ingress: [deny(blue)] }))).toEqual([
      [
        "p",
        0,
        "passes without effect among today's objects: no later tier decides what it matches of them, so it is allowed",
        "none is needed if the policies that are to decide concern objects that are added later; otherwise use allow",
      ],
    ]);
  });

  test("is said of a policy that does nothing, which is to be deleted only if it has no rules", () => {
    const nobody = anp("p", { subject: namespacesWith({ team: "x" }), ingress: [allow(red)] });
    expect(said("NG016", nobody, anp("empty", {}))).toEqual([
      ["empty", null, "has no rules, so it does nothing", "delete it, or write the intended rules"],
      [
        "p",
        null,
        "does nothing among today's objects: none of its rules decides anything there",
        "none is needed if its objects are added later; otherwise see the findings about its rules",
      ],
    ]);
  });

  // prettier-ignore
  const closing: [string, object[], string[]][] = [
    ["a deny of every namespace", [allow(red), allow(blue), deny(all)], []],
    ["a deny of every namespace and one of every address", [allow(red), allow(blue), deny(all), deny({ networks: ["0.0.0.0/0"] })], []],
    ["a deny of every namespace that is not the last", [allow(red), allow(blue), deny(all), allow(red)], ["NG001 warning p egress[2]", "NG001 warning p egress[3]"]],
    ["a deny of some ports", [allow(red), allow(blue), on(deny(all), 80)], ["NG001 warning p egress[2]"]],
    ["a deny of nearly every namespace", [allow(red), allow(blue), deny({ namespaces: { matchExpressions: [{ key: "tenant", operator: "Exists" }] } })], ["NG001 warning p egress[2]"]],
    ["a pass of every namespace", [allow(red), allow(blue), pass(all)], ["NG001 warning p egress[2]"]],
  ];
  test.each(closing)("is not reported where it is %s at the end", (_, rules, expected) => {
    const egress = rules.map(({ from, ...rule }: { readonly from?: unknown }) => ({ ...rule, to: from }));
    expect(found([...world, anp("p", { egress })], ["NG001", "NG002", "NG016"])).toEqual(expected);
    const before = [allow(red), allow(blue)].map(({ from, ...rule }) => ({ ...rule, to: from }));
    const first = anp("first", { priority: 1, egress: before });
    const hidden = found([...world, first, anp("p", { priority: 2, egress: egress.slice(2) })], ["NG002"]);
    expect(hidden.length === 0).toBe(expected.length === 0);
  });

  test("a rule that closes its policy is kept even where nothing is ever left to it", () => {
    expect(said("NG001", anp("p", { ingress: [allow(all), deny(all)] }))).toEqual([
      [
        "p",
        1,
        "never decides: earlier rules of the policy match everything that it matches (ingress[0])",
        "keep it, because it closes the policy; narrow ingress[0] if it is to decide",
      ],
    ]);
    const closed = banp({ ingress: [deny(all)] });
    expect(said("NG002", anp("p", { ingress: [allow(all)] }), closed)).toEqual([
      [
        "default",
        0,
        "never decides: policies before this one decide everything that it matches (AdminNetworkPolicy p ingress[0])",
        "keep it, because it closes the policy; narrow AdminNetworkPolicy p ingress[0] if it is to decide",
      ],
    ]);
  });
});

describe("what is to be done about a rule that others hide", () => {
  // prettier-ignore
  const cases: [string, PolicyObject[], string][] = [
    ["a policy of the same tier", [anp("p", { priority: 1, ingress: [allow(all)] }), anp("q", { priority: 2, ingress: [deny(red)] })], "give the policy a lower priority number, or narrow AdminNetworkPolicy p ingress[0]"],
    ["a policy of an earlier tier, where no number helps", [anp("p", { ingress: [allow(all)] }), cnp("q", { tier: "Baseline", ingress: [deny(red)] })], "narrow AdminNetworkPolicy p ingress[0]"],
    ["of a NetworkPolicy, which has no priority", [anp("p", { ingress: [allow(all)] }), np("q", { podSelector: {}, ingress: [{ from: [{ podSelector: {} }] }] }, "red")], "narrow AdminNetworkPolicy p ingress[0]"],
    ["an isolation", [np("q", { podSelector: {}, ingress: [{ from: [{ podSelector: { matchLabels: { a: "b" } } }] }] }, "red"), banp({ subject: namespacesWith({ "kubernetes.io/metadata.name": "red" }), ingress: [deny(blue)] })], "none is needed if its objects are added later; otherwise narrow the isolation by NetworkPolicy red/q to fewer pods"],
    ["rules that say the same", [anp("p", { ingress: [deny(all), deny(red)] })], "delete it"],
  ];
  test.each(cases)("by %s", (_, policies, expected) => {
    const home = namespace("red", { tenant: "red", "kubernetes.io/metadata.name": "red" });
    expect(
      reportOf([...world.slice(1), home, ...policies], {
        choice: { only: new Set(["NG001", "NG002"]), skip: new Set() },
      }).findings.map(({ fix }) => fix),
    ).toEqual([expected]);
  });
});

describe("without pods selectors say it", () => {
  // prettier-ignore
  const cases: [string, object[], string[]][] = [
    ["the same peer", [deny(red), allow(red)], ["NG001 warning p ingress[1]"]],
    ["a peer that the earlier one holds", [deny(all), allow(red)], ["NG001 warning p ingress[1]"]],
    ["a peer that holds the earlier one", [deny(red), allow(all)], []],
    ["every peer by another rule", [deny(red), deny(blue), allow(red, blue)], ["NG001 warning p ingress[2]"]],
    ["fewer ports", [on(deny(red), 80, 443), on(allow(red), 443)], ["NG001 warning p ingress[1]"]],
    ["one port more", [on(deny(red), 80), on(allow(red), 80, 443)], []],
  ];
  test.each(cases)("%s", (_, ingress, expected) => {
    expect(found([anp("p", { ingress })], ["NG001"])).toEqual(expected);
  });

  test("an earlier policy hides; one that may pass it on before does not", () => {
    const later = banp({ ingress: [deny(red)] });
    const names = ["NG002"];
    expect(found([anp("p", { ingress: [allow(all)] }), later], names)).toEqual([
      "NG002 warning default ingress[0]",
    ]);
    expect(found([anp("p", { ingress: [pass(red), allow(all)] }), later], names)).toEqual([]);
    const first = anp("first", { priority: 1, ingress: [pass(blue)] });
    expect(found([first, anp("p", { ingress: [allow(all)] }), later], names)).toEqual([]);
    expect(found([cnp("p", { ingress: [{ action: "Accept", from: [all] }] }), later], names)).toEqual([
      "NG002 warning default ingress[0]",
    ]);
  });

  test("an inert policy is one without rules, or with such rules only", () => {
    expect(found([anp("p", {})], ["NG016"])).toEqual(["NG016 warning p"]);
    expect(found([anp("p", { ingress: [allow(all)] }), banp({ ingress: [deny(red)] })], ["NG016"])).toEqual([
      "NG016 warning default",
    ]);
    expect(found([np("p", { podSelector: {}, policyTypes: ["Ingress"] })], ["NG016"])).toEqual([]);
  });
});

describe("a tie", () => {
  test("is an error where a connection meets both, told once, with both rules", () => {
    const objects = [
      ...world,
      anp("b", { priority: 5, ingress: [deny(red)] }),
      anp("a", { priority: 5, ingress: [on(allow(blue), 80), on(allow(all), 80)] }),
      anp("c", { priority: 6, ingress: [allow(red)] }),
    ];
    const { findings } = reportOf(objects, { choice: { only: new Set(["NG003"]), skip: new Set() } });
    expect(findings).toMatchObject([
      {
        severity: "error",
        policy: { name: "a" },
        rule: { direction: "ingress", index: 1 },
        message:
          "allow has the tier and the priority of AdminNetworkPolicy b ingress[0] (deny), which says otherwise: which of them decides is open",
        related: [{ policy: { name: "b" }, rule: { index: 0 } }],
      },
    ]);
  });

  // prettier-ignore
  const cases: [string, PolicyObject, PolicyObject, string[]][] = [
    ["where one of the policies decides nothing there", anp("a", { ingress: [deny(red)] }), anp("b", { ingress: [deny(red), allow(red)] }), []],
    ["where only selectors could meet", anp("a", { subject: namespacesWith({ team: "x" }), ingress: [deny(red)] }), anp("b", { ingress: [allow(red)] }), ["NG003 info a ingress[0]"]],
    ["where subjects cannot meet", anp("a", { subject: red, ingress: [deny(red)] }), anp("b", { subject: blue, ingress: [allow(red)] }), []],
    ["where peers cannot meet", anp("a", { subject: namespacesWith({ team: "x" }), ingress: [deny(red)] }), anp("b", { ingress: [allow(blue)] }), []],
    ["where ports cannot meet", anp("a", { subject: namespacesWith({ team: "x" }), ingress: [on(deny(red), 80)] }), anp("b", { ingress: [on(allow(red), 81)] }), []],
    ["of deny and deny", anp("a", { ingress: [deny(red)] }), anp("b", { ingress: [deny(red)] }), []],
  ];
  test.each(cases)("%s", (_, one, other, expected) => {
    expect(found([...world, one, other], ["NG003"])).toEqual(expected);
  });
});

describe("Antrea's policies of one priority, whose rules take turns", () => {
  const rule = (action: string, tenant: string) => ({
    ...{ action, from: [{ namespaceSelector: { matchLabels: { tenant } } }] },
  });
  const policy = (name: string, ...ingress: object[]) =>
    acnp(name, { priority: 5, appliedTo: [{ podSelector: {} }], ingress });
  // prettier-ignore
  const cases: [string, PolicyObject, PolicyObject, string[]][] = [
    ["at one place a drop hides an allow", policy("a", rule("Allow", "red")), policy("b", rule("Drop", "red")), ["NG002 warning a ingress[0]"]],
    ["an earlier place hides a later one", policy("a", rule("Drop", "blue"), rule("Drop", "red")), policy("b", rule("Allow", "red")), ["NG002 warning a ingress[1]"]],
    ["a later place hides nothing", policy("a", rule("Drop", "blue"), rule("Drop", "green")), policy("b", rule("Allow", "red")), []],
  ];
  describe.each([
    ["with pods", world],
    ["with none", []],
  ])("%s", (_, pods) => {
    test.each(cases)("%s, and nothing ties", (__, one, other, expected) => {
      expect(found([...pods, one, other], ["NG002", "NG003"])).toEqual(expected);
    });
  });

  test("who comes before is told", () => {
    const both = [policy("a", rule("Allow", "red")), policy("b", rule("Drop", "red"))];
    const { findings } = reportOf([...world, ...both], {
      choice: { only: new Set(["NG002"]), skip: new Set() },
    });
    expect(findings.map(({ message }) => message)).toEqual([
      "never decides: rules of other policies that are evaluated before it decide everything that it matches (ClusterNetworkPolicy b ingress[0])",
    ]);
  });
});

describe("rules about Services", () => {
  const serviceOf = (name: string, app: string) =>
    service(name, { selector: { app }, ports: [{ port: 80 }] }, "red");
  const here = [
    ...[namespace("red"), serviceOf("web", "web"), serviceOf("also-web", "web"), serviceOf("db", "db")],
    pod("red", "client", { ips: ["10.0.0.1"], labels: { app: "client" } }),
    pod("red", "web", { ips: ["10.0.0.2"], labels: { app: "web" } }),
    pod("red", "db", { ips: ["10.0.0.3"], labels: { app: "db" } }),
  ];
  const onClient = [{ podSelector: { matchLabels: { app: "client" } } }];
  const by = (action: string, ...names: string[]) => ({
    ...{ action, toServices: names.map((name) => ({ name, namespace: "red" })) },
  });
  const toPods = (action: string, app: string) => ({
    ...{ action, to: [{ podSelector: { matchLabels: { app } } }], ports: [{ port: 80 }] },
  });

  // prettier-ignore
  const cases: [string, object[], string[]][] = [
    ["behind one about the pods themselves", [toPods("Allow", "web"), by("Drop", "web")], ["NG001 warning p egress[1]"]],
    ["before one about the pods themselves", [by("Drop", "web"), toPods("Allow", "web")], []],
    ["behind one about the same Service", [by("Allow", "web"), by("Drop", "web")], ["NG001 warning p egress[1]"]],
    ["of which one Service is left", [by("Allow", "web"), by("Drop", "web", "db")], []],
    ["of which one Service is not there", [by("Drop", "web", "absent")], []],
    ["with two Services that lead to the same", [by("Drop", "web", "also-web")], []],
    ["of which nothing is left", [by("Allow", "web", "db"), by("Drop", "db", "also-web")], ["NG001 warning p egress[1]"]],
  ];
  test.each(cases)("one %s", (_, egress, expected) => {
    // Of its namespace, as Services are: their pods are the same.
    const policy = annp("p", { priority: 5, appliedTo: onClient, egress }, "red");
    expect(found([...here, policy], ["NG001", "NG002"])).toEqual(expected);
    // Of pods that are not there the selectors say the same.
    const unpeopled = here.filter(({ kind }) => kind !== "Pod");
    expect(found([...unpeopled, policy], ["NG001", "NG002"])).toEqual(expected);
  });
});
