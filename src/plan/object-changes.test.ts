// Objects of two worlds: added, removed, changed, and the fields in which they are.

import { expect, test } from "@jest/globals";
import { anp } from "../../test/support/policies.ts";
import { namespace, pod } from "../../test/support/facts.ts";
import type { WorldObject } from "../model/object.ts";
import { objectChanges } from "./object-changes.ts";

const rule = (name: string) => ({ name, action: "Deny", to: [{ namespaces: {} }] });

function fields(old: WorldObject, next: WorldObject): readonly unknown[] {
  const { changed } = objectChanges({ old: [old], new: [next] });
  return changed.flatMap((object) => object.fields.map((one) => [one.field, one.old, one.new]));
}

test("added and removed by kind, group, namespace and name", () => {
  const { added, removed, changed } = objectChanges({
    old: [anp("p", {}), namespace("a")],
    new: [namespace("a"), pod("a", "x")],
  });
  expect(added).toEqual([{ group: "", kind: "Pod", namespace: "a", name: "x" }]);
  expect(removed).toEqual([
    { group: "policy.networking.k8s.io", kind: "AdminNetworkPolicy", namespace: null, name: "p" },
  ]);
  expect(changed).toEqual([]);
});

test("a field deep in a spec, and nothing of what only the cluster knows", () => {
  const old = anp("p", { priority: 1, egress: [rule("a"), rule("b")] });
  expect(
    fields(old, { ...anp("p", { priority: 2, egress: [rule("a"), rule("c")] }), uid: "u", generation: 7 }),
  ).toEqual([
    ["spec.priority", 1, 2],
    ["spec.egress[1].name", "b", "c"],
  ]);
  expect(fields(old, { ...old, uid: "u", generation: 7 })).toEqual([]);
});

test("what kubectl apply keeps for itself is no difference", () => {
  const annotations = new Map([
    ["kubectl.kubernetes.io/last-applied-configuration", "{}"],
    ["owner", "a"],
  ]);
  expect(fields({ ...anp("p", {}), annotations }, { ...anp("p", {}), annotations: new Map() })).toEqual([
    ["metadata.annotations.owner", "a", undefined],
  ]);
});

test("an item put in at the front is one item", () => {
  const old = anp("p", { priority: 1, egress: [rule("a"), rule("b")] });
  expect(fields(old, anp("p", { priority: 1, egress: [rule("new"), rule("a"), rule("b")] }))).toEqual([
    ["spec.egress[0]", undefined, rule("new")],
  ]);
});

test("facts, by the fields that say them", () => {
  expect(fields(namespace("a", { team: "x" }), namespace("a", { team: "y", "a.b/c": "d" }))).toEqual([
    ["metadata.labels.team", "x", "y"],
    ['metadata.labels["a.b/c"]', undefined, "d"],
  ]);
  expect(fields(pod("a", "x", { ips: ["10.0.0.1"] }), pod("a", "x", { ips: ["10.0.0.2"] }))).toEqual([
    ["status.podIPs[0]", "10.0.0.1", "10.0.0.2"],
  ]);
});
