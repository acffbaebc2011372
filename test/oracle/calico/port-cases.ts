// What ports of a rule mean, by number and by name (Calico's reference, "Ports").

import type { Case } from "./build.ts";
import { gnp, lets, letsOut } from "./build.ts";

export const portCases: readonly Case[] = [
  {
    says: "ports are numbers, digits or ranges with both ends in",
    manifests: [lets({ protocol: "TCP", destination: { ports: [22, "80", "8080:8082"] } })],
    goes: {
      "lab/web -> shop/db tcp 22": "allow",
      "lab/web -> shop/db tcp 80": "allow",
      "lab/web -> shop/db tcp 8080": "allow",
      "lab/web -> shop/db tcp 8082": "allow",
      "lab/web -> shop/db tcp 8083": "deny",
      "lab/web -> shop/db tcp 8079": "deny",
    },
  },
  {
    says: "notPorts leave the protocol's other ports",
    manifests: [lets({ protocol: "TCP", destination: { notPorts: [80, "90:99"] } })],
    goes: {
      "lab/web -> shop/db tcp 80": "deny",
      "lab/web -> shop/db tcp 95": "deny",
      "lab/web -> shop/db tcp 81": "allow",
      "lab/web -> shop/db udp 81": "deny",
    },
  },
  {
    says: "ports and notPorts are demanded together",
    manifests: [lets({ protocol: "UDP", destination: { ports: ["50:60"], notPorts: [53] } })],
    goes: {
      "lab/web -> shop/db udp 52": "allow",
      "lab/web -> shop/db udp 53": "deny",
      "lab/web -> shop/db udp 61": "deny",
    },
  },
  {
    says: "ports of the source are the connection's source ports",
    manifests: [lets({ protocol: "TCP", source: { ports: ["30000:30010"] } })],
    goes: {
      "lab/web -> shop/db tcp 80 from 30000": "allow",
      "lab/web -> shop/db tcp 30000 from 29999": "deny",
    },
  },
  {
    says: "notPorts of the source, too",
    manifests: [lets({ protocol: "UDP", source: { notPorts: [30000] } })],
    goes: { "lab/web -> shop/db udp 80 from 30000": "deny", "lab/web -> shop/db udp 80 from 30001": "allow" },
  },
  {
    says: "a named port is what the destination declares, by the rule's protocol",
    manifests: [lets({ protocol: "TCP", destination: { ports: ["http"] } })],
    goes: {
      "lab/web -> shop/db tcp 8080": "allow",
      "lab/web -> shop/db tcp 80": "deny",
      "lab/web -> shop/db udp 8080": "deny",
    },
  },
  {
    says: "names alone may stand without protocol: any that has them",
    manifests: [
      gnp("g", {
        selector: "app == 'web'",
        ingress: [{ action: "Allow", destination: { ports: ["dns", "http"] } }],
      }),
    ],
    goes: {
      "shop/db -> shop/web udp 53": "allow",
      "shop/db -> shop/web tcp 80": "allow",
      "shop/db -> shop/web tcp 53": "deny",
      "shop/db -> shop/web icmp 8/0": "deny",
      // The other pod of that name declares nothing.
      "shop/db -> lab/web tcp 80": "deny",
    },
  },
  {
    says: "a name beside numbers is one more",
    manifests: [lets({ protocol: "TCP", destination: { ports: [443, "http"] } })],
    goes: {
      "lab/web -> shop/db tcp 443": "allow",
      "lab/web -> shop/db tcp 8080": "allow",
      "lab/web -> shop/db tcp 80": "deny",
    },
  },
  {
    says: "a name in an egress rule is the destination's",
    manifests: [letsOut({ protocol: "TCP", destination: { ports: ["http"] } })],
    goes: {
      "shop/db -> shop/web tcp 80": "allow",
      "shop/db -> shop/web tcp 8080": "deny",
      "shop/db -> lab/web tcp 80": "deny",
    },
  },
  {
    says: "a name of the source is the source pod's",
    manifests: [letsOut({ protocol: "TCP", source: { ports: ["out"] } })],
    goes: { "shop/db -> lab/web tcp 80 from 30000": "allow", "shop/db -> lab/web tcp 80 from 30001": "deny" },
  },
  {
    says: "a name that nobody declares matches nothing, a Deny's too",
    manifests: [
      gnp("g", {
        selector: "app == 'db'",
        ingress: [{ action: "Deny", protocol: "TCP", destination: { ports: ["none"] } }, { action: "Allow" }],
      }),
    ],
    goes: { "lab/web -> shop/db tcp 8080": "allow by GlobalNetworkPolicy/g ingress 1" },
  },
  {
    says: "notPorts with a name: no endpoint with that address, protocol and number has it",
    manifests: [lets({ destination: { notPorts: ["http"] } })],
    goes: {
      "lab/web -> shop/db tcp 8080": "deny",
      "lab/web -> shop/db udp 8080": "allow",
      "lab/web -> shop/db icmp 8/0": "allow",
    },
  },
];
