// IR to a chain of the in-memory filter, and what this filter cannot say. A rule is keyed by direction, index and share,
// never by its place. Nothing of a set's contents is looked at here: a chain names its sets and says what belongs in them.

import { invariant } from "../../src/lib/invariant.ts";
import type { IpFamily } from "../../src/model/ip.ts";
import type {
  Action,
  Direction,
  EndPorts,
  GroupKey,
  Peer,
  Policy,
  PortList,
  PortMatch,
  Rule,
  Subject,
} from "../../src/policy/ir.ts";
import { directions, groupKey } from "../../src/policy/ir.ts";
import { namedPeersOf } from "../../src/policy/peers.ts";
import { rankOf } from "../../src/policy/order.ts";
import type { Ends, EndTerm, TrafficTerm } from "../../src/policy/normal-form.ts";
import { formOf, nothingElse, ownTerm, peerTerms } from "../../src/policy/normal-form.ts";
import type { Refusal } from "../../src/policy/contracts/backend.ts";
import type { Chain, FilterRule, PeerTerm, Places, PortTerm, SetName } from "./memory-store.ts";

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
  return { chain: { place: rankOf(policy), rules }, sets };
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
  const { traffic, isTranslated } = formOf(rule, direction);
  const own = ownTerm(rule);
  const { severity, label } = rule.logging ?? { severity: policy.logging[rule.action], label: null };
  return {
    id: JSON.stringify([direction, rule.index, rule.share]),
    direction,
    atTierEnd: false,
    verdict: rule.action,
    subject: subjectSets(subject, setsOf),
    own: own && peerTerm(own, setsOf),
    peers: peerTerms(rule).map((term) => peerTerm(term, setsOf)),
    ports: traffic?.map((term) => portTerm(term, namedEnds(direction, subject, rule), setsOf)) ?? null,
    log: severity === null ? null : { severity, label },
    followsConnections: policy.stateless !== true,
    isBehindBalancer: isTranslated,
  };
}

const nowhere: Places = { sets: [], networks: [], everything: false };

function tierEnd(policy: Policy, direction: Direction, setsOf: SetsOf): FilterRule {
  const severity = policy.logging.deny;
  return {
    id: JSON.stringify([direction, "end"]),
    direction,
    atTierEnd: true,
    verdict: "deny",
    subject: subjectSets(policy.subject, setsOf),
    own: null,
    peers: [{ anyOf: { ...nowhere, everything: true }, noneOf: nowhere, within: null }],
    ports: null,
    log: severity === null ? null : { severity, label: null },
    followsConnections: true,
    isBehindBalancer: false,
  };
}

function peerTerm({ anyOf, noneOf, within, ...others }: EndTerm, setsOf: SetsOf): PeerTerm {
  nothingElse(others);
  return {
    anyOf: places(anyOf, setsOf),
    noneOf: places(noneOf, setsOf),
    within: within === null ? null : places(within, setsOf),
  };
}

function places({ pods, nodes, hostNames, sameNamespaces, ...others }: Ends, setsOf: SetsOf): Places {
  const { networks, everything, ...rest } = others;
  nothingElse(rest);
  invariant(sameNamespaces.length === 0, "a peer of the subject's namespace was not expanded");
  const sets = [...pods, ...nodes, ...hostNames].flatMap((group) => setsOf(groupKey(group)));
  return { sets, networks, everything };
}

/** Whose container ports a named port is looked up in, by end. */
interface NamedEnds {
  readonly source: readonly GroupKey[];
  readonly destination: readonly GroupKey[];
}

function namedEnds(direction: Direction, subject: Subject, rule: Rule): NamedEnds {
  const [own, peers] = [subject.map(groupKey), namedPeersOf(rule, direction).map(groupKey)];
  return direction === "ingress" ? { source: peers, destination: own } : { source: own, destination: peers };
}

function portTerm(term: TrafficTerm, ends: NamedEnds, setsOf: SetsOf): PortTerm {
  const { source, destination, ...others } = term;
  const listed = ({ ranges, names, ...rest }: PortList, groups: readonly GroupKey[]) => {
    nothingElse(rest);
    return { ranges, sets: names.flatMap((name) => groups.flatMap((group) => setsOf(group, name))) };
  };
  const atEnd = ({ except, ...ports }: EndPorts, groups: readonly GroupKey[]) => ({
    ...{ anyOf: listed(ports, groups), noneOf: listed(except, groups) },
  });
  return {
    ...others,
    source: source && atEnd(source, ends.source),
    destination: destination && atEnd(destination, ends.destination),
  };
}

const knownActions: Readonly<Record<Action, true>> = {
  ...{ allow: true, deny: true, pass: true, reject: true },
};
const knownEnds: Readonly<Record<Policy["unmatched"][Direction], true>> = { next: true, deny: true };
const knownPeers: Readonly<Record<Exclude<Peer["kind"], "sameNamespaces">, true>> = {
  ...{ pods: true, nodes: true, hostNames: true, narrowed: true, others: true, network: true },
  everything: true,
};
const knownPorts: Readonly<Record<PortMatch["kind"], true>> = {
  ...{ port: true, range: true, named: true, declared: true, protocol: true, protocols: true },
  ...{ icmp: true, otherIcmp: true },
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
