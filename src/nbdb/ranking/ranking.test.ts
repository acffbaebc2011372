// Places of ACLs: the documented ones never move, the others follow the order of the policies, and after any sequence
// of changes a ranking that starts anew adopts them all.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { everything } from "../../model/selector.ts";
import type { Action, Policy, PolicyKey, Rule, Tier } from "../../policy/ir.ts";
import { policyKey, tiers } from "../../policy/ir.ts";
import { placeInTurn } from "../../policy/order.ts";
import type { ExistingPlaces } from "./places.ts";
import { Ranking } from "./ranking.ts";

interface Text {
  readonly tier?: Tier;
  readonly priority?: number;
  readonly tie?: string | undefined;
  readonly interleaved?: true;
  /** Ingress rules. */
  readonly actions?: readonly Action[];
}

function policy(name: string, text: Text = {}): Policy {
  const { tier = tiers.admin, priority = 0, tie, actions = ["allow"], ...more } = text;
  const head = tie === undefined ? more : { ...more, tie };
  const ref = { group: "", kind: "Policy", namespace: null, name };
  const ingress = actions.map((action, index) => ({
    ...{ index, share: null, name: "", action, subject: null, peers: [], ports: null, logging: null },
  }));
  return {
    ...{ key: policyKey(ref), ref, ownerType: "Policy", shortKind: "P", tier, priority, ...head },
    subject: [{ kind: "pods", namespaces: everything, pods: everything }],
    rules: { ingress, egress: [] },
    unmatched: { ingress: "next", egress: "next" },
    logging: { allow: null, deny: null, pass: null, reject: null },
  };
}

/** The place of a rule that a policy has, or would have. */
const placeOf = (ranking: Ranking, { key, rules: { ingress } }: Policy, index = 0) =>
  ranking.place(key, { index, action: ingress[index]?.action ?? "allow" });
const codes = (ranking: Ranking, one: Policy) => ranking.admit(one).map(({ code }) => code);
const rules = (count: number, action: Action = "deny") => Array.from({ length: count }, () => action);
const early: Tier = { name: "early", order: 0.5 };
const beside: Tier = { name: "early-too", order: 0.5 };
const between: Tier = { name: "between", order: 2.5 };
const late: Tier = { name: "late", order: 4 };
const last: Tier = { name: "last", order: Infinity };

describe("documented places", () => {
  test.each<readonly [string, Text, number, number, number]>([
    ["the first ANP", { priority: 0 }, 0, 1, 30000],
    ["the last rule of the last ANP", { priority: 99 }, 99, 1, 20001],
    ["the first rule of BANP", { tier: tiers.baseline }, 0, 3, 1750],
    ["the last rule of BANP", { tier: tiers.baseline }, 99, 3, 1651],
    ["every rule of a NetworkPolicy", { tier: tiers.namespaced, actions: rules(8, "allow") }, 7, 2, 1001],
  ])("%s", (_, text, index, tier, priority) => {
    const ranking = new Ranking("documented");
    const one = policy("p", { actions: rules(index + 1), ...text });
    expect(ranking.admit(one)).toEqual([]);
    expect(ranking.upsert(one)).toEqual([]);
    expect(placeOf(ranking, one, index)).toEqual({ tier, priority });
  });

  test("default denies are behind every rule of their tier", () => {
    const ranking = new Ranking("documented");
    const ends = [tiers.admin, tiers.namespaced, tiers.baseline].map((tier) => {
      const one = policy(tier.name, { tier });
      ranking.upsert(one);
      return ranking.end(one.key);
    });
    expect(ends).toEqual([
      { tier: 1, priority: 0 },
      { tier: 2, priority: 1000 },
      { tier: 3, priority: 800 },
    ]);
  });

  test("of equal priority are equal places, and nobody moves", () => {
    const ranking = new Ranking("documented");
    const [a, b] = [policy("a", { priority: 7 }), policy("b", { priority: 7 })];
    ranking.upsert(a);
    expect(ranking.upsert(b)).toEqual([]);
    expect(placeOf(ranking, a)).toEqual(placeOf(ranking, b));
  });
});

