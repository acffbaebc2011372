// The order of policies in a tier and the directions that they are about (Calico's reference of GlobalNetworkPolicy; its code for ties
// and for objects as it stores them).

import type { Case } from "./build.ts";
import { allow, asked, by, calicoNp, deny, gnp, tier, to, verdict } from "./build.ts";
import type { CalicoPolicy } from "./manifests.ts";

const stored: CalicoPolicy = {
  ...{ apiVersion: "crd.projectcalico.org/v1", kind: "GlobalNetworkPolicy" },
  metadata: { name: "default.z", annotations: { "projectcalico.org/metadata": "{}" } },
  spec: { order: 1, types: ["Ingress"], ingress: [deny] },
};

export const orderCases: readonly Case[] = [
  {
    says: "policies go by order",
    manifests: [to("a", { order: 2, ingress: [deny] }), to("b", { order: 1, ingress: [allow] })],
    goes: verdict(`allow ${by("b", 0)}`),
  },
  {
    says: "negative and fractional orders of policies count",
    manifests: [to("a", { order: -1, ingress: [deny] }), to("b", { order: -1.5, ingress: [allow] })],
    goes: verdict(`allow ${by("b", 0)}`),
  },
  {
    says: "a policy without order is last",
    manifests: [to("a", { ingress: [deny] }), to("b", { order: 1e9, ingress: [allow] })],
    goes: verdict(`allow ${by("b", 0)}`),
  },
  {
    says: "policies of one order go by name",
    manifests: [to("b", { order: 1, ingress: [deny] }), to("a", { order: 1, ingress: [allow] })],
    goes: verdict(`allow ${by("a", 0)}`),
  },
  {
    says: "as text: 10 before 9",
    manifests: [to("p9", { ingress: [deny] }), to("p10", { ingress: [allow] })],
    goes: verdict(`allow ${by("p10", 0)}`),
  },
  {
    says: "the text goes on behind the name with a stroke, which is behind a dash",
    manifests: [to("a", { ingress: [deny] }), to("a-b", { ingress: [allow] })],
    goes: verdict(`allow ${by("a-b", 0)}`),
  },
  {
    says: "of one name, a global policy comes before a namespaced one",
    manifests: [calicoNp("p", { order: 1, ingress: [deny] }), to("p", { order: 1, ingress: [allow] })],
    goes: verdict(`allow ${by("p", 0)}`),
  },
  {
    says: "the prefix of a name does not decide the tier",
    manifests: [
      tier("t", { order: 1 }),
      to("t.g", { ingress: [allow] }),
      to("h", { tier: "t", ingress: [deny] }),
    ],
    goes: verdict(`deny ${by("h", 0)}`),
  },
  {
    says: "an object as Calico stores it, without a name in its annotation, has none of the prefix",
    manifests: [stored, to("y", { order: 1, ingress: [allow] })],
    goes: verdict(`allow ${by("y", 0)}`),
  },
  {
    says: "and without types takes both directions",
    manifests: [{ ...stored, spec: { selector: "app == 'db'", ingress: [allow] } }],
    goes: { [asked]: "allow", "shop/db -> bare/it tcp 80": "deny by the end of default" },
  },
  {
    says: "without types and rules a policy is about ingress",
    manifests: [gnp("g", { selector: "app == 'db'" })],
    goes: { [asked]: "deny", "shop/db -> bare/it tcp 80": "allow" },
  },
  {
    says: "with egress rules alone about egress",
    manifests: [gnp("g", { selector: "app == 'db'", egress: [deny] })],
    goes: { [asked]: "allow", "shop/db -> bare/it tcp 80": "deny" },
  },
  {
    says: "with rules of both directions about both",
    manifests: [gnp("g", { selector: "app == 'db'", ingress: [allow], egress: [deny] })],
    goes: { [asked]: "allow", "shop/db -> bare/it tcp 80": "deny" },
  },
  {
    says: "rules of a direction that is not in types are inert",
    manifests: [gnp("g", { selector: "app == 'db'", types: ["Ingress"], ingress: [allow], egress: [deny] })],
    goes: { [asked]: "allow", "shop/db -> bare/it tcp 80": "allow" },
  },
  {
    says: "policies of untracked traffic and before DNAT do nothing for pods, not even at the end of the tier",
    manifests: [
      to("g", { doNotTrack: true, applyOnForward: true, ingress: [deny] }),
      to("h", { preDNAT: true, applyOnForward: true, ingress: [deny] }),
    ],
    goes: verdict("allow"),
  },
  {
    says: "applyOnForward alone: pods as usual",
    manifests: [to("g", { applyOnForward: true, ingress: [deny] })],
    goes: verdict("deny"),
  },
];
