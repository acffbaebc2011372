// `northgate cleanup` on a real database: shows, does it only with --yes, takes our rows and nobody else's.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { asWriter, successor } from "../../src/nbdb/tools/as-writer.ts";
import { northboundMonitors } from "../../src/nbdb/actual/actual.ts";
import { rowOwners } from "../../src/nbdb/rows/owners.ts";
import { northbound } from "../../src/nbdb/rows/schema.ts";
import { electionLock } from "../../src/nbdb/write/election.ts";
import { openSession } from "../../src/ovsdb/index.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import * as kube from "../kube/objects.ts";
import { actualTables } from "../support/actual-tables.ts";
import { MemorySource, openNorthbound, owners, startController } from "../support/controller.ts";
import { eventually } from "../support/eventually.ts";
import { namespace, pod } from "../support/facts.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { anp, banp } from "../support/policies.ts";
import type { Running } from "../support/program.ts";
import { northgate, startNorthgate } from "../support/program.ts";

const silent = () => undefined;

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
    expect(stdout).toContain("AdminNetworkPolicy/first: 1 port group, 1 ACL, 1 address set\n");
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
    expect(await ovn.nbctl("get", "NB_Global", ".", "external_ids")).toBe("{}\n");
  });

  describe("rows of NetworkPolicies, which may be OVN-Kubernetes' own", () => {
    const ids = (type: string, name: string) =>
      Object.entries({
        "owner-controller": "default-network-controller",
        "owner-type": type,
        name,
        id: `default-network-controller:${type}:${name}`,
      }).map(([key, value]) => `external_ids:"k8s.ovn.org/${key}"="${value}"`);
    const existing = () => ovn.nbctl("--bare", "--columns=name", "list", "Port_Group");

    test.each([
      { ofWhom: "OVN-Kubernetes, as far as can be seen", own: [], level: "info" },
      { ofWhom: "an earlier run", own: ["node"], level: "warn" },
    ])("of $ofWhom stay, and a run that does not follow the kind counts them", async ({ own, level }) => {
      if (own.length === 0) {
        await ovn.nbctl("create", "Port_Group", "name=np", ...ids("NetworkPolicy", "shop:web"));
        await ovn.nbctl("create", "Port_Group", "name=deny", ...ids("NetpolNamespace", "shop"));
      }
      for (const name of own)
        await ovn.nbctl("create", "Port_Group", `name=${name}`, ...ids("NorthgateNode", "n"));
      expect(cleanup("--yes").code).toBe(0);
      const folder = mkdtempSync(join(tmpdir(), "ng-off-"));
      const items = [kube.namespace("a"), kube.node("n", { ips: ["192.0.2.1"] })];
      writeFileSync(join(folder, "w.json"), JSON.stringify({ apiVersion: "v1", kind: "List", items }));
      const run = startNorthgate([
        ...[`--source=dir:${folder}`, `--nb=${ovn.nb}`, "--metrics-bind-address=127.0.0.1:0"],
      ]);
      try {
        const told = (text: string) => run.log().find(({ message }) => message === text);
        await eventually(() => {
          const end = level === "warn" ? "stay in force and are no longer updated" : "are kept";
          expect(told(`rows of a disabled kind ${end}`)).toMatchObject({
            ...{ level, kind: "NetworkPolicy", portGroups: 1, acls: 0 },
          });
          expect(told("initial synchronization is complete")).toBeDefined();
        }, 30_000);
        const answer = await fetch(
          String(told("metrics are served")?.["address"]).replace(/\/metrics$/, "") + "/readyz",
        );
        expect(answer.status).toBe(200);
        const note =
          "NetworkPolicy is switched off: 1 port group with 0 ACLs of an earlier run stay in force";
        expect((await answer.text()).includes(note)).toBe(level === "warn");
        // One connection tells of the database, though two ask it.
        const filled = run.log().filter(({ message }) => message === "the database cache is filled");
        expect(filled).toHaveLength(1);
      } finally {
        await run.end();
        rmSync(folder, { recursive: true });
      }
      expect((await existing()).split("\n").filter(Boolean).sort()).toEqual(["deny", ...own, "np"]);
    });

    test("go when --kind names the kind, and nothing else goes", async () => {
      expect(cleanup("--kind=NetworkPolicy").stdout).toContain("NetworkPolicy/shop/web: 1 port group");
      // A node's way to its own pods is nobody's policy.
      expect(cleanup("--kind=NetworkPolicy").stdout).toContain("would remove the rows of 1 policy:");
      expect(cleanup("--kind=NetworkPolicy").stdout).toContain(
        "NorthgateNode/n: 1 port group, 0 ACLs, 0 address sets",
      );
      expect(cleanup("--kind=AdminNetworkPolicy", "--yes").code).toBe(0);
      expect(await existing()).not.toBe("");
      expect(cleanup("--kind=NetworkPolicy", "--yes").code).toBe(0);
      expect(await existing()).toBe("");
      const { code, stderr } = cleanup("--kind=Pod", "--yes");
      expect([code, stderr]).toEqual([2, expect.stringContaining('--kind: "Pod" is not AdminNetworkPolicy')]);
    });
  });

  describe("beside a run", () => {
    let folder: string;
    let run: Running;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "ng-cleanup-"));
      writeFileSync(
        join(folder, "world.json"),
        JSON.stringify({
          apiVersion: "v1",
          kind: "List",
          items: [
            kube.namespace("a"),
            kube.node("n", { ips: ["192.0.2.1"] }),
            kube.pod("a", "one", { node: "n", ips: ["10.0.0.1"] }),
            kube.adminPolicy("first", {
              priority: 1,
              subject: { namespaces: {} },
              ingress: [{ action: "Deny", from: [{ namespaces: {} }] }],
            }),
          ],
        }),
      );
      run = startNorthgate([
        `--source=dir:${folder}`,
        `--nb=${ovn.nb}`,
        "--metrics-bind-address=127.0.0.1:0",
      ]);
      await eventually(async () => {
        expect(await ours()).toBeGreaterThan(0);
      }, 30_000);
    });
    afterAll(async () => {
      await run.end("SIGKILL");
      rmSync(folder, { recursive: true });
    });

    const place = () => `${hostname()} pid ${run.child.pid ?? "none"}`;
    const ids = () => ovn.nbctl("get", "NB_Global", ".", "external_ids");

    test("that lives, it refuses, names the writer and changes nothing; it shows as ever", async () => {
      const before = await ours();
      const { code, stdout, stderr } = cleanup("--yes");
      expect(stderr.split("\n")).toEqual([
        `northgate: another instance writes: ${place()}; waiting up to 15 s for its end`,
        `northgate: another instance writes: ${place()}; stop it first, nothing was removed`,
        "",
      ]);
      expect([code, stdout]).toEqual([1, ""]);
      expect(await ours()).toBe(before);
      const shown = cleanup();
      expect([shown.code, shown.stderr]).toEqual([0, ""]);
      expect(shown.stdout).toContain("AdminNetworkPolicy/first: 1 port group, ");
      expect(await ids()).toContain(place());
      // The writer has kept its claim all the time.
      const told = run.log().filter(({ message }) => String(message).startsWith("this instance "));
      expect(told.map(({ message }) => message)).toEqual(["this instance writes to the Northbound database"]);
    });

    test("that was killed, it waits until the claim is abandoned, and leaves no claim of its own", async () => {
      await run.end("SIGKILL");
      expect(await ids()).toContain(place());
      const { code, stdout } = cleanup("--yes");
      expect(stdout).toContain("removing the rows of 1 policy:");
      expect(code).toBe(0);
      expect([await ours(), await ids()]).toEqual([0, "{}\n"]);
    });
  });

  test("an instance that stood by is seen as soon as the claim is given back; without one nobody is", async () => {
    const session = openSession({
      remotes: ovn.nb,
      database: northbound,
      monitors: northboundMonitors(rowOwners(owners)),
      lock: electionLock,
    });
    await session.opened();
    const folder = mkdtempSync(join(tmpdir(), "ng-standby-"));
    writeFileSync(join(folder, "a.json"), JSON.stringify(kube.namespace("a")));
    const existing: { run: Running | null } = { run: null };
    await asWriter(session, silent, async () => {
      const run = startNorthgate([`--source=dir:${folder}`, `--nb=${ovn.nb}`, "--metrics-bind-address=off"]);
      existing.run = run;
      await eventually(() => {
        const said = run.log().map(({ message }) => message);
        expect(said).toContain("another instance writes to the Northbound database, this one is on standby");
      }, 30_000);
    });
    const place = `${hostname()} pid ${existing.run?.child.pid ?? "none"}`;
    expect(await successor(session)).toBe(place);
    await existing.run?.end();
    expect(await successor(session)).toBeNull();
    await session.close();
    rmSync(folder, { recursive: true });
  });

  test("a claim that is lost before the deletions stops them", async () => {
    await ovn.nbctl("create", "Address_Set", "name=kept");
    const session = openSession({
      remotes: ovn.nb,
      database: northbound,
      monitors: northboundMonitors(rowOwners(owners)),
      lock: electionLock,
    });
    await session.opened();
    const lost = asWriter(session, silent, async (writer) => {
      await ovn.nbctl("set", "NB_Global", ".", 'external_ids:northgate-writer="token elsewhere pid 1"');
      await writer.transact([{ op: "delete", table: "Address_Set", where: [] }]);
    });
    await expect(lost).rejects.toThrow(
      "another instance has begun to write: elsewhere pid 1; rows may be left",
    );
    await session.close();
    expect(await ovn.nbctl("--bare", "--columns=name", "find", "Address_Set", "name=kept")).toBe("kept\n");
    // The claim of another is not ours to give back.
    expect(await ovn.nbctl("get", "NB_Global", ".", "external_ids")).toContain("elsewhere pid 1");
    await ovn.nbctl("clear", "NB_Global", ".", "external_ids");
  });

  test("a missing remote is wrong usage, a database that is not there a failure", () => {
    expect(northgate("cleanup").code).toBe(2);
    expect(cleanup("-o", "xml").code).toBe(2);
  });
});