describe("what has no place", () => {
  test.each<readonly [string, Text, readonly string[]]>([
    ["an ANP of priority 100", { priority: 100 }, ["UnsupportedPriority"]],
    ["an ANP of priority 1000", { priority: 1000 }, ["UnsupportedPriority"]],
    ["an ANP between two priorities", { priority: 1.5 }, ["UnsupportedPriority"]],
    ["an ANP between 99 and 100", { priority: 99.5 }, ["UnsupportedPriority"]],
    ["a hundred and one rules", { actions: rules(101) }, ["NoPlace"]],
    ["more rules than the segment has levels", { priority: -1, actions: rules(2767) }, ["NoPlace"]],
  ])("%s", (_, text, expected) => {
    expect(codes(new Ranking("documented"), policy("p", text))).toEqual(expected);
  });

  test("of two of one documented place whose order a text decides, the second", () => {
    const ranking = new Ranking("documented");
    const [a, b] = [policy("a", { priority: 7, tie: "a" }), policy("b", { priority: 7, tie: "b" })];
    expect(codes(ranking, a)).toEqual([]);
    ranking.upsert(a);
    expect(codes(ranking, a)).toEqual([]);
    expect(codes(ranking, b)).toEqual(["NoPlace"]);
    expect(codes(ranking, policy("b", { priority: 7 }))).toEqual([]);
    expect(codes(ranking, policy("b", { priority: 8, tie: "b" }))).toEqual([]);
    ranking.remove(a.key);
    expect(codes(ranking, b)).toEqual([]);
  });

  test("the newcomer alone is refused, and its own earlier form is not in its way", () => {
    const ranking = new Ranking("documented");
    const first = policy("first", { priority: -5, actions: rules(2700) });
    ranking.upsert(first);
    expect(codes(ranking, policy("second", { priority: -9, actions: rules(100) }))).toEqual(["NoPlace"]);
    expect(codes(ranking, policy("first", { priority: -5, actions: rules(2766) }))).toEqual([]);
    const { tier, priority } = placeOf(ranking, first);
    expect([tier, priority <= 32766, priority - 2699 >= 30001]).toEqual([1, true, true]);
  });

  test("a pass that would skip a tier in the same OVN tier", () => {
    const ranking = new Ranking("documented");
    const passing = policy("passing", { tier: between, actions: ["pass"] });
    expect(codes(ranking, passing)).toEqual([]);
    ranking.upsert(passing);
    expect(codes(ranking, policy("base", { tier: tiers.baseline }))).toEqual(["TooManyTiers"]);
    ranking.remove(passing.key);
    ranking.upsert(policy("base", { tier: tiers.baseline }));
    expect(codes(ranking, passing)).toEqual(["TooManyTiers"]);
    expect(codes(ranking, policy("plain", { tier: between, actions: ["deny"] }))).toEqual([]);
  });

  test("a pass of the first of two tiers of one order", () => {
    const ranking = new Ranking("documented");
    ranking.upsert(policy("second", { tier: beside, actions: ["pass"] }));
    expect(codes(ranking, policy("first", { tier: early, actions: ["pass"] }))).toEqual(["TooManyTiers"]);
    expect(codes(ranking, policy("first", { tier: early, actions: ["deny"] }))).toEqual([]);
  });

  test("a pass before the admin tier has an OVN tier of its own", () => {
    const ranking = new Ranking("documented");
    ranking.upsert(policy("admin"));
    const passing = policy("passing", { tier: early, actions: ["pass"] });
    expect(codes(ranking, passing)).toEqual([]);
    ranking.upsert(passing);
    expect(placeOf(ranking, passing).tier).toBe(0);
  });
});

test("tiers of one order have a place for each, behind one another, and so do equals whose texts differ", () => {
  const ranking = new Ranking("documented");
  const one = (name: string, tier: Tier, tie?: string) => policy(name, { tier, tie, actions: ["deny"] });
  const all = [one("d", early, "x"), one("c", early, "y"), one("b", early), one("a", beside), one("e", last)];
  for (const each of all.toReversed()) ranking.upsert(each);
  const places = all.map((each) => placeOf(ranking, each));
  for (const [at, place] of places.entries())
    expect(places.slice(at + 1).every((later) => before(place, later))).toBe(true);
  const [d, c, b, a] = all.map(({ key }) => ranking.end(key));
  expect([c, b]).toEqual([d, d]);
  expect(d !== undefined && a !== undefined && before(d, placeOf(ranking, one("a", beside)))).toBe(true);
});

