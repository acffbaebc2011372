// The only place that builds row names and external_ids: the same as OVN-Kubernetes writes, so that `ovn-nbctl find`
// lines, dashboards and log greps go on working. Nothing is escaped: only a namespaced name holds a colon.

import type { PortNumber } from "../../contents/named-ports.ts";
import type { IpFamily } from "../../model/ip.ts";
import type { Direction, PolicyHead, Rule } from "../../policy/ir.ts";
import type { PodKey, Protocol } from "../../model/facts.ts";
import { documentedHash } from "./match/documented-hash.ts";

export const ownerController = "default-network-controller";

export const keys = {
  id: "k8s.ovn.org/id",
  name: "k8s.ovn.org/name",
  ownerController: "k8s.ovn.org/owner-controller",
  ownerType: "k8s.ovn.org/owner-type",
  direction: "direction",
  index: "gress-index",
  share: "share",
  subject: "subject",
  protocol: "port-policy-protocol",
  port: "port-number",
  source: "source-ports",
  family: "ip-family",
  logLabel: "log-label",
  selector: "selector",
  blocks: "ip-block-index",
  type: "type",
} as const;

/** Owner type of the sets that policies share, one for each selector and family: of no kind of policy. A kind may have another. */
export const selectorOwnerType = "NorthgateSelector";

/** Owner type of the sets of host names that rules of the same kinds share, whatever their form. */
const nameOwnerType = "NorthgateName";

/** Owner type of the sets of NetworkPolicies' peers, as OVN-Kubernetes names it. */
export const podSelectorOwnerType = "PodSelector";

/** Owner type of the rows that isolate pods of a namespace, as OVN-Kubernetes names it. */
export const isolationOwnerType = "NetpolNamespace";

/** Of the sets of host names. `owner`: of the sets of groups; kinds that have such a type of their own have it for names, too. */
export function nameOwnerOf(owner: string): string {
  return owner === selectorOwnerType ? nameOwnerType : owner;
}

/** Owner type of the rows by which OVN samples what ACLs judge. */
export const samplingOwnerType = "NorthgateSampling";

export type ExternalIds = ReadonlyMap<string, string>;

/** Value of `port-policy-protocol`. */
export type PortPolicyProtocol = "None" | Protocol | `${Protocol}-namedPort` | "icmp" | "ip";

const directionText: Readonly<Record<Direction, string>> = { ingress: "Ingress", egress: "Egress" };

type Place = readonly (readonly [string, string])[];

function externalIds({ ownerType, ref: { namespace, name } }: PolicyHead, place: Place): ExternalIds {
  return idsOf(ownerType, namespace === null ? name : `${namespace}:${name}`, place);
}

function idsOf(ownerType: string, name: string, place: Place): ExternalIds {
  const id = [ownerController, ownerType, name, ...place.map(([, value]) => value)].join(":");
  return new Map([
    [keys.id, id],
    [keys.name, name],
    [keys.ownerController, ownerController],
    [keys.ownerType, ownerType],
    ...place,
  ]);
}

/** A rule in its direction; rules that were expanded from one have the same index and different shares. */
export type RulePlace = Pick<Rule, "index" | "share">;

/** A share contains user text, which may hold any character: the name contains its hash. */
function ruleParts(
  direction: Direction,
  { index, share }: RulePlace,
): readonly (readonly [string, string])[] {
  return [
    [keys.direction, directionText[direction]],
    [keys.index, String(index)],
    ...(share === null ? [] : [[keys.share, documentedHash(share)] as const]),
  ];
}

export function portGroupIds(policy: PolicyHead): ExternalIds {
  return externalIds(policy, []);
}

/** Ids of the port group of a rule that has its own subject and no share. */
export function rulePortGroupIds(policy: PolicyHead, direction: Direction, rule: RulePlace): ExternalIds {
  return externalIds(policy, ruleParts(direction, rule));
}

/**
 * Ids of the port group of all rules of the policy, in both directions, that have this share and this subject. `subject`: a
 * hash of it for which a second text cannot be searched.
 */
export function sharePortGroupIds(policy: PolicyHead, share: string, subject: string): ExternalIds {
  return externalIds(policy, [
    [keys.share, documentedHash(share)],
    [keys.subject, subject],
  ]);
}

export function addressSetIds(
  policy: PolicyHead,
  direction: Direction,
  rule: RulePlace,
  family: IpFamily,
): ExternalIds {
  return externalIds(policy, [...ruleParts(direction, rule), [keys.family, family]]);
}

/** Ids of the set that all users of a selector share. `name`: its hash; `text`: for people, no part of the id. */
export function selectorSetIds(owner: string, name: string, text: string, family: IpFamily): ExternalIds {
  return new Map([...idsOf(owner, name, [[keys.family, family]]), [keys.selector, text]]);
}

/** Ids of a set of NetworkPolicies' peers; `key`: the documented text of their selectors. */
export function podSelectorSetIds(key: string, family: IpFamily): ExternalIds {
  return idsOf(podSelectorOwnerType, key, [[keys.family, family]]);
}

/** Ids of the group of the pods of a namespace that are isolated in the direction. */
export function isolationGroupIds(namespace: string, direction: Direction): ExternalIds {
  return idsOf(isolationOwnerType, namespace, [[keys.direction, directionText[direction]]]);
}

