// Whether each dropped connection that samples report was named right: by the rule that decides by the meaning of the policies
// (src/policy/evaluate.ts), on the objects as they were. Rows follow objects after a while, so that a name is right where it fits one of
// the states of a window; it is counted apart where they differ. Knows nothing of rows, numbers and samples.

import { podKey } from "../../../src/model/facts.ts";
import type { PodFact } from "../../../src/model/facts.ts";
import type { SeenEnd, SeenEvent } from "../../../src/observe/decode/event.ts";
import { placeText, policyText } from "../../../src/observe/rule.ts";
import type { Connection, Step } from "../../../src/policy/evaluate.ts";
import { judge } from "../../../src/policy/evaluate.ts";
import type { Direction } from "../../../src/policy/ir.ts";
import { directions } from "../../../src/policy/ir.ts";
import { outcomesOn } from "../../../src/policy/ties.ts";
import type { TimedChange } from "./history.ts";
import type { Hearing, State } from "./states.ts";
import { tellStates } from "./states.ts";

/** How long before a packet a state may have ended, and how long after it one may have begun, in milliseconds. */
export interface Window {
  readonly beforeMs: number;
  readonly afterMs: number;
}

/** Rows, flows and the switch's caches follow a change. The time of a sample is a whole second, in which the packet came. */
export const usualWindow: Window = { beforeMs: 2_000, afterMs: 1_500 };

export interface Tally {
  readonly reported: number;
  /** Distinct ones by addresses and ports: a packet that is sent again is reported again. */
  readonly connections: number;
  readonly right: number;
  /** Of those that are right: not every state of the window names this rule. */
  readonly withinChange: number;
  /** One sentence each. */
  readonly wrong: readonly string[];
  /** How many, by the reason. */
  readonly notJudged: ReadonlyMap<string, number>;
}

/** What the states of its window say of one connection. */
class Case implements Hearing {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly #event: SeenEvent;
  /** States in which its addresses are those of the pods that it names, and states in which they are those of others. */
  #states = 0;
  #strange = 0;
  /** Of the first ones: those in which the rule decides. */
  #naming = 0;
  /** The rules that deny, by side, in any state. */
  readonly #denying: Readonly<Record<Direction, Set<string>>> = { egress: new Set(), ingress: new Set() };
  /** Whether the source's side lets it pass in any state. */
  #leaves = false;
  #isContested = false;

  constructor(event: SeenEvent, { beforeMs, afterMs }: Window) {
    const atMs = Date.parse(event.time);
    this.#event = event;
    this.fromMs = atMs - beforeMs;
    this.untilMs = atMs + afterMs;
  }

