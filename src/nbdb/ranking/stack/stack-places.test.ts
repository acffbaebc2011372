// The places of the stack: nodes' ways first, tiers of OVN begin behind a pass, a pass at the end of a tier saves one, and what finds none
// left is refused by rule.

import { describe, expect, test } from "@jest/globals";
import type { PolicyText, RuleText } from "../../../../test/support/ir.ts";
import { irPolicy } from "../../../../test/support/ir.ts";
import { node, podGroup, withLabels } from "../../../../test/support/facts.ts";
import { everything } from "../../../model/selector.ts";
import { withClosedRules } from "../../../policy/closed-rules.ts";
import { stack } from "../../../policy/contracts/tier-layout.ts";
import type { Policy, Tier } from "../../../policy/ir.ts";
import { ownNodePolicy } from "../../../policy/own-node.ts";
import { isStackPlace } from "./ovn-tiers.ts";
import { StackPlaces } from "./stack-places.ts";

const tier = (order: number): Tier => ({ name: `t${order}`, order });
const allow: RuleText = { action: "allow" };
const pass: RuleText = { action: "pass" };
const everyone: RuleText = { action: "pass", peers: [{ kind: "everything" }] };
const deny = { ingress: "deny", egress: "deny" } as const;

function policy(name: string, order: number, ingress: readonly RuleText[], more: PolicyText = {}): Policy {
  return irPolicy(name, { tier: tier(order), tie: name, ingress, ...more });
}

function stackOf(...policies: readonly Policy[]): StackPlaces {
  const places = new StackPlaces();
  for (const one of policies) {
    expect(places.admit(one)).toEqual([]);
    places.upsert(one);
  }
  return places;
}

const ovnTiers = (places: StackPlaces, ...policies: readonly Policy[]): readonly number[] =>
  policies.map(({ key }) => places.end(key).tier);
const names = (policies: readonly Policy[]): readonly string[] => policies.map(({ key }) => key).sort();
const refusedRules = (places: StackPlaces, one: Policy): readonly string[] =>
  places
    .admit(one)
    .map(({ code, part }) => (part.kind === "rule" ? `${code} ${part.direction} ${part.index}` : code));
/** As the engine puts it in force. */
const closed = (places: StackPlaces, one: Policy): Policy => withClosedRules(one, places.admit(one)) ?? one;

test.each(["first", "beforeTiers"] as const)(
  "nodes reach their own pods before every tier, in the first of OVN's: %s",
  (way) => {
    const first = policy("first", -Infinity, [allow]);
    const { key } = ownNodePolicy(node("n", {}, ["172.18.0.2"]), way);
    const places = stackOf(first, ownNodePolicy(node("n", {}, ["172.18.0.2"]), way));
    expect(places.place(key, { index: 0, action: "allow" })).toEqual({ tier: 1, priority: 32767 });
    expect([places.dependsOnOthers(key), places.span(key, 1), places.isOpenEnd(key, "ingress")]).toEqual([
      ...[false, null, false],
    ]);
    expect(places.remove(key)).toEqual([]);
    const place = places.place(first.key, { index: 0, action: "allow" });
    expect(place.tier).toBe(1);
    expect(isStackPlace(place, stack)).toBe(true);
    expect(isStackPlace({ tier: 1, priority: 32767 }, stack)).toBe(false);
    expect(isStackPlace({ tier: 0, priority: 5000 }, stack)).toBe(false);
  },
);

test("a policy's end is behind the last policy of its tier, and before the next tier", () => {
  const [a, b, next] = [policy("a", 1, [allow, allow]), policy("b", 1, [allow]), policy("next", 2, [allow])];
  const places = stackOf(next, b, a);
  const at = (one: Policy, index = 0): number => places.place(one.key, { index, action: "allow" }).priority;
  expect(places.end(a.key)).toEqual(places.end(b.key));
  const descending = [
    at(a),
    at(a, 1),
    at(b),
    places.end(b.key).priority,
    at(next),
    places.end(next.key).priority,
  ];
  expect(descending).toEqual(descending.toSorted((one, other) => other - one));
  expect(new Set(descending).size).toBe(6);
});

