// IR to desired rows. What depends on the policy alone is rendered once; what depends on members (ports, addresses,
// named ports) is kept as a description that content.ts answers from the membership, element by element.

import { invariant, unreachable } from "../lib/invariant.ts";
import type { Cidr, IpFamily } from "../model/ip.ts";
import { everyAddress, familyOf } from "../model/ip.ts";
import type { Protocol } from "../model/facts.ts";
import type { Direction, GroupKey, Peer, Policy, PolicyKey, Rule } from "../policy/ir.ts";
import { directions, groupKey } from "../policy/ir.ts";
import type { DesiredAcl } from "./acl.ts";
import { desiredAcl } from "./acl.ts";
import { conjunction, peerTerm, portTerm, subjectTerm } from "./match.ts";
import type { ExternalIds } from "./names.ts";
import { addressSetIds, hashedName, portGroupIds } from "./names.ts";

/** How the destinations of named ports stand in a match: each by its address, or in sets by number. */
export const namedPortForms = ["list", "sets"] as const;
export type NamedPortForm = (typeof namedPortForms)[number];

/** What holds for every policy, as long as the program runs. */
export interface Manner {
  /** The node whose pods are local; null: one Northbound database for all nodes, every pod is local. */
  readonly zone: string | null;
  readonly namedPorts: NamedPortForm;
}

/** For whom rows are written. */
export interface RenderOptions extends Manner {
  /** The families the cluster serves, v4 first; a family served but not listed would be a hole. */
  readonly families: readonly IpFamily[];
}

export interface DesiredPortGroup {
  readonly name: string;
  readonly externalIds: ExternalIds;
  readonly subject: GroupKey;
}

export interface DesiredAddressSet {
  readonly name: string;
  readonly externalIds: ExternalIds;
  readonly family: IpFamily;
  /** The groups whose addresses are in the set, each once. */
  readonly groups: readonly GroupKey[];
  /** What the policy itself puts in. */
  readonly networks: ReadonlySet<Cidr>;
}

/** The addresses at which a rule's named ports are one number: desired while there is one. */
export interface NamedPortSet {
  readonly name: string;
  readonly externalIds: ExternalIds;
  readonly named: NamedPortRule;
  readonly family: IpFamily;
  readonly protocol: Protocol;
  readonly port: number;
}

/** A rule with named ports: its ACLs for them depend on members. */
export interface NamedPortRule {
  readonly policy: Policy;
  readonly direction: Direction;
  readonly rule: Rule;
  /** Groups whose pods are destinations: the subject for ingress, the peers for egress. */
  readonly destinations: readonly GroupKey[];
  /** Sorted and distinct. */
  readonly portNames: readonly string[];
  readonly form: NamedPortForm;
  /** What stands before the protocol, and only there. */
  readonly prefix: string;
}

export interface PolicyRows {
  readonly policy: PolicyKey;
  readonly portGroup: DesiredPortGroup;
  readonly addressSets: readonly DesiredAddressSet[];
  /** ACLs that depend on the policy alone. */
  readonly acls: readonly DesiredAcl[];
  readonly namedPortRules: readonly NamedPortRule[];
}

const protocols: readonly Protocol[] = ["tcp", "udp", "sctp"];

export function renderPolicy(policy: Policy, options: RenderOptions): PolicyRows {
  const portGroupExternalIds = portGroupIds(policy);
  const portGroup: DesiredPortGroup = {
    name: hashedName(portGroupExternalIds),
    externalIds: portGroupExternalIds,
    subject: groupKey(policy.subject),
  };
  const addressSets: DesiredAddressSet[] = [];
  const acls: DesiredAcl[] = [];
  const namedPortRules: NamedPortRule[] = [];
  for (const direction of directions) {
    invariant(policy.unmatched[direction] === "next", "this backend has no rows for a default deny yet");
    for (const rule of policy.rules[direction]) {
      invariant(rule.subject === null, "this backend has no rows for a rule with a subject of its own yet");
      const sets = options.families.map((family) => renderAddressSet(policy, direction, rule, family));
      const subject = subjectTerm(direction, portGroup.name);
      const peers = peerTerm(direction, sets);
      addressSets.push(...sets);
      acls.push(...renderAcls(policy, direction, rule, subject, peers));
      const named = renderNamedPorts(policy, direction, rule, options, { subject, peers });
      if (named !== null) namedPortRules.push(named);
    }
  }
  return { policy: policy.key, portGroup, addressSets, acls, namedPortRules };
}

function renderAddressSet(
  policy: Policy,
  direction: Direction,
  rule: Rule,
  family: IpFamily,
): DesiredAddressSet {
  const externalIds = addressSetIds(policy, direction, rule.index, family);
  const networks = rule.peers.flatMap((peer) => networksOf(peer, family));
  return {
    name: hashedName(externalIds),
    externalIds,
    family,
    groups: groupKeys(rule.peers),
    networks: new Set(networks.filter((network) => familyOf(network) === family)),
  };
}

function networksOf(peer: Peer, family: IpFamily): readonly Cidr[] {
  switch (peer.kind) {
    case "pods":
    case "nodes":
      return [];
    case "everything":
      return [everyAddress(family)];
    case "network":
      invariant(peer.except.length === 0, "this backend has no rows for a network with exceptions yet");
      return [peer.cidr];
    default:
      return unreachable(peer);
  }
}

function groupKeys(peers: readonly Peer[]): readonly GroupKey[] {
  const distinct = new Set<GroupKey>();
  for (const peer of peers) if (peer.kind === "pods" || peer.kind === "nodes") distinct.add(groupKey(peer));
  return [...distinct];
}

function renderAcls(
  policy: Policy,
  direction: Direction,
  rule: Rule,
  subject: string,
  peers: string,
): readonly DesiredAcl[] {
  const ports = rule.ports;
  if (ports === null) return [desiredAcl(policy, direction, rule, "None", conjunction([subject, peers]))];
  return protocols.flatMap((protocol) => {
    const term = portTerm(protocol, ports);
    if (term === null) return [];
    return [desiredAcl(policy, direction, rule, protocol, conjunction([subject, peers, term]))];
  });
}

/**
 * Ingress names are destinations on the subject's own local pods. In a zone's own database the destination addresses
 * alone name local ports, as documented; in one database for all nodes the subject term must stand before them, since
 * an ACL without it acts on every switch that has a port of the group. Egress needs no address set: the destinations
 * are the peers' own addresses.
 */
function renderNamedPorts(
  policy: Policy,
  direction: Direction,
  rule: Rule,
  { zone, namedPorts: form }: Manner,
  terms: { readonly subject: string; readonly peers: string },
): NamedPortRule | null {
  const portNames = new Set<string>();
  for (const port of rule.ports ?? []) if (port.kind === "named") portNames.add(port.name);
  if (portNames.size === 0) return null;
  const ingress = direction === "ingress";
  const ingressPrefix = zone === null ? conjunction([terms.subject, terms.peers]) : terms.peers;
  return {
    policy,
    direction,
    rule,
    destinations: ingress ? [groupKey(policy.subject)] : groupKeys(rule.peers),
    portNames: [...portNames].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    form,
    prefix: ingress ? ingressPrefix : terms.subject,
  };
}
