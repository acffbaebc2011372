// The verdict of the in-memory filter on one connection: a walk through its own chains and sets in their order. It sees
// addresses, protocols and numbers; pods, labels and policies it does not know.

import { unreachable } from "../../src/lib/invariant.ts";
import { contains } from "../../src/model/cidr.ts";
import type { IpAddress } from "../../src/model/ip.ts";
import { familyOf } from "../../src/model/ip.ts";
import { icmpNumbers, protocolNumbers } from "../../src/model/protocols.ts";
import type { Connection, End } from "../../src/policy/evaluate.ts";
import type { Direction, PortRange, Tier } from "../../src/policy/ir.ts";
import { compareRanks, compareTiers, isSameTier } from "../../src/policy/order.ts";
import { nothingElse } from "../../src/policy/normal-form.ts";
import type {
  Chain,
  EndPortTerm,
  FilterRule,
  MemoryStore,
  PeerTerm,
  Places,
  PortTerm,
  SetName,
} from "./memory-store.ts";

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
  let passed: Tier | null = null;
  for (const { chain, rule } of inOrder(store, direction)) {
    const { tier } = chain.place;
    if ((passed !== null && isSameTier(passed, tier)) || !matches(store, rule, connection)) continue;
    switch (rule.verdict) {
      case "allow":
        return "allow";
      case "deny":
      case "reject":
        return "deny";
      case "pass":
        passed = tier;
        break;
      default:
        return unreachable(rule.verdict);
    }
  }
  return "allow";
}

/** Tiers in their order; in a tier the chains by their places, then the ends of all of them. */
function inOrder(store: MemoryStore, direction: Direction): readonly Placed[] {
  const all = [...store.chains().values()].flatMap((chain) =>
    chain.rules.map((rule): Placed => ({ chain, rule })),
  );
  return all
    .filter(({ rule }) => rule.direction === direction)
    .sort(
      (a, b) =>
        compareTiers(a.chain.place.tier, b.chain.place.tier) ||
        Number(a.rule.atTierEnd) - Number(b.rule.atTierEnd) ||
        compareRanks(a.chain.place, b.chain.place),
    );
}

function matches(store: MemoryStore, rule: FilterRule, connection: Connection): boolean {
  const { from, to } = connection;
  if (rule.isBehindBalancer && connection.translated !== true) return false;
  const [subject, peer] = rule.direction === "egress" ? [from.ip, to.ip] : [to.ip, from.ip];
  const isIn: IsIn = (set, address) => store.set(set)?.has(address) === true;
  return (
    rule.subject.some((set) => isIn(set, subject)) &&
    (rule.own === null || isPeer(rule.own, subject, isIn)) &&
    rule.peers.some((term) => isPeer(term, peer, isIn)) &&
    (rule.ports === null || rule.ports.some((term) => isPort(store, term, connection)))
  );
}

type IsIn = (set: SetName, at: IpAddress) => boolean;

function isPeer({ anyOf, noneOf, within }: PeerTerm, address: IpAddress, isIn: IsIn): boolean {
  if (!isAt(anyOf, address, isIn) || isAt(noneOf, address, isIn)) return false;
  return within === null || isAt(within, address, isIn);
}

function isAt({ sets, networks, everything }: Places, address: IpAddress, isIn: IsIn): boolean {
  return (
    everything || sets.some((set) => isIn(set, address)) || networks.some((cidr) => contains(cidr, address))
  );
}

function isPort(store: MemoryStore, term: PortTerm, connection: Connection): boolean {
  const { family, protocols, source, destination, icmpTypes, icmpCodes, ...others } = term;
  nothingElse(others);
  const own = familyOf(connection.to.ip);
  return (
    (family ?? own) === own &&
    (protocols?.includes(numberOf(connection)) ?? true) &&
    (source === null || isAtEnd(store, source, connection.from, connection.sourcePort, connection)) &&
    (destination === null || isAtEnd(store, destination, connection.to, connection.port, connection)) &&
    isIcmp({ icmpTypes, icmpCodes }, connection)
  );
}

function isIcmp(
  { icmpTypes, icmpCodes }: Pick<PortTerm, "icmpTypes" | "icmpCodes">,
  connection: Connection,
): boolean {
  const echoRequest = { type: familyOf(connection.to.ip) === "v4" ? 8 : 128, code: 0 };
  const { type, code } = connection.icmp ?? echoRequest;
  const isType = icmpTypes === null || isInRange(type, icmpTypes);
  return isType && (icmpCodes === null || isInRange(code, icmpCodes));
}

function isAtEnd(
  store: MemoryStore,
  { anyOf, noneOf }: EndPortTerm,
  { ip }: End,
  port: number | undefined,
  { protocol }: Connection,
): boolean {
  if (port === undefined) return false;
  const isOne = ({ ranges, sets }: EndPortTerm["anyOf"]): boolean =>
    isInRange(port, ranges) ||
    sets.some((set) => store.set(set)?.get(ip)?.split(" ").includes(`${protocol}:${port}`) === true);
  return isOne(anyOf) && !isOne(noneOf);
}

function isInRange(port: number, ranges: readonly PortRange[]): boolean {
  return ranges.some(({ start, end }) => start <= port && port <= end);
}

function numberOf({ protocol, to }: Connection): number {
  if (typeof protocol === "number") return protocol;
  return protocol === "icmp" ? icmpNumbers[familyOf(to.ip)] : protocolNumbers[protocol];
}
