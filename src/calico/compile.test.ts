// Table tests of a policy's own fields: one line for each rule of the API or of this program. Users see the paths and messages, so
// these are pinned.

import { describe, expect, test } from "@jest/globals";
import { account, calicoTier, calnp, gnp } from "../../test/support/calico.ts";
import { calicoDialect, compiled, refusal, shortRule, toldOf } from "../../test/support/calico-compiled.ts";
import { namespacesNamed, podsRunningAs } from "../model/selectable.ts";
import { everything, requirements } from "../model/selector.ts";
import type { PolicyPart } from "../policy/contracts/backend.ts";

const web = requirements([{ operator: "In", key: "app", values: ["web"] }]);
const pods = (namespaces: typeof everything, selected: typeof everything) => ({
  ...{ kind: "pods", namespaces, pods: selected },
});
const shop = namespacesNamed(["shop"]);
const everybody = { kind: "everything" };

test("every part of a good policy", () => {
  const policy = compiled(
    calnp("n", {
      ...{ tier: "security", order: -1.5, selector: "app == 'web'", types: ["Ingress", "Egress"] },
      ...{ performanceHints: ["AssumeNeededOnEveryNode"] },
      ingress: [{ action: "Allow", metadata: { annotations: { a: "b" } } }, { action: "Pass" }],
      egress: [{ action: "Deny" }],
    }),
    calicoTier("security", { order: 100 }),
  );
  const rule = { name: "", share: null, subject: null, peers: [everybody], ports: null, logging: null };
  expect(policy).toEqual({
    key: "NetworkPolicy.projectcalico.org/shop/n",
    ref: { group: "projectcalico.org", kind: "NetworkPolicy", namespace: "shop", name: "n" },
    ...{ ownerType: "CalicoNetworkPolicy", shortKind: "CALNP" },
    rowForm: { sets: "selector", ownerType: "NorthgateCalicoSelector" },
    ...{ tier: { name: "security", order: 100 }, priority: -1.5, tie: "n/shop/NetworkPolicy" },
    marks: { "calico-tier": "security" },
    subject: [pods(shop, web)],
    rules: {
      ingress: [
        { ...rule, index: 0, action: "allow" },
        { ...rule, index: 1, action: "pass" },
      ],
      egress: [{ ...rule, index: 0, action: "deny" }],
    },
    unmatched: { ingress: "deny", egress: "deny" },
    logging: { allow: null, deny: null, pass: null, reject: null },
  });
});

describe("the place", () => {
  test.each([
    ["nothing", {}, { name: "default", order: 1_000_000 }, "deny"],
    ["an empty tier", { tier: "" }, { name: "default", order: 1_000_000 }, "deny"],
    ["kube-admin", { tier: "kube-admin" }, { name: "kube-admin", order: 1_000 }, "next"],
    ["kube-baseline", { tier: "kube-baseline" }, { name: "kube-baseline", order: 10_000_000 }, "next"],
    ["a tier that denies", { tier: "a" }, { name: "a", order: 5.5 }, "deny"],
    ["a tier that passes", { tier: "b" }, { name: "b", order: 5.5 }, "next"],
    ["a tier without order", { tier: "c" }, { name: "c", order: Infinity }, "deny"],
  ] as const)("%s", (_, spec, tier, end) => {
    const policy = compiled(
      gnp("p", spec),
      calicoTier("a", { order: 5.5 }),
      calicoTier("b", { order: 5.5, defaultAction: "Pass" }),
      calicoTier("c", { defaultAction: "Deny" }),
      // They are as they are.
      calicoTier("default", { order: 1, defaultAction: "Pass" }),
      calicoTier("kube-admin", { order: 1, defaultAction: "Deny" }),
    );
    expect(policy).toMatchObject({ tier, priority: Infinity, unmatched: { ingress: end, egress: "next" } });
  });

  test.each([
    [0, 0],
    [-3.25, -3.25],
    [1e9, 1e9],
  ])("order %p", (order, priority) => {
    expect(compiled(gnp("p", { order }))).toMatchObject({ priority, tie: "p//GlobalNetworkPolicy" });
  });

  test.each([
    [{ tier: "none" }, "error MissingReference spec.tier: there is no tier none"],
    [{ tier: "A" }, 'error InvalidField spec.tier: "A" is not a name of a tier'],
    [{ tier: 1 }, "error InvalidField spec.tier: must be a string, not 1"],
    [{ tier: "bad" }, 'error InvalidField spec.tier: Tier bad: spec.order: must be a number, not "1"'],
    [
      { tier: "worse" },
      'error InvalidField spec.tier: Tier worse: spec.defaultAction: must be Pass or Deny, not "Allow"',
    ],
    [{ order: "1" }, 'error InvalidField spec.order: must be a number, not "1"'],
  ])("%j", (spec, told) => {
    const tiers = [calicoTier("bad", { order: "1" }), calicoTier("worse", { defaultAction: "Allow" })];
    expect(refusal(gnp("p", spec), ...tiers)).toEqual([told]);
  });
});

