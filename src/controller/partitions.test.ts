// An engine with a dialect whose policies are about the subject's own namespaces: counts what a change of facts upserts
// and what it does not; after any sequence of changes, policies and groups equal those of a fresh start.

import fc from "fast-check";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { namespace, pod, podGroup, withLabels } from "../../test/support/facts.ts";
import { irPolicy, sameNamespaces } from "../../test/support/ir.ts";
import { keyOf } from "../../test/support/controller.ts";
import { Groups } from "../groups/index.ts";
import { FactStore } from "../model/fact-store.ts";
import type { PolicyObject, WorldObject } from "../model/object.ts";
import { namespacesNamed } from "../model/selectable.ts";
import { everything } from "../model/selector.ts";
import type { Dialect } from "../policy/contracts/dialect.ts";
import type { Policy, Rule } from "../policy/ir.ts";
import { groupsOf } from "../../test/support/groups-of.ts";
import { groupKey } from "../policy/ir.ts";
import { Engine } from "./engine.ts";

const own = sameNamespaces();
const fourRules = irPolicy("p", {
  ingress: [{ peers: [own] }, { peers: [own], action: "pass" }],
  egress: [{ peers: [own] }, { peers: [own], action: "deny" }],
});

/** Compiles an object to the policy that its spec already is. */
const dialect: Dialect = {
  kinds: [
    {
      ...{ group: "test", version: "v1", kind: "Policy", resource: "policies", namespaced: false },
      ...{ shortKind: "P", ownerType: "Policy", metrics: null, conditions: null },
      actions: [],
      events: { problem: () => null, samePriority: null, unmatchedPort: () => null },
    },
  ],
  references: [],
  fieldOf: () => "",
  compile: ({ spec }) => ({ policy: spec as Policy | null, problems: [] }),
};

const objectOf = (policy: Policy | null): PolicyObject => ({
  ...{ kind: "Policy", apiVersion: "test/v1", namespace: null, name: "p", uid: null, generation: null },
  ...{ annotations: new Map(), spec: policy },
});

class Stand {
  readonly #facts = new FactStore();
  readonly groups = new Groups(this.#facts);
  readonly upserts: Policy[] = [];
  readonly removed: string[] = [];
  readonly #engine = new Engine({
    dialects: [dialect],
    facts: this.#facts,
    groups: this.groups,
    families: ["v4"],
    backend: {
      serve: () => undefined,
      admit: () => [],
      upsert: (policy) => this.upserts.push(policy),
      remove: (key) => this.removed.push(key),
      takeContested: () => [],
      freeze: () => undefined,
    },
  });

  /** One pass: observes facts and policies, then settles. */
  see(...objects: readonly WorldObject[]): void {
    for (const object of objects) this.#engine.observe(keyOf(object), object);
    this.#engine.settle();
  }

  forget(object: WorldObject): void {
    this.#engine.observe(keyOf(object), null);
    this.#engine.settle();
  }

  /** The engine's policy for the object. */
  get compiled(): Policy | null {
    return this.#engine.record(fourRules.key)?.policy ?? null;
  }

  get inForce(): Policy {
    const last = this.upserts.at(-1);
    if (last === undefined) throw new Error("nothing was upserted");
    return last;
  }
}

const rulesOf = ({ rules }: Policy): readonly Rule[] => [...rules.ingress, ...rules.egress];
const many = Array.from({ length: 100 }, (_, n) => namespace(`ns${n}`, { tenant: `t${n % 10}` }));

let stand: Stand;
beforeEach(() => {
  stand = new Stand();
  stand.see(...many, ...many.map(({ name }) => pod(name, "one", { ips: [`10.0.0.${name.slice(2)}`] })));
  stand.see(objectOf(fourRules));
  stand.groups.drain();
});

describe("four rules about the own namespace of 100 namespaces", () => {
  test("are four rules for each", () => {
    expect(stand.upserts).toHaveLength(1);
    expect(rulesOf(stand.inForce)).toHaveLength(400);
  });

  test("a new namespace makes four rules and no other", () => {
    const before = new Set(rulesOf(stand.inForce));
    stand.see(namespace("new"));
    expect(stand.upserts).toHaveLength(2);
    const after = rulesOf(stand.inForce);
    expect(after).toHaveLength(404);
    expect(after.filter((rule) => !before.has(rule)).map(({ share }) => share)).toEqual(Array(4).fill("new"));
  });

  test("ten new namespaces of one pass make one upsert", () => {
    stand.see(...Array.from({ length: 10 }, (_, n) => namespace(`new${n}`)));
    expect(stand.upserts).toHaveLength(2);
  });

  test("a namespace that goes takes its four rules along, and its group", () => {
    const before = new Set(rulesOf(stand.inForce));
    stand.forget(namespace("ns7"));
    const after = rulesOf(stand.inForce);
    expect(after).toHaveLength(396);
    expect(after.every((rule) => before.has(rule))).toBe(true);
    expect(() => stand.groups.pods(groupKey(podGroup(namespacesNamed(["ns7"]))))).toThrow();
  });

  test("a pod, or a label that no policy asks for, upserts nothing; a pod touches its own value's group alone", () => {
    const { selectorEvaluations } = stand.groups.stats;
    stand.see(pod("ns7", "two", { ips: ["10.0.1.1"] }));
    expect(stand.groups.stats.selectorEvaluations).toBe(selectorEvaluations);
    // The group of the value, and the policy's own subject.
    expect(new Set(stand.groups.drain().keys())).toEqual(
      new Set([groupKey(podGroup(namespacesNamed(["ns7"]))), groupKey(podGroup(everything))]),
    );
    stand.see(namespace("ns7", { tenant: "another" }));
    expect(stand.upserts).toHaveLength(1);
  });
});

