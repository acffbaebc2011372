// The documentation's own walk-through on a real OVN: every ACL that its samples become decides a packet, by the direction,
// place and action that the document gives it, and the trace it prints is the trace of the same packet here. An ACL that no
// packet is named for fails the test, and so does one that is named unreached and is met.

import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { WorldObject } from "../../src/model/object.ts";
import { isOnPodNetwork } from "../../src/model/facts.ts";
import { list } from "../../tools/sandbox/listing.ts";
import type { HitAcl } from "../../tools/sandbox/acls-of-flows.ts";
import type { Packet, Tracer, Verdict } from "../../tools/sandbox/trace.ts";
import { openTracer } from "../../tools/sandbox/trace.ts";
import { ip } from "../support/facts.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { Cluster } from "./cluster.ts";
import type { WalkedPacket } from "./documented.ts";
import { samples, tracedPacket } from "./documented.ts";
import { sorted } from "./worlds.ts";

const logging = '{ "deny": "alert", "allow": "alert", "pass" : "warning" }';
const services = [
  ...[80, 6443, 7564, 8080, 8991, 8992].map((port) => ["tcp", port] as const),
  ...[["udp", 5353] as const, ["sctp", 9] as const, ["icmp", 0] as const],
];

await describeWithOvn("the documented walk-through", () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.open();
  });
  afterAll(async () => {
    await cluster.close();
  });

  describe.each(samples)("$name", ({ objects, acls, packets, unreached }) => {
    let tracer: Tracer;

    beforeAll(async () => {
      await cluster.connect(objects);
      await cluster.become(objects);
      tracer = await openTracer(cluster.ovn);
    });
    afterAll(async () => {
      await tracer.close();
    });

    test.each(packets.map((one) => [textOf(one), one] as const))("%s", async (_, { line, verdict, met }) => {
      const seen = await tracer.verdict(packetOf(objects, line));
      expect([seen.verdict, ...seen.acls.map(metText)]).toEqual([verdict, ...met]);
      for (const acl of seen.acls) expectDocumented(acl);
    });

    test("no ACL is without a packet", async () => {
      expect(await aclIds(cluster)).toHaveLength(acls);
      const named = packets.flatMap(({ met }) => met.map((text) => text.replace(/ .*/, "")));
      expect([...new Set([...named, ...Object.keys(unreached)])].sort()).toEqual(await aclIds(cluster));
      expect(named.filter((id) => id in unreached)).toEqual([]);
    });

    test("what is said to be out of reach is not met by any packet, and all else is", async () => {
      const met = new Set<string>();
      for (const line of everyLine(objects, packets)) {
        for (const acl of (await tracer.verdict(packetOf(objects, line))).acls) met.add(idOf(acl));
      }
      const within = (await aclIds(cluster)).filter((id) => !(id in unreached));
      expect([...met].sort()).toEqual(within);
    });
  });

  test("the printed trace from the restricted tenant to monitoring", async () => {
    const [printed] = samples;
    const objects = (printed?.objects ?? []).map(logged);
    await cluster.connect(objects);
    await cluster.become(objects);
    const tracer = await openTracer(cluster.ovn);
    const seen = await tracer.verdict(packetOf(objects, tracedPacket.line)).finally(() => tracer.close());

    expect(seen.verdict).toBe("drop");
    expect(seen.acls).toMatchObject([
      { name: "ANP:cluster-control:Egress:5", tier: 1, priority: 26595, action: "drop" },
    ]);
    const [decided = ""] = lines(seen, "_acl_after_lb_eval");
    expect(decided).toMatch(/^ *\d+\. ls_in_acl_after_lb_eval /);
    expect(decided).toContain(
      "reg8[30..31] == 1 && reg0[9] == 1 && (inport == @a14645450421485494999 && ((ip4.dst == $a11452480169090787059))), priority 27595",
    );
    expect(lines(seen, "LOG: ")).toHaveLength(1);
    expect(seen.text).toContain(
      "LOG: ACL name=ANP:cluster-control:Egress:5, direction=IN, verdict=drop, severity=alert",
    );
    // It ends on the source's switch: nothing of the destination's side is met.
    expect(lines(seen, "ls_out_")).toEqual([]);
  });
});

function lines({ text }: Verdict, part: string): readonly string[] {
  return text.split("\n").filter((line) => line.includes(part));
}

function logged(object: WorldObject): WorldObject {
  if (!("spec" in object)) return object;
  return { ...object, annotations: new Map([["k8s.ovn.org/acl-logging", logging]]) };
}

/** The pod that has the address, or else the address itself. */
function endOf(objects: readonly WorldObject[], address: string) {
  const found = sorted(objects).pods.find((pod) => isOnPodNetwork(pod) && pod.ips.includes(ip(address)));
  return found ?? { ip: ip(address) };
}

function packetOf(objects: readonly WorldObject[], [from, to, protocol, port]: WalkedPacket["line"]): Packet {
  const source = endOf(objects, from);
  if ("ip" in source) throw new Error(`no pod has the address ${from}`);
  return { from: source, to: endOf(objects, to), protocol, port };
}

/** Every pod to every other end that pods, nodes and the named packets give, with every service. */
function everyLine(objects: readonly WorldObject[], packets: readonly WalkedPacket[]) {
  const { pods, nodes } = sorted(objects);
  const sources = pods.filter(isOnPodNetwork).flatMap((pod) => pod.ips);
  const named = packets.map(({ line }) => line[1]);
  const ends = new Set<string>([...sources, ...nodes.flatMap((node) => node.ips), ...named]);
  return sources.flatMap((from) =>
    [...ends]
      .filter((to) => to !== from)
      .flatMap((to) => services.map(([protocol, port]) => [from, to, protocol, port] as const)),
  );
}

/** "<policy>:<Direction>:<index>:<ports>", the end of k8s.ovn.org/id. */
function shortId(externalIds: ReadonlyMap<string, string>): string {
  return (externalIds.get("k8s.ovn.org/id") ?? "").split(":").slice(2).join(":");
}

const idOf = ({ externalIds }: HitAcl): string => shortId(externalIds);
const metText = (acl: HitAcl): string => `${idOf(acl)} ${acl.action}`;

async function aclIds(cluster: Cluster): Promise<readonly string[]> {
  const columns = ["external_ids"];
  const [rows = []] = await list(cluster.ovn.nb, "OVN_Northbound", { table: "ACL", columns });
  return rows.map((row) => shortId(row.map("external_ids"))).sort();
}

/** The columns that follow from an ACL's place, by the document's own formulas. */
function expectDocumented(acl: HitAcl): void {
  const [policy, direction, index] = idOf(acl).split(":");
  const baseline = acl.externalIds.get("k8s.ovn.org/owner-type") === "BaselineAdminNetworkPolicy";
  const priorityOf: Readonly<Record<string, number>> = {
    "cluster-control": 34,
    "multi-tenant-isolation": 43,
  };
  const first = baseline ? 1750 : 30000 - 100 * (priorityOf[policy ?? ""] ?? 40);
  expect(acl).toMatchObject({
    name: `${baseline ? "BANP" : "ANP"}:${policy}:${direction}:${index}`,
    direction: direction === "Egress" ? "from-lport" : "to-lport",
    tier: baseline ? 3 : 1,
    priority: first - Number(index),
  });
}

function textOf({ line: [from, to, protocol, port], verdict }: WalkedPacket): string {
  return `${from} -> ${to} ${protocol}${protocol === "icmp" ? "" : ` ${port}`}: ${verdict}`;
}
