// What a node's packet filter does, in the words of no tool: on each side of a connection tiers, in a tier blocks of lines for one
// subject. lower.ts makes it from policies; a printer for each tool writes it as that tool's text.

import type { Cidr, IpFamily } from "../model/ip.ts";
import type { Direction, GroupKey, PolicyKey, PortRange } from "../policy/ir.ts";
import type { TierKey } from "../policy/order.ts";

/** `allow` and `pass` end the tier; `allow` ends the side, too; `deny` and `reject` end the packet. */
export type LineVerdict = "allow" | "pass" | "deny" | "reject";

/** A set of addresses that a program names; its members are the membership's. */
export type SetRef =
  | { readonly kind: "group"; readonly group: GroupKey }
  /** Addresses, protocols and numbers at which pods of the group declare a container port of the name. */
  | { readonly kind: "port"; readonly group: GroupKey; readonly name: string };

/** The end of a connection that is not the subject. */
export type PeerMatch =
  | { readonly kind: "any" }
  | { readonly kind: "group"; readonly group: GroupKey }
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
  readonly icmpType: number | null;
  readonly icmpCode: number | null;
}

export interface LineMatch {
  /** null: either. */
  readonly family: IpFamily | null;
  readonly peer: PeerMatch;
  readonly traffic: TrafficMatch;
  /** Only connections whose destination was replaced by a load balancer. */
  readonly isTranslated: boolean;
}

export interface Line extends LineMatch {
  /** `Rule.index`. */
  readonly index: number;
  readonly verdict: LineVerdict;
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
}

export interface TierProgram {
  readonly key: TierKey;
  /** For people. */
  readonly name: string;
  readonly blocks: readonly Block[];
  readonly ends: readonly TierEnd[];
}

export type FilterProgram = Readonly<Record<Direction, readonly TierProgram[]>>;

/** The groups of every subject, each once. */
export function subjectsOf({ egress, ingress }: FilterProgram): readonly GroupKey[] {
  const subjects = [...egress, ...ingress].flatMap(({ blocks, ends }) =>
    [...blocks, ...ends].flatMap(({ subject }) => subject),
  );
  return [...new Set(subjects)];
}

/** Each once, in the order in which the program names them. */
export function setsOf({ egress, ingress }: FilterProgram): readonly SetRef[] {
  const sets = [...egress, ...ingress].flatMap(({ blocks, ends }) => [
    ...blocks.flatMap(({ subject, lines }) => [...subject.map(ofGroup), ...lines.flatMap(ofLine)]),
    ...ends.flatMap(({ subject }) => subject.map(ofGroup)),
  ]);
  return [...new Map(sets.map((set) => [setText(set), set])).values()];
}

function ofGroup(group: GroupKey): SetRef {
  return { kind: "group", group };
}

function ofLine({ peer, traffic: { named } }: Line): readonly SetRef[] {
  return [...(peer.kind === "group" ? [peer] : []), ...(named === null ? [] : [named])];
}

/** Identifies the set. */
export function setText(set: SetRef): string {
  return set.kind === "group" ? set.group : `${set.group}\n${set.name}`;
}
