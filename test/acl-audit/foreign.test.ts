// Rows that OVN-Kubernetes writes for its other features, by the texts of its matches, beside NetworkPolicies of its own:
// every packet between pods, nodes and outside has the verdict that ovn-trace gives, by the same ACLs.

import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import type { RowConnection, DatabaseRows } from "../../src/nbdb/audit/index.ts";
import { evaluateRows } from "../../src/nbdb/audit/index.ts";
import { applyCni } from "../../tools/sandbox/cni.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { list } from "../../tools/sandbox/listing.ts";
import { portOf } from "../../tools/sandbox/topology.ts";
import type { Packet, Tracer } from "../../tools/sandbox/trace.ts";
import { openTracer, parseErrors } from "../../tools/sandbox/trace.ts";
import { toUuid } from "../../src/ovsdb/index.ts";
import { openNorthbound } from "../support/controller.ts";
import type { DocumentedPolicy } from "../support/documented-netpol.ts";
import { documentedRows } from "../support/documented-netpol.ts";
import { ip, node, pod } from "../support/facts.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { patience } from "../support/patience.ts";
import { ExistingReader } from "../support/existing.ts";

jest.setTimeout(patience(120_000));

const web = pod("shop", "web", { node: "east", ips: ["10.244.1.5", "fd00:1::5"] });
const db = pod("shop", "db", { node: "west", ips: ["10.244.2.5", "fd00:2::5"] });
const client = pod("red", "client", { node: "east", ips: ["10.244.1.6", "fd00:1::6"] });
const other = pod("blue", "other", { node: "west", ips: ["10.244.2.6", "fd00:2::6"] });
const pods = [web, db, client, other];
const outside = ["203.0.113.9", "203.0.113.77", "198.51.100.1", "2001:db8::9"].map((text) => ({
  ip: ip(text),
}));

interface ForeignAcl {
  readonly id: string;
  readonly direction: "from-lport" | "to-lport";
  readonly tier: number;
  readonly priority: number;
  readonly action: string;
  readonly match: string;
  readonly afterLb?: true;
  /** A group of ports or, as with the allow for a node, a switch. */
  readonly home: string;
}

/** docs of OVN-Kubernetes, "ACLs": features with their tiers, priorities and matches. */
const acls: readonly ForeignAcl[] = [
  {
    id: "NetpolNode:east:10.244.1.2",
    direction: "to-lport",
    tier: 2,
    priority: 1001,
    action: "allow-related",
    match: "ip4.src==10.244.1.2",
    home: "east",
  },
  {
    id: "NetpolDefault:allow-hairpinning:Ingress",
    direction: "to-lport",
    tier: 2,
    priority: 1001,
    action: "allow-related",
    match: "(ip4.src == 169.254.169.5 || ip6.src == fd69::5)",
    home: "cluster",
  },
  {
    id: "MulticastCluster:DefaultDeny:Egress",
    direction: "from-lport",
    afterLb: true,
    tier: 2,
    priority: 1011,
    action: "drop",
    match: "(ip4.mcast || mldv1 || mldv2 || (ip6.dst[120..127] == 0xff && ip6.dst[116] == 1))",
    home: "cluster",
  },
  {
    id: "MulticastNamespace:shop:Allow_Ingress",
    direction: "to-lport",
    tier: 2,
    priority: 1012,
    action: "allow",
    match: "outport == @shop && (igmp || (ip4.src == $shop_v4 && ip4.mcast))",
    home: "shop",
  },
  {
    id: "EgressFirewall:red:0",
    direction: "to-lport",
    tier: 2,
    priority: 10000,
    action: "allow",
    match: "(ip4.dst == 203.0.113.0/26) && inport == @red",
    home: "red",
  },
  {
    id: "EgressFirewall:red:1",
    direction: "to-lport",
    tier: 2,
    priority: 9999,
    action: "drop",
    match:
      "(ip4.dst == 203.0.113.0/24 || ip6.dst == 2001:db8::/32) && inport == @red && ((udp) || (tcp && (tcp.dst == 80 || 8000<=tcp.dst<=8010)))",
    home: "red",
  },
  {
    id: "UDNIsolation:SecondaryPods:Ingress",
    direction: "to-lport",
    tier: 0,
    priority: 1000,
    action: "drop",
    match: "outport == @blue && !(tcp.dst == 443)",
    home: "blue",
  },
  {
    id: "UDNIsolation:AllowHostARP",
    direction: "to-lport",
    tier: 0,
    priority: 1001,
    action: "allow-related",
    match: "outport == @blue && (( arp && (arp.spa == 10.244.1.1 )) || ip4.src == 10.244.1.5)",
    home: "blue",
  },
  {
    id: "AdvertisedNetwork:pass",
    direction: "from-lport",
    afterLb: true,
    tier: 0,
    priority: 1100,
    action: "pass",
    match: "(ip4.src == $shop_v4 && ip4.dst == $shop_v4)",
    home: "cluster",
  },
  {
    id: "AdvertisedNetwork:drop",
    direction: "from-lport",
    afterLb: true,
    tier: 0,
    priority: 1050,
    action: "drop",
    match: "ip4.src == $shop_v4 && ip4.dst == 198.51.100.0/24",
    home: "cluster",
  },
];
const groups = { cluster: pods, shop: [web, db], red: [client], blue: [other] };

