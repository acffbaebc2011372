// Which kinds are foreign, in which version, and which groups a cluster is asked about.

import { expect, test } from "@jest/globals";
import { everyDialect } from "../dialects.ts";
import { foreignGroups, foreignKindOf, foreignVersion } from "./foreign-kinds.ts";

const kind = (group: string, name: string) => ({ group, kind: name });
const policyGroup = "policy.networking.k8s.io";

test("a kind that is read is foreign in another version alone, a kind of a group of policies always", () => {
  const isForeign = (group: string, name: string, version: string) =>
    foreignKindOf(kind(group, name), `${group}/${version}`, everyDialect.policies) !== null;
  expect(isForeign(policyGroup, "ClusterNetworkPolicy", "v1alpha2")).toBe(false);
  expect(isForeign(policyGroup, "ClusterNetworkPolicy", "v1beta1")).toBe(true);
  expect(isForeign(policyGroup, "SomethingNew", "v1")).toBe(true);
  expect(isForeign("networking.k8s.io", "NetworkPolicy", "v2")).toBe(true);
  expect(isForeign("networking.k8s.io", "Ingress", "v1")).toBe(false);
  expect(isForeign("projectcalico.org", "StagedNetworkPolicy", "v3")).toBe(false);
});

test("a kind that is read under two groups is foreign under neither, in the versions that are read", () => {
  const group = "projectcalico.org";
  const calico = {
    ...{ group, version: "v3", kind: "NetworkPolicy", resource: "networkpolicies", namespaced: true },
    servedAs: [
      { group: "crd.projectcalico.org", version: "v1" },
      { group, version: "v3" },
    ],
  };
  const isForeign = (of: string, version: string) =>
    foreignKindOf(kind(of, "NetworkPolicy"), `${of}/${version}`, [calico]) !== null;
  expect([isForeign(group, "v3"), isForeign("crd.projectcalico.org", "v1")]).toEqual([false, false]);
  expect([isForeign(group, "v4"), isForeign("crd.projectcalico.org", "v2")]).toEqual([true, true]);
  expect(foreignVersion(kind("crd.projectcalico.org", "NetworkPolicy"), ["v2", "v1"], [calico])).toBeNull();
  expect(foreignVersion(kind("crd.projectcalico.org", "NetworkPolicy"), ["v2"], [calico])).toBe("v2");
  expect(
    foreignKindOf(kind("crd.projectcalico.org", "GlobalNetworkPolicy"), "x/v1", [calico]),
  ).not.toBeNull();
  const own = { ...calico, group: "own.test", servedAs: [{ group: "crd.own.test", version: "v1" }] };
  expect(foreignGroups([own]).has("crd.own.test")).toBe(true);
});

test("a cluster that serves the version that is read is not asked for another", () => {
  const asked = (name: string, ...versions: readonly string[]) =>
    foreignVersion(kind(policyGroup, name), versions, everyDialect.policies);
  expect(asked("ClusterNetworkPolicy", "v1beta1", "v1alpha2")).toBeNull();
  expect(asked("ClusterNetworkPolicy", "v1beta1")).toBe("v1beta1");
  expect(foreignVersion(kind("cilium.io", "CiliumNetworkPolicy"), ["v2"], everyDialect.policies)).toBe("v2");
  expect(foreignVersion(kind("cilium.io", "CiliumNode"), ["v2"], everyDialect.policies)).toBeNull();
  expect([...foreignGroups(everyDialect.policies)]).toEqual(
    expect.arrayContaining(["cilium.io", "projectcalico.org", "security.istio.io", policyGroup]),
  );
});
