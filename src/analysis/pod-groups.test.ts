// Which workload a pod is of: by what controls it, and by its labels where that was not read.

import { expect, test } from "@jest/globals";
import { pod } from "../../test/support/facts.ts";
import { PodGroups, podGroupOf } from "./pod-groups.ts";

const hash = { "pod-template-hash": "6b86c7bd7d" };

test.each([
  ["a Deployment's", "ReplicaSet", "web-6b86c7bd7d", { app: "web", ...hash }, ["shop/web", "Deployment"]],
  [
    "a ReplicaSet's own",
    "ReplicaSet",
    "web-6b86c7bd7d",
    { app: "web" },
    ["shop/web-6b86c7bd7d", "ReplicaSet"],
  ],
  ["a StatefulSet's", "StatefulSet", "db", { app: "db" }, ["shop/db", "StatefulSet"]],
  ["a node's", "Node", "worker-1", { tier: "x", app: "web" }, ["shop/[app=web,tier=x]", null]],
])("%s pod", (_, kind, name, labels, expected) => {
  const group = podGroupOf({ ...pod("shop", "p", { labels }), owner: { group: "apps", kind, name } });
  expect([group.title, group.kind]).toEqual(expected);
});

test("without an owner by the labels that people give, and without labels with the others of its namespace", () => {
  const groups = new PodGroups(
    new Map([
      ["shop/a", pod("shop", "a", { labels: { app: "web", ...hash }, ips: ["10.0.0.1"] })],
      [
        "shop/b",
        pod("shop", "b", { labels: { "controller-revision-hash": "x", app: "web" }, ips: ["10.0.0.2"] }),
      ],
      ["shop/c", pod("shop", "c")],
    ]),
  );
  const web = groups.of("shop/a");
  expect(groups.of("shop/b")).toBe(web);
  expect([web.title, groups.sizeOf(web), groups.of("shop/c").title]).toEqual([
    "shop/[app=web]",
    2,
    "shop/(no labels)",
  ]);
  expect(() => groups.of("shop/d")).toThrow("pod shop/d is of no group");
});
