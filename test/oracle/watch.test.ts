// Packets that OVN judges with samples and without, by ovn-trace over northd's flows: no verdict and no ACL of a policy is another
// one, and what OVN samples has the number of the rule that decided, or that of the rows that watch.

import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { everyDialect } from "../../src/dialects.ts";
import type { PodFact } from "../../src/model/facts.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { applyCni } from "../../tools/sandbox/cni.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import type { Verdict } from "../../tools/sandbox/trace.ts";
import { openTracer } from "../../tools/sandbox/trace.ts";
import type { Rendering } from "../support/controller.ts";
import { openController } from "../support/controller.ts";
import { namespace, node, pod } from "../support/facts.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { patience } from "../support/patience.ts";
import { anp, banp, namespacesWith, np } from "../support/policies.ts";

const slow = patience(120_000);
const nodes = [node("east"), node("west")];
const podIn = (name: string, home: "east" | "west", address: string): PodFact =>
  pod(name, "a", { node: home, ips: [address], labels: { app: "a" } });
const pods = [
  podIn("red", "east", "10.244.1.5"),
  podIn("blue", "east", "10.244.1.6"),
  podIn("green", "west", "10.244.2.5"),
  podIn("free", "west", "10.244.2.6"),
];
const tcp = (port: number) => ({ portNumber: { protocol: "TCP", port } });
const fromRed = [namespacesWith({ name: "red" })];
const world: readonly WorldObject[] = [
  ...nodes,
  ...["red", "blue", "green", "free"].map((name) => namespace(name, { name })),
  ...pods,
  anp("admin", {
    priority: 1,
    subject: namespacesWith({ name: "blue" }),
    ingress: [
      { action: "Allow", from: fromRed, ports: [tcp(1)] },
      { action: "Pass", from: fromRed, ports: [tcp(2)] },
      { action: "Deny", from: fromRed, ports: [tcp(3)] },
    ],
    egress: [{ action: "Deny", to: [namespacesWith({ name: "green" })], ports: [tcp(3)] }],
  }),
  np("isolated", { podSelector: {}, ingress: [{ ports: [{ protocol: "TCP", port: 4 }] }] }, "green"),
  banp({
    subject: namespacesWith({ name: "blue" }),
    ingress: [{ action: "Deny", from: fromRed, ports: [tcp(2)] }],
  }),
];

await describeWithOvn("packets that are sampled", () => {
  let ovn: Ovn;
  const ended: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    ovn = await startOvn();
    await applyCni(ovn, { pods, nodes });
  }, slow);
  afterEach(async () => {
    for (const end of ended.splice(0)) await end();
  }, slow);
  afterAll(async () => {
    await ovn.stop();
  });

  /** By the connection, what OVN says with the rows of a controller that observes so. */
  async function verdicts(observed: Partial<Rendering>): Promise<ReadonlyMap<string, Verdict>> {
    const options = { families: ["v4" as const], zone: null, installed: everyDialect.dialects, ...observed };
    const { end, controller } = await openController(ovn.nb, world, options);
    await controller.loop.idle();
    const tracer = await openTracer(ovn);
    const found = new Map<string, Verdict>();
    for (const from of pods)
      for (const to of pods)
        for (const port of from === to ? [] : [1, 2, 3, 4, 5])
          found.set(
            `${from.namespace} to ${to.namespace} ${port}`,
            await tracer.verdict({ from, to, protocol: "tcp", port }),
          );
    await tracer.close();
    await end();
    return found;
  }

  const isWatch = (name: string) => name.startsWith("watch:");
  const said = (found: ReadonlyMap<string, Verdict>) =>
    Array.from(found, ([connection, { verdict, acls }]) => [
      ...[connection, verdict, acls.map(({ name }) => name).filter((name) => !isWatch(name))],
    ]);
  /** The number of the Sample of the ACLs of this name. */
  async function numbersOf(name: string): Promise<readonly string[]> {
    const samples = await ovn.nbctl("--bare", "--columns=sample_new", "find", "ACL", `name="${name}"`);
    const uuids = samples.split(/\s+/).filter(Boolean);
    return await Promise.all(
      uuids.map(async (uuid) => (await ovn.nbctl("get", "Sample", uuid, "metadata")).trim()),
    );
  }

  test(
    "are judged as without, and bear the number of what judged them",
    async () => {
      const without = await verdicts({});
      expect(new Set(Array.from(without.values(), ({ verdict }) => verdict))).toEqual(
        new Set(["allow", "drop"]),
      );
      const sampling = { setId: 79, probability: 65_535 };
      const sampled = await verdicts({ sampling });
      expect(said(sampled)).toEqual(said(without));
      const watched = await verdicts({ sampling, watches: true });
      expect(said(watched)).toEqual(said(without));
      const names = new Set<string>();
      for (const [connection, { acls, text }] of watched) {
        for (const { name } of acls) {
          names.add(name);
          const numbers = await numbersOf(name);
          expect([connection, name, numbers.some((number) => text.includes(number))]).toEqual([
            ...[connection, name, true],
          ]);
        }
        expect([connection, text.includes("collector_set=79,")]).toEqual([connection, acls.length > 0]);
      }
      expect([...names].filter(isWatch).sort()).toEqual(["watch:Egress", "watch:Ingress"]);
      expect(names.size).toBeGreaterThan(6);
      // Pods that no policy selects are sampled nowhere.
      expect(watched.get("free to red 1")?.acls).toEqual([]);
      // Off again.
      expect(said(await verdicts({}))).toEqual(said(without));
    },
    slow,
  );
});
