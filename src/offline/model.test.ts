// The offline model: the same answers in any order of the objects, the verdict at any moment, the earlier version of a
// refused policy, and a backend other than the preview of rows.

import { describe, expect, test } from "@jest/globals";
import { ip, namespace, pod } from "../../test/support/facts.ts";
import { anp, banp } from "../../test/support/policies.ts";
import { dialects } from "../dialects.ts";
import type { PodFact } from "../model/facts.ts";
import type { WorldObject } from "../model/object.ts";
import { keyOf } from "../model/object.ts";
import type { Connection, End } from "../policy/evaluate.ts";
import type { Refusal } from "../policy/contracts/backend.ts";
import { groupsOf } from "../../test/support/groups-of.ts";
import { groupKey } from "../policy/ir.ts";
import { noBackend, OfflineModel } from "./model.ts";
import { offlineModel } from "../nbdb/tools/rendered.ts";

const red = pod("red", "web", { ips: ["10.0.0.1"] });
const blue = pod("blue", "web", { ips: ["10.0.0.2"] });
const homes = [namespace("red", { tenant: "red" }), namespace("blue", { tenant: "blue" })];
const from = (tenant: string) => [{ namespaces: { matchLabels: { tenant } } }];
const rule = (action: string, tenant = "red") => ({ action, from: from(tenant) });
const deny = anp("p", { priority: 5, ingress: [rule("Deny")] });
const refused = anp("p", { priority: 5, ingress: [{ ...rule("Deny"), action: "Nonsense" }] });

const end = (fact: PodFact): End => ({ ip: fact.ips[0] ?? ip("192.0.2.1"), pod: fact });
const connection: Connection = { from: end(red), to: end(blue), protocol: "tcp", port: 80 };
const mode = { zone: null, namedPorts: "list" } as const;
const fresh = (objects: readonly WorldObject[]) => offlineModel({ objects, dialects, families: null, mode });
const bare = () => new OfflineModel({ dialects, families: null, backend: () => noBackend });

describe("the verdict", () => {
  test("is that of the moment", () => {
    const model = bare();
    model.observe([...homes, red, blue]);
    expect(model.judge(connection).verdict).toBe("allow");
    model.observe([deny]);
    expect(model.judge(connection)).toMatchObject({
      verdict: "deny",
      ingress: { by: { policy: { key: keyOf(deny) } } },
    });
    model.observe([namespace("red", { tenant: "green" })]);
    expect(model.judge(connection).verdict).toBe("allow");
    model.observe([homes[0] ?? red]);
    model.change([{ key: keyOf(homes[1] ?? blue), object: null }]);
    expect(model.judge(connection).verdict).toBe("allow");
    model.observe(homes);
    expect(model.judge(connection).verdict).toBe("deny");
    model.change([{ key: keyOf(deny), object: null }]);
    expect(model.judge(connection).verdict).toBe("allow");
  });

  test("of a policy that is refused is what it said before, and nothing when it never was understood", () => {
    const model = bare();
    model.observe([...homes, red, blue, refused]);
    expect(model.policies()).toEqual([]);
    expect(model.judge(connection).verdict).toBe("allow");
    model.observe([deny]);
    model.observe([refused]);
    expect(model.record(keyOf(refused))).toMatchObject({ rejected: true });
    expect(model.judge(connection).verdict).toBe("deny");
  });

  test("is open where equal priorities disagree", () => {
    const other = anp("q", { priority: 5, ingress: [rule("Allow")] });
    const model = fresh([...homes, red, blue, deny, other]);
    expect(model.outcomes(connection)).toMatchObject({ ties: [{ disagree: true }] });
    expect(model.outcomes(connection).verdicts).toEqual(new Set(["allow", "deny"]));
  });
});

describe("rows", () => {
  const objects = [deny, banp({ egress: [{ action: "Deny", to: from("blue") }] }), blue, ...homes, red];

  test("are the same whatever the order, and whatever the path", () => {
    const { ACL, Port_Group, Address_Set } = fresh(objects).tables();
    expect([ACL.length, Port_Group.length, Address_Set.length]).toEqual([2, 2, 2]);
    expect(fresh(objects.toReversed()).tables()).toEqual({ ACL, Port_Group, Address_Set });
    const walked = fresh([red, anp("p", { ingress: [rule("Allow", "blue")] }), anp("gone", {})]);
    walked.change([{ key: keyOf(anp("gone", {})), object: null }]);
    for (const object of objects) walked.observe([object]);
    expect(walked.tables()).toEqual({ ACL, Port_Group, Address_Set });
  });

  test("two models beside each other share nothing", () => {
    const [one, other] = [fresh(objects), fresh(objects)];
    other.change([{ key: keyOf(red), object: null }]);
    expect(other.tables()).not.toEqual(one.tables());
    expect(one.tables()).toEqual(fresh(objects).tables());
  });
});

test("families that the facts show for the first time are told once", () => {
  const model = bare();
  expect(model.observe([...homes, red]).families).toBeNull();
  expect(model.observe([pod("red", "six", { ips: ["fd00::1"] })]).families).toEqual(["v4", "v6"]);
  expect(model.observe([pod("red", "seven", { ips: ["fd00::2"] })]).families).toBeNull();
});

test("a backend of the caller's own refuses, and reads the membership of what it is told", () => {
  const refusal: Refusal = { code: "UnsupportedPriority", part: { kind: "priority" }, message: "no" };
  const seen: string[] = [];
  const model = new OfflineModel({
    dialects,
    families: ["v4"],
    backend: (membership) => ({
      ...noBackend,
      admit: (policy) => (policy.priority > 10 ? [refusal] : []),
      upsert: (policy) => {
        for (const group of groupsOf(policy)) seen.push(...membership.pods(groupKey(group)).keys());
      },
    }),
  });
  model.observe([deny, anp("q", { priority: 11 }), ...homes, red, blue]);
  expect([...model.records()].map(({ rejected }) => rejected)).toEqual([false, true]);
  expect(new Set(seen)).toEqual(new Set(["red/web", "blue/web"]));
});