test("a pass begins a tier of OVN for all that come behind, which move, and ends it when it goes", () => {
  const [a, b, c] = [policy("a", 1, [allow]), policy("b", 2, [allow]), policy("c", 3, [allow])];
  const places = stackOf(a, b, c);
  expect(ovnTiers(places, a, b, c)).toEqual([1, 1, 1]);
  const passing = policy("a", 1, [pass]);
  expect([...places.upsert(passing)].sort()).toEqual(names([b, c]));
  expect(ovnTiers(places, a, b, c)).toEqual([1, 2, 2]);
  expect([...places.remove(passing.key)].sort()).toEqual(names([b, c]));
  expect(ovnTiers(places, b, c)).toEqual([1, 1]);
});

describe("a pass without conditions at the end of a tier", () => {
  const behind = policy("z", 2, [allow]);
  const one = policy("one", 1, [allow], { unmatched: deny });
  const last = policy("pass", 1, [everyone], { priority: 99, unmatched: deny });
  const some = [podGroup(everything, withLabels({ app: "web" }))];

  test("needs no tier of OVN, and opens its direction's end alone", () => {
    const places = stackOf(one, last, behind);
    expect(ovnTiers(places, one, last, behind)).toEqual([1, 1, 1]);
    expect([places.isOpenEnd(one.key, "ingress"), places.isOpenEnd(one.key, "egress")]).toEqual([
      true,
      false,
    ]);
    expect(places.isOpenEnd(behind.key, "ingress")).toBe(false);
  });

  test.each<readonly [string, Policy]>([
    ["with a condition", policy("pass", 1, [pass], { priority: 99 })],
    ["with ports", policy("pass", 1, [{ ...everyone, ports: [] }], { priority: 99 })],
    ["through a load balancer", policy("pass", 1, [{ ...everyone, translated: true }], { priority: 99 })],
    [
      "of some of a pod's addresses",
      policy("pass", 1, [{ ...everyone, own: { networks: [], except: [] } }], { priority: 99 }),
    ],
    ["about pods of its own", policy("pass", 1, [{ ...everyone, subject: some }], { priority: 99 })],
    ["about some pods", policy("pass", 1, [everyone], { priority: 99, subject: some })],
    [
      "that is logged",
      policy("pass", 1, [{ ...everyone, logging: { severity: "info", label: null } }], { priority: 99 }),
    ],
    ["before another rule", policy("pass", 1, [everyone, allow], { priority: 99 })],
    ["behind another that passes", policy("pass", 1, [pass, everyone], { priority: 99 })],
    ["before another policy", policy("pass", 1, [everyone], { priority: -1 })],
    ["where rules take turns", policy("pass", 1, [everyone], { priority: 99, interleaved: true })],
  ])("%s needs one", (_, other) => {
    const places = stackOf(one, other, behind);
    expect(ovnTiers(places, one, other, behind)).toEqual([1, 1, 2]);
    expect(places.isOpenEnd(one.key, "ingress")).toBe(false);
  });

  test("needs one as soon as a policy comes behind it or another passes, and none when that goes: all of its tier are told", () => {
    const places = stackOf(one, last, behind);
    for (const other of [policy("two", 1, [allow], { priority: 100 }), policy("two", 1, [pass])]) {
      expect([...places.upsert(other)].sort()).toEqual(names([one, last, behind]));
      expect([ovnTiers(places, behind), places.isOpenEnd(one.key, "ingress")]).toEqual([[2], false]);
      expect([...places.remove(other.key)].sort()).toEqual(names([one, last, behind]));
      expect([ovnTiers(places, behind), places.isOpenEnd(one.key, "ingress")]).toEqual([[1], true]);
    }
    // One that has no rules in the direction is not behind it.
    expect(places.upsert(policy("two", 1, [], { priority: 100, egress: [allow], unmatched: deny }))).toEqual(
      [],
    );
    expect(places.isOpenEnd(one.key, "ingress")).toBe(true);
  });
});

