// What a controller may lack: the policies' CRDs, a right, a valid token, a certificate it trusts. It says what it lacks,
// writes nothing on half the knowledge, and goes on by itself when it has it.

import { afterEach, expect, test } from "@jest/globals";
import { installCrds } from "../test/kube/crds.ts";
import { eventually } from "../test/support/eventually.ts";
import { describeEndToEnd, slow } from "./describe.ts";
import { limitedUser, say, tokenUser } from "./harness.ts";
import { ready } from "./policies.ts";
import { move, type Taken } from "./steps.ts";

const before: Taken = new Set();
const after: Taken = new Set(["edit one port", "relabel a pod", "delete a namespace"]);
/** Until a failure is tried again at the latest, and more. */
const patienceMs = 60_000;

await describeEndToEnd("access", { crds: false }, (harness) => {
  const plane = () => harness().plane;

  afterEach(async () => {
    await harness().objects.wipe();
    await harness().converged();
    await harness().end();
  }, slow);

  const isUnready = (...parts: readonly string[]) =>
    eventually(async () => {
      const said = await harness().run.readiness();
      for (const part of parts) expect(said).toContain(part);
    }, 20_000);
  const nothingIsWritten = async () => {
    expect((await harness().rows()).tables).toEqual({ Port_Group: [], Address_Set: [], ACL: [] });
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
      await isUnready(
        "\nbaselineadminnetworkpolicies: the API server does not know this resource (CRD missing?)",
      );
      expect(await run.readiness()).toMatch(/^adminnetworkpolicies: .*CRD missing\?/);
      await nothingIsWritten();
      await installCrds(plane());
      await timed("CRDs installed: ready", () => run.ready(patienceMs));
      expect(run.told("a resource cannot be followed and will be tried again")).toBe(2);
      await move(harness(), null, before);
      await harness().converged();
      await ready(plane(), "anp/first");
    },
    slow,
  );

  test(
    "a right is granted later",
    async () => {
      const { kubectl } = { kubectl: (text: string) => plane().kubectl(text.split(" ")) };
      const policies = ["adminnetworkpolicies", "baselineadminnetworkpolicies"]
        .map((resource) => `${resource}.policy.networking.k8s.io`)
        .join();
      await kubectl(`create clusterrole half --verb=list,watch --resource=namespaces,nodes,${policies}`);
      await kubectl(`create clusterrolebinding half --clusterrole=half --user=${limitedUser}`);
      await move(harness(), null, before);
      const run = harness().start({ kubeconfig: plane().kubeconfigOf(limitedUser) });
      await isUnready("pods: the API server forbids it (403");
      expect(await run.readiness()).toMatch(/^pods: [^\n]+\nthe first reconciliation is not done$/);
      await nothingIsWritten();
      await harness().grant(limitedUser);
      await timed("right granted: ready", () => run.ready(patienceMs));
      await harness().converged();
      await ready(plane(), "anp/first");
    },
    slow,
  );

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
