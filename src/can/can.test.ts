// Who can reach whom, in a small cluster: which ends are asked about, who is in which group, and why a verdict is unknown.

import { describe, expect, test } from "@jest/globals";
import { worldOf } from "../../test/support/asked-world.ts";
import { acnp, service } from "../../test/support/antrea.ts";
import { namespace, node, pod, workload } from "../../test/support/facts.ts";
import { anp, namespacesWith } from "../../test/support/policies.ts";
import { Crossings } from "../crossings/crossings.ts";
import { allTraffic } from "../crossings/ports-asked.ts";
import { requirements } from "../model/selector.ts";
import type { AskedOptions } from "../explain/asked.ts";
import type { PolicyObject, WorldObject } from "../model/object.ts";
import { can } from "./can.ts";
import type { CanGroup, CanQuestion, Members } from "./report.ts";

const everything: CanQuestion = { from: null, to: null, protocol: null, port: null };
const fromRed = [{ namespaces: { matchLabels: { tenant: "red" } } }];

function asked(
  question: Partial<CanQuestion>,
  objects: readonly WorldObject[] = [],
  options: Partial<AskedOptions> = {},
) {
  return can(worldOf(objects, options), { ...everything, ...question });
}

function text({ workloads, addressesTitle }: Members): string {
  const parts = workloads.map(({ title, pods, of }) => `${title} ${pods}/${of}`);
  return [...parts, ...(addressesTitle === "" ? [] : [addressesTitle])].join(", ");
}

function lines(groups: readonly CanGroup[], role: "from" | "to"): readonly string[] {
  return groups.map((group) =>
    [group.verdict, group.families.join("+"), text(group[role]), group.egress?.by, group.ingress?.by].join(
      "; ",
    ),
  );
}

const denyRed = anp("p", {
  subject: namespacesWith({ tenant: "blue" }),
  ingress: [{ action: "Deny", from: fromRed, ports: [{ portNumber: { protocol: "TCP", port: 5432 } }] }],
});

describe("who can reach a pod", () => {
  test("is listed by workload, with who decides; both families at once", () => {
    const { groups } = asked({ to: "blue/db-0", protocol: "tcp", port: 5432 }, [denyRed]);
    expect(lines(groups, "from")).toEqual([
      "allow; IPv6; blue/[app=six] 1/1; default; default",
      "allow; IPv4+IPv6; every address that no pod has; exempt; default",
      "deny; IPv4+IPv6; red/[app=web] 1/1; ; rule",
    ]);
  });

  test("without a port has ranges of ports", () => {
    const { groups } = asked({ to: "blue/db-0", from: "red/web" }, [denyRed]);
    expect(groups.map(({ verdict, traffic }) => [verdict, traffic[0]])).toEqual([
      [
        "allow",
        {
          protocol: "tcp",
          ports: [
            [1, 5431],
            [5433, 65_535],
          ],
        },
      ],
      ["deny", { protocol: "tcp", ports: [[5432, 5432]] }],
    ]);
  });

  test("names the pods where they are not all of the workload's", () => {
    const twins = ["a", "b"].map((name, at) =>
      pod("red", name, { node: "n1", labels: { app: "twin" }, ips: [`10.0.1.${at}`] }),
    );
    const [first] = twins;
    const network = [{ action: "Deny", to: [{ networks: ["10.0.1.0/32"] }] }];
    const { groups } = asked({ from: "red/web", protocol: "tcp", port: 80 }, [
      ...twins,
      anp("n", { egress: network }),
    ]);
    const denied = groups.find(({ verdict }) => verdict === "deny");
    expect(denied?.to.workloads).toEqual([
      { title: "red/[app=twin]", namespace: "red", kind: null, name: null, pods: 1, of: 2, names: ["red/a"] },
    ]);
    expect(first?.name).toBe("a");
  });

  test("on its node's network is who can reach the node", () => {
    const { to, groups } = asked({ to: "blue/agent", protocol: "tcp", port: 80 });
    expect(to).toEqual({
      text: "blue/agent",
      kind: "host",
      pod: "blue/agent",
      node: "n1",
      ips: ["172.18.0.2"],
    });
    expect(groups.map(({ to: end }) => end.addresses)).toEqual([["172.18.0.2/32"]]);
  });
});