test("a policy of which nothing is enforced begins no tier of OVN, and has no place", () => {
  const [a, b] = [policy("a", 1, [pass]), policy("b", 2, [allow])];
  const inert: Policy = { ...policy("b", 2, []), isInert: true };
  const places = stackOf(a, inert);
  expect(places.takeContested()).toEqual([]);
  expect([places.dependsOnOthers(inert.key), places.isOpenEnd(inert.key, "ingress")]).toEqual([false, false]);
  places.upsert(b);
  expect(ovnTiers(places, a, b)).toEqual([1, 2]);
  expect(places.upsert(inert)).toEqual([]);
  expect(places.dependsOnOthers(b.key)).toBe(false);
  expect(places.remove(inert.key)).toEqual([]);
});

describe("around another program's rows", () => {
  const around = { tier: tier(1), priority: 1000 };
  const last = policy("pass", 1, [everyone], { priority: Infinity, unmatched: deny });
  const front = policy("front", 1, [allow], { unmatched: deny });
  const behind = policy("z", 2, [allow]);
  const placesOf = (...policies: readonly Policy[]): StackPlaces => {
    const places = new StackPlaces({ ...stack, around });
    for (const one of policies) places.upsert(one);
    return places;
  };
  const opens = (places: StackPlaces, ...policies: readonly Policy[]): readonly boolean[] =>
    policies.map(({ key }) => places.isOpenEnd(key, "ingress"));

  test("a pass at the end of the rest opens the end of the whole tier, and one in its front closes it: all are told", () => {
    const places = placesOf(front, last, behind);
    expect(opens(places, front, last, behind)).toEqual([true, true, false]);
    expect(refusedRules(places, last)).toEqual([]);
    const passing = policy("two", 1, [pass], { priority: 5 });
    expect(refusedRules(places, passing)).toEqual(["TooManyTiers ingress 0"]);
    expect([...places.upsert(passing)].sort()).toEqual(names([front, last]));
    expect(opens(places, front, last, passing)).toEqual([false, false, false]);
    expect([...places.takeContested()].sort()).toEqual(names([last, passing]));
    expect([...places.remove(passing.key)].sort()).toEqual(names([front, last]));
    expect(opens(places, front, last)).toEqual([true, true]);
  });

  test("a pass without conditions at the end of the front opens nothing: the other rows would be asked", () => {
    const places = placesOf(front, { ...last, priority: 1000 });
    expect(opens(places, front, last)).toEqual([false, false]);
  });

  test("all of the tier have one end, in the last tier of OVN, also without policies behind those rows", () => {
    const places = placesOf(front, behind);
    const end = places.end(front.key);
    expect(end.tier).toBe(3);
    expect(end.priority).toBeGreaterThan(places.place(behind.key, { index: 0, action: "allow" }).priority);
    places.upsert(last);
    expect(places.end(last.key)).toEqual(places.end(front.key));
    places.remove(front.key);
    places.remove(last.key);
    places.upsert({ ...front, priority: 2000 });
    expect(places.place(front.key, { index: 0, action: "allow" }).tier).toBe(3);
  });
});

describe("more tiers that pass than OVN has", () => {
  const [a, b, c] = [
    policy("a", 1, [pass]),
    policy("b", 2, [allow, pass]),
    policy("c", 3, [pass, allow, pass]),
  ];
  const d = policy("d", 4, [allow]);

  test("the third is refused by rule as soon as something is behind it, and is asked about again", () => {
    const places = stackOf(a, b, c);
    expect(ovnTiers(places, a, b, c)).toEqual([1, 2, 3]);
    expect(places.takeContested()).toEqual([]);
    expect(places.admit(d)).toEqual([]);
    expect(places.upsert(d)).toEqual([]);
    expect(places.takeContested()).toEqual([c.key]);
    expect(places.takeContested()).toEqual([]);
    expect(refusedRules(places, c)).toEqual(["TooManyTiers ingress 0", "TooManyTiers ingress 2"]);
    places.upsert(closed(places, c));
    expect(places.takeContested()).toEqual([]);
    // What it would pass counts as long as it is there.
    places.remove(d.key);
    expect(places.takeContested()).toEqual([c.key]);
    expect(places.admit(c)).toEqual([]);
  });

  test("the first two in their order have one, whoever came first", () => {
    const places = stackOf(b, c, d);
    expect(ovnTiers(places, b, c, d)).toEqual([1, 2, 3]);
    expect(refusedRules(places, a)).toEqual([]);
    expect([...places.upsert(a)].sort()).toEqual(names([b, c]));
    expect(ovnTiers(places, a, b, c, d)).toEqual([1, 2, 3, 3]);
    expect(places.takeContested()).toEqual([c.key]);
    places.upsert(closed(places, c));
    places.remove(a.key);
    expect(places.takeContested()).toEqual([c.key]);
    expect(refusedRules(places, c)).toEqual([]);
  });

  test("asking changes nothing, of a policy of another tier either", () => {
    const places = stackOf(a, b, d);
    const standing = (): unknown =>
      [a, b, d].map(({ key }) => [places.end(key), places.isOpenEnd(key, "ingress")]);
    const before = standing();
    for (const asked of [c, policy("a", 9, [pass]), policy("d", 3, [everyone]), policy("b", 4, [])])
      places.admit(asked);
    expect(standing()).toEqual(before);
    expect(places.upsert(policy("e", 5, [allow]))).toEqual([]);
  });
});

