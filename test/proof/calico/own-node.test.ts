// Under a first tier that denies everything, probes of kubelets live: a node reaches its own pods and has their answers, and nobody
// else does, with packets.

import { expect, test } from "@jest/globals";
import { everyKind, installed } from "../../../src/dialects.ts";
import type { NodeFact } from "../../../src/model/facts.ts";
import type { IpAddress } from "../../../src/model/ip.ts";
import type { WorldObject } from "../../../src/model/object.ts";
import type { Packet } from "../../../tools/sandbox/trace.ts";
import { calicoTier, gnp } from "../../support/calico.ts";
import { ip, namespace, node, pod } from "../../support/facts.ts";
import { describeWithDataplane } from "../../support/ovn.ts";
import { cnp, np } from "../../support/policies.ts";
import { Stage } from "../stage.ts";
import { shakenFromOutside } from "../talk.ts";

const [address, address6, management] = [ip("172.18.0.1"), ip("fd18::1"), ip("10.0.0.2")];
const own: NodeFact = { ...node("node-1", {}, [address, address6]), managementIps: [management] };
const web = pod("a", "web", { node: "node-1", ips: ["10.0.0.16", "fd00::10"] });
const near = pod("a", "near", { node: "node-1", ips: ["10.0.0.17", "fd00::11"] });
const far = pod("a", "far", { node: "node-2", ips: ["10.0.1.18", "fd00:0:0:1::12"] });
const facts: readonly WorldObject[] = [
  namespace("a"),
  ...[own, node("node-2", {}, ["172.18.0.2", "fd18::2"])],
  ...[web, near, far],
];

const everything = [{ action: "Deny" }];
const everybody = [{ namespaces: {} }];
const denying = [
  calicoTier("first", { order: -1_000_000_000 }),
  gnp("closed", {
    ...{ tier: "first", order: -1, types: ["Ingress", "Egress"] },
    ...{ ingress: everything, egress: everything },
  }),
];
/** What denies in other tiers. */
const others = [
  cnp("admin", { priority: 0, ingress: [{ action: "Deny", from: everybody }] }),
  gnp("default", { order: 0, types: ["Ingress"], ingress: everything }),
];

interface Sent {
  readonly says: string;
  readonly packet: Packet;
  readonly verdict: "allow" | "drop";
}
const from = (says: string, source: string, to: Packet["to"], verdict: Sent["verdict"]): readonly Sent[] =>
  (["tcp", "udp", "icmp"] as const).map((protocol) => ({
    says: `${says}, ${protocol}`,
    packet: { from: { ip: ip(source) }, to, protocol, family: source.includes(":") ? "v6" : "v4" },
    verdict,
  }));
const between = (says: string, packet: Omit<Packet, "protocol">): Sent => ({
  ...{ says, packet: { ...packet, protocol: "tcp" }, verdict: "drop" },
});
const packets: readonly Sent[] = [
  ...from("a node to its own pod", address, web, "allow"),
  ...from("a node to its own pod over IPv6", address6, web, "allow"),
  ...from("a node's management port to its own pod", management, near, "allow"),
  ...from("another node", "172.18.0.2", web, "drop"),
  ...from("another node over IPv6", "fd18::2", web, "drop"),
  ...from("a node to another's pod", address, far, "drop"),
  ...from("an address outside", "203.0.113.7", web, "drop"),
  between("a pod of the node", { from: near, to: web, family: "v4" }),
  between("a pod of another node", { from: far, to: web, family: "v6" }),
  between("the pod to its node", { from: web, to: { ip: address } }),
  between("the pod to its node over IPv6", { from: web, to: { ip: address6 } }),
];

const layouts = [
  { says: "in one stack", flags: {}, more: [np("isolated", { podSelector: {}, ingress: [] }, "a")] },
  { says: "with one tier more", flags: { "calico-tier-zero": "true" }, more: [] },
  { says: "around OVN-Kubernetes' NetworkPolicies", flags: { "enable-network-policy": "false" }, more: [] },
];

for (const { says, flags, more } of layouts)
  await describeWithDataplane(`under a first tier that denies everything, ${says}`, () => {
    const { dialects, tierLayout } = installed({ ...everyKind, "policy-model": "calico", ...flags });
    const stage = new Stage(facts, { installed: dialects, tierLayout });

    test.each(packets.map(({ says: text, verdict }, at) => [text, verdict, at] as const))(
      "%s: %s",
      async (_, verdict, at) => {
        if (verdicts.length === 0) await send();
        expect(verdicts[at]).toBe(verdict);
      },
    );
    const verdicts: string[] = [];
    /** All at once: a dataplane takes long to be ready for the first one. */
    const send = async () => {
      await stage.policies(...denying, ...others, ...more);
      verdicts.push(...(await stage.dataplane.verdicts(packets.map(({ packet }) => packet))));
    };

    test("the pod's answers to its node pass, although the tier denies what it says of itself", async () => {
      const shaken = (source: IpAddress, port: number) =>
        shakenFromOutside(stage.dataplane.wire, source, web, port);
      expect(await shaken(address, 50_000)).toEqual([true, true]);
      expect(await shaken(address6, 50_001)).toEqual([true, true]);
      expect(await shaken(ip("203.0.113.7"), 50_002)).toEqual([false, false]);
    });

    test("the policies alone make the difference: without them the others' packets pass", async () => {
      await stage.policies();
      const sent = await stage.dataplane.verdicts(packets.map(({ packet }) => packet));
      expect(new Set(sent)).toEqual(new Set(["allow"]));
    });
  });
