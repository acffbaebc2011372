// The pages of workloads and Services: their policies are those that their pods are members of, who may reach them is what
// `northgate can` answers of the same end, and the graph is the matrix of the namespace.

import fc from "fast-check";
import { describe, expect, test } from "@jest/globals";
import { askPage } from "../../test/support/ask-page.ts";
import { service } from "../../test/support/antrea.ts";
import { namespace, pod, workload } from "../../test/support/facts.ts";
import { anp, namespacesWith } from "../../test/support/policies.ts";
import { shownWorld } from "../../test/support/shown-world.ts";
import { can } from "../can/can.ts";
import type { CanGroup } from "../can/report.ts";
import { orderedPolicies, podsOf } from "../explain/overview.ts";
import { matrix } from "../matrix/matrix.ts";
import { cellText } from "../matrix/words.ts";
import { policyKey } from "../policy/ir.ts";
import { trafficText } from "../verdicts/traffic-words.ts";
import type { EndReachShown, EndShown, GraphShown, ReachRow } from "./shown/end.ts";
import type { ShownWorld } from "./world.ts";

const everything = { from: null, to: null, protocol: null, port: null };
const owned = (name: string, at: number, labels: Readonly<Record<string, string>>) => ({
  ...pod("red", name, { labels, ips: [`10.0.0.${at}`] }),
  owner: { group: "apps", kind: "StatefulSet", name: "db" },
});
const facts = [
  ...[namespace("red", { tenant: "red" }), namespace("blue", { tenant: "blue" })],
  ...[owned("db-0", 1, { app: "db" }), owned("db-1", 2, { app: "db", role: "main" })],
  ...[
    pod("red", "web", { labels: { app: "web" }, ips: ["10.0.0.3"] }),
    pod("blue", "pc", { ips: ["10.0.1.1"] }),
  ],
];
const workloads = [workload("red", "new", { labels: { app: "new" } })];
const services = [
  service("db", { clusterIP: "10.96.0.1", selector: { app: "db" }, ports: [{ port: 5432 }] }, "red"),
  service("none", { clusterIP: "10.96.0.2", selector: { app: "absent" }, ports: [{ port: 80 }] }, "red"),
];
const drawn = fc.array(
  fc.record({
    tenant: fc.constantFrom("red", "blue"),
    app: fc.constantFrom("db", "web", null),
    from: fc.constantFrom("red", "blue"),
    action: fc.constantFrom("Allow", "Deny"),
    port: fc.constantFrom(80, 5432, null),
  }),
  { minLength: 1, maxLength: 5 },
);
type Drawn = typeof drawn extends fc.Arbitrary<infer All> ? All : never;

function worldOf(specs: Drawn): ShownWorld {
  const policies = specs.map(({ tenant, app, from, action, port }, at) =>
    anp(`p${at}`, {
      priority: at,
      subject:
        app === null
          ? namespacesWith({ tenant })
          : {
              pods: {
                namespaceSelector: { matchLabels: { tenant } },
                podSelector: { matchLabels: { app } },
              },
            },
      ingress: [
        {
          ...{ action, from: [{ namespaces: { matchLabels: { tenant: from } } }] },
          ...(port === null ? {} : { ports: [{ portNumber: { protocol: "TCP", port } }] }),
        },
      ],
    }),
  );
  const world = shownWorld([...facts, ...policies], { workloads, services });
  const made = <T>(value: T) => ({ value, revision: "1" });
  return {
    ...world,
    matrix: (name) => made(matrix(world.asked, { ...everything, namespace: name })),
    reach: (end) =>
      made({
        in: can(world.asked, { ...everything, to: end }),
        out: end.includes("/svc/") ? null : can(world.asked, { ...everything, from: end }),
      }),
  };
}

// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- whoever asks knows the shape
const ask = <T>(world: ShownWorld, path: string, end: string) =>
  askPage<T>(world, `/api/${path}?end=${encodeURIComponent(end)}`);
const ends = ["red/sts/db", "red/[app=web]", "red/deploy/new", "red/svc/db"];

test("its policies are those of its pods, with how many of them", () => {
  fc.assert(
    fc.property(drawn, (specs) => {
      const world = worldOf(specs);
      const told = ask<EndShown>(world, "end", "red/sts/db");
      const wanted = orderedPolicies(world.asked).flatMap(({ policy }) => {
        const own = [...podsOf(policy, world.membership)].filter((key) => key.startsWith("red/db-"));
        return own.length === 0 ? [] : [[policyKey(policy.ref), own.length]];
      });
      expect(told.policies.shown.map(({ key, selected }) => [key, selected])).toEqual(wanted);
    }),
    { numRuns: 40 },
  );
});

