// The verdict of the in-memory filter on one connection: a walk through its own chains and sets in their order. It sees
// addresses, protocols and numbers; pods, labels and policies it does not know.

import { unreachable } from "../../src/lib/invariant.ts";
import { contains } from "../../src/model/cidr.ts";
import type { IpAddress } from "../../src/model/ip.ts";
import { familyOf } from "../../src/model/ip.ts";
import { icmpNumbers, protocolNumbers } from "../../src/model/protocols.ts";
import type { Connection } from "../../src/policy/evaluate.ts";
import type { Direction, PortRange } from "../../src/policy/ir.ts";
import type { Chain, FilterRule, MemoryStore, PeerTerm, PortTerm, SetName } from "./memory-store.ts";

export type Verdict = "allow" | "deny";

/** Both sides must let the connection pass. */
export function judgeByStore(store: MemoryStore, connection: Connection): Verdict {
  const passes = (direction: Direction) => walk(store, direction, connection) === "allow";
  return passes("egress") && passes("ingress") ? "allow" : "deny";
}

interface Placed {
  readonly chain: Chain;
  readonly rule: FilterRule;
}

function walk(store: MemoryStore, direction: Direction, connection: Connection): Verdict {
  let passed = -Infinity;
  for (const { chain, rule } of inOrder(store, direction)) {
    if (chain.tier <= passed || !matches(store, rule, connection)) continue;
    switch (rule.verdict) {
      case "allow":
        return "allow";
      case "deny":
      case "reject":
        return "deny";
      case "pass":
        passed = chain.tier;
        break;
      default:
        return unreachable(rule.verdict);
    }
  }
  return "allow";
}

/** Tiers in their order; in a tier the chains by priority, then the ends of all of them. */
function inOrder(store: MemoryStore, direction: Direction): readonly Placed[] {
  const all = [...store.chains()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, chain]) => chain.rules.map((rule): Placed => ({ chain, rule })));
  return all
    .filter(({ rule }) => rule.direction === direction)
    .sort(
      (a, b) =>
        a.chain.tier - b.chain.tier ||
        Number(a.rule.atTierEnd) - Number(b.rule.atTierEnd) ||
        a.chain.priority - b.chain.priority,
    );
}

function matches(store: MemoryStore, rule: FilterRule, connection: Connection): boolean {
  const { from, to } = connection;
  if (rule.isBehindBalancer && connection.translated !== true) return false;
  const [subject, peer] = rule.direction === "egress" ? [from.ip, to.ip] : [to.ip, from.ip];
  const isIn = (set: SetName, address: IpAddress) => store.set(set)?.has(address) === true;
  return (
    rule.subject.some((set) => isIn(set, subject)) &&
    rule.peers.some((term) => isPeer(term, peer, isIn)) &&
    (rule.ports === null || rule.ports.some((term) => isPort(store, term, connection)))
  );
}

function isPeer(term: PeerTerm, address: IpAddress, isIn: (set: SetName, at: IpAddress) => boolean): boolean {
  switch (term.kind) {
    case "set":
      return isIn(term.set, address);
    case "network":
      return contains(term.cidr, address) && !term.except.some((cidr) => contains(cidr, address));
    case "everything":
      return true;
    default:
      return unreachable(term);
  }
}

function isPort(store: MemoryStore, term: PortTerm, connection: Connection): boolean {
  const { to, protocol, port, sourcePort } = connection;
  switch (term.kind) {
    case "ports":
      return protocol === term.protocol && inRange(port, term) && isSource(sourcePort, term.source);
    case "set": {
      const entries = store.set(term.set)?.get(to.ip)?.split(" ") ?? [];
      return (
        (term.protocol ?? protocol) === protocol &&
        isSource(sourcePort, term.source) &&
        entries.includes(`${protocol}:${port}`)
      );
    }
    case "protocol":
      return term.number === numberOf(connection);
    case "icmp":
      return isIcmp(term, connection);
    default:
      return unreachable(term);
  }
}

function inRange(port: number | undefined, { start, end }: PortRange): boolean {
  return port !== undefined && start <= port && port <= end;
}

function isSource(port: number | undefined, range: PortRange | null): boolean {
  return range === null || inRange(port, range);
}

function numberOf({ protocol, to }: Connection): number {
  if (typeof protocol === "number") return protocol;
  return protocol === "icmp" ? icmpNumbers[familyOf(to.ip)] : protocolNumbers[protocol];
}

function isIcmp(term: Extract<PortTerm, { kind: "icmp" }>, connection: Connection): boolean {
  const family = familyOf(connection.to.ip);
  if (numberOf(connection) !== icmpNumbers[family] || (term.family ?? family) !== family) return false;
  const echoRequest = { type: family === "v4" ? 8 : 128, code: 0 };
  const { type, code } = connection.icmp ?? echoRequest;
  return (term.type ?? type) === type && (term.code ?? code) === code;
}
