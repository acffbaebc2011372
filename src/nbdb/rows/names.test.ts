// Names against the pairs that the OVN-Kubernetes documentation, its design notes and its issues print.

import { describe, expect, test } from "@jest/globals";
import type { Policy } from "../../policy/ir.ts";
import { tiers } from "../../policy/ir.ts";
import { everything } from "../../model/selector.ts";
import { aclIds, aclName, addressSetIds, hashedName, keys, podOfPort, portGroupIds } from "./names.ts";

const named = (id: string): string => hashedName(new Map([[keys.id, `default-network-controller:${id}`]]));

const printed: readonly (readonly [string, string])[] = [
  ["AdminNetworkPolicy:cluster-control", "a14645450421485494999"],
  ["BaselineAdminNetworkPolicy:default", "a9550609891683691927"],
  ["AdminNetworkPolicy:cluster-control:Ingress:0:v4", "a14545668191619617708"],
  ["AdminNetworkPolicy:cluster-control:Ingress:0:v6", "a14545670390642874130"],
  ["AdminNetworkPolicy:cluster-control:Egress:5:v4", "a11452480169090787059"],
  ["BaselineAdminNetworkPolicy:default:Ingress:0:v4", "a168374317940583916"],
  ["BaselineAdminNetworkPolicy:default:Ingress:0:v6", "a168376516963840338"],
  ["BaselineAdminNetworkPolicy:default:Egress:0:v6", "a17509126213783464060"],
  ["AdminNetworkPolicy:harry-potter", "a11812002181470226204"],
  ["AdminNetworkPolicy:harry-potter:Egress:0:v4", "a10866219164408727385"],
  ["AdminNetworkPolicy:harry-potter:Egress:0:v6", "a10866216965385470963"],
  [
    "PodSelector:LS{ML:{kubernetes.io/metadata.name: default,},}_LS{ML:{app: demo,},}:v4",
    "a3733136965153973077",
  ],
  ["EgressFirewallDNS:www.openvswitch.org:v4", "a5272457940446250407"],
  ["Namespace:default:v4", "a4322231855293774466"],
  ["NetpolNamespace:default:Ingress", "a7142533792977303281"],
  ["NetworkPolicy:default:test-policy", "a18090685263391312674"],
];

test.each(printed)("%s is %s", (id, name) => {
  expect(named(id)).toBe(name);
});

test.each([
  ["default", "a16982411286042166782"],
  ["default_test-policy", "a2653181086423119552"],
])("the bare string %s is %s", (id, name) => {
  expect(hashedName(new Map([[keys.id, id]]))).toBe(name);
});

function policyNamed(name: string, namespace: string | null = null): Policy {
  return {
    key: `AdminNetworkPolicy/${name}` as Policy["key"],
    ref: { group: "policy.networking.k8s.io", kind: "AdminNetworkPolicy", namespace, name },
    ownerType: "AdminNetworkPolicy",
    shortKind: "ANP",
    tier: tiers.admin,
    priority: 0,
    subject: [{ kind: "pods", namespaces: everything, pods: everything }],
    rules: { ingress: [], egress: [] },
    unmatched: { ingress: "next", egress: "next" },
    logging: { allow: null, deny: null, pass: null, reject: null },
  };
}

describe("external_ids", () => {
  test("of a port group are four", () => {
    expect(Object.fromEntries(portGroupIds(policyNamed("p")))).toEqual({
      "k8s.ovn.org/id": "default-network-controller:AdminNetworkPolicy:p",
      "k8s.ovn.org/name": "p",
      "k8s.ovn.org/owner-controller": "default-network-controller",
      "k8s.ovn.org/owner-type": "AdminNetworkPolicy",
    });
  });

  test("of address sets and ACLs say where in the policy they stand", () => {
    expect(addressSetIds(policyNamed("p"), "egress", { index: 12, share: null }, "v6").get(keys.id)).toBe(
      "default-network-controller:AdminNetworkPolicy:p:Egress:12:v6",
    );
    const acl = aclIds(policyNamed("p"), "ingress", { index: 3, share: null }, "udp-namedPort");
    expect(acl.get(keys.id)).toBe("default-network-controller:AdminNetworkPolicy:p:Ingress:3:udp-namedPort");
    expect(acl.get("port-policy-protocol")).toBe("udp-namedPort");
    expect(acl.get("gress-index")).toBe("3");
  });

  test("tell rules of one index by the hash of their share, and never show its text", () => {
    const shares = ['{"team":"a:b"}', '{"team":"c"}', null];
    const ids = shares.map((share) => aclIds(policyNamed("p"), "ingress", { index: 3, share }, "None"));
    expect(ids.map((id) => id.get("share"))).toEqual([
      "13010932439886330893",
      "12812611935482497299",
      undefined,
    ]);
    expect(new Set(ids.map((id) => id.get(keys.id))).size).toBe(3);
    expect(JSON.stringify(ids.map((id) => [...id]))).not.toContain("team");
  });

  test("of a namespaced policy name the namespace too", () => {
    expect(portGroupIds(policyNamed("test-policy", "default")).get("k8s.ovn.org/name")).toBe(
      "default:test-policy",
    );
  });
});

test("ACL names are cut to the schema's 63 characters", () => {
  expect(aclName(policyNamed("p"), "ingress", 0, null)).toBe("ANP:p:Ingress:0");
  const long = aclName(policyNamed("x".repeat(200)), "egress", 99, null);
  expect(long).toBe(`ANP:${"x".repeat(59)}`);
  expect(long).toHaveLength(63);
});

test.each([
  ["default_web", { namespace: "default", name: "web" }],
  ["default_web.with.dots", { namespace: "default", name: "web.with.dots" }],
  ["rtos-node", null],
  ["_x", null],
  ["x_", null],
])("the port %s belongs to %j", (port, pod) => {
  expect(podOfPort(port)).toEqual(pod);
});