describe("from OVN tier 0", () => {
  const layout = { ...stack, beforeIsolation: true };
  const [a, b, c] = [policy("a", 1, [pass]), policy("b", 2, [pass]), policy("c", 3, [pass])];
  const [d, e] = [policy("d", 4, [pass]), policy("e", 5, [allow])];
  const placesOf = (...policies: readonly Policy[]): StackPlaces => {
    const places = new StackPlaces(layout);
    for (const one of policies) places.upsert(one);
    return places;
  };

  test("one tier more may pass, and the next is refused", () => {
    const places = placesOf(a, b, c, d);
    expect(ovnTiers(places, a, b, c, d)).toEqual([0, 1, 2, 3]);
    expect(places.takeContested()).toEqual([]);
    places.upsert(e);
    expect(places.takeContested()).toEqual([d.key]);
    expect(refusedRules(places, d)).toEqual(["TooManyTiers ingress 0"]);
  });

  test("nodes reach their own pods there, and nothing stands among the other program's rows", () => {
    const own = ownNodePolicy(node("n", {}, ["172.18.0.2"]), "beforeTiers");
    const long = policy(
      "long",
      1,
      Array.from({ length: 31_665 }, () => allow),
    );
    const places = placesOf(own, long, e);
    expect(places.place(own.key, { index: 0, action: "allow" })).toEqual({ tier: 0, priority: 32767 });
    expect(places.end(long.key)).toEqual({ tier: 0, priority: 1101 });
    expect(ovnTiers(places, e)).toEqual([1]);
    expect(isStackPlace({ tier: 0, priority: 1101 }, layout)).toBe(true);
    expect(isStackPlace({ tier: 0, priority: 1100 }, layout)).toBe(false);
  });

  test("around another program's rows, two tiers before theirs may pass", () => {
    const around = { tier: tier(3), priority: 1000 };
    const front = policy("front", 3, [allow]);
    const places = new StackPlaces({ around, beforeIsolation: true });
    for (const one of [a, b, front, e]) places.upsert(one);
    expect(ovnTiers(places, a, b)).toEqual([0, 1]);
    expect(places.place(front.key, { index: 0, action: "allow" })).toMatchObject({ tier: 2 });
    expect(places.end(front.key).tier).toBe(3);
    expect(refusedRules(places, policy("between", 2.5, [pass]))).toEqual(["TooManyTiers ingress 0"]);
  });
});

test("rules beyond what OVN has are refused, and what is there keeps its place", () => {
  const many = (name: string, order: number, count: number): Policy =>
    policy(
      name,
      order,
      Array.from({ length: count }, () => allow),
    );
  const places = stackOf(many("a", 1, 30_000), many("b", 2, 30_000), many("c", 3, 30_000));
  expect(places.admit(many("d", 4, 5000)).map(({ code }) => code)).toEqual(["NoPlace"]);
  expect(places.admit(many("d", 4, 2764))).toEqual([]);
  expect(places.admit(many("c", 3, 32_765))).toEqual([]);
  // Without a pass between them, they have tiers of OVN all the same.
  expect(ovnTiers(places, many("a", 1, 0), many("b", 2, 0), many("c", 3, 0))).toEqual([1, 2, 3]);
  places.remove(many("a", 1, 0).key);
  expect(ovnTiers(places, many("b", 2, 0), many("c", 3, 0))).toEqual([1, 2]);
});
