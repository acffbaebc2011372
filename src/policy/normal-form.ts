// The normal form of a rule: what it demands of a connection's source, of its destination and of its traffic, whatever values of
// the IR said so. All code that asks about rules reads it; only the places that CONTRIBUTING lists look at the values themselves.
// It has no variants to switch on: every field applies. Invariant: a rule and its form match the same connections.

import { unreachable } from "../lib/invariant.ts";
import type { Cidr, IpFamily } from "../model/ip.ts";
import { ipFamilies } from "../model/ip.ts";
import { icmpNumbers, protocolNumbers } from "../model/protocols.ts";
import type {
  Addresses,
  Direction,
  EndPorts,
  HostNameGroup,
  NodeGroup,
  Peer,
  PeerGroup,
  PodGroup,
  PortList,
  PortMatch,
  PortRange,
  Rule,
  SameNamespaces,
  Subject,
} from "./ir.ts";
import { hasEveryPort, rangesWithout } from "./ports/port-ranges.ts";

/** Ends of connections: those that any of its parts has. */
export interface Ends {
  /** Every address of every family. */
  readonly everything: boolean;
  readonly pods: readonly PodGroup[];
  /** Pods of namespaces that have something in common with the namespace of the rule's subject. */
  readonly sameNamespaces: readonly SameNamespaces[];
  readonly nodes: readonly NodeGroup[];
  readonly hostNames: readonly HostNameGroup[];
  readonly networks: readonly Cidr[];
}

/** An end that is any of `anyOf` and none of `noneOf`, and lies within `within`; null: anywhere. */
export interface EndTerm {
  readonly anyOf: Ends;
  readonly noneOf: Ends;
  readonly within: Ends | null;
}

/** Ports of sources. */
export interface SourcePorts extends EndPorts {
  /** Whether a port that no rule names is one of them. */
  readonly hasUnnamed: boolean;
}

/** Packets that have all of these values; null: any value. */
export interface TrafficTerm {
  readonly family: IpFamily | null;
  /** IANA numbers. */
  readonly protocols: readonly number[] | null;
  readonly source: SourcePorts | null;
  readonly destination: EndPorts | null;
  readonly icmpTypes: readonly PortRange[] | null;
  readonly icmpCodes: readonly PortRange[] | null;
}

/** A rule matches what has a source, a destination and traffic that it demands. */
export interface RuleForm {
  /** Any of the terms; null: this end is restricted only by what the rule applies to. */
  readonly source: readonly EndTerm[] | null;
  readonly destination: readonly EndTerm[] | null;
  /** Any of the terms; null: any traffic. */
  readonly traffic: readonly TrafficTerm[] | null;
  /** Only connections whose destination a load balancer has replaced. */
  readonly isTranslated: boolean;
}

/** Pods that a subject has: any of these. */
export interface SubjectForm {
  readonly pods: readonly PodGroup[];
  /** Names of nodes, whose pods are meant. */
  readonly ofNodes: readonly string[];
}

const nothing: Ends = {
  ...{ everything: false, pods: [], sameNamespaces: [], nodes: [], hostNames: [], networks: [] },
};
const anything: Ends = { ...nothing, everything: true };

const known: Readonly<Record<Direction, WeakMap<Rule, RuleForm>>> = {
  ingress: new WeakMap(),
  egress: new WeakMap(),
};

const knownSubjects = new WeakMap<Subject, SubjectForm>();

/** Made once for a rule: the IR never changes. */
export function formOf(rule: Rule, direction: Direction): RuleForm {
  const before = known[direction].get(rule);
  if (before !== undefined) return before;
  const peers = peerTerms(rule);
  const own = ownTerm(rule);
  const ownTerms = own && [own];
  const form: RuleForm = {
    source: direction === "ingress" ? peers : ownTerms,
    destination: direction === "egress" ? peers : ownTerms,
    traffic: rule.ports?.flatMap(trafficOf) ?? null,
    isTranslated: rule.translated === true,
  };
  known[direction].set(rule, form);
  return form;
}

export function subjectForm(subject: Subject): SubjectForm {
  const before = knownSubjects.get(subject);
  if (before !== undefined) return before;
  const pods: PodGroup[] = [];
  const ofNodes: string[] = [];
  for (const group of subject) {
    switch (group.kind) {
      case "pods":
        pods.push(group);
        break;
      case "podsOfNode":
        ofNodes.push(group.node);
        break;
      default:
        unreachable(group);
    }
  }
  const form = { pods, ofNodes };
  knownSubjects.set(subject, form);
  return form;
}

/** What the rule demands of the end that is not its subject's: a term for each peer, in their order. */
export function peerTerms({ peers }: Pick<Rule, "peers">): readonly EndTerm[] {
  return peers.map(termOf);
}

/** What the rule demands of the address at its subject's end; null: nothing. */
export function ownTerm({ own }: Pick<Rule, "own">): EndTerm | null {
  return own === undefined ? null : termOfAddresses(own);
}

/** The groups among the ends. */
export function groupsOf({ pods, nodes, hostNames }: Ends): readonly PeerGroup[] {
  return [...pods, ...nodes, ...hostNames];
}

