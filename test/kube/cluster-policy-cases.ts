// What a server with the CRD of ClusterNetworkPolicy must accept and what it must refuse: each limit from both sides.

import type { Case } from "./case.ts";
import { everyNamespace, few, many, no, numbered, ok, pods, times } from "./case.ts";

const labels = { matchLabels: { a: "b" } };
const one = (number: unknown) => ({ tcp: { destinationPort: { number } } });
const range = (start: unknown, end: unknown) => ({ udp: { destinationPort: { range: { start, end } } } });

/** A spec whose only rule differs in these fields from one that is accepted. */
const ingress = (rule: object) => ({ ingress: [{ action: "Accept", from: [everyNamespace], ...rule }] });
const egress = (rule: object) => ({ egress: [{ action: "Accept", to: [everyNamespace], ...rule }] });
const to = (peer: unknown) => egress({ to: [peer] });
const domains = (...domainNames: readonly string[]) => to({ domainNames });
const named = (peer: unknown) =>
  egress({ to: [everyNamespace, peer], protocols: [one(1), { destinationNamedPort: "web" }] });
const rules = (count: number) => ({
  ingress: times(count, { action: "Accept", from: [everyNamespace] }),
  egress: times(count, { action: "Deny", to: [{ networks: ["10.0.0.0/8"] }], protocols: [one(1)] }),
});

