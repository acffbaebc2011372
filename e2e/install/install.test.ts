// docs/install.md as its readers do it: each of its commands, by kustomize and by Helm, on a cluster that has upstream's
// definitions of the standard channel and policies of its own. Whatever is installed, upgraded and taken away: the definitions and
// policies stay as they were stored, the rows stay but where their removal is asked for, and nothing is written that was right.

import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { eventually } from "../../test/support/eventually.ts";
import { isLong } from "../../test/support/length.ts";
import { patience } from "../../test/support/patience.ts";
import { adminPolicy, baselinePolicy } from "../../test/kube/objects.ts";
import { upstreamOrSkip } from "../../test/support/upstream.ts";
import { hasParts, slow } from "../describe.ts";
import { view } from "../policies.ts";
import { Scrape } from "../prometheus.ts";
import { helmOrSkip } from "./helm.ts";
import { probed } from "./kubelet.ts";
import { nodes, Site } from "./site.ts";

const everyPod = { namespaces: {} };
const policies = [
  adminPolicy("one", { priority: 5, subject: everyPod, ingress: [{ action: "Deny", from: [everyPod] }] }),
  baselinePolicy({ subject: everyPod, egress: [{ action: "Allow", to: [everyPod] }] }),
];
const upstream = await upstreamOrSkip();
const hasHelm = helmOrSkip();
const here = (await hasParts()) && upstream !== null ? describe : describe.skip;

