// What an edit of a policy costs before anything is planned: rows that it does not change are the same objects after it,
// and nothing of them is dirty. And nothing is missed: whatever edits came before, the rows are those of a fresh rendering,
// and every row that differs from what it was is dirty. Without a database.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { PolicyObject } from "../../src/model/object.ts";
import { parseJson } from "../../src/model/reader.ts";
import { adminNetworkPolicy } from "../../src/anp/index.ts";
import { Desired } from "../../src/nbdb/desired/desired.ts";
import { UnitPending } from "../../src/nbdb/pending.ts";
import { namedPortForms } from "../../src/nbdb/rows/render-mode.ts";
import type { Direction, Policy, Rule } from "../../src/policy/ir.ts";
import { groupChanges } from "../../src/policy/changes.ts";
import { representative } from "../../src/policy/partition.ts";
import { namespace, pod } from "../support/facts.ts";
import { anp, namespacesWith, podsWith, resolvesNothing } from "../support/policies.ts";
import { Renderer, text } from "../support/renderer.ts";

const tenants = ["red", "blue"];
const facts = tenants.flatMap((tenant, net) => [
  namespace(tenant, { tenant }),
  pod(tenant, "web", {
    ips: [`10.0.${net}.1`, `fd00::${net}:1`],
    labels: { app: "web" },
    ports: [http(8080)],
  }),
  pod(tenant, "db", { ips: [`10.0.${net}.2`], labels: { app: "db" }, ports: [http(80 + net)] }),
]);
function http(port: number) {
  return { name: "http", protocol: "tcp", port } as const;
}

const tcp = (port: number) => ({ portNumber: { protocol: "TCP", port } });
const udp = (port: number) => ({ portNumber: { protocol: "UDP", port } });
const red = namespacesWith({ tenant: "red" });
const blueWeb = podsWith({ tenant: "blue" }, { app: "web" });
const named = [{ namedPort: "http" }];

/** As it comes from a source: no object of it is that of another. */
const policy = (spec: object, logging: string | null = null): PolicyObject => {
  const object = anp("edited", spec, logging);
  return { ...object, spec: parseJson(JSON.stringify(object.spec)) };
};

