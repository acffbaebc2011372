// The symbols of OVN's match expressions: fields with their widths and prerequisites, and predicates with what they stand
// for. Source: ovn-sb(5), Logical_Flow.match, "Symbols". Registers, flags and marks, which OVN keeps for itself, are not
// here: a match that names one is refused. Invariant: a prerequisite or an expansion names symbols of this table only.

/** Nominal: may only be tested for equality, and not under `!`. Boolean: a predicate that may be under `!`. */
export type Level = "nominal" | "boolean" | "ordinal";

export interface FieldSymbol {
  readonly kind: "field";
  readonly name: string;
  /** In bits; 0: text, the name of a port. */
  readonly width: number;
  readonly level: Level;
  /** An expression without which no comparison of the field holds; null: none. */
  readonly needs: string | null;
}

export interface PredicateSymbol {
  readonly kind: "predicate";
  readonly name: string;
  readonly width: 1;
  readonly level: Level;
  readonly expansion: string;
}

export type MatchSymbol = FieldSymbol | PredicateSymbol;

const table = new Map<string, MatchSymbol>();

/** undefined: OVN has no such symbol, or it is not followed here. */
export function symbolOf(name: string): MatchSymbol | undefined {
  return table.get(name);
}

export function symbols(): Iterable<MatchSymbol> {
  return table.values();
}

function fields(
  level: "nominal" | "ordinal",
  needs: string | null,
  widths: Readonly<Record<string, number>>,
): void {
  for (const [name, width] of Object.entries(widths))
    table.set(name, { kind: "field", name, width, level, needs });
}

function predicates(level: "nominal" | "boolean", expansions: Readonly<Record<string, string>>): void {
  for (const [name, expansion] of Object.entries(expansions))
    table.set(name, { kind: "predicate", name, width: 1, level, expansion });
}

fields("nominal", null, { inport: 0, outport: 0, "eth.type": 16 });
fields("ordinal", null, { "eth.src": 48, "eth.dst": 48, "eth.mcast": 1, "vlan.tci": 16, "pkt.mark": 32 });
predicates("boolean", {
  "eth.bcast": "eth.dst == ff:ff:ff:ff:ff:ff",
  "eth.mcastv6": "eth.dst[32..47] == 0x3333",
  "vlan.present": "vlan.tci[12]",
});
fields("ordinal", "vlan.present", { "vlan.pcp": 3, "vlan.vid": 12 });

fields("ordinal", null, { "ct.trk": 1 });
const tracked = ["new", "est", "rel", "rpl", "inv", "snat", "dnat"];
fields("ordinal", "ct.trk", Object.fromEntries(tracked.map((state) => [`ct.${state}`, 1])));

predicates("nominal", { ip4: "eth.type == 0x800", ip6: "eth.type == 0x86dd", ip: "ip4 || ip6" });
fields("nominal", "ip", { "ip.proto": 8, "ip.dscp": 6, "ip.ecn": 2, "ip.ttl": 8 });
fields("ordinal", "ip", { "ip.frag": 2 });
predicates("boolean", {
  "ip.is_frag": "ip.frag[0]",
  "ip.later_frag": "ip.frag[1]",
  "ip.first_frag": "ip.is_frag && !ip.later_frag",
});

fields("ordinal", "ip4", { "ip4.src": 32, "ip4.dst": 32 });
predicates("boolean", {
  "ip4.src_mcast": "ip4.src[28..31] == 0xe",
  "ip4.mcast": "eth.mcast && ip4.dst[28..31] == 0xe",
});
predicates("nominal", { icmp4: "ip4 && ip.proto == 1", igmp: "ip4.mcast && ip.proto == 2" });
fields("nominal", "icmp4", { "icmp4.type": 8, "icmp4.code": 8 });

fields("ordinal", "ip6", { "ip6.src": 128, "ip6.dst": 128, "ip6.label": 20 });
predicates("boolean", {
  "ip6.mcast_rsvd": "ip6.dst[116..127] == 0xff0 && ip6.dst[0..111] == 0x0",
  "ip6.mcast_all_nodes": "ip6.dst == ff01::1 || ip6.dst == ff02::1",
  "ip6.mcast_all_rtrs": "ip6.dst == ff01::2 || ip6.dst == ff02::2 || ip6.dst == ff05::2",
  "ip6.mcast_sol_node": "ip6.dst == ff02::1:ff00:0000/104",
  "ip6.mcast_flood":
    "eth.mcastv6 && (ip6.mcast_rsvd || ip6.mcast_all_nodes || ip6.mcast_all_rtrs || ip6.mcast_sol_node)",
  "ip6.mcast": "eth.mcastv6 && ip6.dst[120..127] == 0xff",
});
predicates("nominal", { icmp6: "ip6 && ip.proto == 58" });
fields("nominal", "icmp6", { "icmp6.type": 8, "icmp6.code": 8 });
predicates("nominal", { icmp: "icmp4 || icmp6" });

for (const [protocol, type] of [
  ["arp", "0x806"],
  ["rarp", "0x8035"],
] as const) {
  predicates("nominal", { [protocol]: `eth.type == ${type}` });
  fields("nominal", protocol, { [`${protocol}.op`]: 16 });
  const addresses = { spa: 32, sha: 48, tpa: 32, tha: 48 };
  const named = Object.entries(addresses).map(([name, width]) => [`${protocol}.${name}`, width] as const);
  fields("ordinal", protocol, Object.fromEntries(named));
}

const discovery = (types: string): string => `icmp6.type == ${types} && icmp6.code == 0 && ip.ttl == 255`;
predicates("nominal", {
  nd: discovery("{135, 136}"),
  nd_ns: discovery("135"),
  nd_ns_mcast: `ip6.mcast && ${discovery("135")}`,
  nd_na: discovery("136"),
  nd_rs: discovery("133"),
  nd_ra: discovery("134"),
  mldv1: "eth.mcastv6 && ip6.src == fe80::/10 && icmp6.type == {130, 131, 132}",
  mldv2: "eth.mcastv6 && ip6.dst == ff02::16 && icmp6.type == 143",
});
fields("ordinal", "nd", { "nd.target": 128 });
fields("ordinal", "nd_ns", { "nd.sll": 48 });
fields("ordinal", "nd_na", { "nd.tll": 48 });

for (const [protocol, number] of [
  ["tcp", 6],
  ["udp", 17],
  ["sctp", 132],
] as const) {
  predicates("nominal", { [protocol]: `ip.proto == ${number}` });
  fields("ordinal", protocol, { [`${protocol}.src`]: 16, [`${protocol}.dst`]: 16 });
}
fields("ordinal", "tcp", { "tcp.flags": 12 });
