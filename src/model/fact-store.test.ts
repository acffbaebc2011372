// The single store of facts: what a change reports of before and after, that no property of a fact is ignored, and that
// an equal fact is no change.

import fc from "fast-check";
import { describe, expect, test } from "@jest/globals";
import { hostName, ip, namespace, node, pod } from "../../test/support/facts.ts";
import { FactStore } from "./fact-store.ts";
import { everyAddress } from "./ip.ts";
import type { Fact } from "./object.ts";

const web = pod("shop", "web", { labels: { app: "web" }, ips: ["10.0.0.1"] });
const home = namespace("shop", { team: "blue" });
const worker = {
  ...node("n", { zone: "z" }, ["192.0.2.1"], ["v4"]),
  podNetworks: [everyAddress("v4")],
};
const site = hostName("www.example.org", "198.51.100.7");
const http = { name: "http", protocol: "tcp", port: 80 } as const;

const edits: readonly [string, Fact, Fact][] = [
  ["a pod's labels", web, { ...web, labels: new Map([["app", "db"]]) }],
  ["a pod's node", web, { ...web, node: null }],
  ["a pod's service account", web, { ...web, serviceAccount: "robot" }],
  ["a pod's network", web, { ...web, hostNetwork: true }],
  ["a pod's end", web, { ...web, completed: true }],
  ["a pod's address", web, { ...web, ips: [ip("10.0.0.2")] }],
  ["a pod's ports", web, { ...web, ports: [http] }],
  ["a namespace's labels", home, { ...home, labels: new Map() }],
  ["a node's labels", worker, { ...worker, labels: new Map() }],
  ["a node's address", worker, { ...worker, ips: [ip("192.0.2.2")] }],
  ["a node's families", worker, { ...worker, podFamilies: ["v4", "v6"] }],
  ["a host name's addresses", site, { ...site, ips: [ip("198.51.100.8")] }],
  ["a node's pod networks", worker, { ...worker, podNetworks: [everyAddress("v6")] }],
];

test.each(edits)("%s", (_, before, after) => {
  const facts = new FactStore();
  expect(facts.put(before)).toMatchObject({ kind: before.kind, before: null, after: before });
  expect(facts.put(after)).toMatchObject({ kind: before.kind, before, after });
  const copy = "labels" in after ? { ...after, labels: new Map(after.labels) } : { ...after };
  expect(facts.put(copy)).toBeNull();
});

test("every property of a fact is among the edits, so that a new one cannot be passed over", () => {
  for (const fact of [web, home, worker, site]) {
    const edited = edits
      .filter(([, before]) => before === fact)
      .flatMap(([, before, after]) =>
        Object.keys(before).filter((key) => before[key as "kind"] !== after[key as "kind"]),
      );
    const identity = ["kind", "namespace", "name"];
    expect([...edited, ...identity].sort()).toEqual([...new Set([...Object.keys(fact), ...identity])].sort());
  }
});

test("what is the same stays the same object; labels have no order", () => {
  const facts = new FactStore();
  const labels = { a: "1", b: "2" };
  const first = pod("shop", "web", { labels });
  facts.put(first);
  expect(facts.put({ ...first, labels: new Map(Object.entries(labels).reverse()) })).toBeNull();
  expect(facts.pods.get("shop/web")).toBe(first);
});

describe("what is dropped", () => {
  test("is said, and what was not there is no change", () => {
    const facts = new FactStore();
    for (const fact of [web, home, worker, site]) facts.put(fact);
    expect(facts.dropPod("shop/web")).toEqual({ kind: "Pod", key: "shop/web", before: web, after: null });
    expect(facts.dropNamespace("shop")).toMatchObject({ kind: "Namespace", before: home, after: null });
    expect(facts.dropNode("n")).toMatchObject({ kind: "Node", before: worker, after: null });
    expect(facts.dropHostName(site.name)).toMatchObject({ kind: "HostName", before: site, after: null });
    expect(facts.dropHostName(site.name)).toBeNull();
    expect(facts.isEmpty).toBe(true);
    expect([facts.dropPod("shop/web"), facts.dropNamespace("shop"), facts.dropNode("n")]).toEqual([
      null,
      null,
      null,
    ]);
    expect([facts.pods.size, facts.namespaces.size, [...facts.nodes]]).toEqual([0, 0, []]);
  });
});

test("the nodes can be walked again and again, and are those of the present", () => {
  const facts = new FactStore();
  const { nodes } = facts;
  facts.put(worker);
  expect([[...nodes], [...nodes]]).toEqual([[worker], [worker]]);
});

test("whoever applies the changes in their order has what the store has", () => {
  const name = fc.constantFrom("a", "b");
  const labels = fc.dictionary(fc.constantFrom("x"), fc.constantFrom("1", "2"));
  const step = fc.record({ name, labels: fc.option(labels) });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const [facts, copy] = [new FactStore(), new Map<string, Fact>()];
      for (const one of steps) {
        const change =
          one.labels === null ? facts.dropNamespace(one.name) : facts.put(namespace(one.name, one.labels));
        if (change === null) continue;
        expect(change.before).toBe(copy.get(one.name) ?? null);
        if (change.after === null) copy.delete(change.key);
        else copy.set(change.key, change.after);
      }
      expect(copy).toEqual(facts.namespaces);
    }),
  );
});
