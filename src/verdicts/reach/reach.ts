// What every rule of the policies decides in a world, exactly: each pair of a subject's class and a peer's class is walked
// once, and rows that meet the same rules with the same ports are one row. Judged are connections of which at least one end
// is a pod on the pod network, never one of a pod to itself. Proved equal to policy/evaluate.ts by reach.property.test.ts.

import type { NamedPort, Protocol } from "../../model/facts.ts";
import type { End } from "../../policy/evaluate.ts";
import type { Direction, Policy } from "../../policy/ir.ts";
import { directions, groupKey } from "../../policy/ir.ts";
import type { PeerClass, SubjectClass } from "./classes.ts";
import { Classes } from "./classes.ts";
import type { Facts } from "./kinds.ts";
import { Kinds } from "./kinds.ts";
import type { OrderedRule, Order } from "./order.ts";
import { orderOf } from "./order.ts";
import type { Traffic } from "./traffic.ts";
import { noTraffic, TrafficCuts } from "./traffic.ts";
import { vocabularyOf } from "./vocabulary.ts";
import type { Row, Contribution } from "./walk.ts";
import { effectOf, walk } from "./walk.ts";
import type { Work } from "./work.ts";
import { noWork } from "./work.ts";

/** Classes of ends that meet a row. */
export interface Pair {
  readonly direction: Direction;
  readonly subject: SubjectClass;
  readonly peer: PeerClass;
  readonly row: Row;
}

export interface SideVerdict {
  /** `unknown`: policies of equal priority disagree. */
  readonly verdict: "allow" | "deny" | "unknown";
  /** null: no rule decides. */
  readonly by: Contribution | null;
}

export class Reach {
  readonly order: Order;
  readonly work: Work = noWork();
  readonly traffic: TrafficCuts;
  readonly #kinds: Kinds;
  readonly #classes: Readonly<Record<Direction, Classes>>;
  readonly #rows = new Map<string, Row>();
  readonly #ofPair = new Map<SubjectClass, Map<PeerClass, Row>>();

