// A pod's packets to itself (docs/rows.md, "A pod and itself"): what OVN shows to our ACLs of them. Directly to its own
// address none gets anywhere, with or without a policy. By a load balancer that sends it back, the packet leaves the switch's
// ingress pipeline before the egress rules' ACLs, and meets those of the ingress rules. No row of ours is needed or can help.

import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { PodFact } from "../../src/model/facts.ts";
import { applyCni } from "../../tools/sandbox/cni.ts";
import { type Ovn, startOvn } from "../../tools/sandbox/ovn.ts";
import { openTracer, type Verdict } from "../../tools/sandbox/trace.ts";
import { openController, type TestController } from "../support/controller.ts";
import { ip, namespace, node, pod } from "../support/facts.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { patience } from "../support/patience.ts";
import { cnp } from "../support/policies.ts";

const inRed = (name: string, last: number): PodFact =>
  pod("red", name, { ips: [`10.244.1.${last}`, `fd00:0:0:1::${last}`], node: "node-1", labels: { name } });
const [self, other] = [inRed("self", 11), inRed("other", 12)];
const nodes = [node("node-1", {}, ["172.18.0.2"])];
const world = [namespace("red"), self, other, ...nodes];
const pods = (name: string) => ({ pods: { podSelector: { matchLabels: { name } } } });
const everybody = { namespaces: {} };
const denyEgress = cnp("egress", { subject: everybody, egress: [{ action: "Deny", to: [pods("self")] }] });
const denyIngress = cnp("ingress", {
  subject: everybody,
  priority: 20,
  ingress: [{ action: "Deny", from: [everybody] }],
});
const services = { v4: ["10.96.0.1", "10.244.1.11"], v6: ["fd96::1", "fd00:0:0:1::11"] } as const;
const slow = patience(60_000);

await describeWithOvn("a pod's packets to itself", () => {
  let ovn: Ovn;
  let controller: TestController;
  const ended: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    ovn = await startOvn();
    ended.push(() => ovn.stop());
    await applyCni(ovn, { pods: [self, other], nodes });
    const backends = [`10.244.1.11:8080`, `[fd00:0:0:1::11]:8080`] as const;
    // As OVN-Kubernetes sets it up.
    const snat = 'options:hairpin_snat_ip="169.254.169.5 fd69::5"';
    for (const [name, vip, backend] of [
      ["s4", "10.96.0.1:80", backends[0]],
      ["s6", "[fd96::1]:80", backends[1]],
    ] as const)
      await ovn.nbctl(
        ...["lb-add", name, vip, backend, "--", "set", "load_balancer", name, snat],
        ...["--", "ls-lb-add", "node-1", name],
      );
    const opened = await openController(ovn.nb, world, { families: ["v4", "v6"], zone: null });
    controller = opened.controller;
    ended.unshift(opened.end);
  }, slow);
  afterAll(async () => {
    for (const end of ended) await end();
  }, slow);

  /** Under these policies, from this pod to this one or to its service. */
  async function traced(
    policies: readonly ReturnType<typeof cnp>[],
    from: PodFact,
    to: "pod" | "service",
    family: "v4" | "v6",
  ): Promise<Verdict> {
    controller.source.become([...world, ...policies]);
    await controller.loop.idle();
    const tracer = await openTracer(ovn);
    const [vip] = services[family];
    const packet =
      to === "pod"
        ? { from, to: self, protocol: "tcp" as const, port: 8080, family }
        : { from, to: { ip: ip(vip) }, protocol: "tcp" as const, port: 80 };
    try {
      return await tracer.verdict(packet);
    } finally {
      await tracer.close();
    }
  }
  const met = ({ acls }: Verdict) => acls.map(({ name }) => name);
  const arrives = ({ text }: Verdict) => text.includes('output to "red_self"');

  test.each(["v4", "v6"] as const)(
    "%s: directly, it gets nowhere, whatever the policies say",
    async (family) => {
      expect(arrives(await traced([], self, "pod", family))).toBe(false);
      expect(arrives(await traced([], other, "pod", family))).toBe(true);
    },
    slow,
  );

  test.each(["v4", "v6"] as const)(
    "%s: by a service, the egress rules are not asked; those of another pod are",
    async (family) => {
      const own = await traced([denyEgress], self, "service", family);
      expect(own.text).toContain("ls_in_hairpin");
      expect([met(own), arrives(own)]).toEqual([[], true]);
      const others = await traced([denyEgress], other, "service", family);
      expect([met(others), arrives(others)]).toEqual([["CNP:egress:Egress:0"], false]);
    },
    slow,
  );

  test.each(["v4", "v6"] as const)(
    "%s: by a service, the ingress rules are asked",
    async (family) => {
      const own = await traced([denyEgress, denyIngress], self, "service", family);
      // ovn-trace shows the pod's own address as the source; the datapath has changed it to the hairpin's by then.
      expect(own.text).toContain("ct_snat_to_vip");
      expect(own.text).toContain("ls_out_acl_eval");
      expect(met(own)).toEqual(["CNP:ingress:Ingress:0"]);
    },
    slow,
  );
});
