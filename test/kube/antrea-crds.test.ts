// The definitions of Antrea's kinds that we bring, on a real API server: they have the names and columns of Antrea's, take
// the samples, prune nothing of them, take what Antrea's definitions take without a webhook, and refuse what no policy may
// say. Antrea's own definitions are in a Go module that the proxy does not give to everyone: what is said of them here was
// read, and is not compared with them by this test.

import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { groupStatus } from "../../src/antrea/group-status.ts";
import { clusterGroupKind } from "../../src/antrea/kinds.ts";
import { everyDialect } from "../../src/dialects.ts";
import { HttpApi, KubeSource, openKubeconfig } from "../../src/kube/index.ts";
import { StatusWriter } from "../../src/kube/write/status-writer.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { ObjectKey } from "../../src/model/object.ts";
import { objectKey } from "../../src/model/object.ts";
import { eventually } from "../support/eventually.ts";
import { patience } from "../support/patience.ts";
import { LineLogger } from "../support/scripted-api.ts";
import { established } from "./crds.ts";
import { describeWithControlPlane } from "./support.ts";

const folder = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const crds = folder("manifests/crds/antrea");
const kinds = ["clustergroups", "clusternetworkpolicies", "groups", "networkpolicies", "tiers"];
const create = ["create", "--validate=strict", "--dry-run=server"];

/** Of a CustomResourceDefinition, what users see of it. */
interface Definition {
  readonly spec: {
    readonly names: { readonly plural: string; readonly shortNames: readonly string[] };
    readonly scope: string;
    readonly versions: readonly {
      readonly name: string;
      readonly additionalPrinterColumns?: readonly { readonly name: string }[];
      readonly subresources?: { readonly status?: object };
    }[];
  };
}

