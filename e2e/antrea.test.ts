// Antrea's kinds on a real API server, by the service account of the manifests: rows as of a fresh start at each step, and the
// status, columns and events that Antrea's users look at.

import { beforeAll, expect, test } from "@jest/globals";
import type { KubernetesObject } from "../test/kube/api.ts";
import { namespace, node, pod } from "../test/kube/objects.ts";
import { got } from "../test/kube/resources.ts";
import { eventually } from "../test/support/eventually.ts";
import { northgate } from "../test/support/program.ts";
import { describeEndToEnd, slow } from "./describe.ts";

const kinds = [
  ...["clusternetworkpolicies", "networkpolicies", "clustergroups", "groups", "tiers"].map(
    (plural) => `${plural}.crd.antrea.io`,
  ),
  "svc",
].join();
const options = { ports: true, kinds, antrea: true };

const at = (nodeName: string, number: number, labels: Readonly<Record<string, string>> = {}) => ({
  ...{ node: nodeName, labels },
  ips: [`10.244.${nodeName === "n1" ? 0 : 1}.${number}`],
});
const world = [
  node("n1", { ips: ["172.18.0.2"], podCidrs: ["10.244.0.0/24"] }),
  node("n2", { ips: ["172.18.0.3"], podCidrs: ["10.244.1.0/24"] }),
  namespace("blue", { tenant: "blue" }),
  namespace("red", { tenant: "red" }),
  pod("blue", "web", at("n1", 10, { app: "web" })),
  pod("blue", "db", at("n2", 11, { app: "db" })),
  pod("red", "client", at("n2", 13, { app: "web" })),
];
const made = (kind: string, name: string, spec: unknown, inNamespace?: string): KubernetesObject => ({
  ...{ apiVersion: "crd.antrea.io/v1beta1", kind, spec },
  metadata: { name, ...(inNamespace === undefined ? {} : { namespace: inNamespace }) },
});
const app = (name: string) => ({ podSelector: { matchLabels: { app: name } } });
const acnp = (spec: object) =>
  made("ClusterNetworkPolicy", "between", { priority: 5, tier: "lab", appliedTo: [app("web")], ...spec });
const fromGroup = { name: "friends", action: "Allow", from: [{ group: "friends" }] };
const dropRest = { name: "rest", action: "Drop", from: [{ namespaceSelector: {} }] };
const annp = made(
  "NetworkPolicy",
  "shop",
  { priority: 1.5, appliedTo: [app("db")], egress: [{ action: "Reject", to: [{ group: "mine" }] }] },
  "blue",
);