describe("the subject", () => {
  const teamA = requirements([{ operator: "In", key: "team", values: ["a"] }]);
  test.each([
    ["of a GlobalNetworkPolicy", gnp("p", {}), [pods(everything, everything)]],
    ["empty selectors", gnp("p", { selector: "", namespaceSelector: "" }), [pods(everything, everything)]],
    ["all()", gnp("p", { selector: "all()" }), [pods(everything, everything)]],
    ["of a NetworkPolicy", calnp("p", {}), [pods(shop, everything)]],
    ["labels", calnp("p", { selector: "app == 'web'" }), [pods(shop, web)]],
    [
      "labels and namespaces",
      gnp("p", { selector: "app == 'web'", namespaceSelector: "team == 'a'" }),
      [pods(teamA, web)],
    ],
    [
      "service accounts",
      gnp("p", { selector: "app == 'web'", serviceAccountSelector: "role == 'x'" }),
      [
        pods(
          namespacesNamed(["bank"]),
          requirements([
            ...(web.kind === "requirements" ? web.requirements : []),
            { operator: "In", key: "#serviceAccount", values: ["c"] },
          ]),
        ),
        pods(
          shop,
          requirements([
            ...(web.kind === "requirements" ? web.requirements : []),
            { operator: "In", key: "#serviceAccount", values: ["a", "b"] },
          ]),
        ),
      ],
    ],
    [
      "service accounts of its own namespace",
      calnp("p", { serviceAccountSelector: "role == 'x'" }),
      [pods(shop, podsRunningAs(["a", "b"]))],
    ],
    [
      "service accounts by name",
      calnp("p", { serviceAccountSelector: "projectcalico.org/name == 'd'" }),
      [pods(shop, podsRunningAs(["d"]))],
    ],
    ["no service account", calnp("p", { serviceAccountSelector: "role == 'z'" }), []],
    ["any service account", calnp("p", { serviceAccountSelector: "all()" }), [pods(shop, everything)]],
  ])("%s", (_, object, subject) => {
    const accounts = [
      ...[account("a", { role: "x" }), account("b", { role: "x" }), account("c", { role: "x" }, "bank")],
      account("d", { role: "y" }),
    ];
    expect(compiled(object, ...accounts).subject).toEqual(subject);
  });

  test("pods of accounts without a label, or without an object, answer what negates it", () => {
    const { subject } = compiled(
      gnp("p", { serviceAccountSelector: "role != 'x'" }),
      account("a", { role: "x" }),
    );
    expect(subject).toMatchObject([
      {
        namespaces: shop,
        pods: requirements([{ operator: "NotIn", key: "#serviceAccount", values: ["a"] }]),
      },
      { namespaces: requirements([{ operator: "NotIn", key: "#name", values: ["shop"] }]), pods: everything },
    ]);
    expect(compiled(gnp("p", { serviceAccountSelector: "role != 'x'" })).subject).toEqual([
      pods(everything, everything),
    ]);
  });

  test.each([
    [{ selector: "app = 'web'" }, /^error InvalidSelector spec\.selector: "=" must be "==" at character 5$/],
    [{ selector: 1 }, /^error InvalidField spec\.selector: must be a string, not 1$/],
    [
      { selector: `app == '${"x".repeat(1024)}'` },
      /^error TooMany spec\.selector: must have at most 1024 characters, not 1033$/,
    ],
    [
      { selector: "app == 'a' && global()" },
      /^error InvalidSelector spec\.selector: must not have global\(\)$/,
    ],
    [
      { namespaceSelector: "global()" },
      /^error InvalidSelector spec\.namespaceSelector: must not have global\(\)$/,
    ],
    [{ namespaceSelector: "(" }, /^error InvalidSelector spec\.namespaceSelector: /],
    [
      { serviceAccountSelector: "global()" },
      /^error InvalidSelector spec\.serviceAccountSelector: must not have global\(\)$/,
    ],
  ])("%j is refused", (spec, told) => {
    expect(refusal(gnp("p", spec))).toEqual([expect.stringMatching(told)]);
  });
});

describe("types", () => {
  const rule = [{ action: "Allow" }];
  test.each([
    [{}, ["deny", "next"]],
    [{ types: [] }, ["deny", "next"]],
    [{ egress: rule }, ["next", "deny"]],
    [{ ingress: rule, egress: rule }, ["deny", "deny"]],
    [{ ingress: rule }, ["deny", "next"]],
    [{ types: ["Egress"] }, ["next", "deny"]],
    [{ types: ["Egress", "Ingress"] }, ["deny", "deny"]],
  ])("%j", (spec, ends) => {
    const { unmatched } = compiled(gnp("p", spec));
    expect([unmatched.ingress, unmatched.egress]).toEqual(ends);
  });

  test("rules of another direction are checked, and say nothing", () => {
    const { policy, told } = toldOf(gnp("p", { types: ["Egress"], ingress: rule }));
    expect(policy?.rules).toEqual({ ingress: [], egress: [] });
    expect(told).toEqual([
      "warning InvalidField spec.ingress: types does not name this direction, so these rules have no effect",
    ]);
    expect(refusal(gnp("p", { types: ["Egress"], ingress: [{ action: "allow" }] }))).toHaveLength(2);
  });

  test.each([
    [["Ingress", "Ingress"], "error InvalidField spec.types: must not name a direction twice"],
    [["ingress"], 'error InvalidField spec.types[0]: must be Ingress or Egress, not "ingress"'],
    ["Ingress", 'error InvalidField spec.types: must be a list, not "Ingress"'],
  ])("%j is refused", (types, told) => {
    expect(refusal(gnp("p", { types }))).toEqual([told]);
  });
});

