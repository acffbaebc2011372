// That the proof would notice a controller which touches its neighbour's rows: each way of touching them is told.

import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { describeWithOvn } from "../support/ovn.ts";
import { Cluster } from "./cluster.ts";
import { counterexamples } from "./counterexamples.ts";
import { Neighbour } from "./neighbour.ts";

const world = Object.values(counterexamples).find(({ networkPolicies }) => networkPolicies !== undefined);
const { objects = [], networkPolicies = [] } = world ?? {};

await describeWithOvn("a neighbour's rows", () => {
  let cluster: Cluster;
  let neighbour: Neighbour;

  beforeAll(async () => {
    cluster = await Cluster.open();
    await cluster.connect(objects);
    neighbour = new Neighbour(cluster.ovn, null);
  });
  beforeEach(async () => {
    await neighbour.become(objects, networkPolicies);
  });
  afterAll(async () => {
    await cluster.close();
  });

  test("are what they were, though the controller wrote its own", async () => {
    await cluster.become(objects);
    expect(await neighbour.changes()).toEqual([]);
  });

  test.each([
    ["an ACL's action", ["set", "ACL", "action=drop"]],
    ["a group's ports", ["clear", "Port_Group", "ports"]],
    ["a set's addresses", ["clear", "Address_Set", "addresses"]],
    ["a group and its ACLs gone", ["destroy", "Port_Group"]],
  ])("%s is told", async (_, [verb = "", table = "", ...columns]) => {
    const owned = "external_ids:proof-neighbour=true";
    const found = await cluster.ovn.nbctl("--bare", "--columns=_uuid", "find", table, owned);
    const uuids = found.split("\n").filter((line) => line !== "");
    for (const uuid of uuids) await cluster.ovn.nbctl(verb, table, uuid, ...columns);
    expect(await neighbour.changes()).not.toEqual([]);
    // What is destroyed here cannot be destroyed again by its owner.
    if (verb === "destroy") neighbour = new Neighbour(cluster.ovn, null);
  });
});
