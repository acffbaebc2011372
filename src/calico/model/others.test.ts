// The other kinds of policy among Calico's tiers, and the policy model as a whole.

import { describe, expect, test } from "@jest/globals";
import { anp, banp, cnp, np, resolvesNothing } from "../../../test/support/policies.ts";
import { everyDialect, everyKind, installed } from "../../dialects.ts";
import type { PolicyObject } from "../../model/object.ts";
import { groupOf, kindText } from "../../model/object.ts";
import { dialectsByKind } from "../../policy/contracts/dialect.ts";
import { stack } from "../../policy/contracts/tier-layout.ts";

const model = installed({ ...everyKind, "policy-model": "calico" });
const byKind = dialectsByKind(model.dialects);

function compiled(object: PolicyObject) {
  const text = kindText({ group: groupOf(object.apiVersion), kind: object.kind });
  const { policy, problems } = byKind.get(text)?.compile(object, resolvesNothing) ?? {};
  return { policy, told: problems?.map(({ severity, code, field }) => `${severity} ${code} ${field}`) };
}

const rule = { name: "a", action: "Deny", from: [{ namespaces: {} }] };

describe("places", () => {
  test.each<[string, PolicyObject, object]>([
    [
      "ClusterNetworkPolicy of tier Admin",
      cnp("c", { priority: 7, ingress: [rule] }),
      { tier: { name: "kube-admin", order: 1_000 }, priority: 7, tie: "c//KubernetesClusterNetworkPolicy" },
    ],
    [
      "ClusterNetworkPolicy of tier Baseline",
      cnp("c", { tier: "Baseline", priority: 0, ingress: [rule] }),
      { tier: { name: "kube-baseline", order: 10_000_000 }, priority: 0 },
    ],
    [
      "NetworkPolicy",
      np("n", { podSelector: {} }),
      {
        ...{ tier: { name: "default", order: 1_000_000 }, priority: 1_000 },
        ...{ tie: "n/shop/KubernetesNetworkPolicy", unmatched: { ingress: "deny", egress: "next" } },
      },
    ],
  ])("%s", (_, object, place) => {
    expect(compiled(object)).toMatchObject({ policy: place, told: [] });
  });

  test("one that is refused has its place all the same", () => {
    const object = cnp("c", { priority: 7, ingress: [{ ...rule, action: "Drop" }] });
    const { policy, outline } = byKind
      .get(kindText({ group: "policy.networking.k8s.io", kind: "ClusterNetworkPolicy" }))!
      .compile(object, resolvesNothing);
    expect(policy).toBeNull();
    expect(outline).toMatchObject({ tier: { name: "kube-admin" }, priority: 7 });
  });
});

test.each([anp("a", { ingress: [rule] }), banp({ ingress: [rule] })])(
  "what v1alpha1 has is told, and says nothing: %#",
  (object) => {
    const { policy, told } = compiled(object);
    expect(told).toEqual(["error Unsupported spec"]);
    expect(policy).toMatchObject({
      ...{ subject: [], rules: { ingress: [], egress: [] }, isInert: true },
      unmatched: { ingress: "next", egress: "next" },
    });
  },
);

describe("the model", () => {
  const texts = (kinds: readonly { group: string; kind: string }[]) => kinds.map(kindText).sort();
  const calicos = ["GlobalNetworkPolicy.projectcalico.org", "NetworkPolicy.projectcalico.org"];

  test("has these kinds, as one stack of tiers", () => {
    expect(texts(model.policies)).toEqual([
      ...[
        "AdminNetworkPolicy.policy.networking.k8s.io",
        "BaselineAdminNetworkPolicy.policy.networking.k8s.io",
      ],
      ...[
        "ClusterNetworkPolicy.policy.networking.k8s.io",
        ...calicos,
        "NetworkPolicy.networking.k8s.io",
      ].sort(),
    ]);
    expect(model.tierLayout).toEqual(stack);
    expect(texts(model.unread.map(({ kind }) => kind))).toEqual([
      ...["ClusterNetworkPolicy.crd.antrea.io", "NetworkPolicy.crd.antrea.io"],
    ]);
  });

  test("every kind lets nodes reach their own pods, and has rules closed alone", () => {
    for (const { nodesReachOwnPods, closesRules, events } of model.policies)
      expect([nodesReachOwnPods, closesRules, events.samePriority]).toEqual(["beforeTiers", true, null]);
  });

  test("around the NetworkPolicies of another program, which are not followed", () => {
    const other = installed({ ...everyKind, "policy-model": "calico", "enable-network-policy": "false" });
    expect(other.tierLayout).toEqual({
      ...{ around: { tier: { name: "default", order: 1_000_000 }, priority: 1_000 }, beforeIsolation: false },
    });
    expect(texts(other.policies)).not.toContain("NetworkPolicy.networking.k8s.io");
    expect(texts(other.policies)).toContain("NetworkPolicy.projectcalico.org");
  });

  test("from OVN tier 0, where users say so", () => {
    const flags = { ...everyKind, "policy-model": "calico", "calico-tier-zero": "true" };
    expect(installed(flags).tierLayout).toEqual({ around: null, beforeIsolation: true });
    expect(installed({ ...flags, "enable-network-policy": "false" }).tierLayout).toMatchObject({
      ...{ around: { priority: 1_000 }, beforeIsolation: true },
    });
  });

  test("the first one has none of Calico's kinds, and names the flag", () => {
    const first = installed(everyKind);
    expect(first.tierLayout).toBe("threeTiers");
    expect(texts(first.policies).filter((text) => calicos.includes(text))).toEqual([]);
    expect(first.unread.map(({ kind, message }) => [kindText(kind), message])).toEqual([
      [calicos[0], "GlobalNetworkPolicy is enforced with --policy-model calico alone"],
      [calicos[1], "NetworkPolicy is enforced with --policy-model calico alone"],
    ]);
    expect(texts(everyDialect.policies)).toEqual(expect.arrayContaining(calicos));
  });

  test("one of another name is a bug", () => {
    expect(() => installed({ "policy-model": "other" })).toThrow("no policy model is named other");
  });
});
