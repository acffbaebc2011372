// Named lists of world states. Each state is a whole world; a scenario is what a cluster went through. expanders.ts
// multiplies them, and after every path the rows must equal a fresh start's in the last state.

import type { IpFamily } from "../../src/model/ip.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { namespace, node, pod } from "../support/facts.ts";
import { anp, banp, cnp, namespacesWith, podsWith } from "../support/policies.ts";

export interface Scenario {
  readonly name: string;
  readonly states: readonly (readonly WorldObject[])[];
  readonly families?: readonly IpFamily[];
  readonly zone?: string;
}

const a = namespace("a", { tenant: "a" });
const b = namespace("b", { tenant: "b" });
const http = { name: "http", protocol: "tcp", port: 8080 } as const;
const dns = { name: "dns", protocol: "udp", port: 5353 } as const;
const web = pod("a", "web", { ips: ["10.0.0.1"], labels: { app: "web" }, ports: [http] });
const db = pod("a", "db", { ips: ["10.0.0.2"], labels: { app: "db" }, ports: [dns] });
const client = pod("b", "client", {
  ips: ["10.0.1.1"],
  labels: { app: "client" },
  node: "node-2",
  ports: [http],
});
const cluster = [a, b, web, db, client];

const allowFromB = { action: "Allow", from: [namespacesWith({ tenant: "b" })] };
const denyAll = { action: "Deny", from: [{ namespaces: {} }] };
const passToDb = { action: "Pass", to: [podsWith({ tenant: "a" }, { app: "db" })] };
const subjectA = namespacesWith({ tenant: "a" });
const basic = anp("basic", { subject: subjectA, ingress: [allowFromB, denyAll], egress: [passToDb] });

const ranked = (name: string, priority: number, count: number, tier: "Admin" | "Baseline" = "Admin") =>
  cnp(name, {
    ...{ tier, priority, subject: subjectA },
    ingress: Array.from({ length: count }, () => ({
      action: "Deny",
      from: [namespacesWith({ tenant: "b" })],
    })),
  });