const packets: readonly Packet[] = (["v4", "v6"] as const).flatMap((family) => {
  const ends: readonly Packet["from"][] = [
    ...pods,
    ...outside.filter((end) => end.ip.includes(":") === (family === "v6")),
  ];
  return ends.flatMap((from) =>
    ends.flatMap((to) => {
      if (from === to || ("ip" in from && "ip" in to)) return [];
      const ports = [80, 443, 5432, 8005].map(
        (port) => ({ from, to, protocol: "tcp", port, family }) as const,
      );
      return [
        ...ports,
        { from, to, protocol: "udp", port: 53, family },
        { from, to, protocol: "icmp", family },
      ] as const;
    }),
  );
});

await describeWithOvn("OVN-Kubernetes' rows", (install) => {
  let ovn: Ovn;
  let reader: ExistingReader;
  let tracer: Tracer;
  let rows: DatabaseRows;

  beforeAll(async () => {
    ovn = await startOvn({ install });
    await applyCni(ovn, { pods, nodes: [node("east"), node("west")] });
    await plantNetworkPolicies(ovn);
    await plantOthers(ovn);
    expect(await parseErrors(ovn)).toEqual([]);
    reader = await ExistingReader.open(ovn.nb);
    rows = await reader.rows();
    tracer = await openTracer(ovn, { newConnections: 8 * packets.length });
  });
  afterAll(async () => {
    await tracer.close();
    await reader.close();
    await ovn.stop();
  });

  test("are all read", () => {
    const refused = rows.acls.flatMap(({ match }) => ("refused" in match ? [match.refused] : []));
    expect(refused).toEqual([]);
  });

  describe.each(["v4", "v6"] as const)("in %s", (family) => {
    test("give every packet the verdict that OVN gives it, by the same ACLs", async () => {
      const found: string[] = [];
      const verdicts = { allow: 0, deny: 0 };
      for (const packet of packets) {
        if (packet.family !== family) continue;
        const { verdict, acls: hit } = await tracer.verdict(packet);
        const traced = verdict === "drop" ? "deny" : "allow";
        verdicts[traced]++;
        const said = evaluateRows(rows, connectionOf(packet));
        const met = [...said.egress.acls, ...(said.egress.verdict === "deny" ? [] : said.ingress.acls)];
        const named = new Set(met.map(({ uuid }) => uuid));
        const isSame =
          said.verdict === traced &&
          hit.every(({ uuid }) => named.has(uuid)) &&
          hit.length > 0 === met.length > 0;
        if (!isSame) found.push(JSON.stringify({ packet: connectionOf(packet), traced, hit, said }));
      }
      expect(found).toEqual([]);
      expect(Math.min(verdicts.allow, verdicts.deny)).toBeGreaterThan(20);
    });
  });
});

