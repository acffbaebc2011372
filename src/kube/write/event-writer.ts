// Events about policies, where `kubectl describe` shows them: core/v1 Events that name the object by its uid. Best
// effort: nothing waits for them. Each event is written once, even across a restart: its name is made of its contents,
// so that the server refuses the second one. Refuses objects without a uid, which no server has.

import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { PolicyObject } from "../../model/object.ts";
import { readNameOf, readVersionOf } from "../../model/object.ts";
import type { PolicyEvent } from "../../model/policy-event.ts";
import type { ApiResponse } from "../transport/api.ts";
import { boundedText } from "./bounded-text.ts";
import { failureOfAnswer } from "../transport/failure.ts";
import { timestamp } from "./timestamp.ts";
import type { ApiWriterOptions, End, WriteOutcome, Write, WriteStats } from "./write.ts";
import { WriteQueue } from "./write-queue.ts";

export interface EventWriterOptions extends ApiWriterOptions {
  /** The time of day. */
  readonly date?: () => Date;
}

interface EventWrite extends Write {
  readonly uid: string;
}

const component = "northgate";
/** The namespace of events about objects that are in none. */
const clusterScoped = "default";
/** The limit of the newer events.k8s.io, under which the same events are read. */
const messageBytes = 1024;
const nameLength = 253;
/** Events that wait for the server; further ones are dropped. */
const mostWaiting = 1000;
/** Objects whose events are remembered, and events of each. A forgotten one costs a request that the server refuses. */
const mostObjects = 5000;
const mostEventsOfObject = 100;

export class EventWriter {
  readonly #options: EventWriterOptions;
  readonly #queue: WriteQueue<EventWrite>;
  /** Names of events by the uid of their object. */
  readonly #reported = new LRUCache<string, Set<string>>({ max: mostObjects });
  #writes = 0;
  #skipped = 0;
  #letGo = 0;

  constructor(options: EventWriterOptions) {
    this.#options = options;
    this.#queue = new WriteQueue({
      ...options,
      judge,
      ended: (name, write, end) => {
        this.#ended(name, write, end);
      },
    });
  }

  get stats(): WriteStats {
    const failures = this.#queue.failures + this.#letGo;
    return { writes: this.#writes, skipped: this.#skipped, failures };
  }

  emit(object: PolicyObject, event: PolicyEvent): void {
    const { uid } = object;
    if (uid === null) return;
    const name = nameOf(object.name, [uid, event.type, event.reason, event.message]);
    const told = this.#reported.get(uid) ?? new Set();
    if (told.has(name)) {
      this.#skipped++;
      return;
    }
    if (this.#queue.size >= mostWaiting) {
      this.#letGo++;
      return;
    }
    if (told.size >= mostEventsOfObject) told.clear();
    this.#reported.set(uid, told.add(name));
    const namespace = object.namespace ?? clusterScoped;
    this.#queue.put(name, {
      uid,
      resource: "events",
      insistent: false,
      request: {
        method: "POST",
        path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`,
        body: this.#body(object, event, { name, namespace }),
      },
    });
  }

  /** The object is deleted. Waiting events are still sent: they say what happened to it. */
  forget(uid: string): void {
    this.#reported.delete(uid);
  }

  /** Another instance writes the events now: drops what is not written. */
  stopLeading(): void {
    this.#queue.clear();
    this.#reported.clear();
  }

  /** Resolves when no request is running; writes that wait for a retry may remain. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  stop(): Promise<void> {
    return this.#queue.stop();
  }
  #body(object: PolicyObject, event: PolicyEvent, metadata: { name: string; namespace: string }): object {
    const { kind, namespace, uid } = object;
    const involved = { apiVersion: readVersionOf(object), kind, name: readNameOf(object), uid };
    const { date = () => new Date() } = this.#options;
    const time = timestamp(date());
    return {
      apiVersion: "v1",
      kind: "Event",
      metadata,
      involvedObject: { ...involved, ...(namespace === null ? {} : { namespace }) },
      type: event.type,
      reason: event.reason,
      message: boundedText(event.message, messageBytes),
      source: { component },
      reportingComponent: component,
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    };
  }

  /** An event that was not sent may be emitted again. */
  #ended(name: string, { uid }: EventWrite, end: End): void {
    if (end === "done") this.#writes++;
    else if (end === "moot") this.#skipped++;
    else this.#reported.peek(uid)?.delete(name);
  }
}

/** In the form and length of a DNS subdomain, as names of policies are. */
function nameOf(policy: string, said: readonly string[]): string {
  const hash = createHash("sha256").update(JSON.stringify(said)).digest("hex").slice(0, 16);
  const room = policy.slice(0, nameLength - hash.length - 1).replace(/[-.]+$/, "");
  return `${room}.${hash}`;
}

function judge(_: EventWrite, response: ApiResponse): WriteOutcome {
  if (response.status === 200 || response.status === 201) return "done";
  // Written before this process began, or by a request whose answer was lost.
  return response.status === 409 ? "moot" : failureOfAnswer(response);
}
