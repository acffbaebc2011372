// What a group answers, case by case; every case is a sentence of the contract.

import { beforeEach, describe, expect, test } from "@jest/globals";
import { everything } from "../model/selector.ts";
import { FedGroups } from "../../test/support/fed-groups.ts";
import { ip, namedPort, namespace, node, pod, podGroup, withLabels } from "../../test/support/facts.ts";
import type { Group, GroupKey } from "../policy/ir.ts";

const blue = podGroup(withLabels({ team: "blue" }), withLabels({ app: "web" }));
const all = podGroup(everything);
const web = { app: "web" };

let groups: FedGroups;
beforeEach(() => {
  groups = new FedGroups();
  groups.setNamespace(namespace("shop", { team: "blue" }));
});

function members(group: Group): string[] {
  return [...groups.pods(groups.retain(group)).keys()].sort();
}

function edgesOf(key: GroupKey) {
  const edges = groups.drain().get(key);
  return edges && { ...edges };
}

const edges = (addresses: string[], pods: string[], namedPorts: Readonly<Record<string, string[]>> = {}) => ({
  addresses: new Set(addresses),
  pods: new Set(pods),
  namedPorts: new Map(Object.entries(namedPorts).map(([name, at]) => [name, new Set(at)])),
});

describe("members of a pod group", () => {
  test("are matched by both selectors", () => {
    groups.setNamespace(namespace("other", { team: "red" }));
    groups.setPod(pod("shop", "a", { labels: web }));
    groups.setPod(pod("shop", "b", { labels: { app: "db" } }));
    groups.setPod(pod("other", "c", { labels: web }));
    expect(members(blue)).toEqual(["shop/a"]);
    expect(members(all)).toEqual(["other/c", "shop/a", "shop/b"]);
  });

  test.each([
    ["unscheduled", { node: null }],
    ["on the host network", { hostNetwork: true }],
    ["completed", { completed: true }],
  ])("are never pods that are %s", (_, off) => {
    groups.setPod(pod("shop", "a", { labels: web, ips: ["10.0.0.1"], ...off }));
    expect(members(blue)).toEqual([]);
    groups.setPod(pod("shop", "a", { labels: web, ips: ["10.0.0.1"] }));
    expect(members(blue)).toEqual(["shop/a"]);
    groups.setPod(pod("shop", "a", { labels: web, ips: ["10.0.0.1"], ...off }));
    expect(members(blue)).toEqual([]);
    expect(groups.pod("shop/a")).toMatchObject(off);
  });

  test("wait for their namespace and leave with it", () => {
    groups.setPod(pod("late", "a", { labels: web }));
    expect(members(all)).toEqual([]);
    groups.setNamespace(namespace("late"));
    expect(members(all)).toEqual(["late/a"]);
    groups.deleteNamespace("late");
    expect(members(all)).toEqual([]);
    expect([...groups.groupsOf("late/a")]).toEqual([]);
    groups.setNamespace(namespace("late"));
    expect(members(all)).toEqual(["late/a"]);
  });

  test("need no address", () => {
    const key = groups.retain(blue);
    groups.setPod(pod("shop", "a", { labels: web }));
    expect(groups.pods(key).has("shop/a")).toBe(true);
    expect(groups.addresses(key).size).toBe(0);
  });

  test("know their groups", () => {
    const keys = [groups.retain(blue), groups.retain(all)];
    groups.setPod(pod("shop", "a", { labels: web }));
    expect([...groups.groupsOf("shop/a")].sort()).toEqual(keys.sort());
    expect([...groups.groupsOf("shop/unknown")]).toEqual([]);
    expect(() => groups.pod("shop/unknown")).toThrow("nobody knows");
  });
});

describe("members of a node group", () => {
  const gpu: Group = { kind: "nodes", nodes: withLabels({ gpu: "yes" }) };

  test("are nodes by label, with addresses only", () => {
    const key = groups.retain(gpu);
    groups.setNode(node("n1", { gpu: "yes" }, ["192.0.2.1", "2001:db8::1"]));
    groups.setNode(node("n2", {}, ["192.0.2.2"]));
    expect([...groups.addresses(key).keys()]).toEqual(["192.0.2.1", "2001:db8::1"]);
    expect(groups.pods(key).size).toBe(0);
    expect([...groups.namedPorts(key, "http")]).toEqual([]);
    expect(edgesOf(key)).toEqual(edges(["192.0.2.1", "2001:db8::1"], []));
  });

  test("give no edges when they have no addresses", () => {
    groups.retain(gpu);
    groups.setNode(node("n1", { gpu: "yes" }));
    expect(groups.drain().size).toBe(0);
  });

  test("are no pods: a pod may share a node's address", () => {
    const [nodes, pods] = [groups.retain(gpu), groups.retain(all)];
    groups.setNode(node("n1", { gpu: "yes" }, ["10.0.0.1"]));
    expect(groups.addresses(pods).has(ip("10.0.0.1"))).toBe(false);
    groups.setPod(pod("shop", "a", { ips: ["10.0.0.1"] }));
    groups.deleteNode("n1");
    expect(groups.addresses(pods).has(ip("10.0.0.1"))).toBe(true);
    expect(groups.addresses(nodes).has(ip("10.0.0.1"))).toBe(false);
  });
});

