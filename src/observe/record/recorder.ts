// Events as they come → the record of connections. Memory is bounded by the number of distinct connections. One packet may have several
// events, one for each rule that it met, and a connection is counted once for them.

import { podKey } from "../../model/facts.ts";
import { familyOf } from "../../model/ip.ts";
import type { SeenEnd, SeenEvent } from "../decode/event.ts";
import { placeText, policyText } from "../rule.ts";
import type { Flow, FlowRecord, FlowVerdict } from "./record.ts";
import { flowsSchema } from "./record.ts";

/** Distinct connections: a record of about 30 MB. */
const mostFlows = 100_000;

interface Counted {
  readonly event: SeenEvent;
  first: string;
  last: string;
  hasAllowed: boolean;
  hasDenied: boolean;
  /** By what a packet meets at most once: the rule that decides on a side, or one rule that passes. */
  readonly opened: Map<string, number>;
}

export class Recorder {
  readonly #flows = new Map<string, Counted>();
  readonly #notes = new Set<string>();
  readonly #limit: number;
  #lost = 0;
  #undirected = 0;
  #beyondLimit = 0;

  constructor(limit = mostFlows) {
    this.#limit = limit;
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
  }

  addLost(events: number): void {
    this.#lost += events;
  }

  addNote(sentence: string): void {
    this.#notes.add(sentence);
  }

  /** `since`, `until`: ISO 8601. The most often opened first. */
  record(since: string, until: string): FlowRecord {
    const missed = { lost: this.#lost, undirected: this.#undirected, beyondLimit: this.#beyondLimit };
    const flows = Array.from(this.#flows.values(), flowOf);
    const connections = flows.sort((a, b) => b.connections - a.connections);
    // What was kept from before is recorded too.
    const begun = flows.reduce((first, flow) => (flow.first < first ? flow.first : first), since);
    return { schema: flowsSchema, since: begun, until, notes: [...this.#notes], missed, connections };
  }
}

/** An end that is a pod keeps its identity when it has another address. */
function keyOf({ from, to, protocol, port }: SeenEvent): string {
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
