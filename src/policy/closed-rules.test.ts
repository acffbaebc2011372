// A rule that is refused denies what it matched, and more where that cannot be said; whatever is refused, a closed policy lets
// nothing pass that the open one stops.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { ip } from "../../test/support/facts.ts";
import { connectionsIn, irPolicies, irPolicy, irWorlds, network } from "../../test/support/ir.ts";
import type { Refusal } from "./contracts/backend.ts";
import { withClosedRules, withPasses } from "./closed-rules.ts";
import { judge } from "./evaluate.ts";
import type { Policy } from "./ir.ts";
import { directions, everyPod } from "./ir.ts";

type Field = Extract<Refusal["part"], { kind: "rule" }>["field"];

const everything = [{ kind: "everything" }];
const refused = (index: number, field: Field): Refusal => ({
  ...{ code: "Unsupported", message: "no words" },
  part: { kind: "rule", direction: "ingress", index, field },
});
const port = { kind: "port", protocol: "tcp", port: 80 } as const;
const open = irPolicy("p", {
  ingress: [
    { action: "allow", ports: [port], logging: { severity: "info", label: "x" } },
    { action: "reject", ports: [port], translated: true },
    { action: "pass", share: "a", subject: [] },
  ],
});

describe("one step further", () => {
  test.each<readonly [string, number, Field, object]>([
    ["an allow of peers without words", 0, "peers", { action: "deny", peers: everything, ports: [port] }],
    ["an allow of ports without words", 0, "ports", { action: "deny", ports: null }],
    ["an action without words", 0, "action", { action: "deny", ports: [port] }],
    ["logging without words", 0, "logging", { action: "allow", logging: null }],
    ["an allow as a whole", 0, "rule", { action: "deny", ports: [port] }],
    ["a reject without words", 1, "action", { action: "deny", translated: true }],
    [
      "a reject of peers without words",
      1,
      "peers",
      { action: "reject", peers: everything, translated: true },
    ],
    ["a subject without words", 2, "subject", { action: "deny", subject: everyPod, share: "a" }],
  ])("%s", (_, index, field, expected) => {
    const closed = withClosedRules(open, [refused(index, field)]);
    expect(closed?.rules.ingress[index]).toMatchObject(expected);
    const others = (policy: Policy) => policy.rules.ingress.toSpliced(index, 1);
    expect(closed && others(closed)).toEqual(others(open));
    expect(closed?.rules.egress).toBe(open.rules.egress);
  });

  test("a pass that finds no tier remembers it, and passes again; a pass that cannot be said does not", () => {
    const closed = withClosedRules(open, [refused(2, "action")]);
    expect(closed?.rules.ingress[2]).toEqual({
      ...open.rules.ingress[2],
      action: "deny",
      closedFrom: "pass",
    });
    expect(closed && withPasses(closed)).toEqual(open);
    const unsaid = withClosedRules(open, [refused(2, "action"), refused(2, "peers")]);
    expect(unsaid?.rules.ingress[2]).not.toHaveProperty("closedFrom");
    expect(unsaid && withPasses(unsaid)).toBe(unsaid);
    const allowed = withClosedRules(open, [refused(0, "action")]);
    expect(allowed?.rules.ingress[0]).not.toHaveProperty("closedFrom");
  });

  test("of a rule that is refused as a whole, in the end nothing is kept; then nothing closes it", () => {
    const steps: (Policy | null)[] = [open];
    for (let at: Policy | null = open; at !== null; steps.push(at))
      at = withClosedRules(at, [refused(1, "rule")]);
    expect(steps.map((policy) => policy?.rules.ingress[1])).toMatchObject(
      [
        { action: "reject", translated: true },
        { action: "reject", ports: [port] },
        { action: "reject", ports: null, peers: everything },
        expect.anything(),
      ].slice(0, 3),
    );
    expect(steps.at(1)?.rules.ingress[1]).not.toHaveProperty("translated");
    expect([steps.length, steps.at(-1)]).toEqual([4, null]);
  });

  test("own addresses stay as long as anything of what the rule matches does", () => {
    const own = { networks: [network("10.0.0.0/8")], except: [] };
    const narrow = irPolicy("p", { ingress: [{ action: "allow", own }] });
    const byPeers = withClosedRules(narrow, [refused(0, "peers")]);
    expect(byPeers?.rules.ingress[0]).toMatchObject({ action: "deny", peers: everything, own });
    const once = withClosedRules(narrow, [refused(0, "rule")]);
    expect(once?.rules.ingress[0]).toMatchObject({ action: "deny", own });
    const twice = once && withClosedRules(once, [refused(0, "rule")]);
    expect(twice?.rules.ingress[0]).toMatchObject({ action: "deny", peers: everything });
    expect(twice?.rules.ingress[0]).not.toHaveProperty("own");
  });

  test("what is about more than a rule, or about none that is there, closes nothing", () => {
    const whole: Refusal = { code: "NoPlace", part: { kind: "subject" }, message: "" };
    expect(withClosedRules(open, [refused(0, "peers"), whole])).toBeNull();
    expect(withClosedRules(open, [refused(7, "peers")])).toBeNull();
    const twice = withClosedRules(open, [refused(0, "peers"), refused(0, "ports")]);
    expect(twice?.rules.ingress[0]).toMatchObject({ peers: everything, ports: null });
    expect(twice && withClosedRules(twice, [refused(0, "ports")])).toBeNull();
  });
});

const fields: readonly Field[] = ["rule", "action", "subject", "peers", "ports", "logging"];

test("in any world, whatever is closed passes nothing that the policies as written stop", () => {
  const asked = fc.array(
    fc.record({
      policy: fc.nat(3),
      direction: fc.constantFrom(...directions),
      index: fc.nat(2),
      field: fc.constantFrom(...fields),
    }),
    { minLength: 1, maxLength: 4 },
  );
  let stricter = 0;
  fc.assert(
    fc.property(irWorlds, irPolicies, asked, (drawn, policies, all) => {
      const closed = policies.map((policy, at) => {
        const parts = all.filter((one) => one.policy === at);
        const refusals = parts.map(({ direction, index, field }): Refusal => ({
          ...{ code: "Unsupported", message: "" },
          part: { kind: "rule", direction, index, field },
        }));
        return withClosedRules(policy, refusals) ?? policy;
      });
      const connections = connectionsIn(drawn, ip).filter((_, at) => at % 5 === 0);
      const allowed = (list: readonly Policy[]) =>
        new Set(connections.filter((one) => judge(one, drawn.world, list).verdict === "allow"));
      const [before, after] = [allowed(policies), allowed(closed)];
      expect(after.difference(before).size).toBe(0);
      stricter += before.difference(after).size;
    }),
    { numRuns: 150 },
  );
  expect(stricter).toBeGreaterThan(10);
});
