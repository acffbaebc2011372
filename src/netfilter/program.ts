// What a node's packet filter does, in the words of no tool: on each side of a connection tiers, in a tier blocks of lines for one
// subject. lower.ts makes it from policies; a printer for each tool writes it as that tool's text.

import { Remembered } from "../lib/remembered.ts";
import type { Cidr, IpFamily } from "../model/ip.ts";
import type { Direction, GroupKey, PolicyKey, PortRange } from "../policy/ir.ts";
import type { TierKey } from "../policy/order.ts";

/** `allow` and `pass` end the tier; `allow` ends the side, too; `deny` and `reject` end the packet. */
export type LineVerdict = "allow" | "pass" | "deny" | "reject";

/** A set of addresses that a program names; its members are the membership's. */
export type SetRef =
  | { readonly kind: "group"; readonly group: GroupKey }
  /** Addresses, protocols and numbers at which pods of the group declare a container port of the name. */
  | { readonly kind: "port"; readonly group: GroupKey; readonly name: string }
  /** The pods of the namespace that a policy of this namespace alone applies to. */
  | { readonly kind: "namespace"; readonly namespace: string };

/** A set with the groups whose members are in it. */
export interface FilterSet {
  readonly set: SetRef;
  readonly groups: readonly GroupKey[];
}

/** The end of a connection that is not the subject. */
export type PeerMatch =
  | { readonly kind: "any" }
  /** By those addresses of its members that are in `within`; absent: by any of them. */
  | { readonly kind: "group"; readonly group: GroupKey; readonly within?: Cidr }
  | { readonly kind: "network"; readonly cidr: Cidr };

/** Packets that have all of these values; null: any value. */
export interface TrafficMatch {
  /** IANA number. */
  readonly protocol: number | null;
  /** The source port is in any of these. */
  readonly sources: readonly PortRange[] | null;
  /** The destination port is in any of these. */
  readonly destinations: readonly PortRange[] | null;
  /** The destination declares the port under this name. */
  readonly named: Extract<SetRef, { kind: "port" }> | null;
  readonly icmpTypes: readonly PortRange[] | null;
  readonly icmpCodes: readonly PortRange[] | null;
}

export interface LineMatch {
  /** null: either. */
  readonly family: IpFamily | null;
  readonly peer: PeerMatch;
  /** Where the subject's own address is; absent: anywhere. */
  readonly own?: Cidr;
  readonly traffic: TrafficMatch;
  /** Only connections whose destination was replaced by a load balancer. */
  readonly isTranslated: boolean;
}

export interface Line extends LineMatch {
  /** `Rule.index`. */
  readonly index: number;
  readonly verdict: LineVerdict;
  /** What is logged with a packet that the line decides: kind, policy, direction, place, and a label; null: nothing. */
  readonly log: readonly string[] | null;
}

/** Lines of one policy about one subject. The same policy may have several blocks: rules of others may come between them. */
export interface Block {
  readonly policy: PolicyKey;
  /** Groups of pods: the subject is in any of them. */
  readonly subject: readonly GroupKey[];
  readonly lines: readonly Line[];
}

/** Pods that a tier denies what none of its lines matched. */
export interface TierEnd {
  readonly policy: PolicyKey;
  readonly subject: readonly GroupKey[];
  /** As of a line. */
  readonly log: readonly string[] | null;
}

/** What a tier says of the pods of one namespace, or of any pods. */
export interface Branch {
  /** The namespace of all of its subjects; null: they may be in any. */
  readonly namespace: string | null;
  readonly blocks: readonly Block[];
  readonly ends: readonly TierEnd[];
}

export interface TierProgram {
  readonly key: TierKey;
  /** For people. */
  readonly name: string;
  /** One for any pods, or one for each namespace: those are about different pods, so their order has no meaning. */
  readonly branches: readonly Branch[];
}

export type FilterProgram = Readonly<Record<Direction, readonly TierProgram[]>>;

function branchesOf({ egress, ingress }: FilterProgram): readonly Branch[] {
  return [...egress, ...ingress].flatMap(({ branches }) => branches);
}

function subjectsIn({ blocks, ends }: Branch): readonly GroupKey[] {
  return [...blocks, ...ends].flatMap(({ subject }) => subject);
}

/** The groups of every subject, each once. */
export function subjectsOf(program: FilterProgram): readonly GroupKey[] {
  return [...new Set(branchesOf(program).flatMap(subjectsIn))];
}

/** Each once. */
export function setsOf(program: FilterProgram): readonly FilterSet[] {
  const branches = branchesOf(program);
  const named = branches.flatMap(({ blocks }) => blocks.flatMap(ofLines));
  const sets = [...subjectsOf(program).map(ofGroup), ...named, ...namespacesOf(branches)];
  return distinct(sets);
}

/** The policies whose lines or subjects name the set, by its text. */
export function usersOf(program: FilterProgram): ReadonlyMap<string, readonly PolicyKey[]> {
  const pairs = branchesOf(program).flatMap(({ blocks, ends }) => [
    ...blocks.flatMap((block) =>
      [...block.subject.map(ofGroup), ...ofLines(block)].map((one) => ({
        policy: block.policy,
        text: setText(one.set),
      })),
    ),
    ...ends.flatMap(({ policy, subject }) =>
      subject.map((group) => ({ policy, text: setText(ofGroup(group).set) })),
    ),
  ]);
  const users = Map.groupBy(pairs, ({ text }) => text);
  return new Map([...users].map(([text, own]) => [text, [...new Set(own.map(({ policy }) => policy))]]));
}

/** A set for each namespace that has branches, of the subjects of all of them. */
function namespacesOf(branches: readonly Branch[]): readonly FilterSet[] {
  const byNamespace = Map.groupBy(branches, ({ namespace }) => namespace);
  return [...byNamespace].flatMap(([namespace, own]) => {
    if (namespace === null) return [];
    return [namespaceSetOf(namespace, own)];
  });
}

/** Of the subjects of these branches of the namespace. */
export function namespaceSetOf(namespace: string, branches: readonly Branch[]): FilterSet {
  return { set: { kind: "namespace", namespace }, groups: [...new Set(branches.flatMap(subjectsIn))] };
}

function ofGroup(group: GroupKey): FilterSet {
  return { set: { kind: "group", group }, groups: [group] };
}

/** Of blocks that are in the next program too. */
const knownSets = new Remembered<Block, "lines", readonly FilterSet[]>();

/** The sets that its lines name, each once. */
function ofLines(block: Block): readonly FilterSet[] {
  return knownSets.of(block, "lines", () => distinct(block.lines.flatMap(ofLine)));
}

function distinct(sets: readonly FilterSet[]): readonly FilterSet[] {
  return [...new Map(sets.map((one) => [setText(one.set), one])).values()];
}

function ofLine({ peer, traffic: { named } }: Line): readonly FilterSet[] {
  return [
    ...(peer.kind === "group" ? [ofGroup(peer.group)] : []),
    ...(named === null ? [] : [{ set: named, groups: [named.group] }]),
  ];
}

/** Identifies the set. */
export function setText(set: SetRef): string {
  switch (set.kind) {
    case "group":
      return set.group;
    case "port":
      return `${set.group}\n${set.name}`;
    case "namespace":
      return `namespace ${set.namespace}`;
  }
}