describe("rules about the own tenant", () => {
  const byTenant = irPolicy("p", { ingress: [{ peers: [sameNamespaces(["tenant"])] }] });
  const groupOf = (tenant: string) => groupKey(podGroup(withLabels({ tenant })));

  test("a relabelled namespace moves its pods from value to value, and no rule", () => {
    stand.see(objectOf(byTenant));
    expect(rulesOf(stand.inForce)).toHaveLength(10);
    const upserts = stand.upserts.length;
    stand.groups.drain();
    stand.see(namespace("ns7", { tenant: "t8" }));
    expect(stand.upserts).toHaveLength(upserts);
    expect([...stand.groups.drain().keys()].sort()).toEqual([groupOf("t7"), groupOf("t8")].sort());
    expect(stand.groups.pods(groupOf("t8")).has("ns7/one")).toBe(true);
  });

  test("the last namespace of a value takes the value's rule along", () => {
    stand.see(objectOf(byTenant));
    for (let n = 7; n < 100; n += 10) stand.see(namespace(`ns${n}`, { tenant: "t8" }));
    expect(rulesOf(stand.inForce)).toHaveLength(9);
    expect(() => stand.groups.pods(groupOf("t7"))).toThrow();
  });
});

describe("a policy's own changes", () => {
  test("a rule that is the same object keeps its plain rules through an edit of another", () => {
    const [first, second] = fourRules.rules.ingress;
    if (first === undefined || second === undefined) throw new Error("there are two");
    const edited = {
      ...fourRules,
      rules: { ...fourRules.rules, ingress: [first, { ...second, name: "x" }] },
    };
    const before = new Set(rulesOf(stand.inForce));
    stand.see(objectOf(edited));
    expect(rulesOf(stand.inForce).filter((rule) => !before.has(rule))).toHaveLength(100);
  });

  test("one that is refused stays in force, and follows the namespaces", () => {
    stand.see(objectOf(null));
    stand.see(namespace("new"));
    expect(rulesOf(stand.inForce)).toHaveLength(404);
  });

  test("one whose subject selects nothing has no rules, and lets go of what it had", () => {
    const other = podGroup(withLabels({ app: "other" }));
    const rule = { subject: [], peers: [own, other] };
    const nobody = irPolicy("p", { subject: [], ingress: [{ peers: [own] }, rule] });
    stand.see(objectOf(nobody));
    expect(rulesOf(stand.inForce).map(({ index, peers }) => [index, peers])).toEqual([[1, [other]]]);
    stand.see(namespace("new"));
    stand.see(objectOf(fourRules));
    stand.forget(objectOf(fourRules));
    expect(() => stand.groups.pods(groupKey(other))).toThrow();
  });

  test("one that becomes plain, or goes, lets go of every partition and group", () => {
    const plain = irPolicy("p", { ingress: [{}] });
    stand.see(objectOf(plain));
    expect(stand.inForce).toEqual(plain);
    expect(rulesOf(stand.inForce)).toEqual(plain.rules.ingress);
    // It is plain: no copy of the compiled policy.
    expect(stand.inForce).toBe(stand.compiled);
    stand.see(namespace("new"));
    expect(stand.upserts).toHaveLength(2);
    stand.see(objectOf(fourRules));
    stand.forget(objectOf(fourRules));
    expect(stand.removed).toEqual([fourRules.key]);
    stand.see(namespace("newer"));
    expect(stand.upserts).toHaveLength(3);
    expect(() => stand.groups.pods(groupKey(podGroup(everything)))).toThrow();
    expect(() => stand.groups.pods(groupKey(podGroup(namespacesNamed(["ns7"]))))).toThrow();
  });
});

test("any path of namespaces ends in the policy of a fresh start", () => {
  const name = fc.constantFrom("a", "b", "c");
  const labels = fc.dictionary(fc.constantFrom("tenant"), fc.constantFrom("x", "y"));
  const step = fc.record({ name, labels: fc.option(labels), policy: fc.constantFrom(0, 1, 2, 3) });
  const mixed = irPolicy("p", {
    ingress: [{ peers: [own, sameNamespaces(["tenant"])] }],
    egress: [{ subject: [podGroup(withLabels({ tenant: "x" }))], peers: [own, { kind: "everything" }] }],
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const [walked, fresh] = [new Stand(), new Stand()];
      const facts = new Map<string, WorldObject>();
      walked.see(objectOf(mixed));
      for (const one of steps) {
        const fact = namespace(one.name, one.labels ?? {});
        if (one.policy === 0) walked.see(objectOf(fourRules));
        if (one.policy === 1) walked.see(objectOf(mixed));
        if (one.labels === null) {
          facts.delete(one.name);
          walked.forget(fact);
        } else {
          facts.set(one.name, fact);
          walked.see(fact);
        }
      }
      walked.see(objectOf(mixed));
      fresh.see(...facts.values(), objectOf(mixed));
      expect(walked.inForce).toEqual(fresh.inForce);
      walked.forget(objectOf(mixed));
      for (const group of groupsOf(fresh.inForce))
        expect(() => walked.groups.addresses(groupKey(group))).toThrow();
    }),
  );
});
