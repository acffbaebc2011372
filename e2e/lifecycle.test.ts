// Objects come, change and go, by kubectl, in several orders: after every step the rows are those of a fresh start. What a
// policy's owner is told follows, and nothing is asked or told of the API server that need not be.

import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { create, patch, putStatus, remove } from "../test/kube/bulk.ts";
import { adminPolicy, namespace, node, pod } from "../test/kube/objects.ts";
import { eventually } from "../test/support/eventually.ts";
import { describeEndToEnd, slow } from "./describe.ts";
import { say } from "./harness.ts";
import { condition, ready } from "./policies.ts";
import { move, type Step, steps, type Taken } from "./steps.ts";

/** Every step has every other before it in one of these, and after it in another. */
const orders: readonly (readonly [string, readonly Step[]])[] = [
  ["as told", steps],
  ["reversed", steps.toReversed()],
  ["odd ones first", [...steps].sort((a, b) => (steps.indexOf(b) % 2) - (steps.indexOf(a) % 2))],
];

await describeEndToEnd("a cluster's life", {}, (harness) => {
  const plane = () => harness().plane;

  beforeEach(async () => {
    await harness().start().ready();
  }, slow);
  afterEach(async () => {
    await harness().end();
    await harness().objects.wipe();
  }, slow);

  const sets = (step: number, order: readonly Step[]): Taken => new Set(order.slice(0, step));

  test.each(orders)(
    "step by step, %s, and back again",
    async (name, order) => {
      await move(harness(), null, new Set());
      const times = [await harness().converged()];
      const path = [
        ...order.map((_, i) => [sets(i, order), sets(i + 1, order)] as const),
        // Back in another order than there: the first step is the first to be taken back.
        ...order.map((_, i) => [new Set(order.slice(i)), new Set(order.slice(i + 1))] as const),
      ];
      for (const [from, to] of path) {
        await move(harness(), from, to);
        times.push(await harness().converged());
      }
      say(`${name}: ${times.length} states, each converged within ${Math.round(Math.max(...times))} ms`);
      for (const policy of ["anp/first", "anp/second", "anp/third", "banp/default"])
        await ready(plane(), policy);
    },
    slow,
  );

  test(
    "squashed: many steps at once, and all of them without a pause",
    async () => {
      const nothing: Taken = new Set();
      const everything: Taken = new Set(steps);
      await move(harness(), null, everything);
      await harness().converged();
      await move(harness(), everything, nothing);
      await harness().converged();
      let last = nothing;
      for (let i = 0; i < steps.length; i++) {
        const next = new Set(steps.filter((_, k) => (k * 7 + i) % 3 > 0));
        await move(harness(), last, next);
        last = next;
      }
      await harness().converged();
    },
    slow,
  );

  test(
    "an edit that is not understood keeps the rows and says so; the repair is told, too",
    async () => {
      await move(harness(), null, new Set());
      await ready(plane(), "anp/second");
      await harness().converged();
      const before = (await harness().rows()).tables;
      const ports = (protocol: string) => ({
        spec: {
          egress: [
            { action: "Allow", to: [{ namespaces: {} }], ports: [{ portNumber: { protocol, port: 1 } }] },
          ],
        },
      });
      const edit = (change: unknown) =>
        plane().kubectl(["patch", "anp", "second", "--type=merge", "-p", JSON.stringify(change)]);
      await edit(ports("FOO"));
      const told = await condition(plane(), "anp/second", {
        type: "Ready-In-Zone-global",
        status: "False",
        reason: "SetupFailed",
      });
      expect(told.message).toBe(
        'UnknownProtocol at spec.egress[0].ports[0].portNumber.protocol: must be TCP, UDP or SCTP, not "FOO"; ' +
          "the policy's previous version stays in force",
      );
      expect((await harness().rows()).tables).toEqual(before);
      await edit(ports("SCTP"));
      await ready(plane(), "anp/second");
      await harness().converged();
      expect((await harness().rows()).tables).not.toEqual(before);
    },
    slow,
  );

  test(
    "logging is switched on, changed and off by kubectl annotate, in place",
    async () => {
      await move(harness(), null, new Set());
      await harness().converged();
      const annotate = (value: string) =>
        plane().kubectl(["annotate", "--overwrite", "anp/first", `k8s.ovn.org/acl-logging${value}`]);
      const logged = async () =>
        (await harness().rows()).tables.ACL.filter(({ log }) => log).map(
          ({ action, severity }) => `${action} ${String(severity)}`,
        );
      const rows = await harness().run.metrics();
      await annotate('={"deny":"alert","allow":"info"}');
      await harness().converged();
      expect(new Set(await logged())).toEqual(new Set(["drop alert", "allow-related info"]));
      await annotate('={"deny":"warning"}');
      await harness().converged();
      expect(new Set(await logged())).toEqual(new Set(["drop warning"]));
      await annotate("-");
      await harness().converged();
      expect(await logged()).toEqual([]);
      for (const op of ["insert", "delete"])
        expect((await harness().run.metrics()).value("northgate_nb_operations_total", { op })).toBe(
          rows.value("northgate_nb_operations_total", { op }),
        );
    },
    slow,
  );

  test(
    "a policy that is staged by kubectl annotate has no rows and a condition that says so, until the annotation goes",
    async () => {
      await move(harness(), null, new Set());
      await harness().converged();
      const policies = ["anp/first", "banp/default"];
      for (const policy of policies) await ready(plane(), policy);
      const before = (await harness().rows()).tables;
      const annotate = (value: string) =>
        plane().kubectl(["annotate", "--overwrite", ...policies, `northgate.io/staged${value}`]);
      await annotate("=true");
      for (const policy of policies) {
        const told = { type: "Ready-In-Zone-global", status: "False", reason: "Staged" };
        expect((await condition(plane(), policy, told)).message).toContain("northgate.io/staged");
      }
      const { ACL: left } = (await harness().rows()).tables;
      const names = new Set(left.map(({ name }) => name?.split(":")[1]));
      expect(names).toEqual(new Set(["second", "third"]));
      await annotate("-");
      for (const policy of policies) await ready(plane(), policy);
      await harness().converged();
      expect((await harness().rows()).tables).toEqual(before);
    },
    slow,
  );

  test(
    "a pod that is being deleted counts until it has completed",
    async () => {
      const { api } = plane();
      await move(harness(), null, new Set());
      const held = pod("a", "held", { node: "n1", labels: { app: "web" }, ips: ["10.0.0.9"] });
      const metadata = { ...held.metadata, finalizers: ["northgate.example/held"] };
      await harness().objects.addPorts([held]);
      await create(api, { ...held, metadata });
      const holders = async () =>
        (await harness().rows()).tables.Address_Set.filter(({ addresses }) => addresses.includes("10.0.0.9"))
          .length;
      await harness().converged();
      expect(await holders()).toBeGreaterThan(0);
      await remove(api, held);
      await harness().converged();
      expect(await holders()).toBeGreaterThan(0);
      const stored = await harness().objects.get(held);
      await putStatus(api, stored, { phase: "Succeeded", podIPs: [{ ip: "10.0.0.9" }] });
      await harness().converged();
      expect(await holders()).toBe(0);
      await patch(api, held, { metadata: { finalizers: null } });
      await harness().converged();
      expect(await holders()).toBe(0);
    },
    slow,
  );

  test(
    "a condition that another manager removes comes back without an edit",
    async () => {
      await move(harness(), null, new Set());
      const before = await ready(plane(), "anp/second");
      const none = JSON.stringify({ status: { conditions: [] } });
      await plane().kubectl(["patch", "anp", "second", "--subresource=status", "--type=merge", "-p", none]);
      expect(await ready(plane(), "anp/second")).toEqual(before);
      expect(harness().run.told("a condition was overwritten by another client and is written again")).toBe(
        1,
      );
      await harness().converged();
    },
    slow,
  );

  test(
    "one write for each policy, none for pods, and no polling",
    async () => {
      const { audit, objects } = harness();
      await eventually(async () => {
        expect((await harness().run.metrics()).value("northgate_source_watches_total")).toBe(6);
      });
      await objects.create([
        node("n1", { ips: ["192.0.2.1"], podCidrs: ["10.0.0.0/24"] }),
        namespace("a", { team: "a" }),
      ]);
      const names = Array.from({ length: 10 }, (_, i) => `p${i}`);
      const before = audit.requests().length;
      await objects.create(
        names.map((name, priority) =>
          adminPolicy(name, {
            priority,
            subject: { namespaces: {} },
            egress: [{ action: "Deny", to: [{ namespaces: { matchLabels: { team: "a" } } }] }],
          }),
        ),
      );
      for (const name of names) await ready(plane(), `anp/${name}`);
      expect(audit.tally(before)).toEqual({ "patch adminnetworkpolicies/status": 10 });

      const pods = Array.from({ length: 50 }, (_, i) =>
        pod("a", `p${i}`, { node: "n1", ips: [`10.0.0.${i}`] }),
      );
      const settled = audit.requests().length;
      await objects.create(pods);
      await harness().converged();
      await objects.remove(...pods.slice(25));
      await harness().converged();
      await sleep(3000);
      expect(audit.tally(settled)).toEqual({});
      const metrics = await harness().run.metrics();
      expect(metrics.nonzero("northgate_writes_total", "kind", "outcome")["status written"]).toBe(10);
    },
    slow,
  );
});
