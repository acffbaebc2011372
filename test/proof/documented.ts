// The samples of the OVN-Kubernetes AdminNetworkPolicy documentation with the clusters they are shown on, and for every ACL
// of theirs a packet that it decides. Where no packet can come to an ACL, the list says which other one is in its way.

import { policies as policyKinds, references } from "../../src/dialects.ts";
import { loadManifests } from "../../src/informers/index.ts";
import type { WorldObject } from "../../src/model/object.ts";
import type { Packet } from "../../tools/sandbox/trace.ts";
import { pod } from "../support/facts.ts";

/** Source and destination address, protocol, destination port. */
type Line = readonly [from: string, to: string, protocol: Packet["protocol"], port: number];

export interface WalkedPacket {
  readonly line: Line;
  readonly verdict: "allow" | "drop";
  /** ACLs in the order the packet meets them: the last part of the row's id and its action. */
  readonly met: readonly string[];
}

export interface Sample {
  readonly name: string;
  readonly objects: readonly WorldObject[];
  /** ACLs that the sample becomes. */
  readonly acls: number;
  readonly packets: readonly WalkedPacket[];
  /** ACLs that no packet between any of the ends meets, with the reason. */
  readonly unreached: Readonly<Record<string, string>>;
}

function examples(...folders: readonly string[]): readonly WorldObject[] {
  const { objects, problems } = loadManifests(
    folders.map((folder) => `examples/${folder}`),
    policyKinds,
    references,
  );
  if (problems.length > 0) throw new Error(`the examples have findings: ${JSON.stringify(problems)}`);
  return objects;
}

const goes = (line: Line, verdict: WalkedPacket["verdict"], ...met: readonly string[]): WalkedPacket => ({
  line,
  verdict,
  met,
});

const nginx = "10.244.2.5";
const dns = "10.244.2.3";
const splunk = "10.244.2.6";
const monitoring = "10.244.2.8";
const otherMonitoring = "10.244.1.4";
const restricted = "10.244.2.7";
const otherRestricted = "10.244.1.3";
const open = "10.244.2.9";
const otherOpen = "10.244.1.5";
const controlPlane = "172.18.0.3";
const worker = "172.18.0.4";

/** The packet that the document traces: from the restricted tenant to monitoring. */
export const tracedPacket = goes(
  [restricted, monitoring, "icmp", 0],
  "drop",
  "cluster-control:Egress:5:None drop",
);

/** Those that need no pod beyond the ones that the document's address sets hold. */
const controlled: readonly WalkedPacket[] = [
  goes(
    [nginx, dns, "udp", 5353],
    "allow",
    "cluster-control:Egress:0:udp allow-related",
    "cluster-control:Ingress:0:None allow-related",
  ),
  // Its log shows these two.
  goes([splunk, controlPlane, "tcp", 6443], "allow", "cluster-control:Egress:1:tcp allow-related"),
  goes([dns, controlPlane, "tcp", 6443], "allow", "cluster-control:Egress:1:tcp allow-related"),
  goes([dns, controlPlane, "tcp", 6444], "drop", "cluster-control:Egress:5:None drop"),
  ...[8991, 8992].map((port) =>
    goes(
      [nginx, splunk, "tcp", port],
      "allow",
      "cluster-control:Egress:2:tcp allow-related",
      "cluster-control:Ingress:0:None allow-related",
    ),
  ),
  goes([nginx, splunk, "tcp", 8993], "drop", "cluster-control:Egress:5:None drop"),
  ...[worker, "172.30.0.3", "10.0.63.255", "10.0.56.38", "10.0.69.1"].map((address) =>
    goes([dns, address, "tcp", 443], "allow", "cluster-control:Egress:3:None allow-related"),
  ),
  ...["172.30.0.4", "10.0.64.0", "10.0.70.1"].map((address) =>
    goes([dns, address, "tcp", 443], "drop", "cluster-control:Egress:5:None drop"),
  ),
  goes(
    [nginx, restricted, "tcp", 80],
    "drop",
    "cluster-control:Egress:4:None pass",
    "default:Egress:0:None drop",
  ),
  goes(
    [restricted, dns, "udp", 5353],
    "drop",
    "cluster-control:Egress:0:udp allow-related",
    "cluster-control:Ingress:3:None pass",
    "default:Ingress:0:None drop",
  ),
  goes(
    [splunk, dns, "udp", 5353],
    "drop",
    "cluster-control:Egress:0:udp allow-related",
    "cluster-control:Ingress:4:None drop",
  ),
  tracedPacket,
];

