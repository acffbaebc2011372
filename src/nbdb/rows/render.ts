// IR to desired rows. What depends on the policy alone is rendered once; what depends on members (ports, addresses,
// named ports) is kept as a description that content.ts answers from the membership, element by element.

import type { AddressSources } from "../../contents/address-lists.ts";
import type { NamedPortQuery, PortNumber } from "../../contents/named-ports.ts";
import { sameSequence } from "../../lib/sequence.ts";
import { invariant } from "../../lib/invariant.ts";
import type { IpFamily } from "../../model/ip.ts";
import { familyOf } from "../../model/ip.ts";
import type { Protocol } from "../../model/facts.ts";
import type { Direction, GroupKey, Policy, PolicyHead, PolicyKey, Rule } from "../../policy/ir.ts";
import type { DesiredAcl } from "./acl.ts";
import { desiredAcl, movedAcl } from "./acl.ts";
import { conjunction, peerTerm, portTerm, subjectTerm } from "./match.ts";
import type { ExternalIds } from "./names.ts";
import { addressSetIds, hashedName, portGroupIds } from "./names.ts";
import { groupKeys, networksOf } from "./rule-peers.ts";

/** How the destinations of named ports stand in a match: each by its address, or in sets by number. */
export const namedPortForms = ["list", "sets"] as const;
export type NamedPortForm = (typeof namedPortForms)[number];

/** What holds for every policy, as long as the program runs. */
export interface RenderMode {
  /** The node whose pods are local; null: one Northbound database for all nodes, every pod is local. */
  readonly zone: string | null;
  readonly namedPorts: NamedPortForm;
}

/** For whom rows are written. */
export interface RenderOptions extends RenderMode {
  /** The families the cluster serves, v4 first; a family served but not listed would be a hole. */
  readonly families: readonly IpFamily[];
}

export interface DesiredPortGroup {
  readonly name: string;
  readonly externalIds: ExternalIds;
  /** The groups whose local pods have their ports in it, each once. */
  readonly subjects: readonly GroupKey[];
}

export interface DesiredAddressSet extends AddressSources {
  readonly policy: PolicyKey;
  readonly name: string;
  readonly externalIds: ExternalIds;
}

/** The addresses at which a rule's named ports are one number: desired while there is one. */
export interface NamedPortSet extends PortNumber {
  readonly name: string;
  readonly externalIds: ExternalIds;
  readonly named: NamedPortRule;
}

/** A rule with named ports: its ACLs for them depend on members. */
export interface NamedPortRule extends NamedPortQuery {
  /** As it was when the rule was rendered, and still is in what the rule's rows say of it. */
  readonly policy: PolicyHead;
  readonly rule: Rule;
  readonly form: NamedPortForm;
  /** What stands before the protocol, and only there. */
  readonly prefix: string;
}

/** What one rule comes to. */
export interface RuleRows {
  readonly rule: Rule;
  /** One for each family. */
  readonly addressSets: readonly DesiredAddressSet[];
  /** ACLs that depend on the policy alone. */
  readonly acls: readonly DesiredAcl[];
  readonly namedPorts: NamedPortRule | null;
}

export interface PolicyRows {
  readonly policy: PolicyKey;
  readonly families: readonly IpFamily[];
  readonly portGroup: DesiredPortGroup;
  readonly rules: Readonly<Record<Direction, readonly RuleRows[]>>;
}

/** What was rendered, and what it came to. */
export interface RenderedPolicy {
  readonly policy: Policy;
  readonly rows: PolicyRows;
}

const protocols: readonly Protocol[] = ["tcp", "udp", "sctp"];

/**
 * `before`: the policy as it was rendered before in the same mode. What a rule came to then and would come to now is
 * handed on as the same objects, as far as the rule is the same object itself.
 */
export function renderPolicy(
  policy: Policy,
  options: RenderOptions,
  before: RenderedPolicy | null = null,
): PolicyRows {
  const { families } = options;
  const kept = before?.rows.families === families && before.policy.key === policy.key ? before : null;
  const portGroup = kept?.policy.subject === policy.subject ? kept.rows.portGroup : renderPortGroup(policy);
  const rulesOf = (direction: Direction): readonly RuleRows[] => {
    invariant(policy.unmatched[direction] === "next", "this backend has no rows for a default deny yet");
    const context = { policy, options, portGroup, direction, before: kept };
    return policy.rules[direction].map((rule, place) => renderRule(rule, place, context));
  };
  const rules = { ingress: rulesOf("ingress"), egress: rulesOf("egress") };
  return { policy: policy.key, families, portGroup, rules };
}

/** Of both directions. */
export function allRules({ rules }: PolicyRows): readonly RuleRows[] {
  return [...rules.ingress, ...rules.egress];
}

function renderPortGroup(policy: Policy): DesiredPortGroup {
  const externalIds = portGroupIds(policy);
  return { name: hashedName(externalIds), externalIds, subjects: groupKeys(policy.subject) };
}

interface RuleContext {
  readonly policy: Policy;
  readonly options: RenderOptions;
  readonly portGroup: DesiredPortGroup;
  readonly direction: Direction;
  readonly before: RenderedPolicy | null;
}

function renderRule(rule: Rule, place: number, context: RuleContext): RuleRows {
  const { policy, options, portGroup, direction, before } = context;
  const old = before?.rows.rules[direction][place] ?? null;
  if (before !== null && old?.rule === rule) return keptRule(old, before, context);
  invariant(rule.subject === null, "this backend has no rows for a rule with a subject of its own yet");
  const addressSets =
    old?.rule.peers === rule.peers && old.rule.index === rule.index
      ? old.addressSets
      : options.families.map((family) => renderAddressSet(policy, direction, rule, family));
  const subject = subjectTerm(direction, portGroup.name);
  const peers = peerTerm(direction, addressSets);
  return {
    rule,
    addressSets,
    acls: renderAcls(policy, direction, rule, subject, peers),
    namedPorts: renderNamedPorts(policy, direction, rule, options, { subject, peers }),
  };
}

/** A rule that is as before, of a policy that may have moved, log otherwise or have another subject. */
function keptRule(
  old: RuleRows,
  before: RenderedPolicy,
  { policy, portGroup, direction }: RuleContext,
): RuleRows {
  const { rule, addressSets, acls, namedPorts } = old;
  const isInPlace =
    before.policy.priority === policy.priority &&
    before.policy.logging[rule.action] === policy.logging[rule.action];
  const { subjects } = portGroup;
  const isOfSubject =
    namedPorts !== null && direction === "ingress" && !sameSequence(before.rows.portGroup.subjects, subjects);
  if (isInPlace && !isOfSubject) return old;
  return {
    rule,
    addressSets,
    acls: isInPlace ? acls : acls.map((acl) => movedAcl(acl, policy, rule)),
    namedPorts: namedPorts && {
      ...namedPorts,
      policy,
      destinations: isOfSubject ? subjects : namedPorts.destinations,
    },
  };
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
    policy: policy.key,
    name: hashedName(externalIds),
    externalIds,
    family,
    groups: groupKeys(rule.peers),
    networks: new Set(networks.filter((network) => familyOf(network) === family)),
  };
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
  { zone, namedPorts: form }: RenderMode,
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
    destinations: ingress ? groupKeys(policy.subject) : groupKeys(rule.peers),
    portNames: [...portNames].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    form,
    prefix: ingress ? ingressPrefix : terms.subject,
  };
}
