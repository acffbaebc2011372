// What nobody has read, and whether it leaves a verdict open: domain names, labels of namespaces, policies of other kinds.

import { describe, expect, test } from "@jest/globals";
import { answered, deny, webToDb, worldOf } from "../../test/support/asked-world.ts";
import { acnp } from "../../test/support/antrea.ts";
import { anp, namespacesWith, np } from "../../test/support/policies.ts";
import { pod } from "../../test/support/facts.ts";
import { everyKind, installed } from "../dialects.ts";
import { notReadOf } from "../unknowns/foreign.ts";
import { unreadNamespace } from "../unknowns/namespaces.ts";
import type { WorldObject } from "../model/object.ts";
import { explain } from "./explain.ts";

const { policies: readKinds } = installed(everyKind);

describe("domain names in Antrea's policies", () => {
  const web = [{ podSelector: { matchLabels: { app: "web" } } }];
  const named = (action: string) => ({ action, name: "site", to: [{ fqdn: "*.example.org" }] });
  const rest = { action: "Drop", to: [{ ipBlock: { cidr: "0.0.0.0/0" } }] };
  const ask = (...egress: readonly object[]) =>
    answered([acnp("c", { priority: 5, appliedTo: web, egress })], { to: "198.51.100.1" });

  test("an Allow, a Drop and a Pass of them might match, and the rule is named", () => {
    const { verdict, caveats } = ask(named("Allow"), rest);
    expect([verdict, caveats.map(({ code }) => code)]).toEqual(["unknown", ["DomainName"]]);
    expect(caveats[0]?.text).toMatch(/^ClusterNetworkPolicy c egress\[0\] "site" names domains/);
    expect(ask(named("Drop")).verdict).toBe("unknown");
    // Passed on, nobody denies it; in force it denies, and the second rule does too.
    expect(ask(named("Pass"), rest).verdict).toBe("unknown");
    expect(ask(named("Pass")).verdict).toBe("unknown");
  });

  test("what is decided before them, or alike without them, is not open", () => {
    expect(ask(rest, named("Allow")).verdict).toBe("deny");
    expect(ask(named("Allow")).verdict).toBe("allow");
    expect(ask(named("Drop"), rest).verdict).toBe("deny");
  });
});

describe("a namespace that was not read", () => {
  const proven = [unreadNamespace("shop"), pod("shop", "web", { node: "n1", ips: ["10.0.0.31"] })];
  const ask = (...policies: readonly WorldObject[]) => answered([...proven, ...policies], { to: "shop/web" });
  const from = [{ namespaces: {} }];

  test("has its policies and its name", () => {
    const isolated = ask(np("deny", { podSelector: {}, policyTypes: ["Ingress"] }, "shop"));
    expect([isolated.verdict, isolated.caveats]).toEqual(["deny", []]);
    const subject = namespacesWith({ "kubernetes.io/metadata.name": "shop" });
    expect(ask(anp("p", { subject, ingress: [{ action: "Deny", from }] }))).toMatchObject({
      verdict: "deny",
      caveats: [],
    });
  });

  test("leaves open what its other labels decide, and names who asks", () => {
    const subject = namespacesWith({ tenant: "shop" });
    const { verdict, caveats } = ask(anp("p", { subject, ingress: [{ action: "Deny", from }] }));
    expect(verdict).toBe("unknown");
    expect(caveats).toEqual([
      {
        code: "NamespaceLabels",
        text: "Namespace shop was not read, so its label tenant is unknown: the verdict depends on it (AdminNetworkPolicy p ingress[0])",
      },
    ]);
  });

  test("is judged for certain where every labelling ends alike, on both sides together too", () => {
    const tenant = (operator: string) => ({
      namespaces: { matchExpressions: [{ key: "tenant", operator, values: ["shop"] }] },
    });
    const either = [tenant("In"), tenant("NotIn")].map((subject, at) =>
      anp(`p${at}`, { priority: at, subject, ingress: [{ action: "Deny", from }] }),
    );
    expect(ask(...either)).toMatchObject({ verdict: "deny", ingress: { verdict: "deny" } });
    const apart = [
      anp("out", {
        priority: 1,
        subject: namespacesWith({ tenant: "red" }),
        egress: [{ action: "Deny", to: [tenant("In")] }],
      }),
      anp("in", { priority: 2, subject: tenant("NotIn"), ingress: [{ action: "Deny", from }] }),
    ];
    expect(ask(...apart)).toMatchObject({
      verdict: "deny",
      egress: { verdict: "unknown" },
      ingress: { verdict: "unknown" },
    });
  });
});

