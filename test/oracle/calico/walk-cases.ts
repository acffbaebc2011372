// Actions and tiers (Calico's reference of Tier).

import type { Case } from "./build.ts";
import { allow, asked, by, deny, gnp, tier, to, verdict } from "./build.ts";
import type { CalicoRule } from "./manifests.ts";

const pass: CalicoRule = { action: "Pass" };
const log: CalicoRule = { action: "Log" };

export const walkCases: readonly Case[] = [
  {
    says: "where no policy is, everything goes",
    manifests: [],
    goes: { ...verdict("allow"), "8.8.8.8 -> shop/db proto 47": "allow" },
  },
  {
    says: "Allow accepts",
    manifests: [to("g", { ingress: [allow, deny] })],
    goes: verdict(`allow ${by("g", 0)}`),
  },
  {
    says: "Deny drops",
    manifests: [to("g", { ingress: [deny, allow] })],
    goes: verdict(`deny ${by("g", 0)}`),
  },
  {
    says: "Log goes on",
    manifests: [to("g", { ingress: [log, allow] })],
    goes: verdict(`allow ${by("g", 1)}`),
  },
  {
    says: "Log at the end is no decision",
    manifests: [to("g", { ingress: [log] })],
    goes: verdict("deny by the end of default"),
  },
  {
    says: "Pass leaves the tier, past its other rules, policies and its end",
    manifests: [
      tier("t", { order: 1 }),
      to("g", { tier: "t", ingress: [pass, deny] }),
      to("h", { tier: "t", ingress: [deny] }),
    ],
    goes: verdict("allow"),
  },
  {
    says: "Pass leads to the next tier",
    manifests: [
      tier("t", { order: 1 }),
      to("g", { tier: "t", ingress: [pass] }),
      to("h", { ingress: [deny] }),
    ],
    goes: verdict(`deny ${by("h", 0)}`),
  },
  { says: "Pass in the last tier allows", manifests: [to("g", { ingress: [pass] })], goes: verdict("allow") },
  {
    says: "a rule of another direction says nothing",
    manifests: [gnp("g", { types: ["Ingress", "Egress"], ingress: [allow], egress: [deny] })],
    goes: {
      "8.8.8.8 -> shop/db tcp 80": "allow",
      "shop/db -> 8.8.8.8 tcp 80": "deny by GlobalNetworkPolicy/g egress 0",
    },
  },
  {
    says: "both sides have to allow",
    manifests: [
      gnp("g", { selector: "app == 'web'", egress: [deny] }),
      gnp("h", { selector: "app == 'db'", ingress: [allow] }),
    ],
    goes: { "shop/web -> shop/db tcp 80": "deny", "bare/it -> shop/db tcp 80": "allow" },
  },
  {
    says: "tiers go by order",
    manifests: [
      tier("a", { order: 2 }),
      tier("b", { order: 1 }),
      to("g", { tier: "a", ingress: [deny] }),
      to("h", { tier: "b", ingress: [allow] }),
    ],
    goes: verdict(`allow ${by("h", 0)}`),
  },
  {
    says: "fractional and negative orders of tiers count",
    manifests: [
      tier("a", { order: -0.25 }),
      tier("b", { order: -0.5 }),
      to("g", { tier: "a", ingress: [deny] }),
      to("h", { tier: "b", ingress: [allow] }),
    ],
    goes: verdict(`allow ${by("h", 0)}`),
  },
  {
    says: "tiers of one order go by name",
    manifests: [
      tier("b", { order: 1 }),
      tier("a", { order: 1 }),
      to("g", { tier: "b", ingress: [deny] }),
      to("h", { tier: "a", ingress: [allow] }),
    ],
    goes: verdict(`allow ${by("h", 0)}`),
  },
  {
    says: "a tier without order is last, behind default",
    manifests: [tier("a"), to("g", { tier: "a", ingress: [deny] }), to("h", { ingress: [allow] })],
    goes: verdict(`allow ${by("h", 0)}`),
  },
  {
    says: "default is at 1,000,000",
    manifests: [
      tier("z", { order: 1_000_001 }),
      to("g", { tier: "z", ingress: [deny] }),
      to("h", { ingress: [allow] }),
    ],
    goes: verdict(`allow ${by("h", 0)}`),
  },
  {
    says: "default's order and action are fixed, whatever an object says",
    manifests: [
      tier("default", { order: 5, defaultAction: "Pass" }),
      tier("t", { order: 10 }),
      to("g", { tier: "t", ingress: [allow] }),
      to("h", { selector: "app == 'web'" }),
    ],
    goes: { [asked]: `allow ${by("g", 0)}`, "bare/it -> shop/web tcp 80": `allow ${by("g", 0)}` },
  },
  {
    says: "no rule of a tier matched: its default action, Deny unless told",
    manifests: [tier("t", { order: 1 }), to("g", { tier: "t" }), to("h", { ingress: [allow] })],
    goes: verdict("deny by the end of t"),
  },
  {
    says: "with default action Pass the next tier is asked",
    manifests: [
      tier("t", { order: 1, defaultAction: "Pass" }),
      to("g", { tier: "t" }),
      to("h", { ingress: [deny] }),
    ],
    goes: verdict(`deny ${by("h", 0)}`),
  },
  {
    says: "a tier counts only for pods that one of its policies selects",
    manifests: [tier("t", { order: 1 }), to("g", { tier: "t", selector: "app == 'web'" })],
    goes: { [asked]: "allow", "bare/it -> shop/web tcp 80": "deny" },
  },
  {
    says: "and only for the direction of such a policy",
    manifests: [tier("t", { order: 1 }), gnp("g", { tier: "t", types: ["Egress"] })],
    goes: { "8.8.8.8 -> shop/db tcp 80": "allow", "shop/db -> 8.8.8.8 tcp 80": "deny" },
  },
  {
    says: "policies of an unknown tier are not enforced",
    manifests: [to("g", { tier: "later", ingress: [deny] })],
    goes: verdict("allow"),
  },
  {
    says: "a pod of the host's network is no subject",
    manifests: [to("g", { ingress: [deny] })],
    goes: { "bare/it -> shop/host tcp 80": "allow" },
  },
];
