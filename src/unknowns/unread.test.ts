// What is said where the asker may not list a kind: a policy that names such an object is not judged as if there were none.

import { expect, test } from "@jest/globals";
import { acnp, clusterGroup } from "../../test/support/antrea.ts";
import { namespace, pod } from "../../test/support/facts.ts";
import { traffic } from "../../test/dialect/index.ts";
import { resolvesNothing } from "../../test/support/policies.ts";
import { kindsToRead } from "../policy/contracts/dialect.ts";
import { everyDialect } from "../dialects.ts";
import { AskedWorld } from "../explain/asked.ts";
import { explain } from "../explain/explain.ts";
import type { ObjectKind, WorldObject } from "../model/object.ts";
import { offlineModel } from "../nbdb/tools/rendered.ts";
import { withUnread, unreadText } from "./unread.ts";

const kindNamed = (name: string): ObjectKind =>
  [...everyDialect.references, ...everyDialect.policies].find(
    ({ kind, group }) => `${kind}.${group}` === name,
  )!;
const groups = kindNamed("ClusterGroup.crd.antrea.io");
const policies = kindNamed("ClusterNetworkPolicy.crd.antrea.io");

const facts = [
  namespace("a"),
  pod("a", "web", { ips: ["10.0.0.1"], labels: { app: "web" } }),
  pod("a", "db", { ips: ["10.0.0.2"], labels: { app: "db" } }),
];
const web = { podSelector: { matchLabels: { app: "web" } } };
const policy = (appliedTo: object, from: object) =>
  acnp("p", { priority: 1, appliedTo: [appliedTo], ingress: [{ action: "Drop", from: [from] }] });

/** What is said of a connection to web and of one to db. */
function told(unread: readonly ObjectKind[], ...objects: readonly WorldObject[]) {
  const dialects = withUnread(everyDialect.dialects, unread);
  const all = [...facts, ...objects];
  const mode = { zone: null, namedPorts: "list" } as const;
  const model = offlineModel({ objects: all, dialects, families: null, mode });
  const asked = new AskedWorld(model, { dialects, placeOf: () => null, objects: all, unread });
  const [toWeb, toDb] = ["10.0.0.1", "10.0.0.2"].map((to) => {
    const question = { from: "192.0.2.1", to, protocol: "tcp", port: 1 } as const;
    const { verdict, caveats } = explain(asked, question, { directions: ["ingress"], isDetailed: false });
    return [verdict, ...caveats.map(({ code }) => code)];
  });
  const problems = [...model.records()].flatMap((record) => record.problems);
  return { toWeb, toDb, problems: problems.map(({ severity, message }) => `${severity}: ${message}`) };
}

test("a policy that names a group which could not be listed leaves open what it is about, and nothing else", () => {
  const named = policy(web, { group: "g" });
  expect(told([], named).toWeb).toEqual(["allow"]);
  expect(told([groups], named)).toEqual({
    toWeb: ["unknown", "NotRead"],
    toDb: ["allow"],
    problems: ["warning: it could not be listed: what the policy does is not known, and it is left out"],
  });
  // It is about whomever the group selects.
  expect(told([groups], policy({ group: "g" }, web)).toDb).toEqual(["unknown", "NotRead"]);
  // A manifest has it.
  const group = clusterGroup("g", { ipBlocks: [{ cidr: "192.0.2.0/24" }] });
  expect(told([groups], named, group).toWeb).toEqual(["deny"]);
  expect(told([groups], policy(web, { ipBlock: { cidr: "192.0.2.0/24" } })).toWeb).toEqual(["deny"]);
});

test("a tier that needs no object is known; one that does is not", () => {
  const tiers = kindNamed("Tier.crd.antrea.io");
  const spec = { priority: 1, appliedTo: [web], ingress: [{ action: "Drop" }] };
  expect(told([tiers], acnp("p", spec)).toWeb).toEqual(["deny"]);
  expect(told([tiers], acnp("p", { ...spec, tier: "lab" })).toWeb).toEqual(["unknown", "NotRead"]);
});

test("a kind of policy that could not be listed is noted beside each verdict, which stays", () => {
  expect(told([policies]).toWeb).toEqual(["allow", "KindNotListed"]);
  expect(unreadText(policies, everyDialect.dialects)).toMatch(/as if there were none$/);
  expect(unreadText(groups, everyDialect.dialects)).toMatch(/are left out, as if they could not be read$/);
});

test("a policy that asks for objects by labels is open where their kind could not be listed, whatever is known of them", () => {
  const kinds = kindsToRead(
    traffic.dialects({ "enable-traffic-policy": "true", "traffic-log-denied": "off" }),
  );
  const [set] = kinds.references;
  const [dialect] = withUnread(
    traffic.dialects({ "enable-traffic-policy": "true", "traffic-log-denied": "off" }),
    [set!],
  );
  const spec = { tier: "admin", priority: 1, appliedTo: [{ sets: { matchLabels: { a: "b" } } }] };
  const object = { kind: "TrafficPolicy", apiVersion: "traffic.test/v1", namespace: null, name: "p", spec };
  const { policy: read, problems } = dialect!.compile(
    { ...object, uid: null, generation: null, annotations: new Map() },
    resolvesNothing,
  );
  expect([read, problems.map(({ severity, field }) => [severity, field])]).toEqual([
    null,
    [["warning", "spec"]],
  ]);
});
