// The answer about one namespace: its policies are those that its pods are members of, its workloads and Services are named as
// ends, and what is not there is not answered about.

import fc from "fast-check";
import { expect, test } from "@jest/globals";
import { askPage } from "../../test/support/ask-page.ts";
import { namespace, pod, workload } from "../../test/support/facts.ts";
import { anp, np, podsWith } from "../../test/support/policies.ts";
import { shownWorld } from "../../test/support/shown-world.ts";
import { orderedPolicies, podsOf } from "../explain/overview.ts";
import type { PolicyObject, ReferencedObject } from "../model/object.ts";
import { policyKey } from "../policy/ir.ts";
import type { NamespaceShown } from "./shown/namespace.ts";
import type { ShownWorld } from "./world.ts";

const ask = (world: ShownWorld, name: string) =>
  askPage<NamespaceShown>(world, `/api/namespace?namespace=${encodeURIComponent(name)}`);
const spaces = ["red", "blue"];
const apps = ["web", "db", "api"];
const facts = [
  ...[namespace("red", { tenant: "red" }), namespace("blue", { tenant: "blue" })],
  ...spaces.flatMap((space, at) =>
    apps.flatMap((app, n) =>
      [0, 1].map((copy) =>
        pod(space, `${app}-${copy}`, { labels: { app }, ips: [`10.0.${at}.${n * 2 + copy + 1}`] }),
      ),
    ),
  ),
];

const labels = fc.constantFrom({}, { app: "web" }, { app: "db" }, { app: "none" });
const drawn = fc.array(
  fc.oneof(
    fc
      .record({ labels, tenant: fc.constantFrom("red", "blue", "none") })
      .map(({ labels: matchLabels, tenant }): object => ({ subject: podsWith({ tenant }, matchLabels) })),
    fc.record({
      space: fc.constantFrom(...spaces),
      podSelector: labels.map((matchLabels) => ({ matchLabels })),
    }),
  ),
  { minLength: 1, maxLength: 6 },
);

function policyOf(spec: object, at: number): PolicyObject {
  if ("space" in spec) {
    const { space, ...own } = spec as { space: string };
    return np(`n${at}`, own, space);
  }
  return anp(`a${at}`, { priority: at, ...spec });
}

test("its policies are those that select its pods, with how many of them, and its own", () => {
  fc.assert(
    fc.property(drawn, (specs) => {
      const world = shownWorld([...facts, ...specs.map(policyOf)]);
      for (const space of spaces) {
        const wanted = orderedPolicies(world.asked).flatMap(({ policy }) => {
          const own = [...podsOf(policy, world.membership)].filter((key) => key.startsWith(`${space}/`));
          const isListed = own.length > 0 || policy.ref.namespace === space;
          return isListed ? [[policyKey(policy.ref), own.length]] : [];
        });
        const { policies } = ask(world, space);
        expect(policies.shown.map(({ key, selected }) => [key, selected])).toEqual(wanted);
      }
    }),
    { numRuns: 40 },
  );
});

test("its workloads by what owns the pods or by their labels, those without pods, and its Services", () => {
  const owned = {
    ...pod("red", "x-1", { ips: ["10.0.9.1"] }),
    owner: { group: "apps", kind: "StatefulSet", name: "x" },
  };
  const host = pod("red", "agent", { hostNetwork: true, ips: ["172.18.0.2"], labels: { app: "agent" } });
  const service: ReferencedObject = {
    ...{ kind: "Service", apiVersion: "v1", namespace: "red", name: "web", uid: null, generation: null },
    ...{ annotations: new Map(), labels: new Map(), spec: { clusterIP: "10.96.0.1", ports: [{ port: 80 }] } },
  };
  const made = workload("red", "new", { labels: { app: "new" } });
  const world = shownWorld([...facts, owned, host], { workloads: [made], services: [service] });
  const told = ask(world, "red");
  expect(told).toMatchObject({ name: "red", pods: 8, isUnread: false, labels: { shown: ["tenant=red"] } });
  expect(told.groups.shown).toEqual([
    { title: "red/[app=agent]", end: "red/[app=agent]", pods: { total: 1, shown: ["red/agent"] }, exempt: 1 },
    {
      title: "red/[app=api]",
      end: "red/[app=api]",
      pods: { total: 2, shown: ["red/api-0", "red/api-1"] },
      exempt: 0,
    },
    {
      title: "red/[app=db]",
      end: "red/[app=db]",
      pods: { total: 2, shown: ["red/db-0", "red/db-1"] },
      exempt: 0,
    },
    {
      title: "red/[app=web]",
      end: "red/[app=web]",
      pods: { total: 2, shown: ["red/web-0", "red/web-1"] },
      exempt: 0,
    },
    { title: "red/x (StatefulSet)", end: "red/sts/x", pods: { total: 1, shown: ["red/x-1"] }, exempt: 0 },
  ]);
  expect(told.workloads.shown).toEqual([{ end: "red/deploy/new", title: "red/new (Deployment)" }]);
  expect(told.services.shown).toEqual([
    { name: "web", end: "red/svc/web", ips: ["10.96.0.1"], ports: ["tcp 80"] },
  ]);
});

test("a namespace that nothing proves is not there", () => {
  expect(ask(shownWorld(facts), "green")).toEqual({ error: "there is no such namespace" });
});