/** What an open tenant brings: the address set of rule 2 is no longer empty, and a way in beside the passes. */
const opened: readonly WalkedPacket[] = [
  goes(
    [monitoring, open, "tcp", 7564],
    "allow",
    "cluster-control:Egress:3:None allow-related",
    "cluster-control:Ingress:1:tcp allow-related",
  ),
  goes(
    [otherMonitoring, open, "tcp", 8080],
    "allow",
    "cluster-control:Egress:3:None allow-related",
    "cluster-control:Ingress:1:tcp-namedPort allow-related",
  ),
  // The other pod declares no such name.
  goes(
    [monitoring, otherOpen, "tcp", 8080],
    "drop",
    "cluster-control:Egress:3:None allow-related",
    "cluster-control:Ingress:4:None drop",
  ),
  goes(
    [otherOpen, open, "icmp", 0],
    "allow",
    "cluster-control:Egress:3:None allow-related",
    "cluster-control:Ingress:2:None allow-related",
  ),
  goes(
    [otherRestricted, open, "sctp", 9],
    "drop",
    "cluster-control:Egress:3:None allow-related",
    "cluster-control:Ingress:3:None pass",
    "default:Ingress:0:None drop",
  ),
];

const openPods = [
  pod("open", "shop", {
    node: "ovn-worker2",
    ips: [open],
    ports: [{ name: "scrape", protocol: "tcp", port: 8080 }],
  }),
  pod("open", "visitor", { node: "ovn-worker", ips: [otherOpen] }),
];

const barred = "the sources that it names get no further than cluster-control:Egress:5 or default:Egress:0";

const tenants = { blue: "10.244.1.10", green: "10.244.1.11", red: "10.244.1.12", yellow: "10.244.1.13" };
const insideOf = { blue: "10.244.2.10", green: "10.244.2.11", red: "10.244.2.12", yellow: "10.244.2.13" };
const visitor = "10.244.2.14";
const names = ["blue", "green", "red", "yellow"] as const;
const nextTo = (at: number) => tenants[names[(at + 1) % names.length] ?? "blue"];

/** The example's red tenant has one pod, and a pod that speaks to itself meets no policy. */
const secondRed = pod("red", "red-db", { node: "ovn-worker2", ips: [insideOf.red] });

export const samples: readonly Sample[] = [
  {
    name: "cluster-control as it is printed, where the open tenant has no pods",
    objects: examples("cluster-control"),
    acls: 14,
    packets: controlled,
    unreached: {
      "cluster-control:Ingress:1:tcp": barred,
      "cluster-control:Ingress:1:tcp-namedPort": barred,
      "cluster-control:Ingress:2:None": "no pod is in the open tenant, so its address set is empty",
    },
  },
  {
    name: "cluster-control with pods in the open tenant",
    objects: [...examples("cluster-control"), ...openPods],
    acls: 14,
    packets: [...controlled, ...opened],
    unreached: {},
  },
  {
    name: "tenants that allow themselves, and one policy that isolates them",
    objects: [...examples("multi-tenant/cluster", "multi-tenant/policies"), secondRed],
    acls: 10,
    packets: [
      ...names.map((name) =>
        goes(
          [tenants[name], insideOf[name], "tcp", 80],
          "allow",
          `${name}-tenant:Egress:0:None allow-related`,
          `${name}-tenant:Ingress:0:None allow-related`,
        ),
      ),
      ...names.map((name, at) =>
        goes([tenants[name], nextTo(at), "tcp", 80], "drop", "multi-tenant-isolation:Egress:0:None drop"),
      ),
      ...names.map((name) =>
        goes([visitor, tenants[name], "udp", 80], "drop", "multi-tenant-isolation:Ingress:0:None drop"),
      ),
      goes([tenants.blue, "203.0.113.9", "tcp", 443], "allow"),
    ],
    unreached: {},
  },
  {
    name: "tenants that deny all others",
    objects: [...examples("multi-tenant/cluster", "multi-tenant/flipped"), secondRed],
    acls: 8,
    packets: [
      ...names.map((name) => goes([tenants[name], insideOf[name], "tcp", 80], "allow")),
      ...names.map((name, at) =>
        goes([tenants[name], nextTo(at), "tcp", 80], "drop", `${name}-tenant:Egress:0:None drop`),
      ),
      ...names.map((name) =>
        goes([visitor, tenants[name], "icmp", 0], "drop", `${name}-tenant:Ingress:0:None drop`),
      ),
      ...names.map((name) =>
        goes([tenants[name], visitor, "icmp", 0], "drop", `${name}-tenant:Egress:0:None drop`),
      ),
    ],
    unreached: {},
  },
];
