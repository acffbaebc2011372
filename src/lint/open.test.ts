// Where not everything was read: a namespace without its object, policies of kinds that nobody reads, rules of domain names. What
// rests on them is not said, that something is missing is, and what does not rest on them is said all the same.

import { describe, expect, test } from "@jest/globals";
import { acnp } from "../../test/support/antrea.ts";
import { namespace, pod } from "../../test/support/facts.ts";
import { found, reportOf } from "../../test/support/linted.ts";
import { anp, banp, namespacesWith, np, podsWith } from "../../test/support/policies.ts";
import type { ForeignPolicy } from "../unknowns/foreign.ts";
import { unreadNamespace } from "../unknowns/namespaces.ts";
import { everything } from "../model/selector.ts";

const dns = [{ name: "dns", protocol: "udp", port: 53 }] as const;
const all = { namespaces: {} };
const tenant = namespacesWith({ tenant: "x" });
const shop = namespacesWith({ "kubernetes.io/metadata.name": "shop" });
const pods = [
  pod("shop", "web", { ips: ["10.0.0.1"], labels: { app: "web" } }),
  pod("kube-system", "dns", { ips: ["10.0.0.2"], labels: { app: "dns" }, ports: dns }),
];
const unread = [...pods, unreadNamespace("shop"), namespace("kube-system")];
const read = [...pods, namespace("shop"), namespace("kube-system")];
const deny = (...from: unknown[]) => ({ action: "Deny", from });
const allow = (...from: unknown[]) => ({ action: "Allow", from });

describe("a namespace that only its pods prove", () => {
  test("has its name, so that a default deny in it is as in any other", () => {
    const closed = np("closed", { podSelector: {}, policyTypes: ["Ingress"] }, "shop");
    expect(found([...unread, closed])).toEqual(found([...read, closed]));
    expect(found([...unread, closed])).toEqual([]);
  });

  test("has labels that nobody knows: what rests on them is not said, and that is an error", () => {
    // Each of these would be found of a namespace that has no labels.
    const policies = [
      anp("p", { priority: 1, ingress: [allow(podsWith({}, { app: "dns" })), allow(tenant)] }),
      anp("q", { priority: 2, subject: tenant, ingress: [allow(all)] }),
    ];
    expect(found([...read, ...policies], ["NG000", "NG004", "NG016"])).toEqual([
      "NG004 warning p ingress[1]",
      "NG004 warning q",
      "NG016 warning q",
    ]);
    const { findings } = reportOf([...unread, ...policies]);
    expect(findings.map(({ id, severity, policy: { name } }) => [id, severity, name])).toEqual([
      ["NG000", "error", "p"],
      ["NG000", "error", "q"],
    ]);
    expect(findings[0]?.message).toContain("labels of namespaces that were not read (shop)");
  });

  test("is not asked for labels where none decide", () => {
    const policy = anp("p", { ingress: [allow(shop), deny(shop)] });
    expect(found([...unread, policy])).toEqual(["NG001 warning p ingress[1]"]);
  });

  test("may have a label by which an earlier rule lets its pods through", () => {
    const denied = { priority: 2, egress: [{ action: "Deny", to: [all] }] };
    const first = anp("first", { priority: 1, subject: tenant, egress: [{ action: "Allow", to: [all] }] });
    const later = anp("later", denied);
    expect(found([...unread, later], ["NG008"])).toEqual(["NG008 error later egress[0]"]);
    expect(found([...unread, first, later], ["NG008"])).toEqual([]);
    expect(found([...read, first, later], ["NG008"])).toEqual(["NG008 error later egress[0]"]);
  });
});

test("a policy of a kind that nobody reads is an error once for its kind, and may open what others deny", () => {
  const of = (name: string, more: Partial<ForeignPolicy> = {}): ForeignPolicy => ({
    ...{ group: "cilium.io", kind: "CiliumNetworkPolicy", namespace: "shop", name, place: "c.yaml:1" },
    ...{
      directions: ["egress"],
      effect: "any",
      reach: "shop",
      selectors: [everything],
      isAboutNodes: false,
      spec: {},
    },
    ...more,
  });
  const closed = anp("p", { egress: [{ action: "Deny", to: [all] }] });
  expect(found([...read, closed], ["NG000", "NG008"])).toEqual(["NG008 error p egress[0]"]);
  const { findings } = reportOf([...read, closed], { foreign: [of("one"), of("two")] });
  expect(findings.map(({ id, policy: { kind, name }, place }) => [id, kind, name, place])).toEqual([
    ["NG000", "CiliumNetworkPolicy", "one", "c.yaml:1"],
  ]);
  expect(findings[0]?.message).toContain("does not read (2 objects)");
  // It is about other pods, or can only deny.
  for (const other of [of("one", { reach: "elsewhere" }), of("one", { effect: "deny" })])
    expect(found([...read, closed], ["NG008"], { foreign: [other] })).toEqual(["NG008 error p egress[0]"]);
});

test("what a rule of domain names leaves the others is open", () => {
  const drop = (...to: unknown[]) => ({ action: "Drop", to });
  const policy = acnp("names", {
    ...{ priority: 5, appliedTo: [{ podSelector: {} }] },
    egress: [drop({ fqdn: "*.example.com" }), drop({ ipBlock: { cidr: "192.0.2.0/24" } })],
  });
  const closed = banp({ egress: [{ action: "Deny", to: [{ networks: ["192.0.2.0/25"] }] }] });
  expect(found([...read, policy, closed], ["NG001", "NG002", "NG016"])).toEqual([]);
  const second = {
    ...policy,
    spec: { ...(policy.spec as object), egress: [drop({ ipBlock: { cidr: "0.0.0.0/0" } })] },
  };
  expect(found([...read, second, closed], ["NG002"])).toEqual(["NG002 warning default egress[0]"]);
});

test("what a cluster was not asked for is an error too, so that no gate fails without a finding", () => {
  const sentence = "CiliumNetworkPolicy.cilium.io may not be listed";
  const { findings } = reportOf(read, { notAsked: [sentence] });
  expect(
    findings.map(({ id, severity, policy: { kind }, message }) => [id, severity, kind, message]),
  ).toEqual([["NG000", "error", "Cluster", `${sentence}: findings are as if there were none`]]);
});
