// Deletions of objects whose kind a CRD defines, until they are believed. Who deletes a CRD deletes its objects with it,
// and the server tells those deletions first: they are no decision about any policy. So a deletion counts when the server
// still serves the kind for good; otherwise the objects are held until the kind is listed again, or until its watch has
// gone on and the server serves the kind after all: one of several servers may say 404 for a moment while it starts.
// Invariant: an object that is seen again was never gone.

import type { Clock, Timer } from "../../lib/clock.ts";
import type { ObjectKey, ObjectKind } from "../../model/object.ts";
import { Field, Problems } from "../../model/reader.ts";
import type { KubeApi } from "../transport/api.ts";
import { failureOf, failureOfAnswer } from "../transport/failure.ts";
import { groupPath } from "../transport/paths.ts";

export interface DeparturesOptions {
  readonly api: KubeApi;
  readonly kind: ObjectKind;
  readonly clock: Clock;
  /** Between a deletion and the question: the server notes that a CRD goes before it deletes its objects. */
  readonly waitMs: number;
  /** The kind's objects are being watched. */
  readonly isFollowed: () => boolean;
  /** The object is gone. */
  readonly believed: (key: ObjectKey) => void;
  /** Called for our own bugs: the program must end. */
  readonly fatal: (error: unknown) => void;
}

/** Before a question that was not answered is asked again. */
const retryMs = 1_000;
/** Before it is asked again whether a kind goes. */
const holdMs = 10_000;

export class Departures {
  readonly #options: DeparturesOptions;
  readonly #keys = new Set<ObjectKey>();
  readonly #stopping = new AbortController();
  #timer: Timer | null = null;
  #isAsking = false;
  #isHolding = false;

  constructor(options: DeparturesOptions) {
    this.#options = options;
  }

  /** The kind goes or is gone, and its objects with it: these are kept. */
  get isHolding(): boolean {
    return this.#isHolding;
  }

  add(key: ObjectKey): void {
    this.#keys.add(key);
    // This deletion is news: the kind was listed again.
    if (this.#isHolding) {
      this.#timer?.cancel();
      this.#timer = null;
    }
    this.#askAfter(this.#options.waitMs, false);
  }

  /** The object is there. */
  cancel(key: ObjectKey): void {
    this.#keys.delete(key);
    if (this.#keys.size === 0) this.#isHolding = false;
  }

  stop(): void {
    this.#stopping.abort();
    this.#timer?.cancel();
  }

  /** `isHeld`: nothing was deleted since the kind was found to go. */
  #askAfter(ms: number, isHeld: boolean): void {
    if (this.#timer !== null || this.#isAsking || this.#stopping.signal.aborted) return;
    this.#timer = this.#options.clock.after(ms, () => {
      this.#timer = null;
      this.#isAsking = true;
      this.#ask(isHeld)
        .finally(() => {
          this.#isAsking = false;
        })
        .then((again) => {
          if (again !== null) this.#askAfter(again, this.#isHolding);
        })
        .catch(this.#options.fatal);
    });
  }

  /** Returns in how many milliseconds to ask again; null: not before another deletion. */
  async #ask(isHeld: boolean): Promise<number | null> {
    const asked = [...this.#keys];
    if (asked.length === 0) return null;
    // The list that follows says which objects are back.
    if (isHeld && !this.#options.isFollowed()) return holdMs;
    try {
      this.#isHolding = !(await isServedForGood(
        this.#options.api,
        this.#options.kind,
        this.#stopping.signal,
      ));
    } catch (error) {
      if (failureOf(error) === null) throw error;
      return retryMs;
    }
    if (this.#isHolding) return holdMs;
    if (this.#stopping.signal.aborted) return null;
    for (const key of asked) if (this.#keys.delete(key)) this.#options.believed(key);
    return this.#keys.size > 0 ? this.#options.waitMs : null;
  }
}

/**
 * Whether objects of the kind can be created, by the discovery document of its group: while a CRD is being deleted, the
 * server offers no `create` (apiextensions-apiserver, customresource_discovery_controller.go). Every authenticated user
 * may read it; who may not has deletions believed. Throws a Failure.
 */
async function isServedForGood(api: KubeApi, kind: ObjectKind, signal: AbortSignal): Promise<boolean> {
  const response = await api.request({ method: "GET", path: groupPath(kind), signal });
  if (response.status === 404) return false;
  if (response.status === 403) return true;
  if (response.status !== 200) throw failureOfAnswer(response);
  const resources = new Field(new Problems(), "", response.body).at("resources").items();
  const served = [...resources].find((resource) => resource.at("name").raw === kind.resource);
  const verbs = served?.at("verbs").raw;
  return Array.isArray(verbs) && verbs.includes("create");
}
