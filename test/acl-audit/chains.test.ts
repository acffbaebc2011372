// Chains of ACLs that no controller would write, before OVN: every action in every tier and stage, on switches and on groups,
// with equal priorities and with default_acl_drop; pods on one switch, on two with a router between, and addresses outside.
// ovn-trace must give a verdict that the rows allow, by the ACLs that they name.

import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import type { RowAcl, RowConnection, RowsVerdict } from "../../src/nbdb/audit/index.ts";
import { evaluateRows } from "../../src/nbdb/audit/index.ts";
import type { HitAcl } from "../../tools/sandbox/acls-of-flows.ts";
import { applyCni } from "../../tools/sandbox/cni.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { portOf } from "../../tools/sandbox/topology.ts";
import type { Packet, Tracer } from "../../tools/sandbox/trace.ts";
import { openTracer } from "../../tools/sandbox/trace.ts";
import { ip, node, pod } from "../support/facts.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { patience } from "../support/patience.ts";
import { ExistingReader } from "../support/existing.ts";

jest.setTimeout(patience(180_000));

const runs = 40;

const [red, blue, green] = [
  pod("red", "a", { node: "east", ips: ["10.244.1.5"] }),
  pod("blue", "a", { node: "east", ips: ["10.244.1.6"] }),
  pod("green", "a", { node: "west", ips: ["10.244.2.5"] }),
];
const pods = [red, blue, green];
const outside = { ip: ip("203.0.113.9") };

const ends: readonly (readonly [Packet["from"], Packet["from"]])[] = [
  ...pods.flatMap((from) => pods.flatMap((to) => (from === to ? [] : [[from, to] as const]))),
  ...pods.flatMap((one) => [[one, outside] as const, [outside, one] as const]),
];
const packets: readonly Packet[] = ends.flatMap(([from, to]) =>
  [80, 81].map((port) => ({ from, to, protocol: "tcp", port, sourcePort: 40_000 }) as const),
);

interface AclDraft {
  readonly direction: "from-lport" | "to-lport";
  readonly afterLb: boolean;
  readonly tier: number;
  readonly priority: number;
  readonly action: string;
  readonly match: string;
  /** A switch, or a group of ports. */
  readonly home: string;
}

const homes = ["east", "west", "some", "all"];
const match = fc
  .tuple(
    fc.constantFrom("", "", "ip4 && ", "ip4.src == 10.244.0.0/16 && ", "ip4.dst == 10.244.1.0/24 && "),
    fc.constantFrom(
      "1",
      "tcp",
      "tcp.dst == 80",
      "tcp.dst == 81",
      "udp",
      "inport == @some",
      "outport == @all",
    ),
  )
  .map((texts) => texts.join(""));
const aclDraft: fc.Arbitrary<AclDraft> = fc.record({
  direction: fc.constantFrom("from-lport", "to-lport"),
  afterLb: fc.boolean(),
  tier: fc.nat(3),
  priority: fc.constantFrom(1, 2, 3),
  action: fc.constantFrom("allow", "allow-related", "allow-stateless", "drop", "reject", "pass", "pass"),
  match,
  home: fc.constantFrom(...homes),
});
const chain = fc.record({
  acls: fc.array(aclDraft, { minLength: 2, maxLength: 14 }),
  defaultAclDrop: fc.boolean(),
});

interface Tally {
  allowed: number;
  dropped: number;
  open: number;
  met: number;
}

