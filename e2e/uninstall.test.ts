// Ways to stop: the switch that leaves the rows in force, and `northgate cleanup`, which takes rows and conditions away and
// nothing that is somebody else's: other owners' rows, other zones' conditions.

import { afterEach, expect, test } from "@jest/globals";
import { eventually } from "../test/support/eventually.ts";
import { northgate } from "../test/support/program.ts";
import { describeEndToEnd, slow } from "./describe.ts";
import { ready, view } from "./policies.ts";
import { move } from "./steps.ts";

const policies = ["anp/first", "anp/second", "anp/third", "banp/default"] as const;
const nothing = { Port_Group: [], Address_Set: [], ACL: [] };

await describeEndToEnd("the end of it", {}, (harness) => {
  const plane = () => harness().plane;
  const cleanup = (...args: readonly string[]) =>
    northgate("cleanup", `--nb=${harness().ovn.nb}`, `--kubeconfig=${harness().kubeconfig}`, ...args);
  const types = async (what: string) => {
    const { conditions } = await view(plane(), what);
    return conditions.map(({ type }) => type).sort();
  };

  afterEach(async () => {
    await harness().end();
    await harness().objects.wipe();
  }, slow);

  test(
    "switched off it follows nothing, and the rows stay",
    async () => {
      await harness().start().ready();
      await move(harness(), null, new Set());
      for (const policy of policies) await ready(plane(), policy);
      await harness().converged();
      const before = (await harness().rows()).tables;
      await harness().end();
      const asked = harness().audit.requests().length;
      const run = harness().start({ args: ["--enable-admin-network-policy=false"] });
      await run.ready();
      await move(harness(), new Set(), new Set(["edit one port", "delete a policy"]));
      expect((await run.metrics()).value("northgate_nb_operations_total")).toBe(0);
      expect(harness().audit.tally(asked)).toEqual({});
      await harness().end();
      expect((await harness().rows()).tables).toEqual(before);
      // Switched on again it has caught up.
      await harness().start().ready();
      await harness().converged();
    },
    slow,
  );

  test(
    "cleanup shows, and with --yes removes: our rows and our zone's conditions, nobody else's",
    async () => {
      const { ovn } = harness();
      await move(harness(), null, new Set());
      for (const zone of ["n1", "n2"]) {
        // No Node has the second name, and rows of the first exist.
        harness().start({ zone, args: zone === "n2" ? ["--allow-empty-zone"] : [] });
        for (const policy of policies) {
          await eventually(async () => {
            expect(await types(policy)).toContain(`Ready-In-Zone-${zone}`);
          }, 20_000);
        }
        await harness().converged();
        await harness().end();
      }
      await ovn.nbctl("ls-add", "theirs", "--", "acl-add", "theirs", "to-lport", "7", "ip4", "drop");
      const before = (await harness().rows()).tables;

      const shown = cleanup("--zone=n1");
      expect([shown.code, shown.stderr]).toEqual([0, ""]);
      expect(shown.stdout).toContain("would remove the rows of 4 policies");
      expect(shown.stdout).toContain("AdminNetworkPolicy/first: 1 port group, ");
      expect((await harness().rows()).tables).toEqual(before);

      const done = cleanup("--zone=n1", "--yes");
      expect([done.code, done.stderr]).toEqual([0, ""]);
      expect(done.stdout).toContain("conditions withdrawn from 4 policies");
      expect((await harness().rows()).tables).toEqual(nothing);
      expect(await ovn.nbctl("acl-list", "theirs")).toContain("(ip4) drop");
      for (const policy of policies) expect(await types(policy)).toEqual(["Ready-In-Zone-n2"]);

      expect(cleanup("--zone=n2", "--yes").stdout).toContain("no rows of Northgate's are in the database");
      for (const policy of policies) expect(await types(policy)).toEqual([]);
    },
    slow,
  );

  test(
    "the documented removal deletes no CRD, and so no policy",
    async () => {
      await harness().start().ready();
      const deleted = async (folder: string) =>
        await plane().kubectl(["delete", "--dry-run=server", "--ignore-not-found", "-k", folder]);
      // Seen where it would be so.
      expect(await deleted("manifests/crds")).toContain("customresourcedefinition");
      for (const folder of ["base", "overlays/ovn-kubernetes", "overlays/central"])
        expect(await deleted(`manifests/${folder}`)).not.toContain("customresourcedefinition");
    },
    slow,
  );
});
