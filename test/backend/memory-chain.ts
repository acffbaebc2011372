// IR to a chain of the in-memory filter, and what this filter cannot say. A rule is keyed by direction, index and share,
// never by its place. Nothing of a set's contents is looked at here: a chain names its sets and says what belongs in them.

import { unreachable } from "../../src/lib/invariant.ts";
import type { IpFamily } from "../../src/model/ip.ts";
import type {
  Action,
  Direction,
  GroupKey,
  Peer,
  Policy,
  PortMatch,
  Rule,
  Subject,
} from "../../src/policy/ir.ts";
import { destinationsOf, directions, groupKey } from "../../src/policy/ir.ts";
import type { Refusal } from "../../src/policy/backend.ts";
import type { Chain, FilterRule, PeerTerm, PortTerm, SetName } from "./memory-store.ts";

/** What belongs in a set: the addresses of a group, or those at which its pods declare a port of the name. */
export interface SetSpec {
  readonly name: SetName;
  readonly family: IpFamily;
  readonly group: GroupKey;
  readonly portName: string | null;
}

export interface RenderedChain {
  readonly chain: Chain;
  /** Each once. */
  readonly sets: ReadonlyMap<SetName, SetSpec>;
}

export function renderChain(policy: Policy, families: readonly IpFamily[]): RenderedChain {
  const sets = new Map<SetName, SetSpec>();
  const setsOf = (group: GroupKey, portName: string | null = null): readonly SetName[] =>
    families.map((family) => {
      const name = setName(family, group, portName);
      sets.set(name, { name, family, group, portName });
      return name;
    });
  const rules = directions.flatMap((direction) => [
    ...policy.rules[direction].map((rule) => renderRule(policy, direction, rule, setsOf)),
    ...(policy.unmatched[direction] === "deny" ? [tierEnd(policy, direction, setsOf)] : []),
  ]);
  return { chain: { tier: policy.tier.order, priority: policy.priority, rules }, sets };
}

type SetsOf = (group: GroupKey, portName?: string) => readonly SetName[];

function setName(family: IpFamily, group: GroupKey, portName: string | null): SetName {
  return [family, group, ...(portName === null ? [] : ["port", portName])].join(" ") as SetName;
}

function subjectSets(subject: Subject, setsOf: SetsOf): readonly SetName[] {
  return [...new Set(subject.flatMap((group) => setsOf(groupKey(group))))].sort();
}

function renderRule(policy: Policy, direction: Direction, rule: Rule, setsOf: SetsOf): FilterRule {
  const subject = rule.subject ?? policy.subject;
  const { severity, label } = rule.logging ?? { severity: policy.logging[rule.action], label: null };
  return {
    id: JSON.stringify([direction, rule.index, rule.share]),
    direction,
    atTierEnd: false,
    verdict: rule.action,
    subject: subjectSets(subject, setsOf),
    peers: rule.peers.flatMap((peer) => peerTerms(peer, setsOf)),
    ports:
      rule.ports?.flatMap((port) => portTerms(port, destinations(direction, subject, rule), setsOf)) ?? null,
    log: severity === null ? null : { severity, label },
    followsConnections: policy.stateless !== true,
    isBehindBalancer: rule.translated === true,
  };
}

function tierEnd(policy: Policy, direction: Direction, setsOf: SetsOf): FilterRule {
  const severity = policy.logging.deny;
  return {
    id: JSON.stringify([direction, "end"]),
    direction,
    atTierEnd: true,
    verdict: "deny",
    subject: subjectSets(policy.subject, setsOf),
    peers: [{ kind: "everything" }],
    ports: null,
    log: severity === null ? null : { severity, label: null },
    followsConnections: true,
    isBehindBalancer: false,
  };
}