export const clusterCases: readonly Case[] = [
  ok("no rules", {}),
  ok("the baseline tier", { tier: "Baseline" }),
  no("no tier", { tier: undefined }, "spec.tier: Required"),
  no("a tier in small letters", { tier: "admin" }, 'Unsupported value: "admin"'),
  ok("priority 0", { priority: 0 }),
  ok("priority 1000", { priority: 1000 }),
  no("priority -1", { priority: -1 }, "greater than or equal to 0"),
  no("priority 1001", { priority: 1001 }, "less than or equal to 1000"),
  no("priority as text", { priority: "10" }, "must be of type integer"),
  no("no priority", { priority: undefined }, "spec.priority: Required"),

  ok("a subject of pods", { subject: { pods } }),
  ok("a subject of pods anywhere", { subject: { pods: { podSelector: labels } } }),
  no("a subject of pods without podSelector", { subject: { pods: {} } }, "podSelector: Required"),
  no("no subject", { subject: undefined }, "spec.subject: Required"),
  no("an empty subject", { subject: {} }, few),
  no("two subjects", { subject: { ...everyNamespace, pods } }, "must have at most 1"),

  ok("25 rules a direction", rules(25)),
  no("26 ingress rules", { ingress: rules(26).ingress }, `ingress: Too many: 26: ${many(25)}`),
  no("26 egress rules", { egress: rules(26).egress }, `egress: Too many: 26: ${many(25)}`),
  ...(["Admin", "Baseline"] as const).map((tier) =>
    ok(`every action in tier ${tier}`, {
      tier,
      ingress: ["Accept", "Deny", "Pass"].map((action) => ({ action, from: [everyNamespace] })),
      egress: ["Accept", "Deny", "Pass"].map((action) => ({ action, to: [everyNamespace] })),
    }),
  ),
  no("the action of the API before", ingress({ action: "Allow" }), 'Unsupported value: "Allow"'),
  no("the egress action of the API before", egress({ action: "Allow" }), 'Unsupported value: "Allow"'),
  no("no action", ingress({ action: undefined }), "action: Required"),
  ok("a name of 100 characters", ingress({ name: "n".repeat(100) })),
  no("a name of 101 characters", ingress({ name: "n".repeat(101) }), "name: Too long"),
  no("an egress name of 101 characters", egress({ name: "n".repeat(101) }), "name: Too long"),

  no("no from", ingress({ from: undefined }), "from: Required"),
  no("no to", egress({ to: undefined }), "to: Required"),
  no("an empty from", ingress({ from: [] }), few),
  no("an empty to", egress({ to: [] }), few),
  ok("25 peers", {
    ...ingress({ from: times(25, everyNamespace) }),
    ...egress({ to: times(25, { nodes: {} }) }),
  }),
  no("26 peers", ingress({ from: times(26, everyNamespace) }), many(25)),
  no("26 egress peers", egress({ to: times(26, everyNamespace) }), many(25)),
  no("an empty peer", ingress({ from: [{}] }), few),
  no("two fields in a peer", to({ ...everyNamespace, nodes: {} }), "must have at most 1"),
  no("networks as an ingress peer", ingress({ from: [{ networks: ["10.0.0.0/8"] }] }), few),
  no("nodes as an ingress peer", ingress({ from: [{ nodes: {} }] }), few),
  ok("pods anywhere as peers", {
    ...ingress({ from: [{ pods: { podSelector: labels } }] }),
    ...to({ pods: { podSelector: {} } }),
  }),
  no("a peer of pods without podSelector", to({ pods: { namespaceSelector: {} } }), "podSelector: Required"),
  ok("25 networks", to({ networks: numbered(25, (n) => `10.${n}.0.0/16`) })),
  no("26 networks", to({ networks: numbered(26, (n) => `10.${n}.0.0/16`) }), many(25)),
  no("no networks", to({ networks: [] }), few),
  no("one network twice", to({ networks: ["10.0.0.0/8", "10.0.0.0/8"] }), "Duplicate value"),
  no("an address without length", to({ networks: ["10.0.0.1"] }), "CIDR"),
  ok("a network of 43 characters", to({ networks: ["2001:0db8:0000:0000:0000:0000:0000:0001/128"] })),
  ok("domain names", domains("example.com", "*.example.com", "a-b.c_d.example.com.", "1.2")),
  ok("domain names in the baseline tier", { tier: "Baseline", ...domains("example.com") }),
  ok("a domain name under Pass", egress({ action: "Pass", to: [{ domainNames: ["example.com"] }] })),
  no("26 domain names", domains(...numbered(26, (n) => `h${n}.example.com`)), many(25)),
  no("no domain names", domains(), few),
  no("one domain name twice", domains("example.com", "example.com"), "Duplicate value"),
  no("a domain name of one label", domains("localhost"), "domainNames[0]"),

  ...[["in", ingress] as const, ["out", egress] as const].flatMap(([side, rule]) => {
    const entry = (protocol: unknown) => rule({ protocols: [protocol] });
    return [
      ok(`${side}: no protocols`, rule({})),
      no(`${side}: an empty list of protocols`, rule({ protocols: [] }), few),
      ok(`${side}: 25 protocols`, rule({ protocols: times(25, one(80)) })),
      no(`${side}: 26 protocols`, rule({ protocols: times(26, one(80)) }), many(25)),
      no(`${side}: an empty entry`, entry({}), few),
      no(`${side}: a protocol nobody knows`, entry({ quic: {} }), few),
      no(`${side}: two protocols in an entry`, entry({ ...one(1), ...range(1, 2) }), "must have at most 1"),
      ...["tcp", "udp", "sctp"].flatMap((protocol) => [
        no(`${side}: ${protocol} without a port`, entry({ [protocol]: {} }), few),
        no(`${side}: ${protocol} with an empty port`, entry({ [protocol]: { destinationPort: {} } }), few),
        ok(
          `${side}: ${protocol} with a number`,
          entry({ [protocol]: { destinationPort: { number: 65535 } } }),
        ),
      ]),
      no(
        `${side}: a number and a range`,
        entry({ tcp: { destinationPort: { number: 1, range: { start: 1, end: 2 } } } }),
        "must have at most 1",
      ),
      no(`${side}: port 0`, entry(one(0)), "greater than or equal to 1"),
      no(`${side}: port 65536`, entry(one(65536)), "less than or equal to 65535"),
      no(`${side}: a port as text`, entry(one("80")), "must be of type integer"),
      ok(`${side}: a range`, entry(range(1, 65535))),
      no(`${side}: a range of one`, entry(range(80, 80)), "start must be below end"),
      no(`${side}: a range backwards`, entry(range(90, 80)), "start must be below end"),
      no(`${side}: a range from 0`, entry(range(0, 80)), "start: Invalid value"),
      no(`${side}: a range to 65536`, entry(range(1, 65536)), "end: Invalid value"),
      no(`${side}: a range without end`, entry(range(1, undefined)), "end: Required"),
      ok(`${side}: a named port`, entry({ destinationNamedPort: "web" })),
    ];
  }),
  ok("a named port to pods", named({ pods })),
  no("a named port to networks", named({ networks: ["10.0.0.0/8"] }), "destinationNamedPort"),
  no("a named port to nodes", named({ nodes: {} }), "destinationNamedPort"),
  no("a named port to domain names", named({ domainNames: ["example.com"] }), "destinationNamedPort"),
];