describe("fields of hosts, and hints", () => {
  const warning = "is about endpoints of hosts, which have no rows: nothing of the policy is enforced";
  const forward = { applyOnForward: true, ingress: [{ action: "Deny" }] };
  test.each([
    [{ doNotTrack: true }, "doNotTrack"],
    [{ preDNAT: true }, "preDNAT"],
  ])("%j says nothing of pods", (field, name) => {
    const { policy, told } = toldOf(gnp("p", { ...forward, ...field }));
    expect(told).toEqual([`warning Unsupported spec.${name}: ${warning}`]);
    expect(policy).toMatchObject({
      rules: { ingress: [], egress: [] },
      unmatched: { ingress: "next", egress: "next" },
      isInert: true,
    });
  });

  test("applyOnForward alone, and what is false, change nothing", () => {
    const rules = compiled(gnp("p", { ...forward, doNotTrack: false, preDNAT: false })).rules.ingress;
    expect(rules.map(shortRule)).toEqual([{ action: "deny", peers: [everybody], ports: null }]);
  });

  test.each([
    [{ doNotTrack: true }, "doNotTrack: needs applyOnForward"],
    [{ preDNAT: true }, "preDNAT: needs applyOnForward"],
    [{ preDNAT: true, doNotTrack: true, applyOnForward: true }, "preDNAT: must not be beside doNotTrack"],
    [
      { preDNAT: true, applyOnForward: true, types: ["Egress"] },
      "preDNAT: must not be in a policy of egress",
    ],
    [
      { preDNAT: true, applyOnForward: true, types: ["Ingress"], egress: [{ action: "Allow" }] },
      "preDNAT: must not be beside egress rules",
    ],
    [{ doNotTrack: "yes" }, 'doNotTrack: must be true or false, not "yes"'],
    [{ performanceHints: ["x"] }, "performanceHints[0]: must be AssumeNeededOnEveryNode"],
  ])("%j is refused", (spec, told) => {
    expect(refusal(gnp("p", spec))).toContainEqual(`error InvalidField spec.${told}`);
  });
});

describe("what is not known here", () => {
  const rules = { ingress: [{ action: "Allow" }, { action: "Deny" }, { action: "Pass" }, { action: "Log" }] };
  test("closes every rule where it is a field of the policy", () => {
    const { policy, told } = toldOf(gnp("p", { ...rules, weight: 3 }));
    expect(told).toContain("error UnknownField spec.weight: this field is not known here");
    expect(policy?.rules.ingress.map(shortRule)).toEqual([
      { action: "allow", peers: [], ports: null },
      { action: "deny", peers: [everybody], ports: null },
      { action: "deny", peers: [everybody], ports: null },
    ]);
  });

  test.each([
    ["namespaceSelector", "all()"],
    ["doNotTrack", false],
    ["applyOnForward", true],
  ])("%s of a NetworkPolicy is such a field", (name, value) => {
    expect(toldOf(calnp("p", { [name]: value })).told).toEqual([
      `error UnknownField spec.${name}: this field is not known here`,
    ]);
  });

  test.each([null, 1, []])("a spec that is %j", (spec) => {
    expect(refusal(gnp("p", spec))).toHaveLength(1);
  });
});

test("the field of each part", () => {
  const rule = (direction: "ingress" | "egress", field: Extract<PolicyPart, { kind: "rule" }>["field"]) =>
    calicoDialect.fieldOf({ kind: "rule", direction, index: 2, field });
  expect(
    ["policy", "tier", "priority", "subject"].map((kind) =>
      calicoDialect.fieldOf({ kind: kind as "policy" }),
    ),
  ).toEqual(["spec", "spec.tier", "spec.order", "spec.selector"]);
  expect(calicoDialect.fieldOf({ kind: "unmatched", direction: "egress" })).toBe("spec.types");
  expect(
    (["rule", "action", "logging", "ports", "subject", "peers"] as const).map((field) =>
      rule("ingress", field),
    ),
  ).toEqual([
    ...[
      "spec.ingress[2]",
      "spec.ingress[2].action",
      "spec.ingress[2].action",
      "spec.ingress[2].destination.ports",
    ],
    ...["spec.ingress[2].destination", "spec.ingress[2].source"],
  ]);
  expect([rule("egress", "subject"), rule("egress", "peers")]).toEqual([
    ...["spec.egress[2].source", "spec.egress[2].destination"],
  ]);
});
