// What a node's own packets meet on the way to its pods under NetworkPolicies: ovn-trace, with the rows that the controller
// wrote, against the judge. A node reaches its isolated pod, another node and a pod do not; what an administrator denies stays
// denied, and the baseline does not come to speak.

import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { everyDialect } from "../../src/dialects.ts";
import type { NodeFact, PodFact } from "../../src/model/facts.ts";
import { familyOf } from "../../src/model/ip.ts";
import type { PolicyObject } from "../../src/model/object.ts";
import { noBackend, OfflineModel } from "../../src/offline/model.ts";
import type { End } from "../../src/policy/evaluate.ts";
import { applyCni } from "../../tools/sandbox/cni.ts";
import { type Ovn, startOvn } from "../../tools/sandbox/ovn.ts";
import { openTracer } from "../../tools/sandbox/trace.ts";
import { openController, type TestController } from "../support/controller.ts";
import { ip, namespace, node, pod } from "../support/facts.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { patience } from "../support/patience.ts";
import { anp, banp, np } from "../support/policies.ts";

const families = ["v4", "v6"] as const;
const shop = (name: string, home: number): PodFact =>
  pod("shop", name, { ips: [`10.244.${home}.11`, `fd00:0:0:${home}::11`], node: `node-${home}` });
const [here, there] = [shop("here", 1), shop("there", 2)];
const first: NodeFact = {
  ...node("node-1", {}, ["172.18.0.2", "fd18::2"]),
  managementIps: [ip("10.244.1.2")],
};
const second = node("node-2", {}, ["172.18.0.3", "fd18::3"]);
const facts = [namespace("shop"), here, there, first, second];
const isolated = np("isolated", { ingress: [] });
/** A peer of a kind that nobody knows: a deny fails closed, for every address. */
const denyAll = { ingress: [{ action: "Deny", from: [{ galaxies: {} }] }] };
const slow = patience(60_000);

await describeWithOvn("a node's packets to its pods", () => {
  let ovn: Ovn;
  let controller: TestController;
  const ended: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    ovn = await startOvn();
    ended.push(() => ovn.stop());
    await applyCni(ovn, { pods: [here, there], nodes: [first, second] });
    const options = { families, zone: null, installed: everyDialect.dialects };
    const opened = await openController(ovn.nb, facts, options);
    controller = opened.controller;
    ended.unshift(opened.end);
  }, slow);
  afterAll(async () => {
    for (const end of ended) await end();
  }, slow);

  const outside = (text: string): End => ({ ip: ip(text), pod: null });
  const senders: readonly (readonly [string, End, PodFact, boolean])[] = [
    ["its node", outside("172.18.0.2"), here, true],
    ["its node", outside("fd18::2"), here, true],
    ["its node's management port", outside("10.244.1.2"), here, true],
    ["another node", outside("172.18.0.3"), here, false],
    ["another node", outside("fd18::3"), here, false],
    ["the same node, where it is another", outside("172.18.0.2"), there, false],
    ["its own node", outside("172.18.0.3"), there, true],
    ["what OVN makes of itself by a service", outside("169.254.169.5"), there, true],
    ["what OVN makes of itself by a service", outside("fd69::5"), here, true],
    ["an address outside", outside("203.0.113.7"), here, false],
  ];

  /** Whether each of them arrives, as OVN and as the judge say it. */
  async function arrivals(
    policies: readonly PolicyObject[],
  ): Promise<readonly (readonly [boolean, boolean])[]> {
    controller.source.become([...facts, ...policies]);
    await controller.loop.idle();
    expect([...controller.refused.keys()]).toEqual([]);
    const model = new OfflineModel({ dialects: everyDialect.dialects, families, backend: () => noBackend });
    model.observe([...facts, ...policies]);
    const tracer = await openTracer(ovn);
    try {
      const found: (readonly [boolean, boolean])[] = [];
      for (const [, from, to] of senders) {
        const family = familyOf(from.ip);
        const [at = from.ip] = to.ips.filter((one) => familyOf(one) === family);
        const connection = { from, to: { ip: at, pod: to }, protocol: "tcp", port: 80 } as const;
        const packet = { from: { ip: from.ip }, to, protocol: "tcp", port: 80, family } as const;
        const { verdict } = await tracer.verdict(packet);
        const judged = model.judge(connection).verdict;
        found.push([verdict === "allow", judged === "allow"]);
      }
      return found;
    } finally {
      await tracer.close();
    }
  }
  const both = (one: boolean) => [one, one] as const;

  test(
    "arrive from its own node, and from no other",
    async () => {
      expect(await arrivals([isolated])).toEqual(senders.map(([, , , arrives]) => both(arrives)));
    },
    slow,
  );

  test(
    "arrive from its own node where the baseline denies all, pods that nobody isolates among them",
    async () => {
      const elsewhere = np("elsewhere", {}, "nowhere");
      for (const policy of [isolated, elsewhere])
        expect(await arrivals([policy, banp(denyAll)])).toEqual(
          senders.map(([, , , arrives]) => both(arrives)),
        );
    },
    slow,
  );

  test(
    "do not arrive where an administrator denies it",
    async () => {
      expect(await arrivals([isolated, anp("no", denyAll)])).toEqual(senders.map(() => both(false)));
    },
    slow,
  );

  test(
    "arrive all without a NetworkPolicy",
    async () => {
      expect(await arrivals([])).toEqual(senders.map(() => both(true)));
    },
    slow,
  );
});