function connectionOf({ from, to, protocol, port = 0, family }: Packet): RowConnection {
  const end = (one: Packet["from"]) => {
    const [v4, v6] = "ip" in one ? [one.ip, one.ip] : one.ips;
    const address = family === "v4" ? v4 : v6;
    if (address === undefined) throw new Error("every pod has both families");
    return { ip: address, port: "ip" in one ? null : portOf(one) };
  };
  return { from: end(from), to: end(to), protocol, port };
}

/** The database's `web` takes tcp 80 from the client and from a network without a part; its `db` is asked by `web` alone. */
async function plantNetworkPolicies(ovn: Ovn): Promise<void> {
  const columns = ["_uuid", "name"];
  const [listed = []] = await list(ovn.nb, "OVN_Northbound", { table: "Logical_Switch_Port", columns });
  const uuidOf = (name: string) =>
    listed.flatMap((row) => (row.text("name") === name ? [toUuid(row.text("_uuid"))] : []));
  const both = [...uuidOf(portOf(web)), ...uuidOf(portOf(db))];
  const session = openNorthbound(ovn.nb);
  await session.opened();
  const policies: readonly DocumentedPolicy[] = [
    {
      namespace: "shop",
      name: "web",
      acls: [
        { direction: "ingress", place: "0:tcp:-1", match: "ip4.src == {$red_v4} && tcp && tcp.dst==80" },
        {
          direction: "ingress",
          place: "1:None:-2",
          match: "((ip4.src == 203.0.113.0/24 && ip4.src != {203.0.113.64/26}) || ip6.src == 2001:db8::/32)",
        },
        { direction: "egress", place: "0:tcp:-1", match: "ip4.dst == {$shop_v4, $red_v4} && tcp" },
        {
          direction: "egress",
          place: "1:udp:-1",
          match: "(ip4 || ip6) && udp && (udp.dst=={53,54} || 5000<=udp.dst<=5010)",
        },
      ],
    },
    {
      namespace: "shop",
      name: "db",
      acls: [
        {
          direction: "ingress",
          place: "0:tcp:-1",
          match: "ip4.src == {$shop_v4} && tcp && (tcp.dst==5432 || 8000<=tcp.dst<=8010)",
        },
        { direction: "egress", place: "0:None:-1", match: "(ip4 || ip6)" },
      ],
    },
  ];
  await ovn.nbctl("create", "address_set", "name=red_v4", `addresses="${client.ips[0] ?? ""}"`);
  await ovn.nbctl(
    "create",
    "address_set",
    "name=shop_v4",
    `addresses="${web.ips[0] ?? ""}","${db.ips[0] ?? ""}"`,
  );
  await session.transact(
    documentedRows(
      "shop",
      policies,
      { ingress: both, egress: both, web: uuidOf(portOf(web)), db: uuidOf(portOf(db)) },
      {},
    ),
  );
  await session.close();
}

async function plantOthers(ovn: Ovn): Promise<void> {
  for (const [name, members] of Object.entries(groups))
    await ovn.nbctl("pg-add", name, ...members.map(portOf));
  for (const { id, direction, tier, priority, action, match, afterLb, home } of acls) {
    const table = home === "east" ? "logical_switch" : "port_group";
    await ovn.nbctl(
      ...["--id=@acl", "create", "acl", `direction=${direction}`, `tier=${tier}`, `priority=${priority}`],
      ...[
        `action=${action}`,
        `match=${JSON.stringify(match)}`,
        `external_ids:"k8s.ovn.org/id"=${JSON.stringify(id)}`,
      ],
      ...(afterLb === undefined ? [] : ["options:apply-after-lb=true"]),
      ...["--", "add", table, home, "acls", "@acl"],
    );
  }
}
