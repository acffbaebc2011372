// The engine between dialects and a backend: it compiles again exactly what refers to a changed object, refuses what
// the backend does not admit and names the field, and treats an object of an unknown kind as a bug.

import { beforeEach, describe, expect, test } from "@jest/globals";
import { namespace } from "../../test/support/facts.ts";
import { teamKind, toyDialect } from "../../test/support/toy-dialect.ts";
import { Groups } from "../groups/index.ts";
import { FactStore } from "../model/fact-store.ts";
import { isOwnPolicy } from "../policy/outside.ts";
import { parseCidr } from "../model/ip.ts";
import type { PolicyObject, ReferencedObject, WorldObject } from "../model/object.ts";
import { apiVersionOf, factKinds, keyOf, objectKey } from "../model/object.ts";
import type { PolicyPart, Refusal } from "../policy/contracts/backend.ts";
import type { Policy } from "../policy/ir.ts";
import { tiers } from "../policy/ir.ts";
import { noBackend } from "../offline/model.ts";
import { Engine } from "./engine.ts";

const toy = toyDialect({ group: "toys.example.com", namespaced: false, tier: tiers.admin, ownerType: "Toy" });
const { compiled } = toy;

function team(name: string, app: string): ReferencedObject {
  return {
    ...{ kind: teamKind.kind, apiVersion: apiVersionOf(teamKind), namespace: null, name },
    ...{ uid: null, generation: null, annotations: new Map(), labels: new Map([["app", app]]), spec: {} },
  };
}

const over = (facts: FactStore) => ({ facts, groups: new Groups(facts) });

let engine: Engine;
let upserted: Policy[];
let removed: string[];
let frozen: string[];
let refusals: readonly Refusal[];

beforeEach(() => {
  upserted = [];
  removed = [];
  frozen = [];
  refusals = [];
  compiled.length = 0;
  engine = new Engine({
    dialects: [toy],
    ...over(new FactStore()),
    families: ["v4"],
    backend: {
      serve: () => undefined,
      admit: () => refusals,
      upsert: (policy) => upserted.push(policy),
      remove: (key) => removed.push(key),
      takeContested: () => [],
      freeze: (key) => frozen.push(key),
    },
  });
});

/** As one pass of the loop. Returns the policies that were compiled, by name. */
function observe(...objects: readonly WorldObject[]): readonly string[] {
  compiled.length = 0;
  for (const object of objects) engine.observe(keyOf(object), object);
  engine.settle();
  return compiled.map((key) => key.slice(key.indexOf("/") + 1));
}

function remove(object: WorldObject): readonly string[] {
  compiled.length = 0;
  engine.observe(keyOf(object), null);
  engine.settle();
  return compiled.map((key) => key.slice(key.indexOf("/") + 1));
}

const byTeam = (name: string, of: string): PolicyObject => toy.policy(name, { app: "web", team: of });
const record = (object: PolicyObject) => engine.record(engine.policyKeyOf(keyOf(object))!);

