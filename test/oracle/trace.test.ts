// OVN's own verdicts on hand-made ACLs over the tiers: the judge that the policies' rows are brought before must be right itself.

import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { applyCni } from "../../tools/sandbox/cni.ts";
import { type Ovn, startOvn } from "../../tools/sandbox/ovn.ts";
import { portOf } from "../../tools/sandbox/topology.ts";
import { ip, node, pod } from "../support/facts.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { openTracer, type Packet, parseErrors, type Tracer } from "../../tools/sandbox/trace.ts";

const red = pod("red", "a", { node: "east", ips: ["10.244.1.5", "fd00:10:244:1::5"] });
const blue = pod("blue", "a", { node: "east", ips: ["10.244.1.6", "fd00:10:244:1::6"] });
const green = pod("green", "a", { node: "west", ips: ["10.244.2.5", "fd00:10:244:2::5"] });
/** On `west` with an address of a network that `east` has too. */
const stray = pod("stray", "a", { node: "west", ips: ["10.244.1.7", "fd00:10:244:1::7"] });
const pods = [red, blue, green, stray];
const nodes = [node("east"), node("west")];
const world = { ip: ip("203.0.113.9") };
const world6 = { ip: ip("2001:db8::9") };

function acl(name: string, tier: number, priority: number, action: string, match: string): readonly string[] {
  const direction = match.startsWith("outport") ? "to-lport" : "from-lport";
  const late = direction === "from-lport" ? ["options:apply-after-lb=true"] : [];
  const row = [
    `name=${name}`,
    `tier=${tier}`,
    `priority=${priority}`,
    `action=${action}`,
    `direction=${direction}`,
  ];
  return [
    "--",
    `--id=@${name}`,
    "create",
    "acl",
    ...row,
    `match="${match}"`,
    `external_ids:"k8s.ovn.org/id"="id:${name}"`,
    ...late,
  ];
}

const fromRed = `(ip4.src == ${red.ips[0]} || ip6.src == ${red.ips[1]})`;
const subject = ["--", "--id=@blue", "get", "logical_switch_port", portOf(blue), "--", "--id=@green", "get"];

/** Tier 1 on blue and green; tier 3 on blue alone. */
const policy: readonly string[] = [
  ...[...subject, "logical_switch_port", portOf(green)],
  ...acl("in-allow", 1, 26600, "allow-related", `outport == @subject && ${fromRed} && tcp.dst == 8080`),
  ...acl("in-pass", 1, 26599, "pass", `outport == @subject && ${fromRed} && tcp.dst == 9090`),
  ...acl("in-drop", 1, 26598, "drop", `outport == @subject && ${fromRed}`),
  ...acl(
    "out-world",
    1,
    26600,
    "drop",
    "inport == @subject && (ip4.dst == 203.0.113.0/24 || ip6.dst == 2001:db8::/32)",
  ),
  ...acl("in-last", 3, 1750, "drop", `outport == @last && ${fromRed}`),
  ...[
    "--",
    "create",
    "port_group",
    "name=subject",
    "ports=@blue,@green",
    "acls=@in-allow,@in-pass,@in-drop,@out-world",
  ],
  ...["--", "create", "port_group", "name=last", "ports=@blue", "acls=@in-last"],
];

