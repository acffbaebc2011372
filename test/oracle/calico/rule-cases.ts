// Section by section, what the criteria of a rule mean (Calico's reference of GlobalNetworkPolicy, "Rule", "EntityRule", "Ports").

import type { Case } from "./build.ts";
import { gnp, lets } from "./build.ts";

export const ruleCases: readonly Case[] = [
  {
    says: "criteria of one rule are all demanded",
    manifests: [
      lets({ protocol: "TCP", source: { selector: "app == 'web'" }, destination: { ports: [80] } }),
    ],
    goes: {
      "lab/web -> shop/db tcp 80": "allow by GlobalNetworkPolicy/g ingress 0",
      "lab/web -> shop/db tcp 81": "deny by the end of default",
      "lab/web -> shop/db udp 80": "deny",
      "bare/it -> shop/db tcp 80": "deny",
    },
  },
  {
    says: "a rule without criteria matches everything, of both families",
    manifests: [lets({})],
    goes: {
      "bare/it -> shop/db proto 47": "allow",
      "2001:db8::1 -> shop/db icmp 128/0": "allow",
      "203.0.113.1 -> shop/db tcp 1": "allow",
    },
  },
  {
    says: "a protocol has a name or a number",
    manifests: [lets({ protocol: 6 })],
    goes: { "lab/web -> shop/db tcp 80": "allow", "lab/web -> shop/db udp 80": "deny" },
  },
  {
    says: "or the number's digits",
    manifests: [lets({ protocol: "17" })],
    goes: { "lab/web -> shop/db udp 80": "allow", "lab/web -> shop/db tcp 80": "deny" },
  },
  {
    says: "UDPLite is 136, and not UDP",
    manifests: [lets({ protocol: "UDPLite" })],
    goes: { "lab/web -> shop/db proto 136": "allow", "lab/web -> shop/db udp 80": "deny" },
  },
  {
    says: "SCTP is 132",
    manifests: [lets({ protocol: "SCTP", destination: { ports: [9] } })],
    goes: { "lab/web -> shop/db sctp 9": "allow", "lab/web -> shop/db tcp 9": "deny" },
  },
  {
    says: "ICMP is that of IPv4",
    manifests: [lets({ protocol: "ICMP" })],
    goes: {
      "lab/web -> shop/db icmp 8/0": "allow",
      "lab/web -> shop/db icmp 128/0 v6": "deny",
    },
  },
  {
    says: "ICMPv6 is that of IPv6",
    manifests: [lets({ protocol: "ICMPv6" })],
    goes: {
      "lab/web -> shop/db icmp 128/0 v6": "allow",
      "lab/web -> shop/db icmp 8/0": "deny",
    },
  },
  {
    says: "notProtocol leaves all others",
    manifests: [lets({ notProtocol: "TCP" })],
    goes: {
      "lab/web -> shop/db udp 80": "allow",
      "lab/web -> shop/db proto 47": "allow",
      "lab/web -> shop/db icmp 8/0": "allow",
      "lab/web -> shop/db tcp 80": "deny",
    },
  },
  {
    says: "notProtocol ICMP leaves IPv6's ICMP",
    manifests: [lets({ notProtocol: "ICMP" })],
    goes: { "lab/web -> shop/db icmp 8/0": "deny", "lab/web -> shop/db icmp 128/0 v6": "allow" },
  },
  {
    says: "icmp with a type alone takes every code",
    manifests: [lets({ protocol: "ICMP", icmp: { type: 3 } })],
    goes: {
      "lab/web -> shop/db icmp 3/1": "allow",
      "lab/web -> shop/db icmp 3/4": "allow",
      "lab/web -> shop/db icmp 8/0": "deny",
    },
  },
  {
    says: "icmp with a code takes that code",
    manifests: [lets({ protocol: "ICMPv6", icmp: { type: 1, code: 4 } })],
    goes: { "lab/web -> shop/db icmp 1/4 v6": "allow", "lab/web -> shop/db icmp 1/0 v6": "deny" },
  },
  {
    says: "notICMP takes all types but one",
    manifests: [lets({ protocol: "ICMP", notICMP: { type: 8 } })],
    goes: { "lab/web -> shop/db icmp 8/0": "deny", "lab/web -> shop/db icmp 13/0": "allow" },
  },
  {
    says: "notICMP with a code takes the other codes of the type too",
    manifests: [lets({ protocol: "ICMP", notICMP: { type: 3, code: 4 } })],
    goes: {
      "lab/web -> shop/db icmp 3/4": "deny",
      "lab/web -> shop/db icmp 3/1": "allow",
      "lab/web -> shop/db icmp 8/0": "allow",
      "lab/web -> shop/db tcp 4": "deny",
    },
  },
  {
    says: "an empty icmp or notICMP is no criterion",
    manifests: [lets({ protocol: "ICMP", icmp: {}, notICMP: {} })],
    goes: { "lab/web -> shop/db icmp 8/0": "allow", "lab/web -> shop/db tcp 80": "deny" },
  },
  {
    says: "ipVersion is the packet's family",
    manifests: [lets({ ipVersion: 6 })],
    goes: { "lab/web -> shop/db tcp 80 v6": "allow", "lab/web -> shop/db tcp 80": "deny" },
  },
  {
    says: "nets are the addresses of the end, pods' or not",
    manifests: [lets({ source: { nets: ["10.0.1.0/24", "198.51.100.0/24"] } })],
    goes: {
      "lab/web -> shop/db tcp 80": "allow",
      "198.51.100.255 -> shop/db tcp 80": "allow",
      "198.51.101.0 -> shop/db tcp 80": "deny",
      "lab/web -> shop/db tcp 80 v6": "deny",
    },
  },
  {
    says: "0.0.0.0/0 in nets is IPv4 alone",
    manifests: [lets({ source: { nets: ["0.0.0.0/0"] } })],
    goes: { "bare/it -> shop/db tcp 80": "allow", "bare/it -> shop/db tcp 80 v6": "deny" },
  },
  {
    says: "notNets leave the other addresses",
    manifests: [lets({ source: { notNets: ["10.0.1.0/24"] } })],
    goes: { "lab/web -> shop/db tcp 80": "deny", "bare/it -> shop/db tcp 80": "allow" },
  },
  {
    says: "a rule with notNets never matches a packet of the other family",
    manifests: [lets({ source: { notNets: ["fd00:0:0:1::/64"] } })],
    goes: {
      "bare/it -> shop/db tcp 80 v6": "allow",
      "lab/web -> shop/db tcp 80 v6": "deny",
      "bare/it -> shop/db tcp 80": "deny",
    },
  },
  {
    says: "nets of one side are of the rule's family on both",
    manifests: [lets({ source: { selector: "app == 'web'" }, destination: { nets: ["fd00::/64"] } })],
    goes: { "lab/web -> shop/db tcp 80 v6": "allow", "lab/web -> shop/db tcp 80": "deny" },
  },
  {
    says: "nets and notNets of a side are demanded together",
    manifests: [lets({ source: { nets: ["10.0.0.0/8"], notNets: ["10.0.1.0/24"] } })],
    goes: {
      "shop/web -> shop/db tcp 80": "allow",
      "lab/web -> shop/db tcp 80": "deny",
      "11.0.0.1 -> shop/db tcp 80": "deny",
    },
  },
  {
    says: "nets and a selector are demanded together",
    manifests: [lets({ source: { nets: ["10.0.0.0/24"], selector: "app == 'web'" } })],
    goes: {
      "shop/web -> shop/db tcp 80": "allow",
      "lab/web -> shop/db tcp 80": "deny",
      "10.0.0.77 -> shop/db tcp 80": "deny",
    },
  },
  {
    says: "in an ingress rule the destination narrows what of the subject is meant",
    manifests: [
      gnp("g", {
        selector: "has(app)",
        ingress: [{ action: "Allow", destination: { selector: "app == 'db'" } }],
      }),
    ],
    goes: { "bare/it -> shop/db tcp 80": "allow", "bare/it -> shop/web tcp 80": "deny" },
  },
  {
    says: "by its networks, too",
    manifests: [
      gnp("g", {
        selector: "has(app)",
        ingress: [{ action: "Allow", destination: { nets: ["10.0.0.2/32"] } }],
      }),
    ],
    goes: { "bare/it -> shop/db tcp 80": "allow", "bare/it -> shop/web tcp 80": "deny" },
  },
  {
    says: "in an egress rule the source narrows what of the subject is meant",
    manifests: [
      gnp("g", { selector: "has(app)", egress: [{ action: "Allow", source: { notNets: ["10.0.0.2/32"] } }] }),
    ],
    goes: { "shop/web -> bare/it tcp 80": "allow", "shop/db -> bare/it tcp 80": "deny" },
  },
];
