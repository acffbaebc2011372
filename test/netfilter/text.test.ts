// What the flags and a policy's logging change in the text of a filter.

import { describe, expect, test } from "@jest/globals";
import { everything } from "../../src/model/selector.ts";
import { namespacesNamed } from "../../src/model/selectable.ts";
import { lower } from "../../src/netfilter/lower.ts";
import type { FilterForm } from "../../src/netfilter/options.ts";
import { filterFormOf, netfilterOptions } from "../../src/netfilter/options.ts";
import { chainTexts } from "../../src/netfilter/print-iptables.ts";
import type { Logging, Policy, PortMatch } from "../../src/policy/ir.ts";
import { tiers } from "../../src/policy/ir.ts";
import type { PolicyText } from "../backend/policies.ts";
import { contractPolicy, rulesOf } from "../backend/policies.ts";

const silent: Logging = { allow: null, deny: null, pass: null, reject: null };
const inNamespace = (name: string): Policy["subject"] => [
  { kind: "pods", namespaces: namespacesNamed([name]), pods: everything },
];

function rulesFor(policies: readonly Policy[], form: FilterForm = filterFormOf({})): readonly string[] {
  return chainTexts(lower(policies), "v4", form).flatMap(({ name, rules }) =>
    rules.map((rule) => `${name} ${rule}`),
  );
}

describe("logging", () => {
  const logged = (change: Partial<PolicyText>, form?: FilterForm) =>
    rulesFor([contractPolicy({ name: "one", ...change })], form).filter((rule) => rule.includes("NFLOG"));
  const ingress = rulesOf({ action: "allow", ports: [{ kind: "protocol", number: 47 }] }, { action: "deny" });

  test("is of the actions that the policy logs, before the rule that decides", () => {
    expect(logged({ rules: { ingress } })).toEqual([]);
    const [rule, ...others] = logged({ rules: { ingress }, logging: { ...silent, allow: "info" } });
    expect(others).toEqual([]);
    expect(rule).toMatch(
      /^NG-IP-\w{16} -p 47 -m set --match-set ng4-g-\w{16} src -m limit --limit 20\/sec --limit-burst 100 -j NFLOG --nflog-prefix "CP one ingress 0" --nflog-group 1$/,
    );
    const all = rulesFor([
      contractPolicy({ name: "one", rules: { ingress }, logging: { ...silent, allow: "info" } }),
    ]);
    const [next] = all.slice(all.indexOf(rule ?? "") + 1);
    expect(next).toContain("-p 47 ");
    expect(next).toContain("-g NG-ALLOW");
  });

  test("of a rule goes before the policy's", () => {
    const rules = rulesOf(
      { action: "deny", logging: { severity: null, label: null } },
      { action: "allow", logging: { severity: "debug", label: null } },
    );
    const texts = logged({ rules: { ingress: rules }, logging: { ...silent, deny: "alert" } });
    expect(texts).toEqual([expect.stringContaining('"CP one ingress 1"')]);
  });

  test("of denies is about isolation too", () => {
    const unmatched = { ingress: "deny", egress: "next" } as const;
    expect(logged({ unmatched, logging: { ...silent, deny: "info" } })).toEqual([
      expect.stringContaining('"CP one ingress isolation"'),
    ]);
  });

  test("shortens and cleans a name, and keeps the place", () => {
    const name = `x"${"y".repeat(80)}`;
    const [rule = ""] = logged({
      name,
      namespace: "z",
      rules: { ingress },
      logging: { ...silent, deny: "info" },
    });
    const prefix = /--nflog-prefix "([^"]*)"/.exec(rule)?.[1] ?? "";
    expect(prefix).toMatch(/^CP z\/x\?y+ ingress 1$/);
    expect(prefix.length).toBe(63);
  });

  test("to group 0 names no group", () => {
    const form = filterFormOf({ "nflog-group": "0" });
    const [rule = ""] = logged({ rules: { ingress }, logging: { ...silent, deny: "info" } }, form);
    expect(rule).toMatch(/"CP one ingress 1"$/);
  });
});