await describeWithOvn("ovn-trace as a judge", (install) => {
  let ovn: Ovn;
  let tracer: Tracer;
  beforeAll(async () => {
    ovn = await startOvn({ install });
    await applyCni(ovn, { pods, nodes });
    await ovn.nbctl(...policy);
    tracer = await openTracer(ovn);
  });
  afterAll(async () => {
    await tracer.close();
    await ovn.stop();
  });

  const cases: readonly [string, Packet, "allow" | "drop", readonly string[]][] = [
    ["no ACL, same node", { from: blue, to: red, protocol: "tcp" }, "allow", []],
    ["no ACL, another node", { from: green, to: red, protocol: "udp" }, "allow", []],
    ["allow", { from: red, to: blue, protocol: "tcp", port: 8080 }, "allow", ["in-allow"]],
    ["allow, another node", { from: red, to: green, protocol: "tcp", port: 8080 }, "allow", ["in-allow"]],
    [
      "pass, then drop below",
      { from: red, to: blue, protocol: "tcp", port: 9090 },
      "drop",
      ["in-pass", "in-last"],
    ],
    ["pass, then none below", { from: red, to: green, protocol: "tcp", port: 9090 }, "allow", ["in-pass"]],
    ["drop udp", { from: red, to: green, protocol: "udp", port: 53 }, "drop", ["in-drop"]],
    ["drop sctp", { from: red, to: blue, protocol: "sctp", port: 3868 }, "drop", ["in-drop"]],
    ["drop icmp", { from: red, to: green, protocol: "icmp" }, "drop", ["in-drop"]],
    ["a shared network", { from: red, to: stray, protocol: "tcp" }, "allow", []],
    ["a shared network, back", { from: stray, to: blue, protocol: "icmp" }, "allow", []],
  ];
  describe.each(["v4", "v6"] as const)("%s", (family) => {
    test.each(cases)("%s", async (_, packet, verdict, acls) => {
      const got = await tracer.verdict({ ...packet, family });
      expect([got.verdict, got.acls.map((acl) => acl.name)]).toEqual([verdict, acls]);
    });

    test("addresses that no pod has", async () => {
      const to = family === "v4" ? world : world6;
      expect((await tracer.verdict({ from: red, to, protocol: "tcp", port: 443 })).verdict).toBe("allow");
      const out = await tracer.verdict({ from: green, to, protocol: "tcp", port: 443 });
      expect([out.verdict, out.acls.map((acl) => acl.name)]).toEqual(["drop", ["out-world"]]);
    });
  });

  test("comes in from outside, and meets the destination's side alone", async () => {
    await ovn.nbctl(
      ...["acl-add", "last", "to-lport", "5", "outport == @last && ip4.src == 203.0.113.0/24", "drop"],
    );
    const fresh = await openTracer(ovn);
    const from = world;
    const into = [blue, green].map((to) => fresh.verdict({ from, to, protocol: "tcp", port: 80 }));
    const verdicts = (await Promise.all(into)).map(({ verdict, acls }) => [verdict, acls.length]);
    await fresh.close();
    expect(verdicts).toEqual([
      ["drop", 1],
      ["allow", 0],
    ]);
    await ovn.nbctl("acl-del", "last", "to-lport", "5", "outport == @last && ip4.src == 203.0.113.0/24");
  });

  test("names the ACL by everything a policy's author may look for", async () => {
    const [acl] = (await tracer.verdict({ from: red, to: green, protocol: "icmp" })).acls;
    expect(acl).toMatchObject({ tier: 1, priority: 26598, action: "drop", direction: "to-lport" });
    expect(acl?.externalIds).toEqual(new Map([["k8s.ovn.org/id", "id:in-drop"]]));
  });

  test("refuses a packet that cannot be", async () => {
    const gone = pod("red", "gone", { node: null, ips: ["10.244.1.8"] });
    await expect(tracer.verdict({ from: gone, to: red, protocol: "tcp" })).rejects.toThrow("no port");
    const v4only = { ...red, ips: red.ips.slice(0, 1) };
    await expect(tracer.verdict({ from: v4only, to: world6, protocol: "tcp" })).rejects.toThrow(
      "no v6 address",
    );
  });

  test("many packets outlast one daemon's connections", async () => {
    const small = await openTracer(ovn, { newConnections: 60 });
    const packet: Packet = { from: red, to: green, protocol: "icmp" };
    const all = await Promise.all(Array.from({ length: 300 }, () => small.verdict(packet)));
    await small.close();
    expect(new Set(all.map((got) => got.verdict))).toEqual(new Set(["drop"]));
    expect(all.filter((got) => got.text.includes("ct_state=est"))).toHaveLength(0);
  });

  test("tells of each match that does not parse", async () => {
    expect(await parseErrors(ovn)).toEqual([]);
    const matches = ["$nowhere", "$neither"].map((set) => `outport == @subject && ip4.src == ${set}`);
    for (const match of matches) await ovn.nbctl("acl-add", "subject", "to-lport", "7", match, "drop");
    const errors = await parseErrors(ovn);
    expect(matches.map((match) => errors.some((line) => line.includes(`(${match})`)))).toEqual([true, true]);
    for (const match of matches) await ovn.nbctl("acl-del", "subject", "to-lport", "7", match);
  });
});
