// A small cluster for sockets: three teams of two pods, each team on both nodes, of both families; policies that are made of
// every part of the API, and the probes that walk each of their chains of rules.

import { familyOf } from "../../src/model/ip.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { ip, namedPort, namespace, node, pod } from "../support/facts.ts";
import { anp, banp, namespacesWith } from "../support/policies.ts";
import { meaningOf, opinionText } from "./judges.ts";
import { probeOf } from "./packets.ts";

/** What every pod and every address outside serves. */
export const services = [
  { protocol: "tcp", port: 7070 },
  { protocol: "tcp", port: 8080 },
  { protocol: "tcp", port: 9090 },
  { protocol: "udp", port: 5353 },
  { protocol: "udp", port: 9090 },
] as const;
/** In networks that rules name and in others, and the first node. */
export const outside = [
  "203.0.113.7",
  "198.51.100.7",
  "172.18.0.1",
  "2001:db8::7",
  "2001:db9::7",
  "fd18::1",
].map(ip);

const declared = [namedPort("http", 8080), { name: "dns", protocol: "udp", port: 5353 } as const];
const podOf = (team: string, name: string, at: number, number: number) =>
  pod(team, name, {
    node: `node-${at}`,
    ips: [`10.0.${at}.${number}`, `fd00:0:0:${at}::${number}`],
    labels: { app: name },
    ports: declared,
  });
export const pods = {
  redA: podOf("red", "a", 1, 16),
  redB: podOf("red", "b", 2, 16),
  blueA: podOf("blue", "a", 1, 17),
  blueB: podOf("blue", "b", 2, 17),
  greenA: podOf("green", "a", 1, 18),
  greenB: podOf("green", "b", 2, 18),
};
export const facts: readonly WorldObject[] = [
  ...["red", "blue", "green"].map((team) => namespace(team, { team })),
  node("node-1", { edge: "yes" }, ["172.18.0.1", "fd18::1"], ["v4", "v6"]),
  node("node-2", {}, ["172.18.0.2", "fd18::2"], ["v4", "v6"]),
  ...Object.values(pods),
];

export const [red, blue, green] = ["red", "blue", "green"].map((team) => namespacesWith({ team }));
const tcp = (port: number) => ({ portNumber: { protocol: "TCP", port } });
/** Every action in every tier that Northgate writes, and every kind of peer and port. */
export const tiers = [
  anp("blue", {
    priority: 5,
    subject: blue,
    ingress: [
      { action: "Allow", from: [red], ports: [{ namedPort: "http" }, { namedPort: "dns" }] },
      { action: "Deny", from: [green] },
      { action: "Pass", from: [red], ports: [{ portRange: { protocol: "TCP", start: 9000, end: 9090 } }] },
    ],
    egress: [
      { action: "Allow", to: [red], ports: [tcp(8080)] },
      { action: "Deny", to: [{ networks: ["203.0.113.0/24", "2001:db8::/32"] }] },
      { action: "Deny", to: [{ nodes: { matchLabels: { edge: "yes" } } }] },
      { action: "Pass", to: [red], ports: [tcp(9090)] },
    ],
  }),
  anp("after", {
    priority: 6,
    subject: blue,
    // Not about TCP 9090, which the policy before has passed on.
    ingress: [
      { action: "Allow", from: [red], ports: [tcp(9090), { portNumber: { protocol: "UDP", port: 9090 } }] },
    ],
  }),
  banp({
    subject: blue,
    ingress: [{ action: "Deny", from: [red] }],
    egress: [{ action: "Deny", to: [red] }],
  }),
];

/** A policy that an edit turns, and one behind it, so that connections are tracked at all times. */
export const edited = (action: string) => [
  anp("edited", { subject: blue, ingress: [{ action, from: [{ namespaces: {} }] }] }),
  anp("other", { priority: 90, ingress: [{ action: "Allow", from: [{ namespaces: {} }] }] }),
];

/** Two of every chain of rules, by every protocol and family: on one node, across nodes, and to the world outside. */
export function probesOfChains(world: readonly WorldObject[]) {
  const meaning = meaningOf(world);
  const ends = Object.values(pods);
  const icmp = { protocol: "icmp", port: 0 } as const;
  const judged = ends.flatMap((from) =>
    [...ends.filter((to) => to !== from), ...outside.map((address) => ({ ip: address }))].flatMap((to) =>
      ("ip" in to ? [familyOf(to.ip)] : (["v4", "v6"] as const)).flatMap((family) =>
        [...services, icmp].flatMap((service) => {
          const probe = probeOf({ from, to, family }, service);
          const meant = meaning.opinion(probe.connection);
          if (meant === null) return [];
          const place = "ip" in to ? "outside" : to.node === from.node;
          return [{ probe, meant, kind: `${opinionText(meant)} ${service.protocol} ${family} ${place}` }];
        }),
      ),
    ),
  );
  const kinds = Map.groupBy(judged, ({ kind }) => kind);
  return [...kinds.values()].flatMap((alike) => [...alike.slice(0, 1), ...alike.slice(1).slice(-1)]);
}