  constructor(policies: readonly Policy[], facts: Facts) {
    this.order = orderOf(policies);
    const words = vocabularyOf(this.order, facts.nodes);
    this.#kinds = new Kinds(facts, words, this.work);
    const { entries } = this.order;
    const rules = directions.flatMap((direction) => entries[direction].map(({ rule }) => rule));
    const ports = rules.flatMap((rule) => rule.ports ?? []);
    const declared = Iterator.from(this.#kinds.all()).flatMap((kind) => kind.declared);
    this.traffic = new TrafficCuts(
      ports,
      declared,
      rules.some(({ translated }) => translated === true),
    );
    const kinds = [...this.#kinds.all()];
    this.#classes = {
      ingress: new Classes(this.order, "ingress", kinds, this.work),
      egress: new Classes(this.order, "egress", kinds, this.work),
    };
  }

  /** Every pair of classes between which there is a connection. */
  *pairs(): Generator<Pair, void> {
    for (const direction of directions) {
      const classes = this.#classes[direction];
      for (const subject of classes.subjects()) {
        const peers = Iterator.from(classes.peers()).filter((peer) => haveConnection(subject, peer));
        for (const peer of peers)
          yield { direction, subject, peer, row: this.#row(direction, subject, peer) };
      }
    }
  }

  /** What one side says of the traffic between two ends of this world that are not the same pod. */
  side(direction: Direction, from: End, to: End, traffic: Traffic): SideVerdict {
    const [own, other] = direction === "egress" ? [from, to] : [to, from];
    const subject = this.#classes[direction].subjectOf(this.#kinds.of(own));
    const peer = this.#classes[direction].peerOf(this.#kinds.of(other));
    if (subject === null || peer === null) return { verdict: "allow", by: null };
    return verdictIn(this.#row(direction, subject, peer), traffic);
  }

  /** Whether a side denies everything of the protocol between two ends. */
  deniesAll(direction: Direction, from: End, to: End, protocol: Protocol): boolean {
    return this.side(direction, from, to, this.traffic.allOf(protocol)).verdict === "deny";
  }

  /** Whether the policy's subject is a pod of this world. */
  selectsPods({ subject }: Policy): boolean {
    const keys = subject.map(groupKey);
    return Iterator.from(this.#kinds.all()).some(({ groups }) => keys.some((key) => groups.has(key)));
  }

  /** Traffic of the protocol to the port, from any source port, straight and through a load balancer. */
  at(protocol: Protocol, port: number): Traffic {
    return this.traffic.at(protocol, port);
  }

  #row(direction: Direction, subject: SubjectClass, peer: PeerClass): Row {
    const known = this.#ofPair.get(subject)?.get(peer);
    if (known !== undefined) return known;
    this.work.pairs += 1;
    const bits = subject.rules & (peer.rules | sharedBits(subject, peer));
    const declared = direction === "egress" ? peer.declared : subject.declared;
    const key = textOf(direction, bits, subject, declared);
    const row = this.#rows.get(key) ?? this.#walk(direction, bits, subject, declared);
    this.#rows.set(key, row);
    const ofSubject = this.#ofPair.get(subject) ?? new Map<PeerClass, Row>();
    this.#ofPair.set(subject, ofSubject.set(peer, row));
    return row;
  }

  #walk(direction: Direction, bits: bigint, subject: SubjectClass, declared: readonly NamedPort[]): Row {
    this.work.rows += 1;
    const { family, isolating } = subject;
    const met = numbersIn(bits)
      .flatMap((number) => this.order.entries[direction][number] ?? [])
      .map((entry) => ({ entry, traffic: this.#matched(entry, family, declared) }))
      .filter(({ traffic }) => traffic !== noTraffic);
    return walk(met, isolating, this.traffic.all(family), this.work);
  }

  #matched({ rule }: OrderedRule, family: SubjectClass["family"], declared: readonly NamedPort[]): Traffic {
    return this.traffic.of(rule, family, declared);
  }
}

function sharedBits({ shares }: SubjectClass, peer: PeerClass): bigint {
  return peer.shared
    .filter(({ keys }) => shares.has(keys) && shares.get(keys) === peer.shares.get(keys))
    .reduce((bits, { bit }) => bits | bit, 0n);
}

/** Never of a pod to itself. */
function haveConnection(subject: SubjectClass, peer: PeerClass): boolean {
  if (subject.family !== peer.family) return false;
  if (peer.hasAddress || peer.pods.size > 1 || subject.pods.size > 1) return true;
  const [[one], [other]] = [[...subject.pods], [...peer.pods]];
  return one !== other;
}

function textOf(
  direction: Direction,
  bits: bigint,
  subject: SubjectClass,
  declared: readonly NamedPort[],
): string {
  const ports = declared.map(({ name, protocol, port }) => `${name} ${protocol} ${port}`);
  const isolating = subject.isolating.map(({ key }) => key);
  return JSON.stringify([direction, subject.family, bits.toString(36), isolating, ports]);
}

function numbersIn(bits: bigint): readonly number[] {
  const digits = bits.toString(2);
  const numbers: number[] = [];
  for (let at = digits.length - 1; at >= 0; at--)
    if (digits[at] === "1") numbers.push(digits.length - 1 - at);
  return numbers;
}

/** `unknown` too where rules divide the traffic and say different things of its parts. */
function verdictIn({ says, silent }: Row, traffic: Traffic): SideVerdict {
  const speaking = says.filter(({ said }) => (said & traffic) !== noTraffic);
  const deciding = speaking.filter((one) => effectOf(one) !== "pass");
  const [by = null] = deciding;
  const verdicts = new Set(deciding.map(effectOf));
  if ((silent & traffic) !== noTraffic) verdicts.add("allow");
  if (verdicts.size > 1) return { verdict: "unknown", by };
  return { verdict: verdicts.has("deny") ? "deny" : "allow", by };
}
