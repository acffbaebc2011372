// What a Northbound database holds, as plain data, and the verdict that its ACLs give on one connection (ovn-nb(5), ACL):
// tiers in their order, the highest priority first, `pass` goes to the next tier, nothing that matches lets pass. Only rows
// are looked at: a pod is the name of its port.

import { icmpNumbers, protocolNumbers } from "../../src/model/protocols.ts";
import { familyOf } from "../../src/model/ip.ts";
import { portName } from "../../src/nbdb/rows/names.ts";
import type { Connection, End } from "../../src/policy/evaluate.ts";
import type { Direction } from "../../src/policy/ir.ts";
import type { MatchPacket } from "./match-reader.ts";
import { meetsMatch } from "./match-reader.ts";
import type { Verdict } from "./memory-judge.ts";

export interface NorthboundContents {
  readonly acls: readonly {
    readonly direction: string;
    readonly tier: number;
    readonly priority: number;
    readonly match: string;
    readonly action: string;
  }[];
  /** Under "$" and the set's name its addresses, under "@" and the group's name its port names. */
  readonly sets: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Both sides must let the connection pass. A side without a port of ours has no ACLs. */
export function judgeByRows(contents: NorthboundContents, connection: Connection): Verdict {
  const passes = (direction: Direction, end: End) =>
    end.pod === null || decides(contents, direction, connection) === "allow";
  return passes("egress", connection.from) && passes("ingress", connection.to) ? "allow" : "deny";
}

function decides({ acls, sets }: NorthboundContents, direction: Direction, connection: Connection): Verdict {
  const packet = packetOf(direction, connection, sets);
  const stage = direction === "egress" ? "from-lport" : "to-lport";
  const ordered = acls
    .filter((acl) => acl.direction === stage)
    .toSorted((a, b) => a.tier - b.tier || b.priority - a.priority);
  let passed = -1;
  for (const { tier, match, action } of ordered) {
    if (tier <= passed || !meetsMatch(match, packet)) continue;
    if (action === "pass") passed = tier;
    else return action === "drop" || action === "reject" ? "deny" : "allow";
  }
  return "allow";
}

function packetOf(
  direction: Direction,
  connection: Connection,
  sets: NorthboundContents["sets"],
): MatchPacket {
  const { from, to } = connection;
  const family = familyOf(to.ip);
  const [ipField, icmp] = family === "v4" ? ["ip4", "icmp4"] : ["ip6", "icmp6"];
  const number = numberOf(connection);
  const is = (name: keyof typeof protocolNumbers) => number === protocolNumbers[name];
  const isIcmp = number === icmpNumbers[family];
  const side = direction === "egress" ? ({ inport: port(from) } as const) : ({ outport: port(to) } as const);
  return {
    fields: {
      ...side,
      [`${ipField}.src`]: from.ip,
      [`${ipField}.dst`]: to.ip,
      "ip.proto": number,
      ...(isIcmp ? icmpFields(icmp, connection) : {}),
      ...(typeof connection.protocol === "string" && !isIcmp
        ? {
            [`${connection.protocol}.src`]: connection.sourcePort,
            [`${connection.protocol}.dst`]: connection.port,
          }
        : {}),
    },
    predicates: {
      // Of the port that a packet comes in by alone.
      "ct.dnat": direction === "egress" && connection.translated === true,
      ...{ ip: true, ip4: family === "v4", ip6: family === "v6" },
      ...{ tcp: is("tcp"), udp: is("udp"), sctp: is("sctp") },
      ...{ icmp: isIcmp, icmp4: isIcmp && family === "v4", icmp6: isIcmp && family === "v6" },
    },
    set: (name) => sets.get(name) ?? new Set(),
  };
}

function port({ pod }: End): string | undefined {
  return pod === null ? undefined : portName(pod.namespace, pod.name);
}

function numberOf({ protocol, to }: Connection): number {
  if (typeof protocol === "number") return protocol;
  return protocol === "icmp" ? icmpNumbers[familyOf(to.ip)] : protocolNumbers[protocol];
}

function icmpFields(symbol: string, { icmp }: Connection): Record<string, number> {
  const { type, code } = icmp ?? { type: symbol === "icmp4" ? 8 : 128, code: 0 };
  return { [`${symbol}.type`]: type, [`${symbol}.code`]: code };
}