  hear(state: State): void {
    const { facts, policies } = state;
    const { from, to } = this.#event;
    const ends = [state.podAt(from.ip), state.podAt(to.ip)] as const;
    if (!isOf(from, ends[0]) || !isOf(to, ends[1])) {
      // A pod that is not there any more, or not yet, has no other name.
      if (ends.every((pod, at) => pod !== null || [from, to][at]?.pod === null)) this.#strange++;
      return;
    }
    this.#states++;
    const connection = connectionOf(this.#event, ends);
    const { egress, ingress } = judge(connection, facts, policies);
    if (egress.verdict === "deny") this.#denying.egress.add(stepText(egress.by));
    else this.#leaves = true;
    if (ingress.verdict === "deny") this.#denying.ingress.add(stepText(ingress.by));
    const { verdict, by } = egress.verdict === "deny" ? egress : ingress;
    if (verdict === "deny" && stepText(by) === named(this.#event)) this.#naming++;
    // Of NetworkPolicies it makes no difference.
    this.#isContested ||= directions.some((direction) =>
      outcomesOn(direction, connection, facts, policies).ties.some(({ tier }) => tier.name !== "namespaced"),
    );
  }

  /** null: it is judged. */
  get notJudgedBecause(): string | null {
    const { from, to, isReply } = this.#event;
    if (isReply === true) return "an answer";
    if (from.pod === null && to.pod === null) return "neither end is a pod";
    if (this.#states === 0 && this.#strange === 0) return "its pods were not there together";
    return this.#isContested ? "two policies of one priority decide it" : null;
  }

  /** The sides are programmed one after the other: each may be of another state of the window. */
  get isRight(): boolean {
    const { rule } = this.#event;
    if (rule === null) return false;
    const isDenied = this.#denying[rule.direction].has(named(this.#event));
    return isDenied && (rule.direction === "egress" || this.#leaves);
  }

  get isWithinChange(): boolean {
    return this.#naming < this.#states;
  }

  get complaint(): string {
    const { egress, ingress } = this.#denying;
    const meant = new Set([...egress, ...(this.#leaves ? ingress : [])]);
    const decides = meant.size > 0 ? [...meant].join(" or ") : "no rule";
    const why = this.#states === 0 ? "its addresses are those of other pods" : `decided by ${decides}`;
    return `${textOf(this.#event)}: named ${named(this.#event)}, but ${why}`;
  }
}

/** `events`: dropped or rejected ones. `changes` are in the order of time. */
export function judgeDropped(
  events: readonly SeenEvent[],
  changes: readonly TimedChange[],
  window: Window = usualWindow,
): Tally {
  const cases = events.map((event) => new Case(event, window));
  tellStates(changes, cases);
  const judged = cases.filter(({ notJudgedBecause }) => notJudgedBecause === null);
  const right = judged.filter(({ isRight }) => isRight);
  const others = Map.groupBy(cases, ({ notJudgedBecause }) => notJudgedBecause);
  return {
    ...{ reported: cases.length, connections: new Set(events.map(pathOf)).size, right: right.length },
    withinChange: right.filter(({ isWithinChange }) => isWithinChange).length,
    wrong: judged.filter(({ isRight }) => !isRight).map(({ complaint }) => complaint),
    notJudged: new Map([...others].flatMap(([why, all]) => (why === null ? [] : [[why, all.length]]))),
  };
}

function pathOf({ from, to, protocol, sourcePort, port }: SeenEvent): string {
  return JSON.stringify([from.ip, to.ip, protocol, sourcePort, port]);
}

function textOf({ time, from, to, protocol, port, connection, sourcePort }: SeenEvent): string {
  const end = ({ ip, pod }: SeenEnd) => (pod === null ? ip : `${podKey(pod.namespace, pod.name)} (${ip})`);
  const ports = `${protocol} ${sourcePort ?? "-"} ${port ?? "-"}`;
  return `${time} ${connection} ${end(from)} → ${end(to)} ${ports}`;
}

/** As the reader says it. */
function named({ rule }: SeenEvent): string {
  return rule === null ? "no rule" : `${policyText(rule)} ${placeText(rule)}`;
}

/** In the same words, what the policies mean. */
function stepText(step: Step | null): string {
  if (step === null) return "no rule";
  const { policy, direction, rule } = step;
  const { kind, namespace, name } = policy.ref;
  if (rule === null && kind === "NetworkPolicy") return `${kind} ${namespace ?? ""} ${direction} isolation`;
  const whose = namespace === null ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
  return rule === null ? `${whose} ${direction} default` : `${whose} ${direction}[${rule.index}]`;
}

/** Whether the address is that of what the event names. */
function isOf({ pod }: SeenEnd, now: PodFact | null): boolean {
  if (pod === null || now === null) return pod === now;
  return podKey(pod.namespace, pod.name) === podKey(now.namespace, now.name);
}

function connectionOf(
  { from, to, protocol, port, sourcePort, icmp }: SeenEvent,
  [source, destination]: readonly [PodFact | null, PodFact | null],
): Connection {
  return {
    from: { ip: from.ip, pod: source },
    to: { ip: to.ip, pod: destination },
    ...{ protocol, port: port ?? 0 },
    ...(sourcePort === null ? {} : { sourcePort }),
    ...(icmp === null ? {} : { icmp }),
  };
}
