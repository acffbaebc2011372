// A followed world: Services are known to the policies that name them. And what nobody has read of it: namespaces that pods prove
// come and go with them, and policies of kinds that are not read are doubts as soon as they are known.

import { expect, jest, test } from "@jest/globals";
import { acnp, clusterGroup } from "../../test/support/antrea.ts";
import { namespace, node, pod } from "../../test/support/facts.ts";
import { np } from "../../test/support/policies.ts";
import { everyDialect, installed } from "../dialects.ts";
import { notReadOf } from "../unknowns/foreign.ts";
import { explain } from "../explain/explain.ts";
import { keyOf, type ReferencedObject, type WorldObject } from "../model/object.ts";
import { offlineModel } from "../nbdb/tools/rendered.ts";
import { FollowedWorld } from "./followed.ts";
import { kindFlags } from "../../test/support/dialects.ts";

const { dialects } = everyDialect;
const mode = { zone: null, namedPorts: "list" } as const;
const [web, db] = [
  pod("shop", "web", { node: "n", ips: ["10.0.0.1"] }),
  pod("shop", "db", { node: "n", ips: ["10.0.0.2"] }),
];
const deny = np("deny", { podSelector: {}, policyTypes: ["Ingress"] }, "shop");

function followed(...objects: readonly WorldObject[]) {
  const world = new FollowedWorld({
    ...{ model: offlineModel({ objects: [], dialects, families: null, mode }), dialects, families: null },
    ...{ serviceNetworks: [], placeOf: () => null, isProving: true },
  });
  for (const object of objects) world.set(keyOf(object), object);
  const verdict = () =>
    explain(
      world.asked,
      { from: "shop/web", to: "shop/db", protocol: "tcp", port: 80 },
      { isDetailed: false },
    ).verdict;
  return { world, verdict };
}

test("a namespace is there while pods prove it, with the labels that its object has once that is there", () => {
  const { world, verdict } = followed(node("n"), web, db, deny);
  expect(verdict()).toBe("deny");
  expect(world.model.facts.namespaces.get("shop")?.isUnread).toBe(true);
  const read = namespace("shop", { tenant: "shop" });
  world.set(keyOf(read), read);
  expect([verdict(), world.model.facts.namespaces.get("shop")]).toEqual(["deny", read]);
  world.set(keyOf(read), null);
  expect([verdict(), world.model.facts.namespaces.get("shop")?.isUnread]).toEqual(["deny", true]);
  for (const object of [web, db, deny]) world.set(keyOf(object), null);
  expect(world.model.facts.namespaces.size).toBe(0);
});

test("a policy of another kind opens what it could be about, and makes another revision", () => {
  const { world, verdict } = followed(node("n"), web, db);
  expect(verdict()).toBe("allow");
  const before = world.revision;
  const value = {
    ...{ apiVersion: "cilium.io/v2", kind: "CiliumNetworkPolicy" },
    metadata: { name: "c", namespace: "shop" },
  };
  world.setNotRead(notReadOf([{ value, place: null }], [], everyDialect.policies));
  expect([verdict(), world.revision === before]).toEqual(["unknown", false]);
});

const service: ReferencedObject = {
  ...{ kind: "Service", apiVersion: "v1", namespace: "shop", name: "db", uid: null, generation: null },
  ...{ annotations: new Map(), labels: new Map() },
  spec: { clusterIP: "10.96.0.10", selector: { app: "db" }, ports: [{ port: 80 }] },
};

test("a policy that names a Service is about the pods behind it, as long as it is there", () => {
  const labelled = pod("shop", "db", { node: "n", ips: ["10.0.0.2"], labels: { app: "db" } });
  const group = clusterGroup("g", { serviceReference: { name: "db", namespace: "shop" } });
  const drop = acnp("p", { priority: 1, appliedTo: [{ group: "g" }], ingress: [{ action: "Drop" }] });
  const { world, verdict } = followed(node("n"), web, labelled, group, drop);
  expect(verdict()).toBe("allow");
  world.set(keyOf(service), service);
  expect([verdict(), world.objects.includes(service)]).toEqual(["deny", true]);
  world.set(keyOf(service), null);
  expect(verdict()).toBe("allow");
});

test("where no policy may refer to a Service, it is known beside the model alone", () => {
  const { dialects: plain } = installed(kindFlags({ networkPolicy: true }));
  const world = new FollowedWorld({
    ...{ model: offlineModel({ objects: [], dialects: plain, families: null, mode }), dialects: plain },
    ...{ families: null, serviceNetworks: [], placeOf: () => null, isProving: true },
  });
  world.set(keyOf(service), service);
  expect([world.objects.length, world.asked.services.length]).toEqual([0, 1]);
});

test("the world that is asked is made once for a revision, and reading it again gathers nothing", () => {
  const { world } = followed(node("n"), web, db, deny);
  const gathered = jest.spyOn(world, "objects", "get");
  const { asked } = world;
  expect(gathered).toHaveBeenCalledTimes(1);
  expect(world.asked).toBe(asked);
  expect(gathered).toHaveBeenCalledTimes(1);
  world.set(keyOf(db), null);
  expect(world.asked).not.toBe(asked);
  expect(gathered).toHaveBeenCalledTimes(2);
});