describe("workloads without pods", () => {
  const options = {
    workloads: [
      workload("blue", "api", { labels: { app: "db" } }),
      workload("green", "job", { kind: "Job" }),
    ],
  };
  const network = anp("net", {
    subject: namespacesWith({ tenant: "red" }),
    egress: [{ action: "Deny", to: [{ networks: ["10.7.0.0/16"] }] }],
  });

  test("are listed apart from pods, by their kind", () => {
    const { groups } = asked({ to: "blue/db-0", protocol: "tcp", port: 5432 }, [denyRed], options);
    const allowed = groups.filter(({ verdict }) => verdict === "allow").flatMap(({ from }) => from.workloads);
    expect(allowed).toContainEqual({
      ...{ title: "blue/api", namespace: "blue", kind: "Deployment", name: "api", pods: 0, of: 0 },
    });
    expect(groups.reduce((sum, { from }) => sum + from.pods, 0)).toBe(2);
  });

  test("have addresses that nobody knows: a rule about some leaves them open, and says which", () => {
    const { groups } = asked({ from: "red/web", protocol: "tcp", port: 80 }, [network], options);
    const [open] = groups.filter(({ verdict }) => verdict === "unknown");
    expect(open && lines([open], "to")).toEqual([
      "unknown; IPv4; blue/api 0/0, green/job 0/0; default; default",
    ]);
    expect(open?.egress?.verdict).toBe("unknown");
    expect(open?.why).toEqual([
      {
        code: "NoAddress",
        text:
          "the pods of the workload are not among the objects, so their addresses and nodes are unknown: " +
          "the verdict depends on them (AdminNetworkPolicy net egress[0])",
      },
    ]);
  });

  test("never have the address of a Service, as explain says too", () => {
    const taken = service(
      "db",
      { clusterIP: "10.7.0.1", selector: { app: "db" }, ports: [{ port: 80 }] },
      "blue",
    );
    const one = anp("net", { egress: [{ action: "Deny", to: [{ networks: ["10.7.0.1/32"] }] }] });
    const { groups } = asked({ from: "red/web", protocol: "tcp", port: 80 }, [one], {
      ...options,
      services: [taken],
    });
    expect(groups.map(({ verdict }) => verdict)).not.toContain("unknown");
  });

  test("are ends that can be asked about, in examples too", () => {
    const { from, groups } = asked({ from: "deploy/api", protocol: "tcp", port: 80 }, [], {
      ...options,
      namespace: "blue",
    });
    expect(from).toMatchObject({ kind: "workload", pod: null, ips: [] });
    expect(groups[0]?.example).toMatchObject({ from: "blue/deploy/api" });
  });
});

describe("a set of ends", () => {
  const own = (name: string, role: string, at: number) =>
    pod("many", name, { node: "n1", labels: { app: "many", role }, ips: [`10.0.3.${at}`] });
  const pods = [namespace("many", { tenant: "many" }), own("a", "main", 1), own("b", "other", 2)];
  const onlyMain = anp("only", {
    subject: { pods: { namespaceSelector: {}, podSelector: { matchLabels: { role: "main" } } } },
    ingress: [{ action: "Deny", from: [{ namespaces: { matchLabels: { tenant: "many" } } }] }],
  });
  const words = (report: ReturnType<typeof asked>) =>
    (report.reach ?? []).map(({ reach, ends, allowed }) =>
      [reach, text(ends), ...(allowed === undefined ? [] : [text(allowed)])].join("; "),
    );

  test("has one answer: who reaches all of it, some and none", () => {
    const report = asked({ to: "many/*", protocol: "tcp", port: 80 }, [...pods, onlyMain]);
    expect(report.to).toMatchObject({ kind: "pods", members: { pods: 2, addresses: [] } });
    // A pod is not meant to reach itself: a reaches all of the others, b none.
    expect(words(report)).toEqual([
      "all; blue/[app=db] 1/1, many/[app=many,role=main] 1/1, red/[app=web] 1/1, every IPv4 address that no pod has",
      "none; many/[app=many,role=other] 1/1",
    ]);
  });

  test("some of it are named, and are never more than the set", () => {
    const report = asked({ to: "*/[role]", from: "red/web", protocol: "tcp", port: 80 }, [
      ...pods,
      anp("only", {
        subject: { pods: { namespaceSelector: {}, podSelector: { matchLabels: { role: "main" } } } },
        ingress: [{ action: "Deny", from: [{ namespaces: {} }] }],
      }),
    ]);
    expect(words(report)).toEqual(["some; red/[app=web] 1/1; many/[app=many,role=other] 1/1"]);
  });

  test("a node is all of its addresses, in both families", () => {
    const dual = { ...node("n2", {}, ["172.18.0.9", "fd00:18::9"]) };
    const { to, groups } = asked({ to: "node/n2", protocol: "tcp", port: 80 }, [dual]);
    expect(to).toMatchObject({ kind: "node", node: "n2", ips: ["172.18.0.9", "fd00:18::9"] });
    expect(new Set(groups.flatMap((group) => group.families))).toEqual(new Set(["IPv4", "IPv6"]));
  });
});

