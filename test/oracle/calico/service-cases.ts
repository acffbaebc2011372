// What `services` of a rule mean (Calico's reference, "ServiceMatch", and its felix/labelindex).

import type { Case } from "./build.ts";
import { gnp, knp, lets, letsHere, letsOut, slice } from "./build.ts";

const services = { name: "site", namespace: "shop" };
/** Both of its endpoints at two ports, and one of them at a third. */
const site = [
  slice("site", "site-a", {
    addresses: ["10.0.0.1", "10.0.1.1"],
    ports: [
      ["TCP", 80],
      ["UDP", 53],
    ],
  }),
  slice("site", "site-b", { addresses: ["10.0.0.1"], ports: [["TCP", 8080]] }),
  slice("site", "site-six", { addresses: ["fd00::1"], ports: [["TCP", 80]] }),
  slice("other", "other-a", { addresses: ["10.0.2.1"], ports: [["TCP", 80]] }),
  slice("site", "elsewhere", { addresses: ["10.0.2.1"], ports: [["TCP", 80]], namespace: "lab" }),
];

export const serviceCases: readonly Case[] = [
  {
    says: "the destination is an endpoint, ready or not, at a port of its slice",
    manifests: [...site, letsOut({ destination: { services } })],
    goes: {
      "shop/db -> shop/web tcp 80": "allow",
      "shop/db -> lab/web tcp 80": "allow",
      "shop/db -> lab/web udp 53": "allow",
      "shop/db -> shop/web tcp 8080": "allow",
      "shop/db -> lab/web tcp 8080": "deny",
      "shop/db -> shop/web udp 80": "deny",
      "shop/db -> bare/it tcp 80": "deny",
      "shop/db -> shop/web tcp 80 v6": "allow",
      "shop/db -> lab/web tcp 80 v6": "deny",
      "shop/db -> shop/web icmp 8/0": "deny",
    },
  },
  {
    says: "the rule's protocol and source ports restrict it further",
    manifests: [...site, letsOut({ protocol: "TCP", source: { ports: [30000] }, destination: { services } })],
    goes: {
      "shop/db -> shop/web tcp 80 from 30000": "allow",
      "shop/db -> shop/web tcp 80 from 30001": "deny",
      "shop/db -> lab/web udp 53 from 30000": "deny",
    },
  },
  {
    says: "the source is an endpoint, at any port",
    manifests: [...site, lets({ source: { services } })],
    goes: {
      "shop/web -> shop/db tcp 9999": "allow",
      "lab/web -> shop/db icmp 8/0": "allow",
      "bare/it -> shop/db tcp 80": "deny",
      "lab/web -> shop/db tcp 80 v6": "deny",
    },
  },
  {
    says: "a NetworkPolicy's own namespace need not be named",
    manifests: [...site, letsHere({ source: { services: { name: "site" } } })],
    goes: { "lab/web -> shop/db tcp 80": "allow", "bare/it -> shop/db tcp 80": "deny" },
  },
  {
    says: "a Service without slices is nobody's",
    manifests: [
      gnp("g", { ingress: [{ action: "Deny", source: { services: { ...services, name: "none" } } }] }),
      knp("k", { podSelector: {}, ingress: [{}] }),
    ],
    goes: { "bare/it -> shop/db tcp 80": "allow" },
  },
];