export function isolationAclIds(
  namespace: string,
  direction: Direction,
  type: "defaultDeny" | "arpAllow",
): ExternalIds {
  return idsOf(isolationOwnerType, namespace, [
    [keys.direction, directionText[direction]],
    [keys.type, type],
  ]);
}

/** ACL.name of a namespace's isolation, cut as the names of policies' ACLs are. */
export function isolationAclName(shortKind: string, namespace: string, direction: Direction): string {
  return cut([shortKind, namespace, directionText[direction]]);
}

/** Ids of the Sample_Collector (`collector`), and of a Sampling_App by its type. */
export function samplingIds(name: string): ExternalIds {
  return idsOf(samplingOwnerType, name, []);
}

const watchName = "watch";

/** Ids of the group of all subjects, whose connections are sampled where no policy judges them. */
export function watchGroupIds(): ExternalIds {
  return samplingIds(watchName);
}

/** Whether a row of the owner type of samples is one of those. */
export function isWatch(name: string): boolean {
  return name === watchName;
}

export function watchAclIds(direction: Direction): ExternalIds {
  return idsOf(samplingOwnerType, watchName, [[keys.direction, directionText[direction]]]);
}

/** ACL.name of what samples such connections. */
export function watchAclName(direction: Direction): string {
  return cut([watchName, directionText[direction]]);
}

/** Value of `ip-block-index`: the ACL of a rule's selectors, or that of its networks; null: the kind has no such key. */
type IpBlockIndex = -1 | -2 | null;

/** Of which of a rule's peers an ACL speaks, where not all of them are in one. */
export interface PeersOfAcl {
  readonly blocks: IpBlockIndex;
  /** null: every family. */
  readonly family: IpFamily | null;
}

export const allPeers: PeersOfAcl = { blocks: null, family: null };

/** Ids of the set of addresses at which a rule's named ports have this number. */
export function namedPortSetIds(
  policy: PolicyHead,
  direction: Direction,
  rule: RulePlace,
  { protocol, port, family, source }: PortNumber,
): ExternalIds {
  return externalIds(policy, [
    ...ruleParts(direction, rule),
    [keys.protocol, `${protocol}-namedPort`],
    [keys.port, String(port)],
    ...(source === null ? [] : [[keys.source, `${source.start}-${source.end}`] as const]),
    [keys.family, family],
  ]);
}

export function aclIds(
  policy: PolicyHead,
  direction: Direction,
  rule: RulePlace,
  protocol: PortPolicyProtocol,
  { blocks, family }: PeersOfAcl = allPeers,
): ExternalIds {
  return externalIds(policy, [
    ...ruleParts(direction, rule),
    [keys.protocol, protocol],
    ...(blocks === null ? [] : [[keys.blocks, String(blocks)] as const]),
    ...(family === null ? [] : [[keys.family, family] as const]),
  ]);
}

/** Ids of the ACL that denies what no rule of the direction matches. */
export function defaultDenyIds(policy: PolicyHead, direction: Direction): ExternalIds {
  return externalIds(policy, [
    [keys.direction, directionText[direction]],
    [keys.index, "default"],
  ]);
}

/**
 * ACL.name: all ACLs of a rule share it, cut to the schema's 63 characters (by code point, as OVN-Kubernetes does).
 * OVN's logs print nothing else of an ACL, so the log label is put at its end.
 */
export function aclName(
  policy: PolicyHead,
  direction: Direction,
  index: number | "default",
  logLabel: string | null,
): string {
  const { namespace, name } = policy.ref;
  return cut([
    policy.shortKind,
    ...(namespace === null ? [] : [namespace]),
    name,
    directionText[direction],
    index,
    ...(logLabel === null ? [] : [logLabel]),
  ]);
}

/** The first 63 code points; a text of as few UTF-16 units has no more. */
function cut(parts: readonly (string | number)[]): string {
  const text = parts.join(":");
  return text.length <= 63 ? text : Array.from(text).slice(0, 63).join("");
}

/** Name of a Port_Group or Address_Set row: "a" and the FNV-1a-64 hash of its id's UTF-8 bytes in decimal. */
export function hashedName(ids: ExternalIds): string {
  return `a${documentedHash(ids.get(keys.id) ?? "")}`;
}

/**
 * Whether a row has the name that these ids give, and has it by ids of its own: two texts have one hash. Documented hashes
 * are of texts that users choose, so that a user may search for such a text. False of a row of ours whose ids were changed.
 */
export function isOfAnother(
  row: { readonly name: string; readonly external_ids: ExternalIds },
  ids: ExternalIds,
): boolean {
  const id = row.external_ids.get(keys.id);
  return id !== undefined && id !== ids.get(keys.id) && hashedName(row.external_ids) === row.name;
}

/** The logical switch port of a pod, as the CNI names it. */
export function portName(namespace: string, pod: string): string {
  return `${namespace}_${pod}`;
}

export function portOfPod(key: PodKey): string {
  return key.replace("/", "_");
}

/** The pod behind a port name; null when the name has another form. A namespace's name holds no underscore. */
export function podOfPort(port: string): { namespace: string; name: string } | null {
  const underscore = port.indexOf("_");
  if (underscore < 1 || underscore === port.length - 1) return null;
  return { namespace: port.slice(0, underscore), name: port.slice(underscore + 1) };
}