describe("policies of kinds that are not read", () => {
  const manifest = (apiVersion: string, kind: string, spec: object, namespace?: string) => ({
    place: `${kind}.yaml:1`,
    value: {
      apiVersion,
      kind,
      metadata: { name: "x", ...(namespace === undefined ? {} : { namespace }) },
      spec,
    },
  });
  const cilium = (spec: object, namespace?: string) =>
    manifest("cilium.io/v2", "CiliumNetworkPolicy", spec, namespace);
  const wide = (spec: object) => manifest("cilium.io/v2", "CiliumClusterwideNetworkPolicy", spec);
  const labels = (app: string) => ({ matchLabels: { app } });

  test.each<readonly [string, ReturnType<typeof manifest>, string]>([
    ["a pod by its labels", cilium({ endpointSelector: labels("web") }, "red"), "unknown"],
    ["another pod", cilium({ endpointSelector: labels("other") }, "red"), "allow"],
    ["pods of another namespace", cilium({ endpointSelector: {} }, "green"), "allow"],
    ["all pods of an end's namespace", cilium({ endpointSelector: {} }, "blue"), "unknown"],
    [
      "pods by what is no label of theirs",
      cilium({ endpointSelector: { matchLabels: { "k8s:app": "x" } } }, "red"),
      "unknown",
    ],
    [
      "pods by Cilium's own labels",
      wide({ endpointSelector: { matchLabels: { "io.kubernetes.pod.namespace": "red" } } }),
      "unknown",
    ],
    ["nodes", wide({ nodeSelector: {} }), "allow"],
    [
      "an expression of Calico's",
      manifest("projectcalico.org/v3", "NetworkPolicy", { selector: "app == 'x'" }, "red"),
      "unknown",
    ],
    ["everything of Calico's", manifest("crd.projectcalico.org/v1", "GlobalNetworkPolicy", {}), "unknown"],
    ["the egress of an end's namespace", manifest("k8s.ovn.org/v1", "EgressFirewall", {}, "red"), "unknown"],
    ["the egress of the other end's", manifest("k8s.ovn.org/v1", "EgressFirewall", {}, "blue"), "allow"],
    [
      "the ingress of the destination",
      manifest("security.istio.io/v1", "AuthorizationPolicy", { selector: labels("db") }, "blue"),
      "unknown",
    ],
    [
      "the ingress of the source",
      manifest("security.istio.io/v1", "AuthorizationPolicy", {}, "red"),
      "allow",
    ],
    [
      "the ingress of all namespaces",
      manifest("security.istio.io/v1", "AuthorizationPolicy", {}, "istio-system"),
      "unknown",
    ],
    [
      "another version of the policy API",
      manifest("policy.networking.k8s.io/v1beta1", "ClusterNetworkPolicy", {}),
      "unknown",
    ],
  ])("about %s", (_, object, verdict) => {
    const notRead = notReadOf([object], [], readKinds);
    const answer = explain(worldOf([], { notRead }), webToDb, { isDetailed: false });
    expect([answer.verdict, answer.caveats.map(({ code }) => code)]).toEqual([verdict, ["KindNotRead"]]);
    expect(answer.caveats[0]?.text).toContain(object.value.kind);
  });

  test("what only denies does not open a denial, what may allow does", () => {
    const ask = (object: ReturnType<typeof manifest>) => {
      const world = worldOf([anp("p", { egress: [deny] })], {
        notRead: notReadOf([object], [], readKinds),
      });
      return explain(world, webToDb, { isDetailed: false }).verdict;
    };
    expect(ask(manifest("k8s.ovn.org/v1", "EgressFirewall", {}, "red"))).toBe("deny");
    expect(ask(cilium({ endpointSelector: {} }, "red"))).toBe("unknown");
  });

  test("previews enforce nothing, and kinds that are read are not foreign", () => {
    const found = [
      manifest("projectcalico.org/v3", "StagedGlobalNetworkPolicy", {}),
      manifest("policy.networking.k8s.io/v1alpha2", "ClusterNetworkPolicy", {}),
      manifest("apps/v1", "Deployment", {}, "red"),
    ];
    expect(notReadOf(found, [], readKinds).policies).toEqual([]);
  });
});