test("a NetworkPolicy that denies is ranked, and those that allow make room", () => {
  const ranking = new Ranking("documented");
  const np = (name: string, priority: number, actions: readonly Action[] = ["allow"]) =>
    policy(name, { tier: tiers.namespaced, priority, actions });
  const [before, behind] = [np("before", 0), np("behind", 9)];
  ranking.upsert(before);
  ranking.upsert(behind);
  const denying = np("denying", 5, ["deny", "deny"]);
  expect(ranking.upsert(denying)).toEqual([before.key]);
  expect([before, denying, behind].map((one) => placeOf(ranking, one).priority)).toEqual([1004, 1003, 1001]);
  expect(ranking.remove(denying.key)).toEqual([before.key]);
  expect(placeOf(ranking, before).priority).toBe(1001);
});

const steps = fc.array(
  fc.record({
    name: fc.constantFrom("a", "b", "c", "d", "e", "f"),
    there: fc.boolean(),
    tier: fc.constantFrom(early, beside, tiers.admin, tiers.namespaced, between, tiers.baseline, late, last),
    priority: fc.constantFrom(-3, -0.5, 0, 5, 99, 1001, 1001.5, Infinity, -Infinity),
    tie: fc.constantFrom(undefined, undefined, "x", "y"),
    actions: fc.array(fc.constantFrom<Action>("allow", "deny", "reject"), { maxLength: 4 }),
  }),
  { maxLength: 25 },
);