export const scenarios: readonly Scenario[] = [
  {
    name: "a policy comes, grows, shrinks, loses its rules and goes",
    states: [
      cluster,
      [...cluster, basic],
      [
        ...cluster,
        anp("basic", { subject: subjectA, ingress: [allowFromB, denyAll, allowFromB], egress: [passToDb] }),
      ],
      [...cluster, anp("basic", { subject: subjectA, ingress: [denyAll] })],
      [...cluster, anp("basic", { subject: subjectA })],
      cluster,
    ],
  },
  {
    name: "rules change places and the priority moves in one edit",
    states: [
      [...cluster, basic],
      [
        ...cluster,
        anp("basic", { priority: 5, subject: subjectA, ingress: [denyAll, allowFromB], egress: [passToDb] }),
      ],
      [...cluster, anp("basic", { priority: 6, subject: subjectA, ingress: [allowFromB] })],
    ],
  },
  {
    name: "ports change kind: none, numbers, ranges, names, all together",
    states: [
      undefined,
      [{ portNumber: { protocol: "TCP", port: 80 } }],
      [
        { portNumber: { protocol: "UDP", port: 53 } },
        { portRange: { protocol: "SCTP", start: 10, end: 20 } },
      ],
      [{ namedPort: "http" }, { namedPort: "dns" }],
      [{ namedPort: "nobody-has-it" }],
      [
        { namedPort: "http" },
        { portNumber: { protocol: "TCP", port: 80 } },
        { portRange: { start: 1, end: 9 } },
      ],
    ].map((ports) => [
      ...cluster,
      anp("ports", {
        ingress: [{ ...allowFromB, ...(ports === undefined ? {} : { ports }) }],
        egress: [{ action: "Deny", to: [{ namespaces: {} }], ...(ports === undefined ? {} : { ports }) }],
      }),
    ]),
  },
  {
    name: "pods come, are relabelled, change address, complete and go",
    states: [
      [a, b, basic],
      [...cluster, basic],
      [a, b, pod("a", "web", { ips: ["10.0.0.1"], labels: { app: "db" }, ports: [http] }), db, client, basic],
      [a, b, pod("a", "web", { ips: ["10.0.0.9"], labels: { app: "db" }, ports: [http] }), db, client, basic],
      [
        a,
        b,
        pod("a", "web", { ips: ["10.0.0.9"], labels: { app: "db" }, completed: true }),
        db,
        client,
        basic,
      ],
      [a, b, db, client, basic],
    ],
  },
  {
    name: "two pods share an address for a while",
    states: [
      [...cluster, basic],
      [...cluster, pod("b", "heir", { ips: ["10.0.1.1"], labels: { app: "client" } }), basic],
      [a, b, web, db, pod("b", "heir", { ips: ["10.0.1.1"], labels: { app: "client" } }), basic],
      [a, b, web, db, basic],
    ],
  },
  {
    name: "a pod is scheduled, gets its address, moves to the host network under the same name",
    states: [
      [a, b, pod("a", "web", { node: null }), client, basic],
      [a, b, pod("a", "web", {}), client, basic],
      [a, b, pod("a", "web", { ips: ["10.0.0.1"] }), client, basic],
      [a, b, pod("a", "web", { ips: ["10.0.0.1"], node: "node-2" }), client, basic],
      [a, b, pod("a", "web", { ips: ["192.168.0.1"], hostNetwork: true }), client, basic],
    ],
  },
  {
    name: "namespaces are relabelled, go and come back",
    states: [
      [...cluster, basic],
      [namespace("a", { tenant: "b" }), b, web, db, client, basic],
      [namespace("a"), namespace("b", { tenant: "a" }), web, db, client, basic],
      [b, web, db, client, basic],
      [...cluster, basic],
    ],
  },
  {
    name: "nodes and networks as egress peers",
    states: [["172.18.0.2"], ["172.18.0.2", "10.9.9.9"], []].map((ips) => [
      ...cluster,
      node("node-1", { role: "control" }, ips),
      node("node-2", {}, ["172.18.0.3"]),
      anp("egress", {
        egress: [
          {
            action: "Allow",
            to: [
              { nodes: { matchExpressions: [{ key: "role", operator: "Exists" }] } },
              { networks: ["10.0.54.0/19", "172.18.0.2/32"] },
              namespacesWith({ tenant: "a" }),
            ],
          },
        ],
      }),
    ]),
  },
  {
    name: "an edit that cannot be understood in between changes nothing",
    states: [
      [...cluster, basic],
      [...cluster, anp("basic", { subject: { namespaces: {}, pods: {} }, ingress: [denyAll] })],
      [
        ...cluster,
        anp("basic", { subject: subjectA, egress: [{ action: "Deny", to: [{ networks: ["10.0.0.0"] }] }] }),
      ],
      [...cluster, anp("basic", { subject: subjectA, ingress: [denyAll] })],
    ],
  },
  {
    name: "logging is switched on, changed, broken and off",
    states: [
      null,
      '{"allow":"alert","deny":"info"}',
      '{"allow":"loud","deny":"warning"}',
      "not json",
      "{}",
    ].map((logging) => [
      ...cluster,
      anp("logged", { ingress: [allowFromB, denyAll], egress: [passToDb] }, logging),
    ]),
  },
  {
    name: "two policies share groups; one of them goes",
    states: [
      [
        ...cluster,
        basic,
        anp("other", { priority: 10, ingress: [allowFromB, denyAll] }),
        banp({ ingress: [denyAll] }),
      ],
      [...cluster, anp("other", { priority: 10, ingress: [allowFromB, denyAll] })],
      [...cluster, banp({ egress: [{ action: "Deny", to: [{ namespaces: {} }] }] })],
    ],
  },
  {
    name: "peers of a kind nobody knows fail closed",
    states: [
      [...cluster, anp("future", { ingress: [{ action: "Allow", from: [{ galaxies: {} }] }] })],
      [
        ...cluster,
        anp("future", { ingress: [{ action: "Pass", from: [{ galaxies: {} }, { namespaces: {} }] }] }),
      ],
      [...cluster, anp("future", { egress: [{ action: "Deny", to: [{ domainNames: ["*.example.org"] }] }] })],
    ],
  },
  {
    name: "dual stack",
    families: ["v4", "v6"],
    states: [
      [
        a,
        b,
        pod("a", "web", { ips: ["10.0.0.1", "fd00::1"], ports: [http] }),
        pod("b", "client", { ips: ["10.0.1.1", "fd00:1::1"], node: "node-2", ports: [http] }),
        anp("dual", {
          ingress: [{ ...allowFromB, ports: [{ namedPort: "http" }] }, denyAll],
          egress: [{ action: "Deny", to: [{ networks: ["::/0", "0.0.0.0/0", "2001:0db8::/32"] }] }],
        }),
      ],
      [
        a,
        b,
        pod("a", "web", { ips: ["fd00::1"], ports: [http] }),
        pod("b", "client", { ips: ["10.0.1.1", "fd00:1::2"], node: "node-2" }),
        anp("dual", { ingress: [{ ...allowFromB, ports: [{ namedPort: "http" }] }, denyAll] }),
      ],
    ],
  },
  {
    name: "IPv6 alone",
    families: ["v6"],
    states: [
      [...cluster, pod("b", "six", { ips: ["fd00::6", "10.0.0.6"] }), basic],
      [...cluster, pod("b", "six", { ips: ["fd00::7"] }), basic],
    ],
  },
  {
    name: "numbers behind a port's name come, change, are shared and go",
    families: ["v4", "v6"],
    states: (
      [
        [],
        [["10.0.0.1", "fd00::1"], [http]],
        [
          ["10.0.0.1", "fd00::1"],
          [http, { ...http, port: 9090 }],
        ],
        [["10.0.0.1"], [{ ...http, port: 9090 }, dns]],
        [["10.0.1.1"], [{ ...http, port: 9090 }]],
        [["10.0.1.1"], [{ ...http, protocol: "sctp" }]],
        [[], [http]],
      ] as const
    ).map(([ips = [], ports = []]) => [
      a,
      b,
      client,
      pod("a", "web", { ips, ports, labels: { app: "web" } }),
      anp("numbers", {
        subject: subjectA,
        ingress: [{ ...denyAll, ports: [{ namedPort: "http" }, { namedPort: "dns" }] }],
        egress: [{ action: "Deny", to: [{ namespaces: {} }], ports: [{ namedPort: "http" }] }],
      }),
    ]),
  },
  {
    name: "a rule's named ports give way to numbers, to other names, and the rule to another",
    states: [
      { ...allowFromB, ports: [{ namedPort: "http" }] },
      { ...allowFromB, ports: [{ portNumber: { protocol: "TCP", port: 80 } }] },
      { ...allowFromB, ports: [{ namedPort: "dns" }, { namedPort: "http" }] },
      { ...allowFromB, ports: [{ namedPort: "dns" }] },
      allowFromB,
      { ...denyAll, ports: [{ namedPort: "http" }] },
    ].map((rule) => [...cluster, anp("renamed", { subject: subjectA, ingress: [denyAll, rule] })]),
  },
  {
    name: "policies with ranked places come between others, grow, change numbers and tiers, and go",
    states: [
      [...cluster, basic, ranked("a", 5, 2), ranked("z", 5, 2)],
      [...cluster, basic, ranked("a", 5, 2), ranked("m", 5, 25), ranked("z", 5, 2)],
      [...cluster, basic, ranked("a", 5, 25), ranked("k", 5, 25), ranked("m", 5, 25), ranked("z", 5, 25)],
      [...cluster, basic, ranked("a", 7, 25), ranked("k", 5, 1), ranked("m", 5, 25), ranked("z", 4, 25)],
      [...cluster, ranked("k", 5, 3), ranked("m", 5, 3, "Baseline"), ranked("z", 4, 3, "Baseline")],
      [...cluster, basic, ranked("m", 5, 3)],
    ],
  },
  {
    name: "one zone's own database",
    zone: "node-1",
    states: [
      [...cluster, anp("zoned", { ingress: [{ ...denyAll, ports: [{ namedPort: "http" }] }, allowFromB] })],
      [
        a,
        b,
        db,
        pod("a", "web", { ips: ["10.0.0.1"], labels: { app: "web" }, ports: [http], node: "node-2" }),
        pod("b", "client", { ips: ["10.0.1.1"], labels: { app: "client" }, ports: [http], node: "node-1" }),
        anp("zoned", { ingress: [{ ...denyAll, ports: [{ namedPort: "http" }] }, allowFromB] }),
      ],
    ],
  },
];
