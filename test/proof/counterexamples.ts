// Worlds worth keeping by name: shrunk counter-examples and known faults of other implementations, each as small as it shows
// the fault. A random world that showed a fault comes here when the fault is mended.

import type { NamedPort } from "../../src/model/facts.ts";
import { namespace, node, pod } from "../support/facts.ts";
import { anp, banp, namespacesWith, podsWith } from "../support/policies.ts";
import { nameLabel } from "./network-policies.ts";
import type { ProofWorld } from "./worlds.ts";

export interface Counterexample extends ProofWorld {
  /** Its rules decide so many different chains of packets, or the world shows nothing. */
  readonly chains: number;
}

const tcp = (port: number) => ({ portNumber: { protocol: "TCP", port } });
const udp = (port: number) => ({ portNumber: { protocol: "UDP", port } });
const everyone = [{ namespaces: {} }];
const inA = namespacesWith({ team: "a" });
const inB = namespacesWith({ team: "b" });
const declared = (name: string, protocol: NamedPort["protocol"], port: number): NamedPort => ({
  name,
  protocol,
  port,
});

const space = (name: string) => namespace(name, { team: name, [nameLabel]: name });
const nodes = [1, 2].map((at) =>
  node(`node-${at}`, { zone: `z${at}` }, [`172.18.0.${at}`, `fd18::${at}`, `192.0.2.${at}`], ["v4", "v6"]),
);

/** The last number of the addresses tells the pod; the node is the network. */
const at = (
  name: string,
  on: 1 | 2,
  last: number,
  more: { readonly ports?: readonly NamedPort[]; readonly labels?: Readonly<Record<string, string>> } = {},
) =>
  pod(name, `p${last}`, {
    node: `node-${on}`,
    ips: [`10.0.${on - 1}.${last}`, `fd00:0:0:${on - 1}::${last}`],
    ...more,
  });

const cluster = [space("a"), space("b"), ...nodes];
const fourPods = [at("a", 1, 20), at("a", 2, 21), at("b", 1, 22), at("b", 2, 23)];

