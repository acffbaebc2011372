// An engine on a backend that has room for a few policies: a refused policy is tried again when the desired state of
// the backend has changed, in the order of the refusals, and costs nothing until then.

import { beforeEach, expect, test } from "@jest/globals";
import { namespace, pod } from "../../test/support/facts.ts";
import { toyDialect } from "../../test/support/toy-dialect.ts";
import { Groups } from "../groups/index.ts";
import { FactStore } from "../model/fact-store.ts";
import type { PolicyObject, WorldObject } from "../model/object.ts";
import { keyOf } from "../model/object.ts";
import type { Policy, PolicyKey } from "../policy/ir.ts";
import { tiers } from "../policy/ir.ts";
import { Engine } from "./engine.ts";

const toy = toyDialect({ group: "toys.example.com", namespaced: false, tier: tiers.admin, ownerType: "Toy" });
const policy = (name: string, app = "web"): PolicyObject => toy.policy(name, { app, from: "db" });
/** Its dialect refuses it: the team does not exist. */
const nonsense = (name: string): PolicyObject => toy.policy(name, { app: "web", team: "unknown" });
const [a, b, c, d] = [policy("a"), policy("b"), policy("c"), policy("d")];

const over = (facts: FactStore) => ({ facts, groups: new Groups(facts) });

let engine: Engine;
let held: Map<PolicyKey, Policy>;
let frozen: Set<PolicyKey>;
let places: number;
let asked: PolicyKey[];

beforeEach(() => {
  [held, frozen] = [new Map<PolicyKey, Policy>(), new Set<PolicyKey>()];
  [places, asked] = [2, []];
  toy.compiled.length = 0;
  engine = new Engine({
    dialects: [toy],
    ...over(new FactStore()),
    families: ["v4"],
    backend: {
      serve: () => undefined,
      admit: ({ key }) => {
        asked.push(key);
        const message = `only ${places} fit`;
        return held.has(key) || held.size < places
          ? []
          : [{ code: "UnsupportedPriority", part: { kind: "priority" }, message }];
      },
      upsert: (one) => held.set(one.key, one),
      remove: (key) => held.delete(key),
      takeContested: () => [],
      freeze: (key) => frozen.add(key),
    },
  });
});

/** One pass: returns the names of the policies compiled again though their objects did not change. */
function pass(seen: readonly WorldObject[], gone: readonly WorldObject[] = []): readonly string[] {
  asked = [];
  for (const object of gone) engine.observe(keyOf(object), null);
  for (const object of seen) engine.observe(keyOf(object), object);
  return names(engine.settle().compiled);
}

const names = (keys: Iterable<PolicyKey>) => Array.from(keys, (key) => key.slice(key.indexOf("/") + 1));
const rejected = () =>
  names([...engine.records()].filter((record) => record.rejected).map(({ key }) => key)).sort();

test("who found no room gets it when another policy goes, the earlier refused first", () => {
  expect(pass([a, b, c, d])).toEqual([]);
  expect([names(held.keys()), rejected()]).toEqual([
    ["a", "b"],
    ["c", "d"],
  ]);
  expect(pass([], [a])).toEqual(["c"]);
  expect([names(held.keys()), rejected()]).toEqual([["b", "c"], ["d"]]);
  expect(pass([], [b])).toEqual(["d"]);
  expect(rejected()).toEqual([]);
  expect(engine.record(keyOf(d))).toMatchObject({
    rejected: false,
    problems: [],
    policy: held.get(keyOf(d)),
  });
});

test("room that another policy's change makes is found in the same pass, whoever comes first in it", () => {
  pass([a, b, c]);
  places = 3;
  expect(pass([policy("b", "shop")])).toEqual(["c"]);
  expect(pass([], [a, b, c])).toEqual([]);
  places = 1;
  // The engine sees the refused policy before the removal that makes room for it.
  pass([a, b]);
  asked = [];
  engine.observe(keyOf(c), c);
  engine.observe(keyOf(a), null);
  expect(names(engine.settle().compiled)).toEqual(["b"]);
  expect(rejected()).toEqual(["c"]);
});

test("one that is admitted is a change too: it may have made room for the next", () => {
  places = 0;
  pass([a, b, c]);
  places = 3;
  // No change makes room: the backend holds the same policies.
  expect(pass([])).toEqual([]);
  // The last one is now refused for another reason, which must be reported.
  expect(pass([d])).toEqual(["a", "b", "c"]);
  expect(rejected()).toEqual(["c"]);
  expect([...held.keys()]).toHaveLength(3);
});

test("nothing is asked when nobody was refused, and facts alone ask nothing", () => {
  pass([a, b]);
  expect(pass([policy("b", "shop")])).toEqual([]);
  expect(names(asked)).toEqual(["b"]);
  pass([c]);
  const compiled = toy.compiled.length;
  expect(pass([namespace("n"), pod("n", "p", { ips: ["10.0.0.1"] })])).toEqual([]);
  expect([asked, toy.compiled.length]).toEqual([[], compiled]);
});

test("one that is refused again for the same reason is no news, and its record is the same object", () => {
  pass([a, b, c]);
  const record = engine.record(keyOf(c));
  expect(pass([policy("a", "shop")])).toEqual([]);
  expect(names(asked)).toEqual(["a", "c"]);
  expect(engine.record(keyOf(c))).toBe(record);
  places = 1;
  expect(pass([policy("a", "web")])).toEqual(["c"]);
  expect(engine.record(keyOf(c))?.problems).toMatchObject([{ message: "only 1 fit" }]);
});

test("one that is gone, or that its dialect refuses now, waits for no room", () => {
  pass([a, b, c, d]);
  pass([nonsense("d")], [c]);
  expect(pass([], [a])).toEqual([]);
  expect([asked, rejected()]).toEqual([[], ["d"]]);
});

test("one in force whose edit found no room says the edit when there is room", () => {
  pass([a, b]);
  held.delete(keyOf(a));
  pass([c, policy("a", "shop")]);
  const before = engine.record(keyOf(a));
  expect(before).toMatchObject({ rejected: true });
  expect(before?.policy).not.toBeNull();
  expect(pass([], [b])).toEqual(["a"]);
  expect(engine.record(keyOf(a))).toMatchObject({ rejected: false });
  expect(engine.record(keyOf(a))?.policy).not.toBe(before?.policy);
});