describe("references", () => {
  test("a change compiles exactly those again who asked", () => {
    const many = Array.from({ length: 20 }, (_, n) => byTeam(`p${n}`, `t${n % 5}`));
    const plain = toy.policy("plain", { app: "web", from: "db" });
    const teams = Array.from({ length: 6 }, (_, n) => team(`t${n}`, `app${n}`));
    expect(observe(...teams, ...many, plain)).toHaveLength(21);
    expect(observe(team("t2", "other"))).toEqual(["p2", "p7", "p12", "p17"]);
    expect(record(many[7]!)?.policy?.rules.ingress[0]?.peers).toMatchObject([
      { pods: { text: expect.stringContaining("other") } },
    ]);
    expect(observe(team("t5", "other"))).toEqual([]);
    expect(observe(namespace("n"))).toEqual([]);
    expect(observe(team("t0", "x"), team("t2", "y"))).toHaveLength(8);
  });

  test("a question without an answer is a question: what comes later is seen, and so is its going", () => {
    const policy = byTeam("p", "late");
    expect(observe(policy)).toEqual(["p"]);
    expect(record(policy)).toMatchObject({ rejected: true, problems: [{ field: "spec.team" }] });
    expect(observe(team("late", "db"))).toEqual(["p"]);
    expect(record(policy)).toMatchObject({ rejected: false, problems: [] });
    const inForce = record(policy)?.policy;
    expect(remove(team("late", "db"))).toEqual(["p"]);
    expect(record(policy)).toMatchObject({ rejected: true });
    expect(record(policy)?.policy).toBe(inForce);
  });

  test("an edit that asks something else, and a deletion, end the old question", () => {
    observe(team("a", "x"), team("b", "y"), byTeam("p", "a"), byTeam("q", "a"));
    expect(observe(byTeam("p", "b"))).toEqual(["p"]);
    expect(observe(team("a", "z"))).toEqual(["q"]);
    expect(observe(team("b", "z"))).toEqual(["p"]);
    remove(byTeam("q", "a"));
    expect(observe(team("a", "w"))).toEqual([]);
    expect(remove(team("b", "z"))).toEqual(["p"]);
  });

  test("a policy that changes together with what it refers to is compiled once", () => {
    observe(team("a", "x"), byTeam("p", "a"));
    expect(observe(team("a", "y"), byTeam("p", "a"))).toEqual(["p"]);
    expect(remove(byTeam("p", "a"))).toEqual([]);
  });

  test("groups stay balanced whatever happens to references", () => {
    observe(team("a", "x"), byTeam("p", "a"));
    for (const app of ["y", "z", "x"]) observe(team("a", app));
    remove(team("a", "x"));
    observe(team("a", "x"));
    // A release without a retain would throw.
    remove(byTeam("p", "a"));
  });

  test("a kind that the dialect has not declared is not asked for", () => {
    const asking = { ...toy, references: [] };
    const backend = {
      serve() {},
      admit: () => [],
      upsert() {},
      remove() {},
      takeContested: () => [],
      freeze() {},
    };
    const strict = new Engine({ dialects: [asking], ...over(new FactStore()), families: ["v4"], backend });
    expect(() => {
      strict.observe(keyOf(byTeam("p", "a")), byTeam("p", "a"));
    }).toThrow("which it has not declared");
  });
});

describe("admission", () => {
  const rule: PolicyPart = { kind: "rule", direction: "ingress", index: 0, field: "ports" };
  const refusal: Refusal = { code: "UnsupportedPriority", part: rule, message: "cannot be said" };

  test("a refusal is a Problem of its field, and what was in force stays", () => {
    const policy = toy.policy("p", { app: "web", from: "a" });
    observe(policy);
    refusals = [refusal];
    observe(toy.policy("p", { app: "web", from: "b" }));
    expect(upserted).toHaveLength(1);
    expect(record(policy)).toMatchObject({
      rejected: true,
      policy: upserted[0],
      problems: [
        { code: "UnsupportedPriority", severity: "error", field: "the rule", message: "cannot be said" },
      ],
    });
    refusals = [];
    observe(toy.policy("p", { app: "web", from: "b" }));
    expect(record(policy)).toMatchObject({ rejected: false, problems: [] });
    expect(upserted).toHaveLength(2);
  });

  test("one that never was in force is frozen", () => {
    refusals = [refusal];
    const policy = toy.policy("p", { app: "web", from: "a" });
    observe(policy);
    expect([upserted, frozen]).toEqual([[], [keyOf(policy)]]);
  });
});

test("of an edited object, the unedited parts of the spec are the objects of before", () => {
  const edited = (other: object) => {
    const object = toy.policy("p", { app: "web", from: "db" });
    observe({ ...object, spec: { ...(object.spec as object), kept: { deep: [1] }, ...other } });
    return record(object)?.object.spec as { readonly kept: object };
  };
  const before = edited({ edited: [1] });
  const after = edited({ edited: [2] });
  expect(after).toMatchObject({ edited: [2] });
  expect(after.kept).toBe(before.kept);
});

