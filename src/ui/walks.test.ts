// How often an answer walks through every pod: never where it is about one thing, and once for all that need it, as long as nothing
// changes. On a large cluster such a walk is most of what an answer takes.

import { expect, test } from "@jest/globals";
import { namespace, node, pod } from "../../test/support/facts.ts";
import { anp, np, podsWith } from "../../test/support/policies.ts";
import { offlineModel } from "../../src/nbdb/tools/rendered.ts";
import { everyDialect } from "../dialects.ts";
import { AskedWorld } from "../explain/asked.ts";
import type { ReferencedObject } from "../model/object.ts";
import { shownWorld } from "../../test/support/shown-world.ts";
import { answer } from "./api.ts";

const owner = { group: "apps", kind: "StatefulSet", name: "web" };
const objects = [
  ...[node("n0"), namespace("shop"), namespace("other")],
  { ...pod("shop", "web-0", { labels: { app: "web" }, ips: ["10.0.0.1"] }), owner },
  pod("other", "db", { labels: { app: "db" }, ips: ["10.0.0.2"] }),
  anp("one", {
    subject: podsWith({}, { app: "web" }),
    ingress: [{ action: "Deny", from: [{ namespaces: {} }] }],
  }),
  np("two", { podSelector: {} }, "shop"),
];
const service: ReferencedObject = {
  ...{ kind: "Service", apiVersion: "v1", namespace: "shop", name: "web", uid: null, generation: null },
  ...{ annotations: new Map(), labels: new Map() },
  spec: { selector: { app: "web" }, clusterIP: "10.96.0.1", ports: [{ port: 80 }] },
};

const walking: ReadonlySet<PropertyKey> = new Set(["values", "entries", "keys", "forEach", Symbol.iterator]);

function watched() {
  let walks = 0;
  const { dialects } = everyDialect;
  const mode = { zone: null, namedPorts: "list" } as const;
  const model = offlineModel({ objects, dialects, families: null, mode });
  const pods = new Proxy(model.facts.pods, {
    get: (target, key) => {
      if (walking.has(key)) walks++;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  const { namespaces, nodes, hostNames } = model.facts;
  const facts = Object.assign(Object.create(model.facts), {
    pods,
    namespaces,
    nodes,
    hostNames,
  }) as typeof model.facts;
  const asked = new AskedWorld(
    { facts, records: () => model.records(), policies: () => model.policies() },
    { dialects, placeOf: () => null, objects, services: [service] },
  );
  const world = { ...shownWorld(objects), facts, asked };
  return (path: string): number => {
    const before = walks;
    const { pathname, searchParams } = new URL(path, "http://localhost");
    expect([path, answer(world, pathname, searchParams)?.status]).toEqual([path, 200]);
    return walks - before;
  };
}

test.each([
  ["/api/state", 0],
  ["/api/board", 0],
  ["/api/policies", 0],
  ["/api/policy?policy=AdminNetworkPolicy.policy.networking.k8s.io/one", 0],
  ["/api/pod?pod=shop/web-0", 0],
  ["/api/namespace?namespace=shop", 1],
  ["/api/end?end=shop/sts/web", 1],
  ["/api/end?end=shop/svc/web", 1],
  ["/api/search?q=app=web", 1],
  ["/api/explain?from=shop/web-0&to=other/db&protocol=tcp&port=80", 1],
])("%s: %d", (path, walks) => {
  expect(watched()(path)).toBe(walks);
});

test("what one answer has made, the next has", () => {
  const ask = watched();
  ask("/api/namespace?namespace=shop");
  ask("/api/search?q=web");
  ask("/api/explain?from=shop/web-0&to=other/db&protocol=tcp&port=80");
  expect(
    [
      ...["/api/namespace?namespace=other", "/api/end?end=shop/sts/web", "/api/end?end=shop/svc/web"],
      ...["/api/search?q=db", "/api/explain?from=other/db&to=shop/web-0&protocol=tcp&port=81"],
    ].map(ask),
  ).toEqual([0, 0, 0, 0, 0]);
});
