// A policy that refers to another object, from the manifest to the rows: a change of that object changes the rows of the
// policies that refer to it, and one that goes leaves in force what was there.

import { rowOwners } from "../../src/nbdb/rows/owners.ts";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { ReferencedObject } from "../../src/model/object.ts";
import { apiVersionOf, isReferenced, keyOf } from "../../src/model/object.ts";
import { readableKinds } from "../../src/informers/objects/kinds.ts";
import { readManifest } from "../../src/informers/directory/manifest.ts";
import { tiers } from "../../src/policy/ir.ts";
import { ownersOf } from "../../src/policy/contracts/dialect.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { actualTables } from "../support/actual-tables.ts";
import { MemorySource, freshTables, openNorthbound, startController } from "../support/controller.ts";
import { eventually } from "../support/eventually.ts";
import { namespace, pod } from "../support/facts.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { teamKind, toyDialect } from "../support/toy-dialect.ts";

const toy = toyDialect({ group: "toys.example.com", namespaced: false, tier: tiers.admin, ownerType: "Toy" });
const options = { families: ["v4" as const], zone: null, installed: [toy] };
const kinds = readableKinds([toy.kind], [teamKind, teamKind]);

/** As a manifest says it. */
function team(app: string): ReferencedObject {
  const metadata = { name: "guests", labels: { app } };
  const text = JSON.stringify({ apiVersion: apiVersionOf(teamKind), kind: "Team", metadata });
  const object = readManifest("team.yaml", text, kinds).definitions?.[0]?.object ?? null;
  if (object === null || !isReferenced(object)) throw new Error("the team is refused");
  return object;
}

const policy = toy.policy("p", { app: "web", team: "guests" });
const other = toy.policy("q", { app: "web", from: "a" });
const pods = ["web", "a", "b"].map((app, n) =>
  pod("shop", app, { labels: { app }, ips: [`10.0.0.${n + 1}`] }),
);
const facts = [namespace("shop"), ...pods];
const world = (app: string) => [...facts, policy, other, team(app)];

test("an object that comes after the policy that refers to it is found", () => {
  expect(freshTables(world("b"), options)).toEqual(
    freshTables([team("b"), ...facts, other, policy], options),
  );
});

await describeWithOvn("references on a real ovsdb-server", () => {
  let ovn: Ovn;

  beforeAll(async () => {
    ovn = await startOvn({ northd: false });
  });
  afterAll(async () => {
    await ovn.stop();
  });

  test("rows follow what the policy refers to", async () => {
    const session = openNorthbound(ovn.nb, {}, { installed: [toy] });
    await session.opened();
    const controller = startController(session, new MemorySource(world("a")), options);
    const wanted = { a: freshTables(world("a"), options), b: freshTables(world("b"), options) };
    const says = (app: "a" | "b") =>
      eventually(() => {
        const { Port_Group, ...rows } = wanted[app];
        const { Port_Group: groups, ...actual } = actualTables(session.cache, rowOwners(ownersOf([toy])));
        expect(actual).toEqual(rows);
        expect(groups.map(({ acls }) => acls)).toEqual(Port_Group.map(({ acls }) => acls));
      });
    await says("a");
    toy.compiled.length = 0;
    controller.source.set(team("b"));
    await says("b");
    expect(toy.compiled).toEqual([keyOf(policy)]);
    controller.source.delete(keyOf(team("b")));
    await eventually(() => {
      expect([...controller.refused.keys()]).toEqual([keyOf(policy)]);
    });
    await says("b");
    controller.source.set(team("a"));
    await says("a");
    await eventually(() => {
      expect([...controller.settled].sort()).toEqual([keyOf(policy), keyOf(other)]);
    });
    await controller.stop();
    await session.close();
  });
});