describe("kinds that nobody knows", () => {
  const stranger = { ...toy.policy("p", {}), apiVersion: "elsewhere.io/v1" };

  test.each<[string, WorldObject | null]>([
    ["seen", stranger],
    ["gone", null],
  ])("throw when %s", (_, object) => {
    expect(() => {
      engine.observe(keyOf(stranger), object);
    }).toThrow("no dialect knows NetworkPolicy.elsewhere.io/p");
  });

  test("a Pod of another group is no pod", () => {
    const key = objectKey({ group: "example.com", kind: "Pod" }, "a", "b");
    expect(() => {
      engine.observe(key, null);
    }).toThrow("no dialect knows");
    expect(() => {
      engine.observe(objectKey(factKinds.Pod, "a", "b"), { ...stranger, kind: "Pod" });
    }).toThrow("no dialect knows");
  });
});

test("what is outside the networks of the cluster may be reached while there is a policy", () => {
  const [given, removed]: [Policy[], string[]] = [[], []];
  const inside = [parseCidr("10.244.0.0/16")!];
  const own = new Engine({
    ...{ dialects: [toy], ...over(new FactStore()), families: ["v4"], inside },
    backend: {
      serve: () => undefined,
      admit: () => [],
      upsert: (policy) => given.push(policy),
      remove: (key) => removed.push(key),
      takeContested: () => [],
      freeze: () => undefined,
    },
  });
  expect([given, [...own.policies()], own.isEmpty]).toEqual([[], [], true]);
  const policy = byTeam("a", "x");
  own.observe(keyOf(policy), policy);
  own.settle();
  const peers = [{ kind: "network", cidr: "0.0.0.0/0", except: inside }];
  const outside = { rules: { ingress: [{ action: "allow", peers }], egress: [{ action: "allow", peers }] } };
  const ours = given.filter(({ key }) => isOwnPolicy(key));
  expect(ours).toMatchObject([outside]);
  expect([...own.policies()].at(-1)).toBe(ours[0]);
  expect([...own.records()]).toHaveLength(1);
  own.observe(keyOf(policy), null);
  own.settle();
  expect(removed).toContain(ours[0]?.key);
  expect([...own.policies()]).toEqual([]);
});

describe("staged objects", () => {
  const enforced = toy.policy("p", { app: "web", from: "db" });
  const annotated = (value: string): PolicyObject => ({
    ...enforced,
    annotations: new Map([["northgate.io/staged", value]]),
  });
  const key = keyOf(enforced);

  test("one in force loses its policy with the annotation, and has it again without", () => {
    observe(enforced);
    expect(upserted).toHaveLength(1);
    observe(annotated("true"));
    expect(removed).toEqual([key]);
    expect(record(enforced)).toMatchObject({ policy: null, rejected: false, isStaged: true, problems: [] });
    expect([...engine.policies()].filter((one) => !isOwnPolicy(one.key))).toEqual([]);
    observe(enforced);
    expect(upserted).toHaveLength(2);
    expect(record(enforced)).toMatchObject({ policy: { key }, isStaged: false });
  });

  test("one that was never in force is removed, not frozen; what is wrong with it is a finding", () => {
    observe({ ...annotated("true"), spec: {} });
    expect({ removed, frozen, upserted }).toEqual({ removed: [key], frozen: [], upserted: [] });
    expect(record(enforced)?.problems.map(({ field }) => field)).toContain("spec.app");
    expect(record(enforced)?.rejected).toBe(false);
  });

  test.each(["yes", "True", "", "true "])("%j is a warning, and the policy is in force", (value) => {
    observe(annotated(value));
    expect(record(enforced)).toMatchObject({ policy: { key }, isStaged: false });
    expect(record(enforced)?.problems).toMatchObject([
      { severity: "warning", field: 'metadata.annotations["northgate.io/staged"]' },
    ]);
  });

  test("false is in force without a word, and so is true where another program enforces the kind", () => {
    observe(annotated("false"));
    expect(record(enforced)).toMatchObject({ policy: { key }, problems: [] });
    const { facts, groups } = over(new FactStore());
    const backend = { ...noBackend };
    engine = new Engine({ dialects: [{ ...toy, isOthers: true }], facts, groups, families: ["v4"], backend });
    observe(annotated("true"));
    expect(record(enforced)).toMatchObject({ policy: { key }, problems: [{ severity: "warning" }] });
  });
});
