// Whom a policy is about, and whose labels count (Calico's reference of GlobalNetworkPolicy and NetworkPolicy; its code of stored objects).

import type { Case } from "./build.ts";
import { calicoNp, gnp, lets, podOf, space } from "./build.ts";

export const subjectCases: readonly Case[] = [
  {
    says: "a subject is chosen by selector, namespaceSelector and serviceAccountSelector together",
    manifests: [
      gnp("g", {
        selector: "app == 'web'",
        namespaceSelector: "team == 'a'",
        serviceAccountSelector: "trust == 'high'",
      }),
    ],
    goes: {
      "bare/it -> shop/web tcp 80": "deny",
      "bare/it -> lab/web tcp 80": "allow",
      "bare/it -> shop/db tcp 80": "allow",
    },
  },
  {
    says: "a namespaceSelector of the subject alone",
    manifests: [gnp("g", { namespaceSelector: "team == 'b'" })],
    goes: { "bare/it -> lab/web tcp 80": "deny", "bare/it -> shop/web tcp 80": "allow" },
  },
  {
    says: "a serviceAccountSelector of the subject alone",
    manifests: [calicoNp("n", { serviceAccountSelector: "has(trust)" })],
    goes: {
      "bare/it -> shop/web tcp 80": "deny",
      "bare/it -> shop/db tcp 80": "allow",
      "bare/it -> lab/web tcp 80": "allow",
    },
  },
  {
    says: "a namespaced policy is about pods of its own namespace",
    manifests: [calicoNp("n", { selector: "all()" })],
    goes: { "bare/it -> shop/db tcp 80": "deny", "shop/db -> lab/web tcp 80": "allow" },
  },
  {
    says: "an empty selector of the subject is all()",
    manifests: [gnp("g", {})],
    goes: {
      "shop/db -> bare/it tcp 80": "deny",
      "shop/db -> 8.8.8.8 tcp 80": "allow",
      "8.8.8.8 -> 9.9.9.9 tcp 80": "allow",
    },
  },
  {
    says: "a subject by Calico's own labels",
    manifests: [gnp("g", { selector: "projectcalico.org/namespace in {'lab'}" })],
    goes: { "shop/db -> lab/web tcp 80": "deny", "shop/db -> bare/it tcp 80": "allow" },
  },
  {
    says: "an object as Calico stores it has its labels in an annotation, which win over those beside it",
    manifests: [
      {
        ...{
          apiVersion: "crd.projectcalico.org/v1",
          kind: "GlobalNetworkSet",
          spec: { nets: ["9.0.0.0/8"] },
        },
        metadata: {
          ...{ name: "s", labels: { kind: "lie", side: "yes" } },
          annotations: { "projectcalico.org/metadata": '{"labels":{"kind":"stored"}}' },
        },
      },
      lets({ source: { selector: "kind == 'stored' && side == 'yes'" } }),
    ],
    goes: { "9.1.1.1 -> shop/db tcp 80": "allow", "8.8.8.8 -> shop/db tcp 80": "deny" },
  },
  {
    says: "a new namespace counts by its own labels",
    manifests: [
      space("new", { team: "b" }),
      podOf("new", "it", { labels: {}, ips: ["10.0.3.1"] }),
      lets({ source: { namespaceSelector: "team in {'b', 'c'}" } }),
    ],
    goes: { "new/it -> shop/db tcp 80": "allow", "bare/it -> shop/db tcp 80": "deny" },
  },
];