function peerTerms(peer: Peer, setsOf: SetsOf): readonly PeerTerm[] {
  switch (peer.kind) {
    case "pods":
    case "nodes":
      return setsOf(groupKey(peer)).map((set) => ({ kind: "set", set }));
    case "network":
      return [{ kind: "network", cidr: peer.cidr, except: peer.except }];
    case "everything":
      return [{ kind: "everything" }];
    case "sameNamespaces":
      throw new Error("a peer of the subject's namespace was not expanded");
    default:
      return unreachable(peer);
  }
}

/** Whose container ports a named port is looked up in. */
function destinations(direction: Direction, subject: Subject, rule: Rule): readonly GroupKey[] {
  return (direction === "ingress" ? subject : destinationsOf(rule)).map(groupKey);
}

function portTerms(port: PortMatch, groups: readonly GroupKey[], setsOf: SetsOf): readonly PortTerm[] {
  switch (port.kind) {
    case "port":
      return [
        {
          kind: "ports",
          protocol: port.protocol,
          start: port.port,
          end: port.port,
          source: port.source ?? null,
        },
      ];
    case "range":
      return [
        {
          kind: "ports",
          protocol: port.protocol,
          start: port.start,
          end: port.end,
          source: port.source ?? null,
        },
      ];
    case "named":
      return groups
        .flatMap((group) => setsOf(group, port.name))
        .map((set) => ({
          kind: "set",
          set,
          protocol: port.protocol ?? null,
          source: port.source ?? null,
        }));
    case "protocol":
      return [{ kind: "protocol", number: port.number }];
    case "icmp":
      return [port];
    default:
      return unreachable(port);
  }
}

const knownActions: Readonly<Record<Action, true>> = {
  ...{ allow: true, deny: true, pass: true, reject: true },
};
const knownEnds: Readonly<Record<Policy["unmatched"][Direction], true>> = { next: true, deny: true };
const knownPeers: Readonly<Record<Exclude<Peer["kind"], "sameNamespaces">, true>> = {
  ...{ pods: true, nodes: true, network: true, everything: true },
};
const knownPorts: Readonly<Record<PortMatch["kind"], true>> = {
  ...{ port: true, range: true, named: true, protocol: true, icmp: true },
};

/** What this filter has no words for; empty when `renderChain` works. Asked about anything, it answers. */
export function refusalsOf(policy: Policy): readonly Refusal[] {
  return directions.flatMap((direction) => [
    ...refusalOfEnd(policy, direction),
    ...policy.rules[direction].flatMap((rule) => [
      ...refusalOfAction(rule, direction),
      ...refusalOfPeers(rule, direction),
      ...refusalOfPorts(rule, direction),
    ]),
  ]);
}

function refusalOfEnd({ unmatched }: Policy, direction: Direction): readonly Refusal[] {
  if (Object.hasOwn(knownEnds, unmatched[direction])) return [];
  const message = `the filter has no words for ${unmatched[direction]} at a tier's end`;
  return [{ code: "UnknownAction", part: { kind: "unmatched", direction }, message }];
}

function refusalOfAction({ index, action }: Rule, direction: Direction): readonly Refusal[] {
  if (Object.hasOwn(knownActions, action)) return [];
  const part = { kind: "rule", direction, index, field: "action" } as const;
  return [{ code: "UnknownAction", part, message: `the filter has no words for the action ${action}` }];
}

function refusalOfPeers({ index, peers }: Rule, direction: Direction): readonly Refusal[] {
  const unknown = peers.find(({ kind }) => !Object.hasOwn(knownPeers, kind));
  if (unknown === undefined) return [];
  const part = { kind: "rule", direction, index, field: "peers" } as const;
  return [
    { code: "UnknownPeer", part, message: `the filter has no words for a peer of kind ${unknown.kind}` },
  ];
}

function refusalOfPorts({ index, ports }: Rule, direction: Direction): readonly Refusal[] {
  const part = { kind: "rule", direction, index, field: "ports" } as const;
  const unknown = ports?.find(({ kind }) => !Object.hasOwn(knownPorts, kind));
  if (unknown !== undefined)
    return [
      { code: "UnknownPort", part, message: `the filter has no words for a port of kind ${unknown.kind}` },
    ];
  return [];
}