describe("addresses", () => {
  test("leave with their last holder", () => {
    const key = groups.retain(all);
    groups.setPod(pod("shop", "a", { ips: ["10.0.0.1"] }));
    groups.setPod(pod("shop", "b", { ips: ["10.0.0.1", "10.0.0.2"] }));
    expect([...groups.addresses(key).keys()].sort()).toEqual(["10.0.0.1", "10.0.0.2"]);
    expect(groups.addresses(key).size).toBe(2);
    groups.deletePod("shop/a");
    expect(groups.addresses(key).has(ip("10.0.0.1"))).toBe(true);
    groups.deletePod("shop/b");
    expect(groups.addresses(key).size).toBe(0);
  });

  test("count only holders inside the group", () => {
    groups.setNamespace(namespace("other"));
    const key = groups.retain(blue);
    groups.setPod(pod("other", "b", { ips: ["10.0.0.1"] }));
    groups.setPod(pod("shop", "a", { labels: web, ips: ["10.0.0.1"] }));
    expect([...groups.addresses(key).keys()]).toEqual(["10.0.0.1"]);
    groups.deletePod("shop/a");
    expect(groups.addresses(key).has(ip("10.0.0.1"))).toBe(false);
  });

  test("named twice by one pod are one", () => {
    const key = groups.retain(all);
    groups.setPod(pod("shop", "a", { ips: ["10.0.0.1", "10.0.0.1"] }));
    expect(groups.addresses(key).size).toBe(1);
    groups.deletePod("shop/a");
    expect(groups.addresses(key).size).toBe(0);
  });
});

describe("edges", () => {
  test("are where a member entered and left, coalesced", () => {
    const key = groups.retain(all);
    groups.setPod(pod("shop", "a", { ips: ["10.0.0.1"], ports: [namedPort("http", 80)] }));
    groups.setPod(pod("shop", "b", { ips: ["10.0.0.2"] }));
    expect(edgesOf(key)).toEqual(
      edges(["10.0.0.1", "10.0.0.2"], ["shop/a", "shop/b"], { http: ["10.0.0.1"] }),
    );
    groups.deletePod("shop/a");
    expect(edgesOf(key)).toEqual(edges(["10.0.0.1"], ["shop/a"], { http: ["10.0.0.1"] }));
    expect(groups.drain().size).toBe(0);
  });

  test("of a second change are in its own groups alone", () => {
    const [both, one] = [groups.retain(all), groups.retain(blue)];
    const ports = [namedPort("http", 80)];
    groups.setPod(pod("shop", "a", { labels: web, ips: ["10.0.0.1"], ports }));
    groups.setPod(pod("shop", "b", { ips: ["10.0.0.2"], ports }));
    groups.setPod(pod("shop", "c", { labels: web, ips: ["10.0.0.3"] }));
    const drained = groups.drain();
    const http = ["10.0.0.1", "10.0.0.2"];
    expect({ ...drained.get(both) }).toEqual(
      edges([...http, "10.0.0.3"], ["shop/a", "shop/b", "shop/c"], { http }),
    );
    expect({ ...drained.get(one) }).toEqual(
      edges(["10.0.0.1", "10.0.0.3"], ["shop/a", "shop/c"], { http: ["10.0.0.1"] }),
    );
  });

  test("of another address name both and not the pod", () => {
    const key = groups.retain(all);
    groups.setPod(pod("shop", "a", { ips: ["10.0.0.1", "fd00::1"] }));
    groups.drain();
    groups.setPod(pod("shop", "a", { ips: ["10.0.0.2", "fd00::1"] }));
    expect(edgesOf(key)).toEqual(edges(["10.0.0.1", "10.0.0.2"], []));
  });

  test("of another node name the pod, and its ports because their members moved", () => {
    const key = groups.retain(all);
    groups.setPod(pod("shop", "a", { ips: ["10.0.0.1"], ports: [namedPort("http", 80)] }));
    groups.drain();
    groups.setPod(pod("shop", "a", { node: "node-2", ips: ["10.0.0.1"], ports: [namedPort("http", 80)] }));
    expect(edgesOf(key)).toEqual(edges([], ["shop/a"], { http: ["10.0.0.1"] }));
  });

  test("of other ports name the old and the new", () => {
    const key = groups.retain(all);
    groups.setPod(pod("shop", "a", { ips: ["10.0.0.1"], ports: [namedPort("http", 80)] }));
    groups.drain();
    groups.setPod(pod("shop", "a", { ips: ["10.0.0.1"], ports: [namedPort("web", 80)] }));
    expect(edgesOf(key)).toEqual(edges([], [], { http: ["10.0.0.1"], web: ["10.0.0.1"] }));
  });

  test("of ports say at which addresses, the old ones and the new ones, and none of a pod without any", () => {
    const key = groups.retain(all);
    const ports = [namedPort("http", 80)];
    groups.setPod(pod("shop", "a", { ports }));
    groups.setPod(pod("shop", "b", { ips: ["10.0.0.9"], ports: [namedPort("web", 80)] }));
    expect(edgesOf(key)).toEqual(edges(["10.0.0.9"], ["shop/a", "shop/b"], { http: [], web: ["10.0.0.9"] }));
    groups.setPod(pod("shop", "a", { ips: ["10.0.0.1"], ports }));
    groups.setPod(pod("shop", "a", { ips: ["10.0.0.2"], ports }));
    expect(edgesOf(key)).toEqual(edges(["10.0.0.1", "10.0.0.2"], [], { http: ["10.0.0.1", "10.0.0.2"] }));
  });

  test("skip groups that a relabelled pod stays in", () => {
    const [both, one] = [groups.retain(all), groups.retain(blue)];
    groups.setPod(pod("shop", "a", { ips: ["10.0.0.1"] }));
    groups.drain();
    groups.setPod(pod("shop", "a", { labels: web, ips: ["10.0.0.1"] }));
    const drained = groups.drain();
    expect(drained.has(both)).toBe(false);
    expect({ ...drained.get(one) }).toEqual(edges(["10.0.0.1"], ["shop/a"]));
  });

  test("do not come from the first members of a retained group", () => {
    groups.setPod(pod("shop", "a", { ips: ["10.0.0.1"] }));
    const key = groups.retain(all);
    expect(groups.drain().size).toBe(0);
    expect(groups.pods(key).size).toBe(1);
  });

  test("go with their group", () => {
    groups.retain(all);
    groups.setPod(pod("shop", "a"));
    groups.release(all);
    expect(groups.drain().size).toBe(0);
  });
});