await describeWithOvn("chains of ACLs", (install) => {
  let ovn: Ovn;
  let standing: ExistingReader;
  const tally: Tally = { allowed: 0, dropped: 0, open: 0, met: 0 };

  beforeAll(async () => {
    ovn = await startOvn({ install });
    await applyCni(ovn, { pods, nodes: [node("east"), node("west")] });
    await ovn.nbctl("pg-add", "some", portOf(red), "--", "pg-add", "all", ...pods.map(portOf));
    standing = await ExistingReader.open(ovn.nb);
  });
  afterAll(async () => {
    await standing.close();
    await ovn.stop();
  });

  test(`give OVN's verdict by OVN's ACLs, in ${runs} random databases`, async () => {
    await fc.assert(
      fc.asyncProperty(chain, async ({ acls, defaultAclDrop }) => {
        await ovn.nbctl(...commandsOf(acls, defaultAclDrop));
        // northd 25.03 goes on with the option's earlier value on switches that it has compiled.
        await ovn.appctl("northd", "inc-engine/recompute");
        const tracer = await openTracer(ovn, { newConnections: 8 * packets.length });
        try {
          const rows = await standing.rows();
          const found: string[] = [];
          for (const packet of packets)
            found.push(...(await difference(tracer, packet, evaluateRows(rows, connectionOf(packet)))));
          expect(found).toEqual([]);
        } finally {
          await tracer.close();
        }
      }),
      { numRuns: runs, includeErrorInReport: true, endOnFailure: process.env["CI"] === "true" },
    );
    process.stderr.write(`chains of ACLs: ${JSON.stringify(tally)}\n`);
    const total = runs * packets.length;
    // Databases are few and random: what is usual is two to ten times as much.
    expect(tally.allowed).toBeGreaterThan(total / 40);
    expect(tally.dropped).toBeGreaterThan(total / 10);
    expect(tally.met).toBeGreaterThan(total / 5);
    // A judge that never knows would be content with everything.
    expect(tally.open).toBeLessThan(total / 3);
  });

  async function difference(tracer: Tracer, packet: Packet, said: RowsVerdict): Promise<readonly string[]> {
    const traced = await tracer.verdict(packet);
    const verdict = traced.verdict === "drop" ? "deny" : "allow";
    // What the source's side denies never comes to the destination's.
    const ingress = said.egress.verdict === "deny" ? [] : said.ingress.acls;
    const named = [...said.egress.acls, ...ingress];
    if (said.verdict === "unknown") {
      tally.open++;
      return said.caveats.length > 0 ? [] : [`unknown without a caveat: ${JSON.stringify(packet)}`];
    }
    tally[verdict === "allow" ? "allowed" : "dropped"]++;
    if (named.length > 0) tally.met++;
    const reject = traced.acls.findIndex(({ action }) => action === "reject");
    const hit = traced.acls.slice(0, reject === -1 ? undefined : reject + 1);
    // Where ACLs tie and all ways end alike, OVN may go another way than the one that is shown.
    const isOpen = said.caveats.length > 0;
    if (said.verdict === verdict && (isOpen || inOrder(hit, named))) return [];
    return [JSON.stringify({ packet: connectionOf(packet), said, OVN: { verdict, hit: traced.acls } })];
  }
});

/**
 * Whether the packet met these: of several ACLs of one place that are named, one is met. ovn-trace does not print a flow that
 * does nothing, as a pass in the last tier.
 */
function inOrder(hit: readonly HitAcl[], named: readonly RowAcl[]): boolean {
  let at = 0;
  for (const { uuid } of hit) {
    const next = named.findIndex((acl, place) => place >= at && acl.uuid === uuid);
    if (next < 0) return false;
    at = next + 1;
  }
  const decide = ({ action }: { readonly action: string }) => action !== "pass";
  return hit.some(decide) === named.some(decide);
}

function commandsOf(acls: readonly AclDraft[], defaultAclDrop: boolean): readonly string[] {
  const rows = acls.flatMap((acl, at) => [
    ...["--", `--id=@acl${at}`, "create", "acl", `direction=${acl.direction}`, `tier=${acl.tier}`],
    ...[
      `priority=${acl.priority}`,
      `action=${acl.action}`, // Two equal matches would be one logical flow, whose ACL nobody could tell.
      `match=${JSON.stringify(`${acl.match} /* ${at} */`)}`,
    ],
    ...(acl.afterLb ? ["options:apply-after-lb=true"] : []),
  ]);
  const refer = homes.flatMap((home) => {
    const own = acls.flatMap((acl, at) => (acl.home === home ? [`@acl${at}`] : []));
    const table = home === "east" || home === "west" ? "logical_switch" : "port_group";
    return ["--", "set", table, home, `acls=[${own.join(",")}]`];
  });
  return ["set", "nb_global", ".", `options:default_acl_drop=${defaultAclDrop}`, ...rows, ...refer];
}

function connectionOf({ from, to, port = 0, sourcePort }: Packet): RowConnection {
  const end = (one: Packet["from"]) =>
    "ip" in one ? { ip: one.ip, port: null } : { ip: one.ips[0] ?? ip("192.0.2.1"), port: portOf(one) };
  return { from: end(from), to: end(to), protocol: "tcp", port, ...(sourcePort ? { sourcePort } : {}) };
}
