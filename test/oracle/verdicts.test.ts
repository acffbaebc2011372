// The rows that the controller writes, judged by OVN itself: northd compiles them, ovn-trace walks packets through all
// tiers, both families and every protocol. Tier 2 is played by hand-made NetworkPolicy rows, as their owner would write them.

import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { PodFact } from "../../src/model/facts.ts";
import type { IpAddress } from "../../src/model/ip.ts";
import { applyCni } from "../../tools/sandbox/cni.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { MemorySource, openNorthbound, startController } from "../support/controller.ts";
import { namespace, node, pod } from "../support/facts.ts";
import { addNetworkPolicy } from "../support/network-policy.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { anp, banp, namespacesWith } from "../support/policies.ts";
import type { Packet, Tracer } from "../../tools/sandbox/trace.ts";
import { openTracer, parseErrors } from "../../tools/sandbox/trace.ts";

const http = { name: "http", protocol: "tcp", port: 6060 } as const;
const inSpace = (space: string, name: string, subnet: number, last: number, nodeName: string): PodFact =>
  pod(space, name, {
    ips: [`10.244.${subnet}.${last}`, `fd00:0:0:${subnet}::${last}`],
    node: nodeName,
    labels: { name },
    ports: space === "blue" && name === "b" ? [http] : [],
  });

const pods = {
  redA: inSpace("red", "a", 1, 11, "node-1"),
  redB: inSpace("red", "b", 2, 12, "node-2"),
  blueA: inSpace("blue", "a", 1, 13, "node-1"),
  blueB: inSpace("blue", "b", 2, 14, "node-2"),
  greenA: inSpace("green", "a", 1, 15, "node-1"),
};
const nodes = [node("node-1", {}, ["172.18.0.2"]), node("node-2", { role: "edge" }, ["172.18.0.3"])];

const number = (protocol: string, port: number) => ({ portNumber: { protocol, port } });
const red = namespacesWith({ tenant: "red" });
const green = namespacesWith({ tenant: "green" });
const blue = namespacesWith({ tenant: "blue" });
const policies = [
  anp("blue", {
    priority: 34,
    subject: blue,
    ingress: [
      {
        action: "Allow",
        from: [red],
        ports: [number("TCP", 8080), number("UDP", 5353), number("SCTP", 3868)],
      },
      { action: "Deny", from: [green] },
      {
        action: "Pass",
        from: [red],
        ports: [number("TCP", 9090), number("UDP", 9090), number("SCTP", 9090)],
      },
      {
        action: "Allow",
        from: [red],
        ports: [{ namedPort: "http" }, { portRange: { start: 20000, end: 20010 } }],
      },
    ],
    egress: [
      { action: "Allow", to: [red], ports: [number("TCP", 8080)] },
      { action: "Deny", to: [green] },
      { action: "Pass", to: [red], ports: [number("TCP", 9090)] },
      { action: "Deny", to: [{ networks: ["203.0.113.0/24", "2001:db8:bad::/48"] }] },
      { action: "Deny", to: [{ nodes: { matchLabels: { role: "edge" } } }] },
    ],
  }),
  anp("later", {
    priority: 99,
    subject: blue,
    ingress: [{ action: "Deny", from: [red], ports: [number("TCP", 8080)] }],
  }),
  banp({
    subject: blue,
    ingress: [{ action: "Deny", from: [red] }],
    egress: [{ action: "Deny", to: [red] }],
  }),
];

