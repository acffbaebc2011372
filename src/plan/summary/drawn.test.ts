// What people read holds the connections of the classes, by source and by destination alike: every pair of pods, workloads and addresses of
// random classes, one by one. Only ways of nodes to their own pods may be added.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { namespace, node, pod } from "../../../test/support/facts.ts";
import { FactStore } from "../../model/fact-store.ts";
import { refText } from "../../analysis/ref.ts";
import { contains } from "../../model/cidr.ts";
import { parseCidr, parseIp } from "../../model/ip.ts";
import { ownNodePolicy } from "../../policy/own-node.ts";
import type { VerdictClass } from "../report.ts";
import { both } from "../../verdicts/worlds.ts";
import type { Drawn, DrawnEnds, Placed } from "./drawn.ts";
import { byDestination, bySource } from "./drawn.ts";
import { OwnNodes } from "./own-nodes.ts";

const facts = new FactStore();
const nodes = [node("n0", {}, ["172.18.0.1"]), node("n1", {}, ["172.18.0.2"])];
const pods = ["a/1", "a/2", "b/1", "b/2", "c/1"].map((key, at) => {
  const [home = "", name = ""] = key.split("/");
  return pod(home, name, { ips: [`10.0.0.${at + 1}`], node: `n${at % 2}` });
});
for (const fact of [...["a", "b", "c"].map((name) => namespace(name)), ...nodes, ...pods]) facts.put(fact);
const policies = nodes.map((one) => ownNodePolicy(one, "namespaced"));
const own = new OwnNodes(both(() => ({ facts, policies })));
const keys = [...facts.pods.keys()];
const networks = ["0.0.0.0/4", "172.18.0.1/32", "172.18.0.2/32", "192.0.2.0/24"].flatMap(
  (text) => parseCidr(text) ?? [],
);
const places = ["1.1.1.1", "172.18.0.1", "172.18.0.2", "192.0.2.9"].flatMap((text) => parseIp(text) ?? []);

/** Their pods are not there yet. */
const workloads = ["x", "y"].map((name) => ({ group: "apps", kind: "Deployment", namespace: "a", name }));

type Owner = number;

/** Sources are in one class of a change each, as in a plan. */
const drawn = fc
  .tuple(
    fc.array(fc.nat({ max: 3 }), { minLength: keys.length, maxLength: keys.length }),
    fc.array(fc.nat({ max: 3 }), { minLength: networks.length, maxLength: networks.length }),
    fc.array(fc.nat({ max: 3 }), { minLength: workloads.length, maxLength: workloads.length }),
    fc.array(fc.subarray(keys, { minLength: 1 }), { minLength: 3, maxLength: 3 }),
  )
  .map(([ofPods, ofNetworks, ofWorkloads, targets]): readonly Placed[] =>
    targets.flatMap((to, at) => {
      const isOf = (owner: Owner | undefined) => owner === at;
      const from = {
        pods: keys.filter((_, key) => isOf(ofPods[key])),
        workloads: workloads.filter((_, key) => isOf(ofWorkloads[key])),
        addresses: networks.filter((_, key) => isOf(ofNetworks[key])),
      };
      if (from.pods.length + from.workloads.length + from.addresses.length === 0) return [];
      const one = { families: ["IPv4"], from, to: { pods: to, workloads: [], addresses: [] }, traffic: [] };
      return [{ class: one as unknown as VerdictClass, at }];
    }),
  );

function pairsOf(list: readonly { readonly from: DrawnEnds; readonly to: DrawnEnds }[]): ReadonlySet<string> {
  const found = list.flatMap(({ from, to }) => {
    const addresses = places.filter((ip) => from.addresses.some((network) => contains(network, ip)));
    const sources = [...from.pods, ...from.workloads.map(refText), ...addresses];
    return sources.flatMap((source) =>
      to.pods.filter((key) => key !== source).map((key) => `${source} ${key}`),
    );
  });
  return new Set(found);
}

/** Whether the pair is a node and a pod on it. */
function isOwnWay(pair: string): boolean {
  const [source = "", target = ""] = pair.split(" ");
  const key = keys.find((one) => one === target);
  const home = key === undefined ? null : own.nodeOf(key);
  return home !== null && own.sourcesOf(home).some((cidr) => cidr === `${source}/32`);
}

test("by destination and by source there are the same connections, but for ways of nodes to their own pods", () => {
  let closed = 0;
  fc.assert(
    fc.property(drawn, (classes) => {
      const columns: readonly Drawn[] = byDestination(classes, own) ?? [];
      const [rows, others] = [pairsOf(bySource(classes)), pairsOf(columns)];
      expect(rows.difference(others)).toEqual(new Set());
      const added = [...others.difference(rows)];
      expect(added.filter((pair) => !isOwnWay(pair))).toEqual([]);
      closed += added.length;
      const owners = columns.flatMap(({ to }) => to.pods);
      for (const one of columns) expect(one.at.length).toBeGreaterThan(0);
      expect(new Set(owners).size).toBe(new Set(classes.flatMap((one) => one.class.to.pods)).size);
    }),
    { numRuns: 600 },
  );
  expect(closed).toBeGreaterThan(2);
});
