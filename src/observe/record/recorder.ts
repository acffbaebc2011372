// Events as they come → the record of connections. Memory is bounded by the number of distinct connections. One packet may have several
// events, one for each rule that it met, on one node or on two, and a connection is counted once for them.

import { podKey } from "../../model/facts.ts";
import { familyOf } from "../../model/ip.ts";
import type { SeenEnd, SeenEvent } from "../decode/event.ts";
import { placeText, policyText } from "../rule.ts";
import { PodsSeen } from "./pods-seen.ts";
import type { Flow, FlowRecord, FlowVerdict } from "./record.ts";
import { flowsSchema } from "./record.ts";

/** Distinct connections: a record of about 30 MB. */
const mostFlows = 100_000;

interface Counted {
  readonly event: Pick<SeenEvent, "from" | "to" | "protocol" | "port">;
  first: string;
  last: string;
  hasAllowed: boolean;
  hasDenied: boolean;
  /** By what a packet meets at most once: the rule that decides on a side, or one rule that passes. */
  readonly opened: Map<string, number>;
}

export interface Recorded {
  /** ISO 8601, in UTC. */
  readonly since: string;
  readonly until: string;
  /** Those whose readers have answered until the end; null: only the reader of this node was asked. */
  readonly nodes: readonly string[] | null;
}

export class Recorder {
  readonly #flows = new Map<string, Counted>();
  readonly #notes = new Set<string>();
  readonly #pods: PodsSeen;
  readonly #limit: number;
  #lost = 0;
  #undirected = 0;
  #beyondLimit = 0;

  constructor(limit = mostFlows) {
    this.#limit = limit;
    this.#pods = new PodsSeen(2 * limit);
  }

  add(event: SeenEvent): void {
    if (event.isReply === null) {
      this.#undirected++;
      return;
    }
    const key = keyOf(event);
    const known = this.#flows.get(key);
    if (known === undefined && this.#flows.size >= this.#limit) {
      this.#beyondLimit++;
      return;
    }
    const flow = known ?? newOf(event);
    if (known === undefined) this.#flows.set(key, flow);
    count(flow, event);
    for (const end of [event.from, event.to]) this.#pods.add(end, event.time);
  }

  addLost(events: number): void {
    this.#lost += events;
  }

  addNote(sentence: string): void {
    this.#notes.add(sentence);
  }

  /** The most often opened first. */
  record({ since, until, nodes }: Recorded): FlowRecord {
    const missed = { lost: this.#lost, undirected: this.#undirected, beyondLimit: this.#beyondLimit };
    const counted = nodes === null ? this.#flows : this.#joined();
    const flows = Array.from(counted.values(), flowOf);
    const connections = flows.sort((a, b) => b.connections - a.connections);
    // What was kept from before is recorded too.
    const begun = flows.reduce((first, flow) => (flow.first < first ? flow.first : first), since);
    const times = { schema: flowsSchema, since: begun, until, ...(nodes === null ? {} : { nodes }) } as const;
    return { ...times, notes: [...this.#notes], missed, connections };
  }

  /** With the names that other nodes know of the ends. */
  #joined(): ReadonlyMap<string, Counted> {
    const joined = new Map<string, Counted>();
    for (const one of this.#flows.values()) {
      const { event, first, last } = one;
      const named = (end: SeenEnd): SeenEnd => this.#pods.named(end, first, last);
      const flow = { ...one, event: { ...event, from: named(event.from), to: named(event.to) } };
      const key = keyOf(flow.event);
      const known = joined.get(key);
      joined.set(key, known === undefined ? flow : sumOf(known, flow));
    }
    return joined;
  }
}

/** What two nodes have seen of one connection. */
function sumOf(a: Counted, b: Counted): Counted {
  const opened = new Map(a.opened);
  for (const [met, times] of b.opened) opened.set(met, (opened.get(met) ?? 0) + times);
  return {
    ...{
      event: a.event,
      opened,
      hasAllowed: a.hasAllowed || b.hasAllowed,
      hasDenied: a.hasDenied || b.hasDenied,
    },
    ...{ first: a.first < b.first ? a.first : b.first, last: a.last > b.last ? a.last : b.last },
  };
}

/** An end that is a pod keeps its identity when it has another address. */
function keyOf({ from, to, protocol, port }: Counted["event"]): string {
  const end = ({ ip, pod }: SeenEnd) => (pod === null ? ip : podKey(pod.namespace, pod.name));
  return JSON.stringify([end(from), end(to), familyOf(to.ip), protocol, port]);
}

function newOf(event: SeenEvent): Counted {
  const { time } = event;
  return { event, first: time, last: time, hasAllowed: false, hasDenied: false, opened: new Map() };
}

function count(flow: Counted, { time, verdict, connection, rule }: SeenEvent): void {
  if (time < flow.first) flow.first = time;
  if (time > flow.last) flow.last = time;
  flow.hasAllowed ||= verdict === "allowed";
  flow.hasDenied ||= verdict === "dropped" || verdict === "rejected";
  if (connection !== "new") return;
  const isDecided = verdict !== null && verdict !== "passed";
  const met = rule === null ? "" : isDecided ? rule.direction : `${policyText(rule)} ${placeText(rule)}`;
  flow.opened.set(met, (flow.opened.get(met) ?? 0) + 1);
}

function flowOf({ event, first, last, hasAllowed, hasDenied, opened }: Counted): Flow {
  const { from, to, protocol, port } = event;
  const verdict: FlowVerdict = hasDenied ? "deny" : hasAllowed ? "allow" : "unknown";
  return { from, to, protocol, port, connections: Math.max(0, ...opened.values()), verdict, first, last };
}
