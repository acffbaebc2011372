// However the pods have changed, they are filed as if all were filed anew; and what did not change is not filed again.

import fc from "fast-check";
import { expect, test } from "@jest/globals";
import { pod } from "../../test/support/facts.ts";
import type { PodFact, PodKey } from "../model/facts.ts";
import { isOnPodNetwork, podKey } from "../model/facts.ts";
import { podIndexOf } from "./pod-index.ts";

const namespaces = ["a", "b"];
const ips = ["10.0.0.1", "10.0.0.2", "10.0.0.3"];
const changes = fc.array(
  fc.record({
    namespace: fc.constantFrom(...namespaces),
    name: fc.constantFrom("x", "y", "z"),
    now: fc.option(fc.record({ ips: fc.subarray(ips), hostNetwork: fc.boolean() })),
  }),
);

test("they are filed as if all were filed anew", () => {
  fc.assert(
    fc.property(fc.array(changes), (rounds) => {
      const pods = new Map<PodKey, PodFact>();
      for (const round of rounds) {
        for (const { namespace, name, now } of round) {
          const key = podKey(namespace, name);
          if (now === null) pods.delete(key);
          else pods.set(key, pod(namespace, name, now));
        }
        const all = [...pods.values()];
        const index = podIndexOf(pods);
        expect(index.list).toEqual(all);
        for (const name of namespaces)
          expect(index.of(name)).toEqual(all.filter(({ namespace }) => namespace === name));
        expect([...index.namespaces()].map(([name]) => name).sort()).toEqual(
          [...new Set(all.map(({ namespace }) => namespace))].sort(),
        );
        const held = all.filter(isOnPodNetwork).flatMap((one) => one.ips);
        expect([...index.addresses()].sort()).toEqual([...new Set(held)].sort());
        for (const ip of held)
          expect(index.holders(ip)).toEqual(all.filter((one) => isOnPodNetwork(one) && one.ips.includes(ip)));
      }
    }),
  );
});

test("nothing is filed again when nothing has changed, and only its namespace when a pod has", () => {
  const pods = new Map(
    [pod("a", "one", {}), pod("b", "two", {})].map((one) => [podKey(one.namespace, one.name), one]),
  );
  const { list } = podIndexOf(pods);
  expect(podIndexOf(pods).list).toBe(list);
  const before = podIndexOf(pods).of("a");
  pods.set(podKey("b", "two"), pod("b", "two", { labels: { app: "x" } }));
  const index = podIndexOf(pods);
  expect(index.list).not.toBe(list);
  expect(index.of("a")).toBe(before);
});
