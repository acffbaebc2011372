// With or without an earlier policy to reuse, the result is the same policy; every unedited part of an edited policy is
// the identical object.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { sharing } from "../model/objects/json.ts";
import type { PolicyObject } from "../model/object.ts";
import { parseJson } from "../model/reader.ts";
import type { Compiled, Dialect } from "../policy/contracts/dialect.ts";
import type { Policy } from "../policy/ir.ts";
import { reusing } from "../policy/reuse.ts";
import { anp, banp, namespacesWith, podsWith, resolvesNothing } from "../../test/support/policies.ts";
import { adminNetworkPolicy, baselineAdminNetworkPolicy } from "./index.ts";

const red = namespacesWith({ tenant: "red" });
const web = podsWith({ tenant: "red" }, { app: "web" });
const tcp = (port: number) => ({ portNumber: { protocol: "TCP", port } });

const peers = [
  [red],
  [web, red],
  [{ namespaces: {} }],
  [{ namespaces: {}, pods: null }],
  // Rules with findings: ignored in part, failing closed, refused.
  [{ namespaces: {}, since: "later" }],
  [red, { planets: {} }],
  [{ namespaces: { sameLabels: [] } }],
  [],
];
const ports = [
  undefined,
  null,
  [tcp(80)],
  [tcp(80), { namedPort: "http" }],
  [{ portRange: { start: 9, end: 1 } }],
  [{ portColour: "blue" }],
  [tcp(0)],
];
const rule = (side: "from" | "to") =>
  fc.record({
    action: fc.constantFrom("Allow", "Deny", "Allow", "Deny", "Allow", "Deny", "Refuse"),
    [side]: fc.constantFrom(...peers, ...peers.slice(0, 5)),
    ports: fc.constantFrom(...ports, ...ports.slice(0, 4)),
    ...{ weight: fc.constantFrom(undefined, undefined, undefined, 1) },
  });
const rules = (side: "from" | "to") => fc.option(fc.array(rule(side), { maxLength: 4 }), { freq: 10 });
const spec = fc.record({
  priority: fc.constantFrom(1, 2, 99, 100),
  subject: fc.constantFrom<unknown>(red, web, red, { namespaces: {}, nodes: {} }, { nodes: {} }),
  ingress: rules("from"),
  egress: rules("to"),
});
const logging = fc.constantFrom(null, '{"deny":"alert"}', '{"deny":"loud"}');
type Rules = readonly object[] | null;
const list = (rules: Rules): readonly object[] => rules ?? [];
/** Every rule of the one with the ports of the other's in its place. */
const withPorts = (rules: Rules, others: Rules): readonly object[] =>
  list(rules).map((rule, place) => ({ ...rule, ports: { ports: undefined, ...list(others)[place] }.ports }));
/** Specs with much in common: each takes each part from one of two. */
const specs = fc
  .tuple(
    spec,
    spec,
    fc.array(fc.tuple(fc.boolean(), fc.nat(3), fc.boolean(), logging), { minLength: 2, maxLength: 6 }),
  )
  .map(([a, b, choices]) =>
    choices.map(([first, second, third, text]) => ({
      spec: {
        ...(first ? a : b),
        ingress: [a.ingress, b.ingress, withPorts(a.ingress, b.ingress), withPorts(b.ingress, a.ingress)][
          second
        ],
        egress: [...list(a.egress).slice(0, 2), ...list((third ? a : b).egress).slice(2)],
      },
      text,
    })),
  );

/** As a source delivers it: it shares no object with another. */
const parsed = (object: PolicyObject): PolicyObject => ({
  ...object,
  spec: parseJson(JSON.stringify(object.spec)),
});

/** As the engine does it. */
function compiled(dialect: Dialect, object: PolicyObject, before: Policy | null): Compiled {
  const { policy, problems } = dialect.compile(object, resolvesNothing);
  return { policy: policy && reusing(policy, before), problems };
}

function accepted(object: PolicyObject, before: Policy | null = null): Policy {
  const { policy, problems } = compiled(adminNetworkPolicy, object, before);
  if (policy === null)
    throw new Error(problems.map(({ field, message }) => `${field} ${message}`).join("; "));
  return policy;
}

