// What a controller may lack: the policies' CRDs, a right, a valid token, a certificate it trusts. It says what it lacks,
// writes nothing on half the knowledge, and goes on by itself when it has it.

import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "@jest/globals";
import { create, remove } from "../test/kube/bulk.ts";
import { installCrds, plurals, removeCrds } from "../test/kube/crds.ts";
import { clusterPolicy } from "../test/kube/objects.ts";
import { eventually } from "../test/support/eventually.ts";
import { describeEndToEnd, slow } from "./describe.ts";
import { limitedUser, say, tokenUser } from "./harness.ts";
import { ready } from "./policies.ts";
import { move, type Taken } from "./steps.ts";

const everyPod = { namespaces: {} };
const nothing = { Port_Group: [], Address_Set: [], ACL: [] };
const before: Taken = new Set();
const after: Taken = new Set(["edit one port", "relabel a pod", "delete a namespace"]);
/** Until a failure is tried again at the latest, and more. */
const patienceMs = 60_000;

await describeEndToEnd("access", { crds: false }, (harness) => {
  const plane = () => harness().plane;

  afterEach(async () => {
    try {
      await harness().objects.wipe();
      await harness().converged();
    } finally {
      await harness().end();
    }
  }, slow);

  const isUnready = (...parts: readonly string[]) =>
    eventually(async () => {
      const said = await harness().run.readiness();
      for (const part of parts) expect(said).toContain(part);
    }, 20_000);
  const nothingIsWritten = async () => {
    expect((await harness().rows()).tables).toEqual(nothing);
    expect((await harness().run.metrics()).value("northgate_nb_transactions_total")).toBe(0);
  };
  const timed = async (name: string, work: () => Promise<unknown>) => {
    const started = performance.now();
    await work();
    say(`${name} after ${Math.round(performance.now() - started)} ms`);
  };
  /** Follows what changes after a rotation. */
  const follows = async (name: string) => {
    await timed(`${name}: followed`, async () => {
      await move(harness(), before, after);
      await harness().converged(patienceMs);
    });
    await harness().run.ready(patienceMs);
    for (const policy of ["anp/first", "anp/second", "banp/default"]) await ready(plane(), policy);
  };

  test(
    "the CRDs are installed later",
    async () => {
      const run = harness().start();
      await run.ready(patienceMs);
      expect(await run.readiness()).not.toContain("CRD");
      await nothingIsWritten();
      const unused =
        "the API server does not serve a resource, and no rows of it exist: Northgate does not wait for it";
      expect(run.told(unused)).toBe(3);
      expect(run.told("a resource cannot be watched and will be retried")).toBe(0);
      // A cluster with the API of before only.
      await installCrds(plane(), ["adminnetworkpolicies", "baselineadminnetworkpolicies"]);
      await timed("CRDs of v1alpha1 installed: followed", async () => {
        await move(harness(), null, before);
        await harness().converged(patienceMs);
      });
      await run.ready(patienceMs);
      await ready(plane(), "anp/first");
      expect(run.told(unused)).toBe(3);
      await installCrds(plane(), ["clusternetworkpolicies"]);
      const cluster = clusterPolicy("late", {
        tier: "Admin",
        priority: 3,
        subject: everyPod,
        ingress: [{ action: "Deny", from: [everyPod] }],
      });
      await create(plane().api, cluster);
      await timed("CRD of v1alpha2 installed: in force", () => ready(plane(), "cnp/late"));
      const owners = (await harness().rows()).tables.ACL.map(
        ({ external_ids: ids }) => ids["k8s.ovn.org/owner-type"],
      );
      // One a family.
      expect(owners.filter((owner) => owner === "ClusterNetworkPolicy")).toHaveLength(2);
      await remove(plane().api, cluster);
      await harness().converged();
      await ready(plane(), "anp/first");
    },
    slow,
  );

  test(
    "the CRDs are taken away, with the policies, and come back",
    async () => {
      harness().start();
      await move(harness(), null, before);
      await harness().converged();
      const { tables } = await harness().rows();
      expect(tables).not.toEqual(nothing);
      const crds = ["adminnetworkpolicies", "baselineadminnetworkpolicies"].map(
        (resource) => `${resource}.policy.networking.k8s.io`,
      );
      /** Who deletes a CRD has decided nothing about policies: their rows stay, and everyone is told. */
      const rowsStay = async () => {
        await isUnready("CRD missing?", ...crds.map((crd) => `the CRD ${crd} is missing: rows of `));
        const lines = harness()
          .run.log()
          .filter(({ message }) => String(message).startsWith("the API server does not serve a kind"));
        expect(lines.map(({ level, crd, policies }) => [level, crd, policies]).sort()).toEqual([
          ["warn", crds[0], 3],
          ["warn", crds[1], 1],
        ]);
        const metrics = await harness().run.metrics();
        expect(metrics.value("northgate_missing_kind_policies", { crd: crds[0] ?? "" })).toBe(3);
        expect((await harness().rows()).tables).toEqual(tables);
      };
      await removeCrds(plane());
      await rowsStay();
      await harness().end();
      harness().start();
      await rowsStay();
      await harness().installCrds();
      await timed("CRDs are back: ready", () => harness().run.ready(patienceMs));
      // Listed and empty: that is what users want.
      await eventually(async () => {
        expect((await harness().rows()).tables).toEqual(nothing);
      }, 20_000);
      await move(harness(), null, before);
      await harness().converged(patienceMs);
      await ready(plane(), "anp/first");
    },
    slow,
  );

  test(
    "rights are granted one after the other",
    async () => {
      const { audit } = harness();
      const kubectl = (text: string) => plane().kubectl(text.split(" "));
      const grant = async (role: string, resources: string) => {
        await kubectl(`create clusterrole ${role} --verb=list,watch --resource=${resources}`);
        await kubectl(`create clusterrolebinding ${role} --clusterrole=${role} --user=${limitedUser}`);
      };
      const policies = plurals.map((resource) => `${resource}.policy.networking.k8s.io`).join();
      await grant("all-but-pods", `namespaces,nodes,${policies}`);
      await move(harness(), null, before);
      const run = harness().start({ kubeconfig: plane().kubeconfigOf(limitedUser) });
      await isUnready("pods: the API server forbids it (403");
      // The refusal may come before the lists that are allowed.
      await eventually(async () => {
        expect(await run.readiness()).toMatch(/^pods: [^\n]+\nthe first reconciliation is not done$/);
      });
      await nothingIsWritten();

      // Without the right to write conditions the rows are written all the same, and nobody is pestered.
      const asked = audit.requests().length;
      await grant("pods", "pods");
      await timed("right granted: ready", () => run.ready(patienceMs));
      await harness().converged();
      await sleep(3_000);
      const refused = audit.requests().filter(({ verb }, i) => i >= asked && verb === "patch");
      expect(refused.map(({ code }) => code)).toEqual([403, 403, 403, 403]);
      expect(run.told("a write to the API server failed and will be retried")).toBe(2); // one a resource

      await harness().grant(limitedUser);
      await harness().end();
      harness().start({ kubeconfig: plane().kubeconfigOf(limitedUser) });
      await ready(plane(), "anp/first");
    },
    slow,
  );

  test("the manifests are taken by the API server as they are", async () => {
    // Ready, so that it is there to end well.
    await harness().start().ready();
    for (const [overlay, workload] of [
      ["ovn-kubernetes", "daemonset"],
      ["central", "deployment"],
    ]) {
      const folder = `manifests/overlays/${overlay}`;
      const strictly = ["--dry-run=server", "--validate=strict", "--warnings-as-errors", "--server-side"];
      const said = await plane().kubectl(["apply", ...strictly, "-k", folder]);
      expect(said).toContain(`${workload}.apps/northgate serverside-applied (server dry run)`);
    }
  });

  test(
    "the token is rotated",
    async () => {
      await harness()
        .start({ kubeconfig: plane().kubeconfigOf(tokenUser) })
        .ready();
      await move(harness(), null, before);
      await harness().converged();
      await plane().rotateToken(tokenUser);
      await follows("token rotated");
    },
    slow,
  );

  test.each(["serving", "authority"] as const)(
    "the %s certificate is rotated",
    async (what) => {
      await harness().start().ready();
      await move(harness(), null, before);
      await harness().converged();
      await plane().rotateCertificates(what);
      await follows(`${what} certificate rotated`);
    },
    slow,
  );
});