/** The names of ports that are looked up on pods. */
export function portNamesIn(ports: readonly PortMatch[] | null): readonly string[] {
  return (ports ?? []).flatMap(trafficOf).flatMap(({ destination }) => destination?.names ?? []);
}

/** The parts of a term that look at ends. */
export function endsOf({ anyOf, noneOf, within, ...others }: EndTerm): readonly Ends[] {
  nothingElse(others);
  return within === null ? [anyOf, noneOf] : [anyOf, noneOf, within];
}

function termOf(peer: Peer): EndTerm {
  switch (peer.kind) {
    case "pods":
      return { anyOf: { ...nothing, pods: [peer] }, noneOf: nothing, within: null };
    case "nodes":
      return { anyOf: { ...nothing, nodes: [peer] }, noneOf: nothing, within: null };
    case "hostNames":
      return { anyOf: { ...nothing, hostNames: [peer] }, noneOf: nothing, within: null };
    case "sameNamespaces":
      return { anyOf: { ...nothing, sameNamespaces: [peer] }, noneOf: nothing, within: null };
    case "narrowed":
      return {
        anyOf: { ...nothing, pods: [peer.pods] },
        noneOf: { ...nothing, networks: peer.except },
        within: { ...nothing, networks: peer.networks },
      };
    case "others":
      return {
        anyOf: { ...nothing, networks: peer.networks },
        noneOf: { ...nothing, pods: peer.pods, networks: peer.except },
        within: null,
      };
    case "network": {
      const noneOf = peer.except.length === 0 ? nothing : { ...nothing, networks: peer.except };
      return { anyOf: { ...nothing, networks: [peer.cidr] }, noneOf, within: null };
    }
    case "everything":
      return { anyOf: anything, noneOf: nothing, within: null };
    default:
      return unreachable(peer);
  }
}

function termOfAddresses({ networks, except }: Addresses): EndTerm {
  return { anyOf: { ...nothing, networks }, noneOf: { ...nothing, networks: except }, within: null };
}

export const noPorts: PortList = { ranges: [], names: [] };

const anyTraffic: TrafficTerm = {
  ...{ family: null, protocols: null, source: null, destination: null, icmpTypes: null, icmpCodes: null },
};

/** One term; of ICMP of both families one for each, since the families' numbers differ. */
export function trafficOf(port: PortMatch): readonly TrafficTerm[] {
  switch (port.kind) {
    case "port":
      return [withPorts(port, { ranges: [{ start: port.port, end: port.port }], names: [] })];
    case "range":
      return [withPorts(port, { ranges: [{ start: port.start, end: port.end }], names: [] })];
    case "named":
      return [withPorts(port, { ranges: [], names: [port.name] })];
    case "declared":
      return [
        {
          ...{ ...anyTraffic, protocols: [protocolNumbers[port.protocol]] },
          ...{ source: port.from && sourcePorts(port.from), destination: port.to },
        },
      ];
    case "protocol":
      return [{ ...anyTraffic, protocols: [port.number] }];
    case "icmp":
      return (port.family === null ? ipFamilies : [port.family]).map((family) => ({
        ...{ ...anyTraffic, family, protocols: [icmpNumbers[family]] },
        ...{ icmpTypes: valueOf(port.type), icmpCodes: valueOf(port.code) },
      }));
    case "protocols":
      return [{ ...anyTraffic, protocols: port.numbers }];
    case "otherIcmp":
      return otherIcmp(port);
    default:
      return unreachable(port);
  }
}

/** Of all ports but some, a port that no rule names is one. */
function sourcePorts(ports: EndPorts): SourcePorts {
  return { ...ports, hasUnnamed: hasEveryPort(ports.ranges) };
}

function valueOf(value: number | null): readonly PortRange[] | null {
  return value === null ? null : [{ start: value, end: value }];
}

/** All values of a byte but this one. */
function othersThan(value: number): readonly PortRange[] {
  return rangesWithout([{ start: 0, end: 255 }], [{ start: value, end: value }]);
}

function otherIcmp({
  family,
  type,
  code,
}: Extract<PortMatch, { kind: "otherIcmp" }>): readonly TrafficTerm[] {
  const any = { ...anyTraffic, family, protocols: [icmpNumbers[family]] };
  const types = { ...any, icmpTypes: othersThan(type) };
  return code === null ? [types] : [types, { ...any, icmpTypes: valueOf(type), icmpCodes: othersThan(code) }];
}

function withPorts(
  { protocol, source }: Pick<Extract<PortMatch, { kind: "named" }>, "protocol" | "source">,
  destination: PortList,
): TrafficTerm {
  return {
    ...anyTraffic,
    protocols: protocol === undefined ? null : [protocolNumbers[protocol]],
    source:
      source === undefined
        ? null
        : { ranges: [source], names: [], except: noPorts, hasUnnamed: source.isRest === true },
    destination: { ...destination, except: noPorts },
  };
}

/**
 * Says that no field was left out: what takes a form apart gives the rest here, and stops compiling when the form has one field
 * more.
 */
export const nothingElse: (rest: Readonly<Record<string, never>>) => void = () => undefined;