test("whatever the path: the order of the policies, no place twice, those moved are named; a fresh one adopts them", () => {
  fc.assert(
    fc.property(steps, fc.nat(), (walk, turn) => {
      const ranking = new Ranking("documented");
      const present = new Map<string, Policy>();
      for (const { name, there, ...text } of walk) {
        const one = policy(name, text);
        if (there && ranking.admit(one).length > 0) continue;
        const before = placesOf(ranking, present.values());
        const moved = there ? ranking.upsert(one) : ranking.remove(one.key);
        if (there) present.set(name, one);
        else present.delete(name);
        const after = placesOf(ranking, present.values());
        expect([...moved].sort()).toEqual(differing(before, after, one.key));
        inOrder(ranking, [...present.values()]);
      }
      const arrivals = [...present.values()];
      arrivals.push(...arrivals.splice(0, turn % (arrivals.length + 1)));
      const fresh = new Ranking("documented");
      for (const one of arrivals.reverse()) fresh.upsert(one);
      inOrder(fresh, [...present.values()]);
      const before = placesOf(fresh, present.values());
      const moved = fresh.adopt(standingIn(ranking, present.values()));
      expect([...moved].sort()).toEqual(differing(before, placesOf(fresh, present.values()), null));
      expect(placesOf(fresh, present.values())).toEqual(placesOf(ranking, present.values()));
      expect(fresh.adopt(standingIn(ranking, present.values()))).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

describe("policies that take turns", () => {
  const turn = (name: string, priority: number, actions: readonly Action[]) =>
    policy(name, { priority, actions, interleaved: true });
  const levels = (ranking: Ranking, ...policies: readonly Policy[]) =>
    policies.map((one) => one.rules.ingress.map((_, index) => 32766 - placeOf(ranking, one, index).priority));
  /** From the first level. */
  const relative = (all: readonly (readonly number[])[]) => {
    const first = Math.min(...all.flat());
    return all.map((of) => of.map((level) => level - first));
  };

  test("have their rules in turn, and equal ones at one level", () => {
    const ranking = new Ranking("documented");
    const [p, q] = [turn("p", -9950, ["deny", "deny"]), turn("q", -9950, ["allow", "allow"])];
    expect(ranking.upsert(p)).toEqual([]);
    expect(ranking.upsert(q)).toEqual([p.key]);
    expect(relative(levels(ranking, p, q))).toEqual([
      [0, 2],
      [1, 3],
    ]);
    const r = turn("r", -9950, ["deny", "allow", "pass"]);
    expect(ranking.upsert(r)).toEqual([]);
    expect(relative(levels(ranking, p, q, r))).toEqual([
      [0, 2],
      [1, 3],
      [0, 3, 4],
    ]);
    expect(ranking.remove(p.key)).toEqual([q.key, r.key]);
    expect(relative(levels(ranking, q, r))).toEqual([
      [1, 2],
      [0, 2, 3],
    ]);
  });

  test("take as many places as they have levels, and leave the others theirs", () => {
    const ranking = new Ranking("documented");
    const some = Array.from({ length: 900 }, (_, n) => turn(`p${n}`, -9, rules(3, "allow")));
    for (const one of some) ranking.upsert(one);
    expect(codes(ranking, policy("other", { priority: -8, actions: rules(2763) }))).toEqual([]);
    expect(codes(ranking, policy("other", { priority: -8, actions: rules(2764) }))).toEqual(["NoPlace"]);
    // Of the turn it leaves, nothing becomes free: the others have the same levels.
    expect(codes(ranking, turn("p0", -7, rules(2763)))).toEqual([]);
    expect(codes(ranking, turn("p0", -7, rules(2764)))).toEqual(["NoPlace"]);
    expect(codes(ranking, turn("p0", -9, rules(2763)))).toEqual([]);
    expect(codes(ranking, turn("p0", -9, rules(2764)))).toEqual(["NoPlace"]);
    const alone = new Ranking("documented");
    alone.upsert(turn("p", -9, rules(2000)));
    expect(codes(alone, turn("p", -7, rules(2766)))).toEqual([]);
  });

  const turnSteps = fc.array(
    fc.record({
      name: fc.constantFrom("a", "b", "c", "d", "e", "f"),
      there: fc.boolean(),
      priority: fc.constantFrom(-3, -2.5, -1),
      turn: fc.constantFrom({}, { interleaved: true as const }, { interleaved: true as const }),
      actions: fc.array(fc.constantFrom<Action>("allow", "deny", "reject", "pass"), { maxLength: 4 }),
    }),
    { maxLength: 25 },
  );

  test("whatever the path: in the order in which they are asked, those moved are named; a fresh one adopts them", () => {
    fc.assert(
      fc.property(turnSteps, (walk) => {
        const ranking = new Ranking("documented");
        const present = new Map<string, Policy>();
        for (const { name, there, turn: head, ...text } of walk) {
          const one = policy(name, { ...text, ...head });
          const before = placesOf(ranking, withRules(present));
          const moved = there ? ranking.upsert(one) : ranking.remove(one.key);
          if (there) present.set(name, one);
          else present.delete(name);
          const after = placesOf(ranking, withRules(present));
          const differ = differing(before, after, one.key);
          // Who has no rules has nothing that moves, and may be named with its turn.
          expect([...moved].filter((key) => differ.includes(key)).sort()).toEqual(differ);
          expect(moved).not.toContain(one.key);
          inTurn(ranking, [...present.values()]);
        }
        const fresh = new Ranking("documented");
        for (const one of [...present.values()].reverse()) fresh.upsert(one);
        fresh.adopt(standingIn(ranking, present.values()));
        expect(placesOf(fresh, withRules(present))).toEqual(placesOf(ranking, withRules(present)));
      }),
      { numRuns: 300 },
    );
  });

  /** Of a policy without rules no row says where it stood. */
  const withRules = (present: ReadonlyMap<string, Policy>) =>
    [...present.values()].filter(({ rules: { ingress } }) => ingress.length > 0);

  const inTurn = (ranking: Ranking, policies: readonly Policy[]) => {
    const all = policies.flatMap((one) => one.rules.ingress.map((rule) => ({ one, rule })));
    for (const a of all)
      for (const b of all) if (a.one.priority <= b.one.priority) inTheirTurn(ranking, a, b);
  };

  interface Asked {
    readonly one: Policy;
    readonly rule: Rule;
  }

  /** `a` has no later priority than `b`. */
  const inTheirTurn = (ranking: Ranking, a: Asked, b: Asked) => {
    const [mine, theirs] = [ranking.place(a.one.key, a.rule), ranking.place(b.one.key, b.rule)];
    if (a.one.priority === b.one.priority && b.one.interleaved === true) {
      if (a.one.interleaved !== true) return;
      const [first, second] = [placeInTurn(a.rule), placeInTurn(b.rule)];
      expect(theirs.priority === mine.priority).toBe(first === second);
      if (first < second) expect(before(mine, theirs)).toBe(true);
    } else if (a.one.priority < b.one.priority || a.one.interleaved === true)
      expect(before(mine, theirs)).toBe(true);
  };
});

function differing(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  except: PolicyKey | null,
): readonly string[] {
  const keys = [...after.keys()].filter((key) => key !== except && before.has(key));
  return keys.filter((key) => before.get(key) !== after.get(key)).sort();
}

/** The rules of a policy; of one that has none, the rule that it would have. */
function rulesOf({ rules: { ingress } }: Policy): readonly Pick<Rule, "index" | "action">[] {
  return ingress.length === 0 ? [{ index: 0, action: "allow" }] : ingress;
}

function standingIn(ranking: Ranking, policies: Iterable<Policy>): ExistingPlaces {
  return new Map(
    Array.from(policies, (one) => [
      one.key,
      [
        ...rulesOf(one).map(({ index, action }) => ({
          ...{ index, action },
          place: ranking.place(one.key, { index, action }),
        })),
        { index: "default", action: "deny", place: ranking.end(one.key) },
      ],
    ]),
  );
}

function placesOf(ranking: Ranking, policies: Iterable<Policy>): Map<string, string> {
  return new Map(
    Array.from(policies, (one) => {
      const places = rulesOf(one).map((rule) => ranking.place(one.key, rule));
      return [one.key, JSON.stringify([...places, ranking.end(one.key)])];
    }),
  );
}

/** In OVN's order: tier, then priority downwards. */
function before(a: { tier: number; priority: number }, b: { tier: number; priority: number }): boolean {
  return a.tier < b.tier || (a.tier === b.tier && a.priority > b.priority);
}

test("what a kind expects says where its policies stand, and where no others do", () => {
  const priorities = [-100, -10, -1] as const;
  const expecting = new Ranking("all", [{ tier: tiers.admin, priorities }]);
  const plain = new Ranking("all");
  const placesOf = (one: Policy) =>
    [expecting, plain].map((ranking) => {
      ranking.upsert(one);
      return placeOf(ranking, one);
    });
  for (const text of [
    { priority: 7 },
    { priority: 500 },
    { tier: tiers.baseline, priority: -50 },
    { tier: tiers.baseline, priority: 500 },
    { tier: early, priority: 3 },
  ]) {
    const [one, other] = placesOf(policy(`p-${text.priority}`, text));
    expect(one).toEqual(other);
  }
  const [middle, plainly] = placesOf(policy("expected", { priority: -10 }));
  // Between two parts of equal size.
  expect(middle?.priority).toBeGreaterThan(30001 + 1200);
  expect(middle?.priority).toBeLessThan(32766 - 1200);
  expect(middle).not.toEqual(plainly);
});

function inOrder(ranking: Ranking, policies: readonly Policy[]): void {
  for (const a of policies) {
    for (const b of policies) {
      const end = placeOf(ranking, a, Math.max(0, a.rules.ingress.length - 1));
      const isOfTier = a.tier.order === b.tier.order && a.tier.name === b.tier.name;
      const isEarlier = isOfTier && isFirst(a, b);
      const [mine, theirs] = [placeOf(ranking, a), placeOf(ranking, b)];
      if (a.tier.order < b.tier.order || (a.tier.order === b.tier.order && a.tier.name < b.tier.name)) {
        expect(before(end, theirs)).toBe(true);
        expect(before(ranking.end(a.key), theirs)).toBe(true);
      } else if (isEarlier && !sharesLevel(a, b)) expect(before(end, theirs)).toBe(true);
      else if (isEarlier) expect(before(theirs, mine)).toBe(false);
      if (isOfTier) expect(before(end, ranking.end(b.key))).toBe(true);
    }
  }
}

/** Of policies of one tier. Those of one priority by their texts, who has none comes behind; then by key. */
function isFirst(a: Policy, b: Policy): boolean {
  if (a.priority !== b.priority) return a.priority < b.priority;
  if (isDocumented(a, b)) return false;
  if (a.tie === b.tie) return a.key < b.key;
  return b.tie === undefined || (a.tie !== undefined && a.tie < b.tie);
}

/** Packed: in the namespaced tier, and before every other policy of the admin tier. */
function sharesLevel(a: Policy, b: Policy): boolean {
  const allows = ({ rules: { ingress } }: Policy) => ingress.every(({ action }) => action === "allow");
  const isPacked = a.tier === tiers.namespaced || (a.tier === tiers.admin && a.priority === -Infinity);
  return isPacked && allows(a) && allows(b);
}

/** Policies of one priority have one place there, unless a text says which of them comes first. */
function isDocumented(a: Policy, b: Policy): boolean {
  if (a.tie !== undefined && b.tie !== undefined) return false;
  const { tier, priority } = a;
  if (tier !== tiers.admin && tier !== tiers.baseline) return false;
  return priority >= 0 && priority < (tier === tiers.admin ? 100 : 1);
}
