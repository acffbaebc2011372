// What rules have met, by the counts of nodes' readers: how many packets, since when and on how many nodes; or that a rule is not
// counted, and why. A rule is known by its policy and its place there, so the counts of a rule that was edited at its place go on.

import type { Ref } from "../analysis/ref.ts";
import { counted, numberText } from "../lib/counted.ts";
import { quote } from "../model/quote.ts";
import type { Action, Direction, Policy, Rule } from "../policy/ir.ts";

/** `default`: what no rule of the policy matches; `isolation`: what no policy of the namespace allows. */
export type CountedPlace = number | "default" | "isolation";

/** A rule of a policy, or what the policy denies by default. */
export interface CountedRule {
  readonly policy: Ref;
  readonly direction: Direction;
  /** null: its denial of what no rule matches. */
  readonly index: number | null;
  readonly action: Action;
}

/** Times are ISO 8601, in UTC, in whole seconds. */
export interface Counted {
  readonly packets: number;
  readonly bytes: number;
  /** When the first node began to count: nothing before is known. */
  readonly since: string;
  /** When the last one began: since then, all of `nodes` have counted. */
  readonly allSince: string;
  /** When the switch of each node was read last, the earliest of them. */
  readonly until: string;
  /** Nodes whose packets can meet the rule, of those that were read. */
  readonly nodes: number;
}

export interface NotCounted {
  readonly packets: null;
  /** Without a full stop. */
  readonly reason: string;
}

export type RuleHits = Counted | NotCounted;

/** What one node has counted of one rule. */
export interface NodeCount {
  readonly packets: number;
  readonly bytes: number;
  /** Unix time, seconds. */
  readonly since: number;
}

/** What the reader of one node has counted. */
export interface NodeCounts {
  readonly node: string;
  /** Unix time, seconds, of its last reading. */
  readonly readAt: number;
  /** Counts that it does not show. */
  readonly leftOut: number;
  /** By `keyOfPlace`, then by action. */
  readonly rules: ReadonlyMap<string, ReadonlyMap<string, NodeCount>>;
}

export function keyOfPlace(
  { group, kind, namespace, name }: Ref,
  direction: Direction,
  place: CountedPlace,
): string {
  return JSON.stringify([group, kind, namespace ?? "", name, direction, String(place)]);
}

export class Hits {
  readonly #nodes: readonly NodeCounts[];

  constructor(nodes: readonly NodeCounts[]) {
    this.#nodes = nodes;
  }

  /** The nodes that were read. */
  get nodes(): readonly string[] {
    return this.#nodes.map(({ node }) => node);
  }

  of({ policy, direction, index, action }: CountedRule): RuleHits {
    if (index !== null) return this.#at(keyOfPlace(policy, direction, index), action);
    const own = this.#at(keyOfPlace(policy, direction, "default"), action);
    if (own.packets !== null || policy.namespace === null) return own;
    const shared = this.#at(keyOfPlace({ ...policy, name: "" }, direction, "isolation"), action);
    return shared.packets === null ? own : shared;
  }

  #at(key: string, action: Action): RuleHits {
    const found = this.#nodes.flatMap((node) => {
      const count = node.rules.get(key)?.get(action);
      return count === undefined ? [] : [{ node, count }];
    });
    // A count that is left out may be of this rule on a node that shows none of it.
    const hidden = this.#nodes.find(({ leftOut, rules }) => leftOut > 0 && !rules.has(key));
    if (hidden !== undefined)
      return {
        packets: null,
        reason: `the reader of node ${quote(hidden.node)} leaves out ${counted(hidden.leftOut, "count")}, which may be of this rule`,
      };
    if (found.length === 0) return { packets: null, reason: this.#reasonOf(key) };
    const begun = found.map(({ count }) => count.since);
    return {
      packets: sum(found.map(({ count }) => count.packets)),
      bytes: sum(found.map(({ count }) => count.bytes)),
      since: timeText(Math.min(...begun)),
      allSince: timeText(Math.max(...begun)),
      until: timeText(Math.min(...found.map(({ node }) => node.readAt))),
      nodes: found.length,
    };
  }

  #reasonOf(key: string): string {
    const others = this.#nodes.flatMap(({ rules }) => [...(rules.get(key)?.keys() ?? [])]);
    const [other] = others;
    return other === undefined
      ? `no packet of the ${counted(this.#nodes.length, "node")} that ${this.#nodes.length === 1 ? "was" : "were"} read can meet it, or it has no flow of its own`
      : `the counts at its place are of a rule with the action ${other}: the policy was edited`;
  }
}

export function hitsOfRule(
  hits: Hits,
  { ref: { group, kind, namespace, name } }: Policy,
  direction: Direction,
  { index, action }: Rule,
): RuleHits {
  return hits.of({ policy: { group, kind, namespace, name }, direction, index, action });
}

/** `1,204 packets since 2026-11-20T08:00:00Z on 2 nodes`; without a full stop. */
export function hitsText(hits: RuleHits): string {
  if (hits.packets === null) return `not counted: ${hits.reason}`;
  const { packets, since, allSince, nodes } = hits;
  const where = `on ${counted(nodes, "node")}`;
  if (packets === 0) return `no packet since ${allSince} ${where}`;
  return `${packetsText(packets)} since ${since} ${where}`;
}

/** Of the rules of a policy together: `1,204 packets`, and how many are not counted. */
export function totalText(rules: readonly RuleHits[]): string {
  const known = rules.filter((hits) => hits.packets !== null);
  const packets = sum(known.map((hits) => hits.packets));
  if (known.length === 0) return "hits: not counted";
  const open = rules.length - known.length;
  const rest = open === 0 ? "" : `, ${counted(open, "rule")} not counted`;
  return `hits: ${packets === 0 ? "none" : packetsText(packets)}${rest}`;
}

function packetsText(packets: number): string {
  return `${numberText(packets)} ${packets === 1 ? "packet" : "packets"}`;
}

function timeText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, "Z");
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