describe.each(namedPortForms)("named ports as %s: an edit", (form) => {
  const allow = (ports: readonly unknown[]) => ({ action: "Allow", from: [red, blueWeb], ports });
  const spec = {
    priority: 10,
    subject: blueWeb,
    ingress: [allow([tcp(80), udp(53)]), allow(named), allow([tcp(82)])],
    egress: [{ action: "Deny", to: [red], ports: named }],
  };
  function edited(after: object, logging: string | null = null) {
    const renderer = new Renderer(form, facts);
    const first = renderer.see(policy(spec)).rendering.after;
    const [before, groups] = [[...first.parts.values()], [...first.portGroups]];
    const seen = renderer.see(policy({ ...spec, ...after }, logging));
    const rules = [...seen.rendering.after.parts.values()];
    const indexes = [...seen.pending.acls].map((id) => id.split(":").slice(3, 5).join(" ")).sort();
    return { ...seen, rules, before, groups, indexes: [...new Set(indexes)] };
  }

  test("in one port renders one rule's ACLs, and no others are looked at", () => {
    const { rules, before, groups, rendering, pending, indexes } = edited({
      ingress: [allow([tcp(81), udp(53)]), ...spec.ingress.slice(1)],
    });
    expect(rendering.changes).toHaveLength(1);
    expect(rules.map((rule, place) => rule === before[place])).toEqual([false, true, true, true]);
    expect(rules[0]?.addressSets).toBe(before[0]?.addressSets);
    expect(rendering.after.portGroups[0]).toBe(groups[0]);
    expect(indexes).toEqual(["Ingress 0"]);
    expect(placesIn(pending)).toEqual({ ...nothing, acls: pending.acls });
  });

  test("in one peer looks at that rule's sets besides", () => {
    const { rules, before, pending, indexes } = edited({
      ingress: [{ ...spec.ingress[0], from: [red] }, ...spec.ingress.slice(1)],
    });
    expect(rules.map((rule, place) => rule === before[place])).toEqual([false, true, true, true]);
    expect([...pending.addressSets]).toEqual(rules[0]?.addressSets.map(({ name }) => [name, "all"]));
    expect(indexes).toEqual(["Ingress 0"]);
    expect(pending.whole).toBe(false);
    expect([...pending.aclReferences, ...pending.ports]).toEqual([]);
  });

  test("of the priority or of logging touches ACLs only, and names are not resolved again", () => {
    for (const { rules, before, groups, rendering, pending, indexes } of [
      edited({ priority: 11 }),
      edited({}, '{"allow":"info","deny":"alert"}'),
    ]) {
      expect(indexes).toEqual(["Egress 0", "Ingress 0", "Ingress 1", "Ingress 2"]);
      for (const [place, rule] of rules.entries()) expect(rule.addressSets).toBe(before[place]?.addressSets);
      expect(rendering.after.portGroups[0]).toBe(groups[0]);
      expect(placesIn(pending)).toEqual({ ...nothing, acls: pending.acls });
    }
  });

  test("of logging that few rules have looks at those", () => {
    expect(edited({}, '{"deny":"alert"}').indexes).toEqual(["Egress 0"]);
  });

  test("of the subject resolves the names again that lead to it", () => {
    const { rules, before, rendering, pending, indexes } = edited({ subject: red });
    expect([...pending.ports]).toEqual([[rendering.after.portGroups[0]?.name, "all"]]);
    expect(rules.map((rule, place) => rule === before[place])).toEqual([true, false, true, true]);
    expect(indexes).toEqual(["Ingress 1"]);
  });

  test("that changes nothing is nothing", () => {
    const { rendering, pending } = edited({});
    expect(rendering.changes).toEqual([]);
    expect(placesIn(pending)).toEqual(nothing);
  });
});

function placesIn({ whole, addressSets, ports, portGroups, aclReferences, acls, namedPorts }: UnitPending) {
  return { whole, addressSets, ports, portGroups, aclReferences, acls, namedPorts };
}
const nothing = placesIn(new UnitPending());

test("an edit of one rule of fifty reads the rules beside it once, and those of the other direction never", () => {
  const reads = new Map<string, number>();
  const counted = (rule: Rule, direction: Direction): Rule => {
    const fields = (["action", "peers", "ports"] as const).map((field) => {
      const get = () => {
        const place = `${direction} ${rule.index} ${field}`;
        reads.set(place, (reads.get(place) ?? 0) + 1);
        return rule[field];
      };
      return [field, { get, enumerable: true }] as const;
    });
    return Object.defineProperties({ ...rule }, Object.fromEntries(fields));
  };
  const allow = (port: number) => ({ action: "Allow", from: [red, blueWeb], ports: [tcp(port)] });
  const deny = (port: number) => ({ action: "Deny", to: [red], ports: [tcp(port)] });
  const fifty = Array.from({ length: 50 }, (_, at) => at + 1);
  const object = policy({
    priority: 10,
    subject: blueWeb,
    ingress: fifty.map(allow),
    egress: fifty.map(deny),
  });
  const compiled = adminNetworkPolicy.compile(object, resolvesNothing).policy;
  if (compiled === null) throw new Error("the policy does not compile");
  const { ingress, egress } = compiled.rules;
  const before: Policy = {
    ...compiled,
    rules: {
      ingress: ingress.map((one) => counted(one, "ingress")),
      egress: egress.map((one) => counted(one, "egress")),
    },
  };
  const edited: Rule = { ...ingress[7], ports: [{ kind: "port", protocol: "tcp", port: 8888 }] } as Rule;
  const after = { ...before, rules: { ...before.rules, ingress: before.rules.ingress.with(7, edited) } };
  const desired = new Desired({ zone: null, namedPorts: "list" });
  desired.serve(["v4", "v6"]);
  const see = (one: Policy, other: Policy | null) => {
    expect(desired.admit(representative(one))).toEqual([]);
    groupChanges(other, one);
    return desired.upsert(one);
  };
  see(before, null);
  reads.clear();
  const { rendered } = see(after, before);
  expect(rendered.map(({ changes }) => changes.length)).toEqual([1]);
  const beside = fifty.map((port) => port - 1).filter((index) => index !== 7);
  const places = beside.flatMap((index) => [`ingress ${index} action`, `ingress ${index} peers`]);
  const others = [...reads].filter(([place]) => !place.startsWith("ingress 7 "));
  expect(new Map(others.sort())).toEqual(new Map(places.sort().map((place) => [place, 1])));
});

