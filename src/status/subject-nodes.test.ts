// Nodes with pods that a policy applies to: of its own subject and its rules', each once; and no look walks without end.

import { expect, test } from "@jest/globals";
import { everything } from "../model/selector.ts";
import { namespacesNamed } from "../model/selectable.ts";
import type { PodFact, PodKey } from "../model/facts.ts";
import type { GroupKey, Policy, PolicyKey, Subject } from "../policy/ir.ts";
import { groupKey } from "../policy/ir.ts";
import { acnp, resolving } from "../../test/support/antrea.ts";
import { antrea } from "../../test/support/dialects.ts";
import { SubjectNodes } from "./subject-nodes.ts";

const spec = { priority: 1, appliedTo: [{ podSelector: {} }], ingress: [{ action: "Drop" }] };
const { policy: plain } = antrea.compile(acnp("p", spec), resolving().resolve);
if (plain === null) throw new Error("it compiles");
const podsIn = (namespace: string): Subject => [
  { kind: "pods", namespaces: namespacesNamed([namespace]), pods: everything },
];

function counting(
  nodesOf: Readonly<Record<string, readonly (string | null)[]>>,
  policies: readonly Policy[],
) {
  const facts = new Map<PodKey, PodFact>();
  const members = new Map<GroupKey, Set<PodKey>>();
  for (const [namespace, nodes] of Object.entries(nodesOf)) {
    const pods = nodes.map((node, n) => {
      const key = `${namespace}/${n}` as PodKey;
      facts.set(key, { node } as PodFact);
      return key;
    });
    for (const group of podsIn(namespace)) members.set(groupKey(group), new Set(pods));
  }
  return new SubjectNodes({
    membership: { pods: (group) => members.get(group)!, pod: (key) => facts.get(key)! },
    policy: (key) => policies.find((one) => one.key === key) ?? null,
  });
}

test("the subject of the policy and those of its rules, each node once, and pods without a node never", () => {
  const rule = { ...plain.rules.ingress[0]!, subject: podsIn("b") };
  const both = { ...plain, subject: podsIn("a"), rules: { ingress: [rule, rule], egress: [] } };
  const nodes = counting({ a: ["n1", "n2", null, "n1"], b: ["n2", "n3"] }, [both]);
  expect(nodes.count(both.key)).toBe(3);
  expect(nodes.count("nobody's" as PolicyKey)).toBe(0);
});

test("a look takes no more policies when it has walked enough pods; the others have their turn", () => {
  const many = Array.from({ length: 15_000 }, (_, n) => `n${n % 7}`);
  const policies = [1, 2, 3, 4].map((n) => ({
    ...{ ...plain, key: `p${n}` as PolicyKey, subject: podsIn("a") },
    rules: { ingress: [], egress: [] },
  }));
  const nodes = counting({ a: many }, policies);
  for (const { key } of policies) nodes.touch(key);
  nodes.forget("p2" as PolicyKey);
  expect([...nodes.look()]).toEqual([
    ["p1", 7],
    ["p3", 7],
  ]);
  expect([...nodes.look()]).toEqual([["p4", 7]]);
  expect([...nodes.look()]).toEqual([]);
});