await describeWithControlPlane("the definitions of Antrea's kinds", (plane) => {
  const ends: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const end of ends) await end();
  });

  beforeAll(async () => {
    await plane().kubectl(["create", "-k", crds]);
    const names = kinds.map((plural) => `crd/${plural}.crd.antrea.io`);
    await established(plane(), names);
    await plane().kubectl(["create", "namespace", "blue"]);
  }, patience(60_000));

  test("take the samples, whose fields they all know", async () => {
    await plane().kubectl([...create, "-f", folder("examples/antrea/policies")]);
  });

  const policy = (spec: object) =>
    JSON.stringify({
      ...{ apiVersion: "crd.antrea.io/v1beta1", kind: "ClusterNetworkPolicy", metadata: { name: "p" } },
      spec: { priority: 5, appliedTo: [{ podSelector: {} }], ...spec },
    });
  test("have the scopes, short names, versions, columns and statuses of Antrea's", async () => {
    const { items } = JSON.parse(await plane().kubectl(["get", "crd", "-o", "json"])) as {
      readonly items: readonly Definition[];
    };
    const read = items.map(({ spec: { names, scope, versions } }) => [
      ...[names.plural, scope, names.shortNames],
      versions.map(({ name, additionalPrinterColumns: columns = [], subresources }) => [
        ...[name, columns.map((column) => column.name), subresources?.status !== undefined],
      ]),
    ]);
    const ofPolicies = ["Tier", "Priority", "Desired Nodes", "Current Nodes", "Age"];
    expect(read).toEqual([
      ["clustergroups", "Cluster", ["cg"], [["v1beta1", [], true]]],
      ["clusternetworkpolicies", "Cluster", ["acnp"], [["v1beta1", ofPolicies, true]]],
      ["groups", "Namespaced", ["grp"], [["v1beta1", [], true]]],
      ["networkpolicies", "Namespaced", ["annp"], [["v1beta1", ofPolicies, true]]],
      ["tiers", "Cluster", ["tr"], [["v1beta1", ["Priority", "Age"], false]]],
    ]);
  });

  // A cluster that comes from Antrea may have such objects; the controller says what is wrong with them.
  test.each<[string, object]>([
    ["ClusterGroup", {}],
    ["ClusterGroup", { spec: { podSelector: { matchExpressions: [{ key: "app" }] } } }],
    ["ClusterGroup", { spec: { ipBlocks: [{}], serviceReference: { namespace: "blue" } } }],
    ["ClusterNetworkPolicy", {}],
    [
      "ClusterNetworkPolicy",
      { spec: { priority: 5, ingress: [{ action: "Drop", from: [{ ipBlock: {} }] }] } },
    ],
    [
      "ClusterNetworkPolicy",
      {
        spec: {
          priority: 5,
          egress: [{ action: "Drop", ports: [{ port: 1, endPort: 70_000, sourcePort: -1 }] }],
        },
      },
    ],
    ["Tier", {}],
  ])("take a %s that Antrea's take and its webhook may not see: %j", async (kind, rest) => {
    const input = JSON.stringify({
      ...{ apiVersion: "crd.antrea.io/v1beta1", kind },
      ...rest,
      metadata: { name: "p" },
    });
    await expect(plane().kubectl([...create, "-f", "-"], { input })).resolves.toContain("p created");
  });

  test.each<[string, object]>([
    ["spec.priority", { priority: 0 }],
    ["spec.ingress[0].action", { ingress: [{ action: "Deny" }] }],
    ["spec.ingress[0].logLabel", { ingress: [{ action: "Drop", logLabel: "a b" }] }],
    ["spec.egress[0].ports[0].protocol", { egress: [{ action: "Drop", ports: [{ protocol: "ICMP" }] }] }],
    ['unknown field "spec.when"', { when: "noon" }],
  ])("refuse %s of %j", async (message, spec) => {
    await expect(plane().kubectl([...create, "-f", "-"], { input: policy({}) })).resolves.toContain(
      "p created",
    );
    await expect(plane().kubectl([...create, "-f", "-"], { input: policy(spec) })).rejects.toThrow(message);
  });

  // Last but one: the definition of ClusterGroup stays changed.
  test(
    "of groups, older definitions keep no reason: the condition is written once, also by a restarted writer",
    async () => {
      const conditions = "/spec/versions/0/schema/openAPIV3Schema/properties/status/properties/conditions";
      const older = [
        { op: "remove", path: `${conditions}/x-kubernetes-list-map-keys` },
        { op: "replace", path: `${conditions}/x-kubernetes-list-type`, value: "atomic" },
        { op: "remove", path: `${conditions}/items/properties/reason` },
        { op: "remove", path: `${conditions}/items/properties/message` },
      ];
      await plane().kubectl([
        "patch",
        "crd/clustergroups.crd.antrea.io",
        "--type=json",
        "-p",
        JSON.stringify(older),
      ]);
      const made = {
        apiVersion: "crd.antrea.io/v1beta1",
        kind: "ClusterGroup",
        metadata: { name: "g" },
        spec: {},
      };
      await plane().kubectl(["create", "-f", "-"], { input: JSON.stringify(made) });
      const key = objectKey(clusterGroupKind, null, "g");
      const { type } = groupStatus;
      const outcome = {
        type: type(null),
        status: "True",
        reason: "MembersComputed",
        message: "who they are is known",
        fields: {},
      } as const;
      // An API server takes a changed definition into use a little after it is stored.
      await eventually(async () => {
        const words = JSON.stringify({ status: { conditions: [{ ...outcome, lastTransitionTime: "" }] } });
        await plane().kubectl(["patch", "cg/g", "--subresource=status", "--type=merge", "-p", words]);
        expect(await plane().kubectl(["get", "cg/g", "-o", "json"])).not.toContain(outcome.message);
      }, 30_000);
      await plane().kubectl([
        "patch",
        "cg/g",
        "--subresource=status",
        "--type=merge",
        "-p",
        '{"status":null}',
      ]);

      /** A source and a writer as the program has them; `end` ends both. */
      async function start() {
        const fatal = (error: unknown): void => {
          throw error;
        };
        const credentials = await openKubeconfig({ path: plane().kubeconfig });
        const common = { clock: systemClock, random: Math.random, logger: new LineLogger(), fatal };
        const api = new HttpApi({ credentials, clock: systemClock });
        const source = new KubeSource({ ...common, api, policies: [], references: [clusterGroupKind] });
        const isSynced = new Promise<void>((synced) => {
          source.start({ changed: () => undefined, synced, problem: () => undefined });
        });
        const statusOf = (of: ObjectKey) => source.statusOf(of);
        const writer = new StatusWriter({ ...common, api, statusOf, zone: null, shown: everyDialect.shown });
        source.onStatus((of) => {
          writer.seen(of);
        });
        await isSynced;
        const object = source.read(key);
        if (object === null || !("spec" in object)) throw new Error("the group is there");
        const report = async () => {
          writer.report(object, clusterGroupKind, outcome);
          await writer.idle();
        };
        const end = async () => {
          await Promise.all([source.stop(), writer.stop()]);
          api.close();
        };
        ends.push(end);
        return { source, writer, report, end, lines: common.logger.lines };
      }
      const first = await start();
      await first.report();
      expect([first.writer.stats, first.lines]).toEqual([{ writes: 1, skipped: 0, failures: 0 }, []]);
      await eventually(() => {
        expect(first.source.statusOf(key).conditions).toMatchObject([
          { type: outcome.type, status: "True", reason: "", message: "" },
        ]);
      });
      await first.report();
      await first.end();
      expect([first.writer.stats, first.lines]).toEqual([{ writes: 1, skipped: 1, failures: 0 }, []]);
      const restarted = await start();
      await restarted.report();
      await restarted.end();
      expect(restarted.writer.stats).toEqual({ writes: 0, skipped: 1, failures: 0 });
    },
    patience(60_000),
  );

  test("are not replaced where they are", async () => {
    await expect(plane().kubectl(["create", "-k", crds])).rejects.toThrow("AlreadyExists");
  });
});
