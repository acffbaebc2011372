// The pods of a node, against a plain count over the facts after every step of random histories, and what is an edge.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { FedGroups } from "../../test/support/fed-groups.ts";
import { namespace, pod, podGroup } from "../../test/support/facts.ts";
import type { PodFact, PodKey } from "../model/facts.ts";
import { isOnPodNetwork, podKey } from "../model/facts.ts";
import { everything } from "../model/selector.ts";
import type { GroupKey, PodsOfNode } from "../policy/ir.ts";
import { groupKey } from "../policy/ir.ts";

const on = (node: string): PodsOfNode => ({ kind: "podsOfNode", node });
const nodes = ["one", "two"] as const;

const fact = fc
  .record({
    name: fc.constantFrom("a", "b", "c"),
    node: fc.constantFrom("one", "two", "three", null),
    hostNetwork: fc.boolean(),
    completed: fc.boolean(),
  })
  .map(({ name, ...given }) => pod("shop", name, given));
type Step = { readonly set: PodFact } | { readonly gone: PodKey } | { readonly flip: "one" | "two" };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fact.map((set) => ({ set })) },
  fc.constantFrom("a", "b", "c").map((name) => ({ gone: podKey("shop", name) })),
  fc.constantFrom(...nodes).map((flip) => ({ flip })),
);

test("are those of the present facts, however they came; who came or went since the last drain is an edge", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const groups = new FedGroups();
      const facts = new Map<PodKey, PodFact>();
      const seen = new Map<GroupKey, ReadonlySet<PodKey>>();
      for (const one of steps) {
        if ("set" in one) {
          facts.set(podKey(one.set.namespace, one.set.name), one.set);
          groups.setPod(one.set);
        } else if ("gone" in one) {
          facts.delete(one.gone);
          groups.deletePod(one.gone);
        } else if (seen.delete(groupKey(on(one.flip)))) {
          groups.release(on(one.flip));
        } else {
          const key = groups.retain(on(one.flip));
          seen.set(key, new Set(groups.pods(key).keys()));
        }
        const edges = groups.drain();
        expect([...edges.keys()].filter((key) => !seen.has(key))).toEqual([]);
        for (const node of nodes) {
          const key = groupKey(on(node));
          const before = seen.get(key);
          if (before === undefined) {
            expect(() => groups.pods(key)).toThrow("nobody retains");
            continue;
          }
          const live = [...facts].filter(([, now]) => now.node === node && isOnPodNetwork(now));
          const now = new Set(live.map(([pod]) => pod));
          expect(new Set(groups.pods(key).keys())).toEqual(now);
          expect(edges.get(key)?.pods ?? new Set()).toEqual(before.symmetricDifference(now));
          for (const pod of facts.keys()) expect([...groups.groupsOf(pod)].includes(key)).toBe(now.has(pod));
          seen.set(key, now);
        }
      }
    }),
  );
});

test("are no part of a label identity: replicas share theirs wherever they run, and no selector is asked anew", () => {
  const groups = new FedGroups();
  groups.setNamespace(namespace("shop"));
  groups.retain(podGroup(everything));
  groups.setPod(pod("shop", "a", { labels: { app: "web" }, node: "one" }));
  groups.retain(on("one"));
  const { selectorEvaluations } = groups.stats;
  groups.setPod(pod("shop", "b", { labels: { app: "web" }, node: "two" }));
  groups.setPod(pod("shop", "a", { labels: { app: "web" }, node: "two" }));
  expect(groups.stats.selectorEvaluations).toBe(selectorEvaluations);
});

test("change in no way with another address, and a move between two drains and back is an edge of both", () => {
  const groups = new FedGroups();
  const [one, two] = [groups.retain(on("one")), groups.retain(on("two"))];
  groups.setPod(pod("shop", "a", { node: "one", ips: ["10.0.0.1"] }));
  groups.drain();
  groups.setPod(pod("shop", "a", { node: "one", ips: ["10.0.0.2"] }));
  expect(groups.drain().size).toBe(0);
  groups.setPod(pod("shop", "a", { node: "two" }));
  groups.setPod(pod("shop", "a", { node: "one" }));
  const edges = groups.drain();
  for (const key of [one, two]) expect(edges.get(key)?.pods).toEqual(new Set(["shop/a"]));
});
