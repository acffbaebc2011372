// The commands of docs/install.md on nodes with kubelets, unchanged but for the image and the database: a DaemonSet over the socket of
// each node, by kustomize and by Helm, and the central Deployment by Helm.

import { beforeAll, expect, test } from "@jest/globals";
import { installed } from "../../../src/dialects.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { patience } from "../../../test/support/patience.ts";
import { converged, rowsNow } from "../../fresh-rows.ts";
import { helmOrSkip } from "../../install/helm.ts";
import { Reader } from "../../install/reader.ts";
import { view } from "../../policies.ts";
import type { NodeSpec } from "../../conformance/nodes.ts";
import { type Cluster, createNode, nbRemote } from "../cluster.ts";
import { nodeNamed } from "../faults/containers.ts";
import { NorthgatePods } from "../northgate-pods.ts";
import { workers } from "../stage.ts";
import { applyPod } from "../stream.ts";

const slow = patience(240_000);
const waitMs = 60_000;
/** The condition of a zone without a Node is removed within two minutes (docs/kubernetes.md). */
const departedMs = 150_000;
/** A DaemonSet's pods are on cordoned nodes too. */
const everyNode = ["node-1", "node-2", "node-3"];
const kinds = "anp,banp,cnp";
const product = installed({});

export function testDocumented(cluster: () => Cluster): void {
  const pods = () => new NorthgatePods(cluster());
  const withHelm = helmOrSkip() ? test : test.skip;
  let reader: Reader;
  beforeAll(() => {
    reader = new Reader(cluster().plane, cluster().dir, {
      ...{ IMAGE: "docker.io/library/northgate", TAG: "0.1.0", NB: nbRemote },
    });
  });

  const inZones = () =>
    [...cluster().zones].map(([zone, { ovn }]) => {
      const { plane, dir } = cluster();
      return { plane, dir, kinds, nb: ovn.nb, installed: product, zone };
    });
  const zonesConverge = async (nodes = everyNode) => {
    for (const one of inZones()) if (nodes.includes(one.zone)) await converged(one);
  };
  const rowsOfZones = () => Promise.all(inZones().map(async (zone) => (await rowsNow(zone)).tables));
  const conditions = async () =>
    (await view(cluster().plane, "anp/closed")).conditions
      .filter(({ type }) => type.startsWith("Ready-In-Zone-node"))
      .map(({ type, status }) => `${type} ${status}`)
      .sort();
  const areReadyIn = (nodes: readonly string[], withinMs = waitMs) =>
    eventually(async () => {
      expect(await conditions()).toEqual(nodes.map((node) => `Ready-In-Zone-${node} True`));
    }, withinMs);
  const isRemoved = () =>
    eventually(async () => {
      expect(await pods().kubectl("get", "pods", "-o", "name")).toBe("");
    }, waitMs);

  test(
    "a DaemonSet by kustomize: each pod writes the rows of its node's database and says so in the policies",
    async () => {
      await reader.run("node");
      expect(await pods().nodes()).toEqual(everyNode);
      await zonesConverge();
      await areReadyIn(everyNode);
      // A pod that comes is a peer in all zones, and has its port in one.
      const command = ["/agnhost", "pause"];
      await applyPod(cluster(), { name: "late", node: "node-2", command });
      await cluster().plane.kubectl(["wait", "--for=condition=Ready", "pod/late", "--timeout=60s"]);
      await zonesConverge();
      const ports = await Promise.all(inZones().map(async (zone) => (await rowsNow(zone)).ports));
      expect(ports.map((names) => names.has("default_late"))).toEqual([false, true, false]);
      const groups = (await rowsOfZones()).map(({ Port_Group }) => Port_Group.flatMap((row) => row.ports));
      expect(groups.map((names) => names.includes("default_late"))).toEqual([false, true, false]);
    },
    slow,
  );

  test(
    "a rolling restart of the DaemonSet replaces each pod, and changes no row",
    async () => {
      const [before, rows] = [await pods().replicas(), await rowsOfZones()];
      await pods().kubectl("rollout", "restart", "daemonset/northgate");
      await pods().rolledOut("daemonset/northgate");
      expect(await pods().nodes()).toEqual(everyNode);
      expect((await pods().replicas()).filter((pod) => before.includes(pod))).toEqual([]);
      expect(await rowsOfZones()).toEqual(rows);
      await zonesConverge();
    },
    slow,
  );

  test(
    "a Node is deleted after its machine is lost: its condition is removed, the other zones go on, and it can come back",
    async () => {
      const { plane } = cluster();
      const lost = nodeNamed({ cluster: cluster() }, "node-2");
      const others = everyNode.filter((node) => node !== lost.name);
      const { spec } = JSON.parse(await plane.kubectl(["get", "node", lost.name, "-o", "json"])) as {
        readonly spec: Pick<NodeSpec, "podCIDRs">;
      };
      await lost.stop();
      await plane.kubectl(["delete", "node", lost.name]);
      await areReadyIn(others, departedMs);
      // The control plane deletes the pods of the node, and they are peers no longer.
      await eventually(async () => {
        expect(await plane.kubectl(["get", "pods", "-A", "-o", "wide"])).not.toContain(lost.name);
      }, waitMs);
      await zonesConverge(others);
      await createNode(plane, { name: lost.name, podCIDRs: spec.podCIDRs });
      await lost.start();
      await eventually(async () => {
        expect(await pods().nodes()).toEqual(everyNode);
      }, waitMs);
      await areReadyIn(everyNode);
      await zonesConverge();
    },
    2 * slow,
  );

  test(
    "the DaemonSet is uninstalled, and its rows stay",
    async () => {
      const rows = await rowsOfZones();
      await reader.run("uninstall");
      await isRemoved();
      expect(await cluster().plane.kubectl(["get", "namespaces", "-o", "name"])).not.toContain("northgate");
      expect(await rowsOfZones()).toEqual(rows);
      for (const { ACL } of rows) expect(ACL.length).toBeGreaterThan(0);
    },
    slow,
  );

  withHelm(
    "a DaemonSet by Helm takes the rows over, and an uninstall that removes them leaves none",
    async () => {
      const rows = await rowsOfZones();
      await reader.run("node-helm");
      expect(await pods().nodes()).toEqual(everyNode);
      await zonesConverge();
      expect(await rowsOfZones()).toEqual(rows);
      await reader.run("remove-helm");
      await isRemoved();
      for (const tables of await rowsOfZones())
        expect(tables).toEqual({ Port_Group: [], Address_Set: [], ACL: [] });
      expect(await conditions()).toEqual([]);
    },
    slow,
  );

  withHelm(
    "the central Deployment by Helm: two replicas are ready, one of them writes, and an uninstall keeps the rows",
    async () => {
      const { plane, dir, ovn } = cluster();
      const central = { plane, dir, kinds, nb: ovn.nb, installed: product, zone: null };
      await reader.run("central-helm");
      expect(await pods().nodes()).toEqual(workers);
      await eventually(async () => {
        await pods().writer();
      }, waitMs);
      await converged(central);
      await reader.run("uninstall-helm");
      await isRemoved();
      await converged(central);
    },
    slow,
  );
}