type Name = keyof typeof pods;
type Expected = "allow" | "drop";
const cases: readonly (readonly [Name, Name, Packet["protocol"], number, Expected, string, string | null])[] =
  [
    ["redA", "blueB", "tcp", 8080, "allow", "tier 1 allow", "ANP:blue:Ingress:0"],
    [
      "redA",
      "blueA",
      "tcp",
      8080,
      "allow",
      "tier 1 allow beats a NetworkPolicy's deny",
      "ANP:blue:Ingress:0",
    ],
    ["redA", "blueB", "udp", 5353, "allow", "tier 1 allow, udp", "ANP:blue:Ingress:0"],
    ["redA", "blueB", "sctp", 3868, "allow", "tier 1 allow, sctp", "ANP:blue:Ingress:0"],
    [
      "redA",
      "blueB",
      "udp",
      8080,
      "drop",
      "the protocol counts, not the number alone",
      "BANP:default:Ingress:0",
    ],
    ["greenA", "blueA", "tcp", 7070, "drop", "tier 1 deny", "ANP:blue:Ingress:1"],
    ["greenA", "blueB", "udp", 6060, "drop", "tier 1 deny, any port", "ANP:blue:Ingress:1"],
    ["greenA", "blueB", "icmp", 0, "drop", "tier 1 deny, icmp", "ANP:blue:Ingress:1"],
    ["redA", "blueA", "tcp", 9090, "drop", "pass to a NetworkPolicy that denies", "np_i_deny"],
    [
      "redA",
      "blueB",
      "tcp",
      9090,
      "drop",
      "pass past no NetworkPolicy to the baseline",
      "BANP:default:Ingress:0",
    ],
    ["redA", "blueB", "sctp", 9090, "drop", "pass to the baseline, sctp", "BANP:default:Ingress:0"],
    [
      "redA",
      "blueA",
      "tcp",
      7070,
      "allow",
      "no admin rule: a NetworkPolicy's allow beats the baseline",
      "np_i_0",
    ],
    [
      "redA",
      "blueB",
      "tcp",
      7070,
      "drop",
      "no admin rule, no NetworkPolicy: the baseline",
      "BANP:default:Ingress:0",
    ],
    ["redB", "blueB", "icmp", 0, "drop", "the baseline, icmp", "BANP:default:Ingress:0"],
    ["redA", "blueB", "tcp", 6060, "allow", "a named port of the destination", "ANP:blue:Ingress:3"],
    ["redB", "blueA", "tcp", 6060, "drop", "the name is declared by the other pod only", "np_i_deny"],
    ["redB", "blueB", "tcp", 20000, "allow", "a range's first port", "ANP:blue:Ingress:3"],
    ["redB", "blueB", "tcp", 20010, "allow", "a range's last port", "ANP:blue:Ingress:3"],
    ["redB", "blueB", "tcp", 20011, "drop", "above a range", "BANP:default:Ingress:0"],
    ["redA", "redB", "tcp", 6060, "allow", "no subject: nothing applies", null],
    ["redA", "redB", "udp", 6060, "allow", "no subject, udp", null],
    ["redA", "greenA", "icmp", 0, "allow", "no subject, icmp", null],
    ["greenA", "redA", "sctp", 9090, "allow", "no subject, sctp", null],
    ["blueB", "redA", "tcp", 8080, "allow", "egress: tier 1 allow beats the baseline", "ANP:blue:Egress:0"],
    ["blueB", "greenA", "tcp", 8080, "drop", "egress: tier 1 deny", "ANP:blue:Egress:1"],
    ["blueB", "greenA", "icmp", 0, "drop", "egress: tier 1 deny, icmp", "ANP:blue:Egress:1"],
    ["blueB", "redA", "tcp", 9090, "drop", "egress: pass to the baseline", "BANP:default:Egress:0"],
    ["blueB", "redB", "udp", 6060, "drop", "egress: the baseline on one switch", "BANP:default:Egress:0"],
  ];

await describeWithOvn("what OVN does with packets under the rows", () => {
  let ovn: Ovn;
  let tracer: Tracer;
  const ended: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    ovn = await startOvn();
    await applyCni(ovn, { pods: Object.values(pods), nodes });
    const session = openNorthbound(ovn.nb);
    await session.opened();
    const namespaces = ["red", "blue", "green"].map((name) => namespace(name, { tenant: name }));
    const source = new MemorySource([...namespaces, ...Object.values(pods), ...nodes, ...policies]);
    const controller = startController(session, source, { families: ["v4", "v6"], zone: null });
    await controller.loop.idle();
    expect([...controller.refused]).toEqual([]);
    await addNetworkPolicy(ovn);
    tracer = await openTracer(ovn);
    ended.push(
      () => tracer.close(),
      () => controller.stop(),
      () => session.close(),
      () => ovn.stop(),
    );
  });
  afterAll(async () => {
    for (const end of ended) await end();
  });

  describe.each(["v4", "v6"] as const)("%s", (family) => {
    test.each(cases)("%s → %s %s %i: %s, %s", async (from, to, protocol, port, expected, _, decidedBy) => {
      const { verdict, acls } = await tracer.verdict({
        from: pods[from],
        to: pods[to],
        protocol,
        port,
        family,
      });
      expect(verdict).toBe(expected);
      const last = acls.at(-1);
      expect(last === undefined ? null : last.name).toBe(decidedBy);
    });

    const outside =
      family === "v4" ? ["203.0.113.9", "198.51.100.9"] : ["2001:db8:bad::9", "2001:db8:f00::9"];
    test.each([
      [outside[0], "drop", "a denied network"],
      [outside[1], "allow", "another network"],
    ])("blueB → %s: %s, %s", async (address, expected) => {
      const to = { ip: address as IpAddress };
      const { verdict } = await tracer.verdict({ from: pods.blueB, to, protocol: "tcp", port: 443, family });
      expect(verdict).toBe(expected);
    });
  });

  test("blueB → an edge node: drop, the other node: allow", async () => {
    const verdictTo = async (ip: string) =>
      (await tracer.verdict({ from: pods.blueB, to: { ip: ip as IpAddress }, protocol: "tcp", port: 6443 }))
        .verdict;
    expect(await verdictTo("172.18.0.3")).toBe("drop");
    expect(await verdictTo("172.18.0.2")).toBe("allow");
  });

  test("no match fails to parse", async () => {
    expect(await parseErrors(ovn)).toEqual([]);
  });
});
