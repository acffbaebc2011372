// `northgate cleanup` on a real database: shows, does it only with --yes, takes our rows and nobody else's.

import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Ovn } from "../../src/sandbox/ovn.ts";
import { startOvn } from "../../src/sandbox/ovn.ts";
import { actualTables } from "../support/actual-tables.ts";
import { MemorySource, openNorthbound, startController } from "../support/controller.ts";
import { namespace, pod } from "../support/facts.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { anp, banp } from "../support/policies.ts";
import { northgate } from "../support/program.ts";

await describeWithOvn("northgate cleanup", () => {
  let ovn: Ovn;

  beforeAll(async () => {
    ovn = await startOvn({ northd: false });
    await ovn.nbctl("create", "Address_Set", "name=foreign", "addresses=1.2.3.4");
    const session = openNorthbound(ovn.nb);
    await session.opened();
    const denyAll = [{ action: "Deny", from: [{ namespaces: {} }] }];
    const objects = [namespace("a"), pod("a", "one", { ips: ["10.0.0.1"] })];
    const source = new MemorySource([
      ...objects,
      anp("first", { ingress: denyAll }),
      banp({ ingress: denyAll }),
    ]);
    const controller = startController(session, source, { families: ["v4"], zone: null });
    await controller.loop.idle();
    await controller.stop();
    await session.close();
  });
  afterAll(async () => {
    await ovn.stop();
  });

  const ours = async (): Promise<number> => {
    const session = openNorthbound(ovn.nb);
    await session.opened();
    const { Port_Group, Address_Set, ACL } = actualTables(session.cache);
    await session.close();
    return Port_Group.length + Address_Set.length + ACL.length;
  };
  const cleanup = (...flags: readonly string[]) =>
    northgate("cleanup", `--nb=${ovn.nb}`, "--no-conditions", ...flags);

  test("without --yes it shows and removes nothing", async () => {
    const { code, stdout } = cleanup();
    expect(code).toBe(0);
    expect(stdout).toContain("AdminNetworkPolicy/first: 1 port group, 1 ACLs, 1 address sets");
    expect(stdout).toContain("nothing was removed");
    expect(await ours()).toBe(6);
    expect(JSON.parse(cleanup("-o", "json").stdout)).toHaveLength(2);
  });

  test("with --yes it removes every row of ours and no other", async () => {
    expect(cleanup("--yes").code).toBe(0);
    expect(await ours()).toBe(0);
    expect(await ovn.nbctl("--bare", "--columns=addresses", "find", "Address_Set", "name=foreign")).toContain(
      "1.2.3.4",
    );
    expect(await ovn.nbctl("--bare", "--columns=_uuid", "list", "ACL")).toBe("");
    expect(cleanup("--yes").stdout).toContain("no rows of Northgate's");
  });

  test("a missing remote is wrong usage, a database that is not there a failure", () => {
    expect(northgate("cleanup").code).toBe(2);
    expect(cleanup("-o", "xml").code).toBe(2);
  });
});