here("what docs/install.md says", () => {
  let started: Site | null = null;
  const site = (): Site => {
    if (started === null) throw new Error("there is a site only while tests run");
    return started;
  };
  let definitions: readonly string[] = [];

  beforeAll(async () => {
    started = await Site.start();
    const crds = join(upstream?.v1alpha1 ?? "", "config/crd/standard");
    await site().plane.kubectl(["create", "-k", crds]);
    const before = await site().definitions();
    expect(before).toHaveLength(2);

    const said = await site().run("definitions");
    expect(said).toContain("clusternetworkpolicies.policy.networking.k8s.io created");
    definitions = await site().definitions();
    expect(definitions).toHaveLength(3);
    // Upstream's, channel and annotations included.
    expect(definitions).toEqual(expect.arrayContaining([...before]));
    for (const line of before) expect(line).toContain('"policy.networking.k8s.io/channel":"standard"');
    await eventually(
      () =>
        site()
          .plane.kubectl(["get", "anp,banp,cnp"])
          .then(() => undefined),
      20_000,
    );
    await site().run("definitions"); // again: nothing to do
    await site().objects.applyFiles(join(site().folder, "examples/cluster-control/cluster"));
    await site().objects.apply(...policies);
  }, slow);

  afterAll(async () => {
    await started?.stop();
  }, slow);

  // What a test that failed has left.
  afterEach(async () => {
    await site().shell("kubectl delete namespace northgate-system --ignore-not-found");
    await site().shell("kubectl -n northgate-system delete daemonset,deployment,pdb,secret --all");
  }, slow);

  const zones = async () =>
    (await view(site().plane, "anp/one")).conditions.map(({ type, status }) => `${type} ${status}`).sort();
  const rows = () => Promise.all(nodes.map((node) => site().rows(node)));
  /** Nobody has touched what must not be touched. */
  const stand = async (before: readonly string[]) => {
    expect(await site().policies()).toEqual(before);
    expect(await site().definitions()).toEqual(definitions);
    expect(await site().plane.kubectl(["get", "anp"])).toContain("one");
  };
  describe.each([
    { by: "kustomize", way: "node", suffix: "", zoned: true },
    { by: "helm", way: "node", suffix: "-helm", zoned: true },
    { by: "kustomize", way: "central", suffix: "", zoned: false },
    { by: "helm", way: "central", suffix: "-helm", zoned: false },
  ])("$way, by $by", ({ by, way, suffix, zoned }) => {
    const byHelm = by === "helm";
    const tested = byHelm && !hasHelm ? test.skip : test;
    const zonesTold = zoned
      ? nodes.map((node) => `Ready-In-Zone-${node} True`)
      : ["Ready-In-Zone-global True"];
    const said: string[] = [];
    const run = async (block: string, env: NodeJS.ProcessEnv = {}) => {
      said.push(await site().run(block, env));
    };
    const install = async () => {
      // Of the page's commands for kustomize, Helm's reader runs the first two.
      if (byHelm && way === "central")
        await site().shell(
          "kubectl create namespace northgate-system; kubectl -n northgate-system create secret generic " +
            "northgate-nb --from-file=tls.key=$TLS/tls.key --from-file=tls.crt=$TLS/tls.crt --from-file=ca.crt=$TLS/ca.crt",
        );
      await run(`${way}${suffix}`);
      await eventually(async () => {
        expect(site().kubelet.pods.map(({ ready }) => ready)).toEqual([true, true]);
        expect(await zones()).toEqual(zonesTold);
      }, 30_000);
    };
    const goes = async () => {
      // Helm leaves the namespace that its user made.
      if (byHelm) await site().shell("kubectl delete namespace northgate-system");
      await eventually(async () => {
        expect(site().kubelet.pods).toHaveLength(0);
        expect(await site().plane.kubectl(["get", "namespaces", "-o", "name"])).not.toContain("northgate");
      }, 20_000);
      const left = ["get", "clusterroles,clusterrolebindings,roles,rolebindings", "-A", "-o", "name"];
      expect(await site().plane.kubectl(left)).not.toContain("northgate");
    };

    // What both ways of packing have in common is tried once for each way to run.
    if (byHelm !== zoned)
      tested(
        "upgrade, and uninstall with the rows kept: nothing of the policies, definitions and rows is written",
        async () => {
          await install();
          const [policiesThen, rowsThen] = [await site().policies(), await rows()];
          const groups = rowsThen.map((all) => all.length);
          expect(groups[0]).toBeGreaterThanOrEqual(6);
          expect(groups[1]).toBe(zoned ? groups[0] : 0);

          // The probes mean what docs/operations.md says: without the database it is not ready, and is not restarted for that.
          await site().without(nodes[0], async () => {
            const [pod] = site().kubelet.pods;
            if (pod === undefined) throw new Error("no pod runs");
            await eventually(async () => {
              expect(await probed(pod, "readinessProbe")).toBe(false);
            }, 20_000);
            expect(await probed(pod, "livenessProbe")).toBe(true);
          });

          // Another image is another generation: each pod is made anew.
          const first = site().kubelet.pods;
          await run(`upgrade${suffix}`, { TAG: "0.1.1" });
          await eventually(() => {
            const { pods } = site().kubelet;
            expect(pods.map(({ ready }) => ready)).toEqual([true, true]);
            expect(pods.filter((pod) => first.includes(pod))).toEqual([]);
            expect(pods.every(({ template }) => template.includes("northgate:0.1.1"))).toBe(true);
          }, 30_000);
          for (const pod of site().kubelet.pods) expect(await operationsOf(pod.address ?? "")).toBe(0);
          expect(await rows()).toEqual(rowsThen);
          await stand(policiesThen);

          await run(`uninstall${suffix}`);
          await goes();
          expect(await rows()).toEqual(rowsThen);
          await stand(policiesThen);
          expect(said.join("")).not.toMatch(/warning/i);
        },
        patience(120_000),
      );

    if (isLong || byHelm === zoned)
      tested(
        "install, and uninstall with the rows removed: policies and definitions stay",
        async () => {
          await install();
          await run(`remove${suffix}`);
          await goes();
          expect(await rows()).toEqual([[], []]);
          expect(await zones()).toEqual([]);
          expect(await site().definitions()).toEqual(definitions);
          expect((await site().policies()).map((line) => line.split(" ")[0])).toEqual(["one", "default"]);
          expect(said.join("")).not.toMatch(/warning/i);
        },
        patience(120_000),
      );
  });
});

/** Operations that the program behind this address has sent to its database. */
async function operationsOf(address: string): Promise<number | null> {
  const answer = await fetch(`${address}/metrics`);
  return new Scrape(await answer.text()).value("northgate_nb_operations_total");
}
