// The samples of the OVN-Kubernetes documentation, applied with kubectl to a real API server: rows, conditions, events and
// metrics as documented, in one database for all nodes and in one node's own.

import { readFileSync } from "node:fs";
import { afterEach, expect, test } from "@jest/globals";
import { eventually } from "../test/support/eventually.ts";
import { adminPolicy } from "../test/kube/objects.ts";
import { parseListing } from "../test/golden/listing.ts";
import { describeEndToEnd, slow } from "./describe.ts";
import { say } from "./harness.ts";
import { condition, events, ready, success, view } from "./policies.ts";

const tenants = ["blue", "green", "red", "yellow"].map((tenant) => `${tenant}-tenant`);
const documented = parseListing(
  readFileSync(new URL("../test/golden/documented-rows.txt", import.meta.url), "utf8"),
);

await describeEndToEnd("the documentation's samples", {}, (harness) => {
  const plane = () => harness().plane;

  afterEach(async () => {
    await harness().end();
    await harness().objects.wipe();
    await plane().kubectl(["delete", "events", "--all", "-n", "default"]);
  }, slow);

  test(
    "cluster-control: rows, conditions, metrics, and what kubectl shows",
    async () => {
      const run = harness().start();
      await harness().objects.applyFiles("examples/cluster-control/cluster");
      await harness().objects.applyFiles("examples/cluster-control/policies");
      await ready(plane(), "anp/cluster-control");
      await ready(plane(), "banp/default");
      say(`cluster-control: converged ${Math.round(await harness().converged())} ms after it was looked at`);

      const acl = async (name: string, column: string) =>
        (await harness().ovn.nbctl("--bare", `--columns=${column}`, "find", "ACL", `name="${name}"`)).trim();
      expect(await acl("ANP:cluster-control:Ingress:0", "match")).toBe(
        "outport == @a14645450421485494999 && ((ip4.src == $a14545668191619617708))",
      );
      expect(await acl("ANP:cluster-control:Ingress:0", "priority")).toBe("26600");
      expect(await acl("ANP:cluster-control:Ingress:0", "tier")).toBe("1");
      expect(await acl("BANP:default:Egress:0", "priority")).toBe("1750");
      expect(await acl("BANP:default:Egress:0", "tier")).toBe("3");

      const metrics = await run.metrics();
      const family = (name: string, ...by: string[]) => metrics.nonzero(`ovnkube_controller_${name}`, ...by);
      expect(family("admin_network_policies")).toEqual({ "": 1 });
      expect(family("admin_network_policies_rules", "direction", "action")).toEqual({
        "Ingress Allow": 3,
        "Ingress Pass": 1,
        "Ingress Deny": 1,
        "Egress Allow": 4,
        "Egress Pass": 1,
        "Egress Deny": 1,
      });
      expect(family("admin_network_policies_db_objects", "table_name")).toEqual({ ACL: 12, Address_Set: 11 });
      expect(family("baseline_admin_network_policies")).toEqual({ "": 1 });
      expect(family("baseline_admin_network_policies_rules", "direction", "action")).toEqual({
        "Ingress Deny": 1,
        "Egress Deny": 1,
      });
      expect(family("baseline_admin_network_policies_db_objects", "table_name")).toEqual({
        ACL: 2,
        Address_Set: 2,
      });
      // Zeros are series, too.
      expect(
        metrics.value("ovnkube_controller_baseline_admin_network_policies_rules", { action: "Allow" }),
      ).toBe(0);

      const [head, row] = (await plane().kubectl(["get", "anp"])).split("\n");
      expect(head).toMatch(/^NAME +PRIORITY +READY +REASON +AGE$/);
      expect(row).toMatch(/^cluster-control +34 +True +SetupSucceeded +\d+s$/);
      expect(await events(plane())).toEqual([]);
    },
    slow,
  );

  test(
    "cluster-control in the zone of the document's node: its 29 rows, and a condition of that zone",
    async () => {
      const zone = "ovn-worker2";
      await harness().objects.applyFiles("examples/cluster-control");
      harness().start({ zone });
      await ready(plane(), "anp/cluster-control", zone);
      await ready(plane(), "banp/default", zone);
      await harness().converged();
      const { tables } = await harness().rows();
      const ids = [...tables.ACL, ...tables.Address_Set, ...tables.Port_Group].map(
        (row) => row.external_ids["k8s.ovn.org/id"],
      );
      expect(ids.sort()).toEqual(documented.map(({ id }) => id).sort());
      expect(tables.Port_Group.map(({ ports }) => ports.length)).toEqual([6, 6]);
    },
    slow,
  );

  test(
    "the tenants: conditions, and events of those that share a priority, told once over two runs",
    async () => {
      harness().start();
      await harness().objects.applyFiles("examples/multi-tenant/cluster", "examples/multi-tenant/policies");
      for (const name of [...tenants, "multi-tenant-isolation"]) await ready(plane(), `anp/${name}`);
      await harness().converged();

      const shared = async (name: string) => {
        const told = await events(plane(), name);
        const { uid } = await view(plane(), `anp/${name}`);
        expect(told.length).toBeGreaterThan(0);
        for (const event of told) {
          expect(event).toMatchObject({
            type: "Warning",
            reason: "ANPWithDuplicatePriority",
            involvedObject: {
              apiVersion: "policy.networking.k8s.io/v1alpha1",
              kind: "AdminNetworkPolicy",
              name,
              uid,
            },
          });
          expect(event.message).toMatch(
            new RegExp(
              `^This ANP ${name} has a conflicting priority with ANP (blue|green|red|yellow)-tenant:` +
                "Please verify your rules are non-lapping between all policies at same priority to avoid undefined behavior$",
            ),
          );
        }
        expect(await plane().kubectl(["describe", "anp", name])).toContain("ANPWithDuplicatePriority");
      };
      for (const name of tenants) await eventually(() => shared(name), 20_000);
      expect(await events(plane(), "multi-tenant-isolation")).toEqual([]);

      const before = await events(plane());
      await harness().end();
      const second = harness().start();
      await second.ready();
      await eventually(async () => {
        expect((await second.metrics()).value("northgate_writes_total", { kind: "event" })).toBeGreaterThan(
          0,
        );
      });
      expect(await events(plane())).toEqual(before);
      expect((await second.metrics()).value("northgate_nb_operations_total")).toBe(0);
    },
    slow,
  );

  test(
    "a priority that OVN has no room for: condition, event and no rows, until it is moved",
    async () => {
      const run = harness().start();
      const beyond = adminPolicy("beyond", { priority: 100, subject: { namespaces: {} } });
      await harness().objects.apply(beyond);
      const failed = await condition(plane(), "anp/beyond", {
        type: "Ready-In-Zone-global",
        status: "False",
        reason: "SetupFailed",
        message:
          "error attempting to add ANP beyond with priority 100 because, OVNK only supports priority ranges 0-99",
      });
      const { uid } = await view(plane(), "anp/beyond");
      await eventually(async () => {
        expect(await events(plane(), "beyond")).toEqual([
          expect.objectContaining({
            type: "Warning",
            reason: "ANPWithUnsupportedPriority",
            message:
              "This ANP beyond has an unsupported priority 100; Please update the priority to a value between 0(highest priority) and 99(lowest priority)",
            involvedObject: expect.objectContaining({ kind: "AdminNetworkPolicy", name: "beyond", uid }),
          }),
        ]);
      });
      await harness().converged();
      expect((await harness().rows()).tables.Port_Group).toEqual([]);
      expect((await run.metrics()).value("ovnkube_controller_admin_network_policies")).toBe(0);

      await plane().kubectl(["patch", "anp", "beyond", "--type=merge", "-p", '{"spec":{"priority":50}}']);
      const fixed = await ready(plane(), "anp/beyond");
      expect(fixed).toMatchObject({ observedGeneration: 2, message: success });
      expect(Date.parse(fixed.lastTransitionTime)).toBeGreaterThanOrEqual(
        Date.parse(failed.lastTransitionTime),
      );
      await harness().converged();
      // A scrape shortly after another one gets the same text.
      await eventually(async () => {
        expect((await run.metrics()).value("ovnkube_controller_admin_network_policies")).toBe(1);
      });
    },
    slow,
  );

  test(
    "a named port is not called unmatched because its pods have no addresses yet",
    async () => {
      // Without the second write of each pod: as kubectl leaves them until kubelets have started them.
      await plane().kubectl(["apply", "-R", "-f", "examples/cluster-control"]);
      await harness().start().ready();
      await ready(plane(), "anp/cluster-control");
      expect(await events(plane())).toEqual([]);
    },
    slow,
  );

  test(
    "a named port is not called unmatched because its pods are of another zone",
    async () => {
      const zone = "ovn-control-plane";
      await harness().objects.applyFiles("examples/cluster-control");
      await harness().start({ zone }).ready();
      await ready(plane(), "anp/cluster-control", zone);
      expect(await events(plane())).toEqual([]);
    },
    slow,
  );
});