test("what was compiled before changes nothing of what is compiled", () => {
  fc.assert(
    fc.property(specs, (edits) => {
      for (const [dialect, make] of [
        [adminNetworkPolicy, (one: object, text: string | null) => anp("edited", one, text)],
        [baselineAdminNetworkPolicy, (one: object, text: string | null) => banp(one, text)],
      ] as const) {
        let before: Policy | null = null;
        let earlier: PolicyObject | null = null;
        for (const { spec, text } of edits) {
          const object = parsed(make(spec, text));
          const shared: PolicyObject = { ...object, spec: sharing(object.spec, earlier?.spec) };
          earlier = shared;
          const { policy, problems } = compiled(dialect, shared, before);
          // It shares nothing with another, so nothing of it was read before.
          const fresh = dialect.compile(object, resolvesNothing);
          expect({ policy, problems }).toEqual({ policy: fresh.policy, problems: fresh.problems });
          if (policy !== null) before = policy;
        }
      }
    }),
    { numRuns: 1000 },
  );
});

describe("an edit", () => {
  const allow = (port: number) => ({ action: "Allow", from: [red, web], ports: [tcp(port)] });
  const world = (ingress: readonly unknown[], priority = 10) =>
    parsed(anp("edited", { priority, subject: web, ingress, egress: [{ action: "Deny", to: [red] }] }));
  const before = accepted(world([allow(80), allow(81), allow(82)]));
  const after = (object: PolicyObject, then = before): Policy => accepted(object, then);

  test("of one rule's ports leaves the peers of that rule and all of the others as they are", () => {
    const { subject, rules } = after(world([allow(80), allow(8443), allow(82)]));
    const was = before.rules;
    expect(subject).toBe(before.subject);
    expect(rules.ingress.map((rule, place) => rule === was.ingress[place])).toEqual([true, false, true]);
    expect(rules.ingress[1]?.peers).toBe(was.ingress[1]?.peers);
    expect(rules.egress[0]).toBe(was.egress[0]);
  });

  test("of one rule's ports reads none of its peers again", () => {
    let reads = 0;
    const peer = Object.defineProperty({}, "namespaces", {
      get: () => {
        reads++;
        return {};
      },
      enumerable: true,
    });
    const from = [peer];
    const rule = (port: number) => ({ action: "Allow", from, ports: [tcp(port)] });
    const worldWith = (port: number) => anp("edited", { priority: 10, subject: web, ingress: [rule(port)] });
    const was = accepted(worldWith(80));
    expect(reads).toBeGreaterThan(0);
    reads = 0;
    const now = accepted(worldWith(81), was);
    expect(reads).toBe(0);
    expect(now.rules.ingress[0]?.peers).toBe(was.rules.ingress[0]?.peers);
    expect(now).toEqual(accepted(parsed(worldWith(81))));
  });

  test("of the priority leaves every rule as it is", () => {
    const { priority, rules } = after(world([allow(80), allow(81), allow(82)], 11));
    expect(priority).toBe(11);
    for (const [place, rule] of rules.ingress.entries()) expect(rule).toBe(before.rules.ingress[place]);
  });

  test("leaves a rule as it is of which there is something to say, and says it again", () => {
    const odd = { ...allow(80), weight: 1 };
    const told = accepted(world([odd, allow(81)]));
    const { policy, problems } = compiled(adminNetworkPolicy, world([odd, allow(8443)]), told);
    expect(policy?.rules.ingress[0]).toBe(told.rules.ingress[0]);
    expect(policy?.rules.ingress[1]).not.toBe(told.rules.ingress[1]);
    expect(problems.map(({ field }) => field)).toEqual(["spec.ingress[0].weight"]);
  });

  test("that puts right what closed a rule opens the rule again", () => {
    const closed = accepted(world([{ ...allow(80), ports: [{ portColour: "blue" }] }]));
    expect(closed.rules.ingress[0]?.peers).toEqual([]);
    expect(after(world([allow(80)]), closed)).toEqual(accepted(world([allow(80)])));
    // More findings than are shown hide nothing of what is compiled.
    const odd = { ...allow(80), weight: 1 };
    const many = world([...Array.from({ length: 25 }, () => odd), { ...allow(81), weight: 1 }]);
    const right = world([...Array.from({ length: 25 }, () => odd), allow(81)]);
    expect(after(right, accepted(many))).toEqual(accepted(right));
  });

  test("of the subject leaves every rule as it is, and the other way round", () => {
    const other = parsed(anp("edited", { priority: 10, subject: red, ingress: [allow(80)] }));
    const was = accepted(world([allow(80)]));
    const now = after(other, was);
    expect(now.subject).not.toBe(was.subject);
    expect(now.rules.ingress[0]).toBe(was.rules.ingress[0]);
  });
});
