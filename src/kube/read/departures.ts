// Deletions of objects whose kind a CRD defines, until they are believed. Who deletes a CRD deletes its objects with it,
// and the server tells those deletions first: they are no decision about any policy. So a deletion counts when the server
// still serves the kind for good; otherwise the objects are held until the kind is listed again.
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
  /** The object is gone. */
  readonly believed: (key: ObjectKey) => void;
  /** Called for our own bugs: the program must end. */
  readonly fatal: (error: unknown) => void;
}

/** Before a question that was not answered is asked again. */
const retryMs = 1_000;

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
    this.#askAfter(this.#options.waitMs);
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

  #askAfter(ms: number): void {
    if (this.#timer !== null || this.#isAsking || this.#stopping.signal.aborted) return;
    this.#timer = this.#options.clock.after(ms, () => {
      this.#timer = null;
      this.#isAsking = true;
      this.#ask()
        .finally(() => {
          this.#isAsking = false;
        })
        .then((again) => {
          if (again !== null) this.#askAfter(again);
        })
        .catch(this.#options.fatal);
    });
  }

  /** Returns in how many milliseconds to ask again; null: not before another deletion. */
  async #ask(): Promise<number | null> {
    const asked = [...this.#keys];
    if (asked.length === 0) return null;
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
    if (this.#isHolding || this.#stopping.signal.aborted) return null;
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