describe("a port by name", () => {
  test("is each destination's own, and one that nobody has is refused with the names", () => {
    const { groups } = asked({ from: "blue/db-0", protocol: "tcp", port: "http" });
    expect(lines(groups, "to")).toEqual(["allow; IPv4+IPv6; red/[app=web] 1/1; default; default"]);
    expect(groups[0]?.traffic).toEqual([{ protocol: "tcp", ports: [[8080, 8080]] }]);
    expect(() => asked({ from: "blue/db-0", protocol: "tcp", port: "grpc" })).toThrow(
      'no container port of tcp is named "grpc"; the names are http',
    );
  });

  test("of a Service is the Service's, and leads to each pod's own number", () => {
    const front = service(
      "front",
      { selector: { app: "web" }, ports: [{ name: "www", port: 80, targetPort: "http" }] },
      "red",
    );
    const options = { services: [front] };
    for (const [to, port] of [
      ["red/svc/front", "www"],
      ["red/svc/front", 80],
      ["red/svc/front:www", null],
    ] as const) {
      const report = asked({ to, port, protocol: "tcp" }, [], options);
      expect(report.to).toMatchObject({ kind: "service", service: "red/front", members: { pods: 1 } });
      expect(report.groups.map(({ traffic }) => traffic)).toContainEqual([
        { protocol: "tcp", ports: [[8080, 8080]] },
      ]);
    }
    expect(() => asked({ to: "red/svc/front", protocol: "tcp", port: 8080 }, [], options)).toThrow(
      'Service "red/front" has no port "tcp 8080"; it has tcp 80 (www)',
    );
  });
});

describe("networks", () => {
  const egress = [{ action: "Deny", to: [{ networks: ["198.51.100.0/24"] }] }];
  const policy = anp("n", { egress });

  test("are cut where policies divide them", () => {
    const { groups } = asked({ from: "red/web", to: "198.51.0.0/16", protocol: "tcp", port: 80 }, [policy]);
    expect(
      groups.map(({ verdict, to }) => [verdict, to.addresses.includes("198.51.100.0/24" as never)]),
    ).toEqual([
      ["allow", false],
      ["deny", true],
    ]);
  });

  test("hold their pods, and the internet holds none, no node and no private network", () => {
    const ofPods = asked({ from: "red/web", to: "10.0.0.0/24", protocol: "tcp", port: 80 });
    expect(lines(ofPods.groups, "to")[0]).toContain("blue/[app=db] 1/1");
    const { groups } = asked({ from: "red/web", to: "internet", protocol: "tcp", port: 80 });
    const networks = groups.flatMap(({ to }) => to.addresses);
    expect(groups.map(({ to }) => to.pods)).toEqual([0]);
    for (const network of networks) expect(network).not.toMatch(/^(10\.|192\.168\.|172\.18\.|fd)/);
    expect(networks).toContain("2002::/15");
  });
});

describe("titles of networks that were asked about", () => {
  const egress = [{ action: "Deny", to: [{ networks: ["8.8.8.0/24"] }] }];
  const titles = (to: string, policies: readonly PolicyObject[]) =>
    asked({ from: "red/web", to, protocol: "tcp", port: 80 }, policies).groups.map((group) => [
      group.verdict,
      group.to.addressesTitle,
    ]);

  test("are the words of the question, for all of them and for all but some", () => {
    expect(titles("internet", [])).toEqual([["allow", "internet"]]);
    expect(titles("internet", [anp("n", { egress })])).toEqual([
      ["allow", "internet but 8.8.8.0/24"],
      ["deny", "8.8.8.0/24"],
    ]);
    // All of one family and something else of the other: the name says which.
    const sixToo = [{ action: "Deny", to: [{ networks: ["8.8.8.0/24", "::/0"] }] }];
    expect(titles("internet", [anp("n", { egress: sixToo })])).toEqual([
      ["allow", "internet but 8.8.8.0/24"],
      ["deny", "8.8.8.0/24; internet (IPv6)"],
    ]);
    expect(titles("8.0.0.0/8", [anp("n", { egress })])).toEqual([
      ["allow", "8.0.0.0/8 but 8.8.8.0/24"],
      ["deny", "8.8.8.0/24"],
    ]);
  });
});