export const counterexamples: Readonly<Record<string, Counterexample>> = {
  "an egress named port is the destination's, on another switch too": {
    chains: 4,
    salt: 1,
    objects: [
      ...cluster,
      at("a", 1, 20, { ports: [declared("http", "tcp", 8081)] }),
      at("b", 1, 21, { ports: [declared("http", "tcp", 80)] }),
      at("b", 2, 22, { ports: [declared("http", "tcp", 8080), declared("http", "udp", 53)] }),
      anp("named", {
        subject: inA,
        egress: [
          { action: "Allow", to: [inB], ports: [{ namedPort: "http" }] },
          { action: "Deny", to: [inB] },
        ],
      }),
      banp({ subject: inB, ingress: [{ action: "Deny", from: everyone, ports: [udp(53)] }] }),
    ],
  },
  "a node with a network of one family does not end the other": {
    chains: 1,
    salt: 12,
    objects: [
      space("a"),
      space("b"),
      node("node-1", {}, ["172.18.0.1", "fd18::1"]),
      node("node-2", {}, ["172.18.0.2", "fd18::2"], ["v6"]),
      ...fourPods,
      anp("closed", { subject: inA, ingress: [{ action: "Deny", from: everyone }] }),
    ],
  },
  "an ingress named port is the subject's own": {
    chains: 3,
    salt: 2,
    objects: [
      ...cluster,
      at("a", 1, 20, { ports: [declared("http", "tcp", 80)], labels: { app: "x" } }),
      at("a", 2, 21, { ports: [declared("http", "tcp", 8080)] }),
      at("b", 2, 22, { ports: [declared("http", "tcp", 80)] }),
      anp("named", {
        subject: podsWith({ team: "a" }, { app: "x" }),
        ingress: [
          { action: "Pass", from: everyone, ports: [{ namedPort: "http" }] },
          { action: "Deny", from: everyone },
        ],
      }),
      banp({ subject: inA, ingress: [{ action: "Deny", from: [inB], ports: [tcp(80)] }] }),
    ],
  },
  "a completed pod's address belongs to another pod already": {
    chains: 2,
    salt: 3,
    objects: [
      ...cluster,
      ...fourPods,
      pod("b", "gone", { node: "node-1", ips: ["10.0.0.20", "fd00::20"], completed: true }),
      anp("others", {
        subject: inA,
        ingress: [{ action: "Deny", from: [inB] }],
        egress: [{ action: "Deny", to: [inB] }],
      }),
    ],
  },
  "two policies of one priority whose rules are disjoint": {
    chains: 3,
    salt: 4,
    objects: [
      ...cluster,
      ...fourPods,
      ...["one", "two"].map((name, index) =>
        anp(name, {
          priority: 50,
          ingress: [
            { action: "Deny", from: [index === 0 ? inA : inB], ports: [tcp(index === 0 ? 80 : 8080)] },
          ],
        }),
      ),
      anp("between", { priority: 49, egress: [{ action: "Allow", to: everyone, ports: [tcp(80)] }] }),
    ],
  },
  "a network that covers pods denies them to each other": {
    chains: 4,
    salt: 5,
    objects: [
      ...cluster,
      ...fourPods,
      anp("network", {
        subject: inA,
        egress: [
          { action: "Pass", to: [inA] },
          { action: "Deny", to: [{ networks: ["10.0.1.0/24", "fd00:0:0:1::/64"] }] },
          { action: "Allow", to: [{ networks: ["0.0.0.0/0", "::/0"] }], ports: [tcp(80)] },
        ],
      }),
      banp({ egress: [{ action: "Deny", to: [inA] }] }),
    ],
  },
  "a network that covers nodes, and nodes by label with every address they have": {
    chains: 3,
    salt: 6,
    objects: [
      ...cluster,
      ...fourPods,
      anp("nodes", {
        egress: [
          { action: "Allow", to: [{ nodes: { matchLabels: { zone: "z1" } } }], ports: [tcp(80)] },
          { action: "Deny", to: [{ networks: ["172.18.0.0/16", "fd18::2/128"] }] },
          { action: "Pass", to: [{ nodes: { matchExpressions: [{ key: "zone", operator: "Exists" }] } }] },
        ],
      }),
    ],
  },
  "a deny without ports acts on both sides and switches, on every protocol": {
    chains: 3,
    salt: 7,
    objects: [
      ...cluster,
      ...fourPods,
      anp("in", { priority: 1, subject: inB, ingress: [{ action: "Deny", from: [inA] }] }),
      anp("out", { priority: 2, subject: inA, egress: [{ action: "Deny", to: [inB], ports: [tcp(80)] }] }),
      anp("late", { priority: 3, ingress: [{ action: "Allow", from: everyone }] }),
    ],
  },
  "an egress allow does not open the destination's ingress": {
    chains: 2,
    salt: 8,
    objects: [
      ...cluster,
      ...fourPods,
      anp("open", { priority: 0, subject: inA, egress: [{ action: "Allow", to: everyone }] }),
      banp({ subject: inB, ingress: [{ action: "Deny", from: everyone }] }),
    ],
  },
  "a NetworkPolicy decides what is passed to it, and the baseline what is not": {
    chains: 5,
    salt: 9,
    objects: [
      ...cluster,
      ...fourPods,
      anp("pass", {
        priority: 7,
        ingress: [
          { action: "Allow", from: everyone, ports: [tcp(53)] },
          {
            action: "Pass",
            from: everyone,
            ports: [tcp(80), udp(80), { portRange: { start: 8080, end: 8081 } }],
          },
        ],
      }),
      banp({ ingress: [{ action: "Deny", from: everyone }] }),
    ],
    networkPolicies: [
      {
        namespace: "b",
        name: "web",
        pods: {},
        rules: {
          ingress: [
            {
              peers: [{ namespaces: { team: "a" }, pods: {} }],
              ports: [
                { protocol: "tcp", port: 80 },
                { protocol: "udp", port: 53 },
              ],
            },
          ],
        },
      },
    ],
  },
  "what is unknown denies all, or allows nothing": {
    chains: 3,
    salt: 10,
    objects: [
      ...cluster,
      ...fourPods,
      anp("future", {
        subject: inA,
        ingress: [
          { action: "Allow", from: [{ galaxies: {} }] },
          { action: "Pass", from: [inB], ports: [{ portOfTheFuture: {} }] },
        ],
        egress: [
          { action: "Allow", to: [{ domainNames: ["*.example.org"] }] },
          { action: "Allow", to: [inA], ports: [tcp(80)] },
          { action: "Deny", to: [{ domainNames: ["*.example.org"] }], ports: [tcp(8080)] },
        ],
      }),
    ],
  },
  "a host-network pod is its node to policies": {
    chains: 3,
    salt: 11,
    objects: [
      ...cluster,
      ...fourPods,
      pod("b", "agent", { node: "node-2", hostNetwork: true, ips: ["172.18.0.2", "fd18::2"] }),
      anp("pods", {
        priority: 1,
        egress: [{ action: "Deny", to: [inB], ports: [tcp(80)] }],
        ingress: [{ action: "Deny", from: [inB], ports: [tcp(8080)] }],
      }),
      anp("nodes", {
        priority: 2,
        egress: [{ action: "Deny", to: [{ nodes: { matchLabels: { zone: "z2" } } }], ports: [tcp(8080)] }],
      }),
    ],
  },
};