describe("named ports", () => {
  test("list the members that declare the name, with those ports in their order", () => {
    const key = groups.retain(blue);
    const metrics = namedPort("metrics", 9090);
    groups.setPod(
      pod("shop", "a", { labels: web, ports: [namedPort("http", 80), metrics, namedPort("http", 81)] }),
    );
    groups.setPod(pod("shop", "b", { labels: web, ports: [metrics] }));
    groups.setPod(pod("shop", "c", { labels: { app: "db" }, ports: [namedPort("http", 82)] }));
    expect([...groups.namedPorts(key, "http")].map(({ pod, ports }) => [pod.name, ports])).toEqual([
      ["a", [namedPort("http", 80), namedPort("http", 81)]],
    ]);
    expect([...groups.namedPorts(key, "metrics")].map(({ pod }) => pod.name).sort()).toEqual(["a", "b"]);
    expect([...groups.namedPorts(key, "none")]).toEqual([]);
  });
});

describe("holders of an address", () => {
  test("are the members that have it now, and nobody outside", () => {
    const [key, every] = [groups.retain(blue), groups.retain(all)];
    const shared = ip("10.0.0.1");
    groups.setPod(pod("shop", "a", { labels: web, ips: ["10.0.0.1"] }));
    groups.setPod(pod("shop", "b", { labels: web, ips: ["10.0.0.1", "fd00::1"] }));
    groups.setPod(pod("shop", "c", { labels: { app: "db" }, ips: ["10.0.0.1"] }));
    const holders = (group: GroupKey) => [...groups.holders(group, shared)].map((found) => found.name).sort();
    expect([holders(key), holders(every)]).toEqual([
      ["a", "b"],
      ["a", "b", "c"],
    ]);
    groups.setPod(pod("shop", "a", { labels: web, ips: ["10.0.0.2"] }));
    expect(holders(key)).toEqual(["b"]);
    const nodes = groups.retain({ kind: "nodes", nodes: everything });
    expect([...groups.holders(nodes, shared)]).toEqual([]);
    groups.release(blue);
    expect(() => groups.holders(key, shared)).toThrow("nobody retains");
  });
});

describe("retain and release", () => {
  test("are counted, and equal selectors are one group", () => {
    const twin = podGroup(withLabels({ team: "blue" }), withLabels({ app: "web" }));
    const key = groups.retain(blue);
    expect(groups.retain(twin)).toBe(key);
    groups.release(blue);
    expect(groups.pods(key).size).toBe(0);
    groups.release(twin);
    expect(() => groups.pods(key)).toThrow("nobody retains");
    expect(() => groups.addresses(key)).toThrow("nobody retains");
    expect(() => groups.namedPorts(key, "http")).toThrow("nobody retains");
    expect(() => {
      groups.release(blue);
    }).toThrow("invariant broken");
  });

  test("leave a view of a released group empty", () => {
    groups.setPod(pod("shop", "a", { ips: ["10.0.0.1"] }));
    const key = groups.retain(all);
    const [pods, addresses] = [groups.pods(key), groups.addresses(key)];
    groups.release(all);
    expect([pods.size, [...pods.keys()], pods.has("shop/a")]).toEqual([0, [], false]);
    expect([addresses.size, [...addresses.keys()], addresses.has(ip("10.0.0.1"))]).toEqual([0, [], false]);
  });

  test("a delete of something unknown changes nothing", () => {
    groups.retain(all);
    groups.deletePod("shop/unknown");
    groups.deleteNamespace("unknown");
    groups.deleteNode("unknown");
    expect(groups.drain().size).toBe(0);
  });
});
