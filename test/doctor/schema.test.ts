// doctor on a database of an OVN that is too old: its ACLs have no tiers.

import { afterAll, afterEach, beforeEach, expect, test } from "@jest/globals";
import { describeWithOvn } from "../support/ovn.ts";
import { northboundSchema, Server, stopAll } from "../ovsdb/real-server.ts";
import { findingOf, Installation, inState } from "./installation.ts";

await describeWithOvn("a database without ACL.tier", () => {
  let cluster: Installation;
  beforeEach(async () => {
    cluster = new Installation();
    await cluster.start();
  });
  afterEach(() => cluster.stop());
  afterAll(stopAll);

  test("fails, and what it would show is skipped", async () => {
    const schema = northboundSchema();
    delete schema.tables["ACL"]?.columns["tier"];
    const server = new Server({ schema });
    const findings = await cluster.examine({ nb: server.remote });
    expect(inState(findings, "fail")).toEqual(["nb"]);
    const { text, remedy } = findingOf(findings, "nb");
    expect(text).toMatch(/ACL.*tier/);
    expect(remedy).toMatch(/upgrade OVN/);
    expect(inState(findings, "skipped")).toEqual(expect.arrayContaining(["writer", "ports", "chassis"]));
  });
});
