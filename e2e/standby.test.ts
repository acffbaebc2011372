// Two instances on one database and one API server: one writes, rows and conditions and events; the other only reads, is
// ready, and goes on where the first ended. Who asked for what is told by the API server's audit log: each instance is a
// user of its own.

import { afterEach, expect, test } from "@jest/globals";
import type { KubernetesObject } from "../test/kube/api.ts";
import { adminPolicy } from "../test/kube/objects.ts";
import { eventually } from "../test/support/eventually.ts";
import { describeEndToEnd, slow } from "./describe.ts";
import { limitedUser, say, secondUser } from "./harness.ts";
import { condition, events, ready } from "./policies.ts";
import type { Run } from "./running.ts";
import { move } from "./steps.ts";

const reads = new Set(["get", "list", "watch"]);
/** A process may take long to start, on a busy machine. */
const patienceMs = 30_000;

const denyAll = { subject: { namespaces: {} }, ingress: [{ action: "Deny", from: [{ namespaces: {} }] }] };
const good = (name: string, priority: number): KubernetesObject =>
  adminPolicy(name, { ...denyAll, priority });
/** OVN has no room for this priority: the program refuses the policy. */
const refused = (name: string): KubernetesObject => good(name, 100);
const isRefused = { type: "Ready-In-Zone-global", status: "False", reason: "SetupFailed" };

await describeEndToEnd("a standby", {}, (harness) => {
  const plane = () => harness().plane;

  afterEach(async () => {
    await harness().end();
    await harness().objects.wipe();
    // The next test begins without rows.
    await harness().start().ready();
    await harness().converged();
    await harness().end();
  }, slow);

  const standsBy = (run: Run) =>
    eventually(async () => {
      const answer = await fetch(`${await run.address()}/readyz`);
      const [first, ...notes] = (await answer.text()).split("\n");
      expect([answer.status, first]).toEqual([200, "ok"]);
      expect(notes).toContainEqual(expect.stringMatching(/^standby: \S+ pid \d+ writes$/));
      expect((await run.metrics()).value("northgate_leader")).toBe(0);
    }, patienceMs);
  const leads = (run: Run) =>
    eventually(async () => {
      expect((await run.metrics()).value("northgate_leader")).toBe(1);
      expect(await run.readiness()).not.toContain("standby");
    }, patienceMs);
  const sees = (run: Run, policies: number) =>
    eventually(async () => {
      const held = { resource: "adminnetworkpolicies" };
      expect((await run.metrics()).value("northgate_source_objects", held)).toBe(policies);
    }, patienceMs);
  /** What a user asked the API server for that is no reading, after its first `skipped` requests of everyone. */
  const writesOf = (isUser: (user: string) => boolean, skipped = 0) =>
    harness()
      .audit.requests()
      .slice(skipped)
      .filter(({ user, verb }) => isUser(user) && !reads.has(verb))
      .map(({ verb, what, uri }) => `${verb} ${what} ${uri.replace(/\?.*/, "").split("/").at(-1) ?? ""}`);
  const bySecond = (user: string) => user === secondUser;
  const byFirst = (user: string) => user !== secondUser;

  test(
    "is ready, writes no condition and no event, and reports from its takeover on",
    async () => {
      const first = harness().start();
      await move(harness(), null, new Set());
      await ready(plane(), "anp/first");
      await leads(first);
      const second = harness().startSecond();
      await standsBy(second);

      await harness().objects.apply(good("fourth", 30), refused("beyond"));
      await ready(plane(), "anp/fourth");
      await condition(plane(), "anp/beyond", isRefused);
      await harness().converged();
      await sees(second, 5);
      await standsBy(second);
      expect(
        harness()
          .audit.requests()
          .some(({ user }) => user === secondUser),
      ).toBe(true);
      expect(writesOf(bySecond)).toEqual([]);
      const told = await events(plane());
      expect(told).toHaveLength(1);
      const metrics = await second.metrics();
      expect(metrics.value("northgate_nb_transactions_total")).toBe(0);
      expect(metrics.nonzero("northgate_writes_total", "kind", "outcome")).toEqual({});

      const before = (await harness().rows()).tables;
      const asked = harness().audit.requests().length;
      const begun = performance.now();
      await first.end();
      await leads(second);
      say(`leader ended by SIGTERM: the standby writes after ${Math.round(performance.now() - begun)} ms`);
      await harness().objects.apply(good("fifth", 40));
      await ready(plane(), "anp/fifth");
      await harness().converged();
      expect(writesOf(bySecond, asked)).toContain("patch adminnetworkpolicies/status status");
      expect(writesOf(byFirst, asked)).toEqual([]);
      // What the first had reported stands, and is not told again.
      await condition(plane(), "anp/beyond", isRefused);
      expect(await events(plane())).toEqual(told);
      const { tables } = await harness().rows();
      const names = (rows: typeof tables) => rows.Port_Group.map(({ name }) => name);
      expect(names(tables)).toEqual(expect.arrayContaining(names(before)));
    },
    slow,
  );

  test(
    "reports what was refused while it stood by",
    async () => {
      const asked = harness().audit.requests().length;
      // The first may read and not write: what it leaves unsaid the second must say.
      const kubectl = (text: string) => plane().kubectl(text.split(" "));
      const policies = ["adminnetworkpolicies", "baselineadminnetworkpolicies", "clusternetworkpolicies"]
        .map((resource) => `${resource}.policy.networking.k8s.io`)
        .join();
      const resources = `pods,namespaces,nodes,${policies}`;
      await kubectl(`create clusterrole reader --verb=get,list,watch --resource=${resources}`);
      await kubectl(`create clusterrolebinding reader --clusterrole=reader --user=${limitedUser}`);
      const first = harness().start({ kubeconfig: plane().kubeconfigOf(limitedUser) });
      await first.ready();
      await leads(first);
      const second = harness().startSecond();
      await standsBy(second);

      await harness().objects.apply(good("kept", 1), refused("beyond"));
      await sees(second, 2);
      await harness().converged();
      await eventually(() => {
        const codes = harness()
          .audit.requests()
          .flatMap(({ user, verb, code }) => (user === limitedUser && verb === "patch" ? [code] : []));
        expect(codes.length).toBeGreaterThanOrEqual(2);
        expect(new Set(codes)).toEqual(new Set([403]));
      }, patienceMs);
      await standsBy(second);
      expect(writesOf(bySecond, asked)).toEqual([]);

      await first.end();
      await leads(second);
      await ready(plane(), "anp/kept");
      await condition(plane(), "anp/beyond", isRefused);
      await eventually(async () => {
        expect((await events(plane(), "beyond")).map(({ reason }) => reason)).toContain(
          "ANPWithUnsupportedPriority",
        );
      }, patienceMs);
      // The rows were right already.
      expect((await second.metrics()).value("northgate_nb_operations_total")).toBe(0);
      await harness().converged();
    },
    slow,
  );
});
