// What the thread of the page learns of the controller's objects: which have changed, as the engine has read them. Each is sent
// in its present state, so that many changes of an object are one; a few at a time, and none before the thread has taken those
// before. Nothing is sent before the controller has looked at everything. Invariant: what is held here is bounded by the number
// of objects, and one turn of the event loop sends a bounded number of them.

import type { PolicyRecord } from "../../controller/engine.ts";
import type { Clock, Timer } from "../../lib/clock.ts";
import type { ObjectKey, LocationOf, Source, WorldObject } from "../../model/object.ts";
import type { Dialect } from "../../policy/contracts/dialect.ts";
import { fieldsOf } from "../../policy/contracts/dialect.ts";
import { directions } from "../../policy/ir.ts";
import type { FedChange, FieldPlace, ToThread } from "./page-messages.ts";

export interface PageFeedOptions {
  readonly source: Source;
  readonly dialects: readonly Dialect[];
  /** null: the key is no policy's, or there is none. */
  readonly record: (key: ObjectKey) => PolicyRecord | null;
  readonly isPolicy: (key: ObjectKey) => boolean;
  /** Whether everything has been looked at once. */
  readonly looked: () => boolean;
  readonly placeOf: LocationOf;
  readonly clock: Clock;
}

/** Between two messages: what changes meanwhile is one. */
const gatherMs = 100;
/** Of one message; a policy is as large as many pods. */
const mostWeight = 500;
const policyWeight = 10;

export class PageFeed {
  /** For the loop in place of the source: what it reads is what the thread has to know. */
  readonly source: Source;
  readonly #options: PageFeedOptions;
  readonly #fieldOf: ReturnType<typeof fieldsOf>;
  /** Those that exist, and those that have not been sent yet. */
  readonly #known = new Set<ObjectKey>();
  readonly #dirty = new Set<ObjectKey>();
  /** Of policies that have changed: the last object that was not refused. */
  readonly #accepted = new Map<ObjectKey, WorldObject>();
  #post: ((message: ToThread) => void) | null = null;
  #isAway = false;
  #isSynced = false;
  #timer: Timer | null = null;

  constructor(options: PageFeedOptions) {
    this.#options = options;
    this.#fieldOf = fieldsOf(options.dialects);
    const { source } = options;
    this.source = {
      start: (listener) => {
        source.start(listener);
      },
      read: (key) => {
        this.#note(key);
        return source.read(key);
      },
      mayExist: (key) => source.mayExist(key),
      stop: () => source.stop(),
    };
  }

  /** How many objects are still to be sent. */
  get size(): number {
    return this.#dirty.size;
  }

  /** A thread has begun: it needs everything. */
  begin(post: (message: ToThread) => void): void {
    this.#post = post;
    this.#isAway = false;
    this.#isSynced = false;
    for (const key of this.#known) this.#dirty.add(key);
    this.#wait();
  }

  /** The thread has taken what was sent. */
  absorbed(): void {
    this.#isAway = false;
    this.#wait();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#post = null;
  }

  /** The loop is about to read it. */
  #note(key: ObjectKey): void {
    const before = this.#options.record(key);
    // What was deleted is no longer kept, also when another object has its name.
    if (before === null) this.#accepted.delete(key);
    else if (!before.rejected) this.#accepted.set(key, before.object);
    this.#known.add(key);
    this.#dirty.add(key);
    this.#wait();
  }

  #wait(): void {
    if (this.#timer !== null || this.#post === null || this.#isAway) return;
    this.#timer = this.#options.clock.after(gatherMs, () => {
      this.#timer = null;
      if (this.#options.looked()) this.#send();
      else this.#wait();
    });
  }

  #send(): void {
    if (this.#dirty.size === 0) {
      if (!this.#isSynced) this.#post?.({ kind: "synced" });
      this.#isSynced = true;
      return;
    }
    const changes: FedChange[] = [];
    let weight = 0;
    for (const key of this.#dirty) {
      if (weight >= mostWeight) break;
      weight += this.#options.isPolicy(key) ? policyWeight : 1;
      this.#dirty.delete(key);
      changes.push(this.#change(key));
    }
    this.#isAway = true;
    this.#post?.({ kind: "objects", changes });
  }

  #change(key: ObjectKey): FedChange {
    const { source, record, isPolicy } = this.#options;
    if (!isPolicy(key)) {
      const object = source.read(key);
      if (object === null) this.#known.delete(key);
      return { key, object, kept: null, isNew: false, places: [] };
    }
    const now = record(key);
    if (now === null) this.#known.delete(key);
    if (now?.rejected !== true) this.#accepted.delete(key);
    return {
      ...{ key, object: now?.object ?? null, kept: this.#accepted.get(key) ?? null },
      isNew: now?.rejected === true && now.policy === null,
      places: now === null ? [] : this.#places(now),
    };
  }

  /** Of the fields that the page names: the object, its rules, and what is wrong with it. */
  #places({ key, policy, problems }: PolicyRecord): readonly FieldPlace[] {
    const { placeOf } = this.#options;
    if (placeOf(key, "") === null) return [];
    const rules = directions.flatMap((direction) => {
      const indices = new Set(policy?.rules[direction].map(({ index }) => index));
      return [...indices].map((index) =>
        this.#fieldOf(key, { kind: "rule", direction, index, field: "rule" }),
      );
    });
    const fields = new Set(["", ...rules, ...problems.map(({ field }) => field)]);
    return [...fields].flatMap((field) => {
      const place = placeOf(key, field);
      return place === null ? [] : [{ field, place }];
    });
  }
}