describe("a Service's address", () => {
  const db = service(
    "db",
    { clusterIP: "10.96.0.10", selector: { app: "db" }, ports: [{ port: 80, nodePort: 30_080 }] },
    "blue",
  );

  test("is no end: its pods are", () => {
    expect(() => asked({ to: "10.96.0.10" }, [], { services: [db] })).toThrow(
      '"10.96.0.10" is an address of Service blue/db: policies see the pod that it leads to; ask about one',
    );
  });

  test("is among no destinations, nor is its node port", () => {
    const { groups, caveats } = asked({ from: "red/web", protocol: "tcp" }, [], { services: [db] });
    const addresses = groups.flatMap(({ to, traffic }) => to.addresses.map((one) => [one, traffic] as const));
    expect(addresses.map(([network]) => network)).not.toContain("10.96.0.10/32");
    expect(addresses.find(([network]) => network === "172.18.0.2/32")?.[1]).toEqual([
      {
        protocol: "tcp",
        ports: [
          [1, 30_079],
          [30_081, 65_535],
        ],
      },
    ]);
    expect(caveats.map(({ code }) => code)).toEqual(["ServiceAddress"]);
  });
});

test("a rule of domain names leaves addresses open, and says so; what is decided before it is not", () => {
  const egress = (...rules: readonly object[]) => [
    acnp("c", { priority: 5, appliedTo: [{ podSelector: { matchLabels: { app: "web" } } }], egress: rules }),
  ];
  const named = { action: "Allow", to: [{ fqdn: "*.example.org" }] };
  const rest = { action: "Drop", to: [{ ipBlock: { cidr: "0.0.0.0/0" } }] };
  const question = { from: "red/web", to: "198.51.100.1", protocol: "tcp", port: 443 } as const;
  const { groups } = asked(question, egress(named, rest));
  expect(groups.map(({ verdict, why }) => [verdict, why.map(({ code }) => code)])).toEqual([
    ["unknown", ["DomainName"]],
  ]);
  expect(asked(question, egress(rest, named)).groups.map(({ verdict }) => verdict)).toEqual(["deny"]);
});

test("a policy of a kind that may only deny leaves open what others allow, and nothing that they deny", () => {
  const notRead = {
    policies: [
      {
        ...{
          group: "k8s.ovn.org",
          kind: "EgressFirewall",
          namespace: "red",
          name: "default",
          place: null,
          spec: {},
        },
        ...{ directions: ["egress" as const], effect: "deny" as const, reach: "red" },
        ...{ selectors: [requirements([])], isAboutNodes: false },
      },
    ],
    sentences: [],
  };
  const question = { from: "red/web", to: "blue/db-0", protocol: "tcp" } as const;
  const { groups } = asked(question, [denyRed], { notRead });
  expect(
    groups.map(({ verdict, traffic, why }) => [verdict, traffic[0]?.ports, why.map(({ code }) => code)]),
  ).toEqual([
    [
      "unknown",
      [
        [1, 5431],
        [5433, 65_535],
      ],
      ["KindNotRead"],
    ],
    ["deny", [[5432, 5432]], []],
  ]);
});

test("a cluster of 1,000 equal pods is as much work as one of three", () => {
  const work = (count: number) => {
    const pods = Array.from({ length: count }, (_, at) =>
      pod("many", `p${at}`, { node: "n1", labels: { app: "many" }, ips: [`10.1.${at >> 8}.${at & 255}`] }),
    );
    const crossings = new Crossings(worldOf([namespace("many"), ...pods, denyRed]), {
      networks: [],
      ports: allTraffic,
    });
    for (const family of crossings.families)
      for (const from of family.classes("from"))
        for (const to of family.classes("to")) family.between(from, to);
    return crossings.families.map((family) => family.work);
  };
  expect(work(1_000)).toEqual(work(3));
});
