// The search: everything is found by its name, its address and its labels, what is named exactly is first, and hostile texts
// find nothing and throw nothing.

import fc from "fast-check";
import { expect, test } from "@jest/globals";
import { askPage } from "../../../test/support/ask-page.ts";
import { namespace, node, pod, workload } from "../../../test/support/facts.ts";
import { np } from "../../../test/support/policies.ts";
import { shownWorld } from "../../../test/support/shown-world.ts";
import type { ReferencedObject } from "../../model/object.ts";
import type { SearchShown } from "../shown/found.ts";

const service: ReferencedObject = {
  ...{ kind: "Service", apiVersion: "v1", namespace: "shop", name: "web", uid: null, generation: null },
  ...{ annotations: new Map(), labels: new Map(), spec: { clusterIP: "10.96.0.1", ports: [{ port: 80 }] } },
};
const facts = [
  ...[
    namespace("shop", { team: "blue" }),
    namespace("webshop", {}),
    node("n1", { role: "edge" }, ["172.18.0.2"]),
  ],
  {
    ...pod("shop", "web-7d9-x", { labels: { app: "web", "pod-template-hash": "7d9" }, ips: ["10.0.0.1"] }),
    owner: { group: "apps", kind: "ReplicaSet", name: "web-7d9" },
  },
  pod("shop", "db", { labels: { app: "db", tier: "web" }, ips: ["10.0.0.12"] }),
  pod("shop", "web", { labels: {}, ips: ["10.0.0.3"] }),
];
const antrea = {
  ...np("web", {}, "shop"),
  apiVersion: "crd.antrea.io/v1beta1",
  spec: { priority: 5, appliedTo: [] },
};
const world = shownWorld([...facts, np("web", { podSelector: {} }, "shop"), antrea], {
  ...{ services: [service], workloads: [workload("shop", "webhook", { labels: { app: "hook" } })] },
});
const find = (q: string) => askPage<SearchShown>(world, `/api/search?q=${encodeURIComponent(q)}`);
const titles = (q: string) => find(q).shown.map(({ sort, title }) => `${sort} ${title}`);

test("exact names are first, then beginnings, then parts; policies of one name have their kinds", () => {
  expect(titles("web")).toEqual([
    ...[
      "policy shop/web",
      "policy shop/web",
      "workload shop/web (Deployment)",
      "service shop/web",
      "pod shop/web",
    ],
    ...["namespace webshop", "workload shop/webhook (Deployment)", "pod shop/web-7d9-x"],
    "pod shop/db",
  ]);
  expect(find("web").shown.flatMap(({ policy }) => (policy === undefined ? [] : [policy.group]))).toEqual(
    expect.arrayContaining(["crd.antrea.io", "networking.k8s.io"]),
  );
});

test.each([
  ["app=web", ["workload shop/web (Deployment)", "pod shop/web-7d9-x"]],
  ["tier=we", ["pod shop/db"]],
  ["team=blue", ["namespace shop"]],
  ["10.0.0.1", ["pod shop/web-7d9-x", "pod shop/db"]],
  ["10.96.0.1", ["service shop/web"]],
  ["172.18.0.2", ["node n1"]],
  ["shop/db", ["pod shop/db"]],
  ["pod shop db", ["pod shop/db"]],
  ["networkpolicy web", ["policy shop/web", "policy shop/web"]],
  ["crd.antrea.io", ["policy shop/web"]],
  ["deployment", ["workload shop/web (Deployment)", "workload shop/webhook (Deployment)"]],
  ["APP=WEB", ["workload shop/web (Deployment)", "pod shop/web-7d9-x"]],
  ["", []],
  ["nowhere", []],
])("%j", (q, wanted) => {
  expect(titles(q)).toEqual(wanted);
});

test("whatever is asked is answered, with at most so many and how many there are", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.constantFrom("=", "/", "a=", "=a", "__proto__", "\u202e")), (q) => {
      const told = find(q);
      if ("error" in told) expect(q.split(/\s+/).length).toBeGreaterThan(16);
      else expect(told.total).toBeGreaterThanOrEqual(told.shown.length);
    }),
  );
  expect(askPage<SearchShown>(world, "/api/search?q=web&limit=2")).toMatchObject({
    total: 9,
    shown: [{}, {}],
  });
  expect(find("x ".repeat(5000))).toEqual({ error: expect.stringContaining("at most") });
});