test("who may reach it, and what it may reach, is every group of can, with its verdict, traffic and rules", () => {
  const said = ({ verdict, traffic, egress, ingress, others }: ReachRow) => ({
    ...{ verdict, traffic, egress, ingress, addresses: others.addresses },
    others: others.workloads.shown.map(({ pods, of }) => [pods, of]),
  });
  const wanted = (groups: readonly CanGroup[], other: "from" | "to") =>
    groups.map(({ verdict, traffic, egress, ingress, [other]: { workloads: some, addressesTitle } }) => ({
      ...{ verdict, traffic: trafficText(traffic), egress, ingress, addresses: addressesTitle },
      others: some.map(({ pods, of }) => [pods, of]),
    }));
  const verdicts = new Set<string>();
  fc.assert(
    fc.property(drawn, (specs) => {
      const world = worldOf(specs);
      for (const end of ends) {
        const told = ask<EndReachShown>(world, "end/reach", end);
        const arriving = can(world.asked, { ...everything, to: end }).groups;
        expect(told.in.shown.map(said)).toEqual(wanted(arriving, "from"));
        for (const { verdict } of arriving) verdicts.add(verdict);
        if (end.includes("/svc/")) expect(told.out).toBeNull();
        else
          expect(told.out?.shown.map(said)).toEqual(
            wanted(can(world.asked, { ...everything, from: end }).groups, "to"),
          );
      }
    }),
    { numRuns: 20 },
  );
  expect(verdicts).toContain("deny");
});

test("the graph has the cells of the matrix of the namespace's workloads", () => {
  fc.assert(
    fc.property(drawn, (specs) => {
      const world = worldOf(specs);
      const told = askPage<GraphShown>(world, "/api/namespace/graph?namespace=red");
      const { cells, places } = matrix(world.asked, { ...everything, namespace: "red" });
      expect(told.total).toBe(places.length);
      const name = (at: number) => told.nodes[at]?.name;
      expect(told.edges.map(({ from, to, reach, text }) => [name(from), name(to), reach, text])).toEqual(
        cells.map(({ from, to, reach, traffic }) => [from, to, reach, cellText(traffic)]),
      );
      expect(told.nodes.map((node) => [node.name, node.end])).toEqual([
        ["red/[app=web]", "red/[app=web]"],
        ["red/db", "red/sts/db"],
        ["red/new (Deployment)", "red/deploy/new"],
        ["(other namespaces)", null],
        ["(outside)", null],
      ]);
    }),
    { numRuns: 10 },
  );
});

test("a graph has at most forty nodes: those with the most pods, and what is beside them", () => {
  const many = Array.from({ length: 50 }, (_, at) =>
    Array.from({ length: at % 10 === 0 ? 2 : 1 }, (_, copy) =>
      pod("red", `p${at}-${copy}`, { labels: { n: String(at) }, ips: [`10.1.${copy}.${at + 1}`] }),
    ),
  ).flat();
  const own = shownWorld([...facts, ...many]);
  const report = matrix(own.asked, { ...everything, namespace: "red" });
  const world = { ...own, matrix: () => ({ value: report, revision: "1" }) };
  const { nodes, total } = askPage<GraphShown>(world, "/api/namespace/graph?namespace=red");
  expect([nodes.length, total]).toEqual([40, 54]);
  expect(nodes.filter(({ isBeside }) => isBeside)).toHaveLength(2);
  expect(nodes.filter(({ pods, isBeside }) => pods > 1 && !isBeside)).toHaveLength(6);
});

describe("what is there", () => {
  const world = worldOf([{ tenant: "red", app: null, from: "blue", action: "Deny", port: null }]);

  test("a workload: its pods, its Services, and a pod whose rules are those of so many", () => {
    expect(ask<EndShown>(world, "end", "red/sts/db")).toMatchObject({
      ...{ title: "red/db (StatefulSet)", sort: "workload", namespace: "red", why: null, exempt: 0 },
      pods: { total: 2, shown: ["red/db-0", "red/db-1"] },
      services: { shown: [{ name: "db" }] },
      sample: { end: "red/db-0", alike: 1, of: 2 },
    });
    expect(ask<EndShown>(world, "end", "red/deploy/new")).toMatchObject({
      ...{ title: "red/new (Deployment)", pods: { total: 0 }, sample: { end: "red/deploy/new" } },
      workloads: { shown: [{ end: "red/deploy/new" }] },
    });
  });

  test("a Service: the workloads behind it, and one without pods says so", () => {
    expect(ask<EndShown>(world, "end", "red/svc/db")).toMatchObject({
      ...{ title: "red/db (Service)", sort: "service", why: null },
      groups: { shown: [{ title: "red/db (StatefulSet)", end: "red/sts/db" }] },
      services: { shown: [{ ips: ["10.96.0.1"], ports: ["tcp 5432"] }] },
    });
    expect(ask<EndShown>(world, "end", "red/svc/none")).toMatchObject({
      ...{ pods: { total: 0 }, sample: null, policies: { total: 0 } },
      why: expect.stringContaining("no pod behind Service"),
    });
  });

  test.each([
    ["10.0.0.1", /a workload, a Service, or labels/],
    ["*/[app=web]", /of one namespace/],
    ["red/svc/absent", /Service/],
    ["red/deploy/absent", /Deployment/],
    ["red/[app=absent]", /no running pod/],
    ["__proto__", /.+/],
    ["<img src=x>/svc/y", /no end/],
  ])("%s is refused in a sentence", (end, sentence) => {
    expect(ask(world, "end", end)).toEqual({ error: expect.stringMatching(sentence) });
    expect(ask(world, "end/reach", end)).toEqual({ error: expect.stringMatching(sentence) });
  });

  test("while an answer is computed it says so", () => {
    const own = shownWorld(facts);
    expect(ask(own, "end/reach", "red/sts/db")).toEqual({ isMaking: true });
    expect(askPage(own, "/api/namespace/graph?namespace=red")).toEqual({ isMaking: true });
    expect(askPage(world, "/api/namespace/graph?namespace=green")).toEqual({
      error: "there is no pod in the namespace",
    });
  });
});