test("--mark says which bits are set, asked and cleared", () => {
  const rules = rulesFor(
    [contractPolicy({ name: "one", rules: { ingress: rulesOf({}) } })],
    filterFormOf({ mark: "0x10001" }),
  );
  const marks = new Set(rules.flatMap((rule) => rule.match(/0x[0-9a-f]+\/0x[0-9a-f]+/g) ?? []));
  expect(marks).toEqual(new Set(["0x0/0x10001", "0x1/0x1", "0x10000/0x10000"]));
});

test.each(["0x0", "0x1", "0x7", "3", "0x", "0x123456789", "-0x3", "0xg"])("--mark %s is refused", (text) => {
  expect(netfilterOptions.mark.fault(text)).toBe(
    "is not a hexadecimal number, as 0x3000000, with two bits set",
  );
});

test.each(["-1", "65536", "1e3", "", "0x1"])("--nflog-group %s is refused", (text) => {
  expect(netfilterOptions["nflog-group"].fault(text)).toBe("is not a number from 0 to 65535");
});

test("a range that ends before it starts is in no line", () => {
  const reversed = { kind: "range", protocol: "tcp", start: 81, end: 79 } as const;
  const port = { kind: "port", protocol: "tcp", port: 80 } as const;
  const linesOf = (...ports: readonly PortMatch[]) =>
    rulesFor([contractPolicy({ name: "one", rules: { ingress: rulesOf({ ports }) } })]).filter((rule) =>
      rule.startsWith("NG-IP-"),
    );
  expect(linesOf(reversed)).toEqual([]);
  expect(linesOf(reversed, port)).toEqual([expect.stringContaining(" --dport 80 ")]);
  expect(linesOf({ ...port, source: { start: 9, end: 1 } })).toEqual([]);
});

describe("a tier whose policies are each about one namespace", () => {
  const of = (name: string, namespace: string, subject = inNamespace(namespace)) =>
    contractPolicy({
      ...{
        name,
        namespace,
        subject,
        tier: tiers.namespaced,
        rules: { ingress: rulesOf({ action: "allow" }) },
      },
      unmatched: { ingress: "deny", egress: "next" },
    });
  const tierRules = (policies: readonly Policy[]) =>
    rulesFor(policies).filter((rule) => rule.startsWith("NG-IT-"));

  test("has a chain for each namespace, and one rule that leads to it", () => {
    const rules = tierRules([of("one", "x"), of("two", "x"), of("three", "y")]);
    expect(rules).toEqual([
      expect.stringMatching(/ ng4-n-\w{16} dst -m comment --comment "namespace x" -g NG-IN-\w{16}$/),
      expect.stringMatching(/ ng4-n-\w{16} dst -m comment --comment "namespace y" -g NG-IN-\w{16}$/),
    ]);
  });

  test("has none where one of them is about any", () => {
    const everywhere = of("three", "y", [{ kind: "pods", namespaces: everything, pods: everything }]);
    const rules = tierRules([of("one", "x"), everywhere]);
    expect(rules.filter((rule) => rule.includes("-g NG-IN-"))).toEqual([]);
    expect(rules.filter((rule) => rule.includes("-j NG-IP-")).length).toBe(2);
  });

  test("has none where a subject is in several", () => {
    const both = of("three", "y", [...inNamespace("x"), ...inNamespace("y")]);
    const rules = tierRules([of("one", "x"), both]);
    expect(rules.filter((rule) => rule.includes("-g NG-IN-"))).toEqual([]);
  });

  test("has as many rules in the way of a new connection, however many policies other namespaces have", () => {
    const many = Array.from({ length: 50 }, (_, at) => of(`p${at}`, "y"));
    const way = (policies: readonly Policy[]) => tierRules(policies).length;
    expect(way([of("one", "x"), ...many])).toBe(way([of("one", "x"), ...many.slice(0, 1)]));
  });
});