const rule = (side: "from" | "to") =>
  fc.record({
    action: fc.constantFrom("Allow", "Deny", "Pass"),
    [side]: fc.constantFrom<unknown>(
      [red],
      [blueWeb, red],
      [red, blueWeb],
      [namespacesWith({ tenant: "none" })],
    ),
    ports: fc.constantFrom<unknown>(null, [tcp(80)], [tcp(81), udp(53)], named, [...named, tcp(80)]),
  });
const edits = fc.array(
  fc.record({
    priority: fc.constantFrom(1, 1, 2),
    subject: fc.constantFrom(red, red, blueWeb),
    logging: fc.constantFrom(null, null, '{"deny":"alert"}', '{"deny":"info","allow":"info"}'),
    ingress: fc.constantFrom(0, 1, 2),
    egress: fc.constantFrom(0, 1, 2),
    place: fc.nat(3),
    ports: fc.constantFrom<unknown>(undefined, null, [tcp(80)], [tcp(81), udp(53)], named),
  }),
  { minLength: 2, maxLength: 5 },
);
const lists = (side: "from" | "to") =>
  fc
    .tuple(
      fc.array(rule(side), { minLength: 3, maxLength: 3 }),
      rule(side),
      fc.array(rule(side), { maxLength: 2 }),
    )
    .map(([all, other, short]) => [all, [...all.slice(0, 1), other, ...all.slice(2)], short]);

test.each(namedPortForms)(
  "named ports as %s: after any edits the rows are a fresh rendering's, and what differs is dirty",
  (form) => {
    fc.assert(
      fc.property(edits, lists("from"), lists("to"), (steps, ingresses, egresses) => {
        const renderer = new Renderer(form, facts);
        let before: ReadonlyMap<string, string> = new Map();
        let subject: string | null = null;
        for (const { priority, subject: pods, logging, ingress, egress, place, ports } of steps) {
          const rules = ingresses[ingress]?.map((one, at) => (at === place ? { ...one, ports } : one));
          const object = policy(
            { priority, subject: pods, ingress: rules, egress: egresses[egress] },
            logging,
          );
          const seen = renderer.see(object);
          const whole = new Renderer(form, facts);
          const fresh = whole.see(object);
          const rows = renderer.rows(seen.state);
          expect(new Map([...rows].sort())).toEqual(new Map([...whole.rows(fresh.state)].sort()));
          expect(seen.state.rows.portGroups).toEqual(fresh.state.rows.portGroups);
          const { pending } = seen;
          const looked = (id: string) => pending.whole || pending.acls.has(id) || pending.addressSets.has(id);
          const differing = [...new Set([...before.keys(), ...rows.keys()])].filter(
            (id) => before.get(id) !== rows.get(id),
          );
          expect(differing.filter((id) => !looked(id))).toEqual([]);
          if (subject !== text(pods))
            expect(pending.whole || [...pending.ports.values()].includes("all")).toBe(true);
          subject = text(pods);
          before = rows;
        }
      }),
      { numRuns: 300 },
    );
  },
);