await describeEndToEnd("Antrea's policies", options, (harness) => {
  const plane = () => harness().plane;

  beforeAll(async () => {
    await harness().objects.apply(
      ...[...world, made("Tier", "lab", { priority: 40 })],
      made("ClusterGroup", "friends", { childGroups: ["databases"] }),
      made("ClusterGroup", "databases", app("db")),
      made("Group", "mine", app("web"), "blue"),
      ...[acnp({ ingress: [fromGroup, dropRest] }), annp],
    );
    await harness().start().ready();
    await harness().converged();
  }, slow);

  interface Status {
    readonly phase: string;
    readonly observedGeneration: number;
    readonly currentNodesRealized: number;
    readonly desiredNodesRealized: number;
    readonly conditions: readonly {
      readonly type: string;
      readonly status: string;
      readonly message: string;
    }[];
  }
  async function has(what: string, expected: object, inNamespace?: string): Promise<Status> {
    let status: Status | undefined;
    await eventually(async () => {
      ({ status } = (await got(plane().api, what, inNamespace)) as { readonly status?: Status });
      expect(status).toMatchObject(expected);
    }, 20_000);
    if (status === undefined) throw new Error("eventually() expected one");
    return status;
  }
  const condition = (type: string, isTrue: boolean, reason: string) => ({
    ...{ type, reason, status: isTrue ? "True" : "False" },
  });
  const realizable = condition("Realizable", true, "Realizable");

  test(
    "policies are realized on the nodes of their pods, groups are computed, and kubectl shows it",
    async () => {
      await has("acnp/between", {
        ...{ phase: "Realized", observedGeneration: 1, currentNodesRealized: 2, desiredNodesRealized: 2 },
        conditions: [realizable],
      });
      const onOne = { phase: "Realized", currentNodesRealized: 1, desiredNodesRealized: 1 };
      await has("annp/shop", onOne, "blue");
      const computed = { conditions: [condition("GroupMembersComputed", true, "MembersComputed")] };
      for (const name of ["friends", "databases"]) await has(`cg/${name}`, computed);
      await has("grp/mine", computed, "blue");
      const [head = "", row = ""] = (await plane().kubectl(["get", "acnp"])).split("\n");
      expect(head.trim().split(/\s{2,}/)).toEqual([
        ...["NAME", "TIER", "PRIORITY", "DESIRED NODES", "CURRENT NODES", "AGE"],
      ]);
      expect(
        row
          .trim()
          .split(/\s{2,}/)
          .slice(0, 5),
      ).toEqual(["between", "lab", "5", "2", "2"]);
      expect((await plane().kubectl(["get", "tr"])).split("\n")[1]).toMatch(/^lab\s+40\s/);
      expect((await harness().run.metrics()).value("northgate_antrea_cluster_network_policies")).toBe(1);
    },
    slow,
  );

  test(
    "a pod on another node is counted; a group that is edited changes the rows, one that goes its parent's status",
    async () => {
      await harness().objects.apply(pod("blue", "db-2", at("n1", 20, { app: "db" })));
      await has("annp/shop", { currentNodesRealized: 2, desiredNodesRealized: 2 }, "blue");
      await harness().objects.apply(made("ClusterGroup", "databases", app("nobody")));
      await harness().converged();
      await plane().kubectl(["delete", "cg", "databases"]);
      await has("cg/friends", {
        conditions: [condition("GroupMembersComputed", false, "ChildGroupMissing")],
      });
      await harness().converged();
      await harness().objects.apply(made("ClusterGroup", "databases", app("db")));
      await has("cg/friends", {
        conditions: [condition("GroupMembersComputed", true, "MembersComputed")],
      });
      await harness().converged();
    },
    slow,
  );

  test(
    "a rule that cannot be said is told, and the policy's other rules are in force",
    async () => {
      const byName = { name: "name", action: "Allow", to: [{ fqdn: "example.com" }] };
      await harness().objects.apply(acnp({ ingress: [fromGroup, dropRest], egress: [byName] }));
      const { conditions } = await has("acnp/between", {
        ...{ phase: "Pending", observedGeneration: 2, currentNodesRealized: 0, desiredNodesRealized: 2 },
        conditions: [condition("Realizable", false, "NotRealizable")],
      });
      expect(conditions[0]?.message).toContain("spec.egress[0].to[0].fqdn");
      await harness().converged();
      const rows = (await harness().rows()).tables.ACL.filter(({ name }) => name?.startsWith("ACNP:between"));
      expect(rows.map(({ action }) => action)).toEqual(expect.arrayContaining(["allow-related", "drop"]));
      await eventually(async () => {
        expect(await plane().kubectl(["get", "events", "-o", "jsonpath={.items[*].reason}"])).toContain(
          "ACNPNotRealizable",
        );
      }, 20_000);
      await harness().objects.apply(acnp({ tier: "nowhere", ingress: [dropRest] }));
      const refused = await has("acnp/between", { phase: "Pending", observedGeneration: 3 });
      expect(refused.conditions[0]?.message).toContain("the policy's previous version stays in force");
    },
    slow,
  );

  test(
    "a restart writes no row and no status; cleanup takes the rows and every status of ours",
    async () => {
      await harness().objects.apply(acnp({ ingress: [fromGroup, dropRest] }));
      await has("acnp/between", { phase: "Realized", observedGeneration: 4 });
      await harness().end();
      const run = harness().start();
      await run.ready();
      await eventually(async () => {
        const skipped = (await run.metrics()).value("northgate_writes_total", {
          kind: "status",
          outcome: "skipped",
        });
        // Two policies and three groups.
        expect(skipped).toBeGreaterThanOrEqual(5);
      }, 20_000);
      const metrics = await run.metrics();
      expect(metrics.value("northgate_writes_total", { kind: "status", outcome: "written" })).toBe(0);
      expect(metrics.value("northgate_nb_operations_total")).toBe(0);
      await harness().end();
      const both = ["ClusterNetworkPolicy.crd.antrea.io", "NetworkPolicy.crd.antrea.io"];
      const done = northgate(
        ...["cleanup", "--yes", `--nb=${harness().ovn.nb}`, `--kubeconfig=${plane().kubeconfig}`],
        ...both.map((kind) => `--kind=${kind}`),
      );
      expect([done.code, done.stderr]).toEqual([0, ""]);
      for (const what of [["acnp"], ["annp", "-A"], ["cg"], ["grp", "-A"]]) {
        const text = await plane().kubectl(["get", ...what, "-o", "jsonpath={.items[*].status}"]);
        expect([what, text.replaceAll(/[{}]|"conditions":\[\]/g, "").trim()]).toEqual([what, ""]);
      }
    },
    slow,
  );
});
