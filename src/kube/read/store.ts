// The objects of one kind as facts: the API server's last version of each, parsed on arrival. An object that is refused
// leaves its last good fact in force, and is reported once for each set of findings. Invariant: `changed` is called for
// exactly the keys for which `read` returns another object than before.

import { isDeepStrictEqual } from "node:util";
import type { ObjectKey, SourceListener, SourceProblem, WorldObject } from "../../model/object.ts";
import { objectKey } from "../../model/object.ts";
import { printable } from "../../model/quote.ts";
import { Field, Problems } from "../../model/reader.ts";
import type { ReadableKind } from "../../informers/objects/kinds.ts";
import { formatSourceProblem, placeProblem } from "../../informers/source-problem.ts";
import type { SeenStatus } from "./conditions.ts";
import { noStatus, readStatus } from "./conditions.ts";
import { objectPath } from "../transport/paths.ts";
import { ServedAs } from "./served-as.ts";
import type { Sharing } from "./sharing.ts";

export interface StoreListener extends Pick<SourceListener, "changed" | "problem"> {
  /** The object has another status than before. */
  status(key: ObjectKey): void;
}

interface ObjectIdentity {
  readonly key: ObjectKey;
  readonly title: string;
  readonly place: string;
}

/**
 * A list in progress: when it is complete, objects that it does not contain are deleted. A list with an object that cannot
 * be identified deletes nothing: that object may be any of them.
 */
export interface Replacement {
  put(object: unknown): void;
  complete(): void;
  /** It was read under another API group than the list before: objects that it does not contain are kept until they are seen. Returns how many. */
  completeElsewhere(): number;
}

/** Where deletions wait until they are believed. */
export interface PendingDeletions {
  add(key: ObjectKey): void;
  cancel(key: ObjectKey): void;
  /** It is not believed before the object is seen again. */
  hold(key: ObjectKey): void;
}

export class Store {
  readonly #kind: ReadableKind;
  readonly #served: Pick<ServedAs, "kind" | "path">;
  readonly #sharing: Sharing;
  readonly #listener: StoreListener;
  readonly #departing: PendingDeletions | null;
  readonly #facts = new Map<ObjectKey, WorldObject>();
  readonly #statuses = new Map<ObjectKey, SeenStatus>();
  /** Objects with findings, and the findings that have been reported. */
  readonly #reported = new Map<ObjectKey, string>();

  /** `departing`: null when a deletion is believed at once; otherwise it calls `drop`. `served`: where the objects are read. */
  constructor(
    kind: ReadableKind,
    sharing: Sharing,
    listener: StoreListener,
    departing: PendingDeletions | null = null,
    served: Pick<ServedAs, "kind" | "path"> = new ServedAs(kind),
  ) {
    this.#kind = kind;
    this.#served = served;
    this.#departing = departing;
    this.#sharing = sharing;
    this.#listener = listener;
  }

  get size(): number {
    return this.#facts.size;
  }

  read(key: ObjectKey): WorldObject | null {
    return this.#facts.get(key) ?? null;
  }

  /** Whether the object is known to exist: as a fact, or by findings in a version that was refused. */
  mayExist(key: ObjectKey): boolean {
    return this.#facts.has(key) || this.#reported.has(key);
  }

  statusOf(key: ObjectKey): SeenStatus {
    return this.#statuses.get(key) ?? noStatus;
  }

  /** Null when the object cannot be identified. */
  put(value: unknown): ObjectKey | null {
    const identity = this.#identify(value);
    if (identity === null) return null;
    const { key } = identity;
    this.#departing?.cancel(key);
    const { object, problems } = this.#kind.parse(value, this.#served.kind);
    this.#report(
      identity,
      problems.map((problem) => ({ place: identity.place, object: identity.title, key, problem })),
    );
    if (this.#kind.hasStatus) this.#putStatus(key, readStatus(value));
    const last = this.#facts.get(key);
    // An equal object ends here: its key is never queued. model/fact-store.ts compares again, because other sources do
    // not, and because a queued key may be read when the object has returned to its old state.
    if (object === null || (last !== undefined && isDeepStrictEqual(last, object))) return key;
    this.#facts.set(key, this.#sharing.share(object));
    this.#listener.changed(key);
    return key;
  }

  remove(value: unknown): void {
    const identity = this.#identify(value);
    if (identity !== null) this.#leave(identity.key);
  }

  replacement(): Replacement {
    const present = new Set<ObjectKey>();
    let isDoubtful = false;
    return {
      put: (object) => {
        const key = this.put(object);
        if (key === null) isDoubtful = true;
        else present.add(key);
      },
      complete: () => {
        if (isDoubtful) return;
        for (const key of this.#known().difference(present)) this.#leave(key);
      },
      completeElsewhere: () => {
        const absent = this.#known().difference(present);
        for (const key of absent) {
          if (this.#departing === null) this.drop(key);
          else this.#departing.hold(key);
        }
        return this.#departing === null ? 0 : absent.size;
      },
    };
  }

  #known(): Set<ObjectKey> {
    return new Set([...this.#facts.keys(), ...this.#reported.keys(), ...this.#statuses.keys()]);
  }

  #putStatus(key: ObjectKey, status: SeenStatus): void {
    const last = this.#statuses.get(key);
    this.#statuses.set(key, status);
    if (!isDeepStrictEqual(last, status)) this.#listener.status(key);
  }

  /** The object was removed. */
  drop(key: ObjectKey): void {
    this.#statuses.delete(key);
    this.#reported.delete(key);
    if (this.#facts.delete(key)) this.#listener.changed(key);
  }

  #leave(key: ObjectKey): void {
    if (this.#departing === null) this.drop(key);
    else this.#departing.add(key);
  }

  #identify(value: unknown): ObjectIdentity | null {
    const metadata = new Field(new Problems(), "", value).at("metadata");
    const name = metadata.at("name").raw;
    const namespace = this.#kind.namespaced ? metadata.at("namespace").raw : null;
    if (typeof name !== "string" || (typeof namespace !== "string" && namespace !== null)) {
      this.#listener.problem(placeProblem(this.#served.path, "an object without a name is left out"));
      return null;
    }
    const { kind } = this.#kind;
    return {
      key: objectKey(this.#kind, namespace, name),
      title: `${kind} ${printable(namespace === null ? name : `${namespace}/${name}`)}`,
      place: objectPath(this.#served.kind, namespace, name),
    };
  }

  /** What is wrong with the objects of now, as lines. */
  get problems(): readonly string[] {
    return [...this.#reported.values()].flatMap((lines) => lines.split("\n"));
  }

  #report({ key }: ObjectIdentity, problems: readonly SourceProblem[]): void {
    const text = problems.map(formatSourceProblem).join("\n");
    if (text === (this.#reported.get(key) ?? "")) return;
    if (text === "") this.#reported.delete(key);
    else this.#reported.set(key, text);
    for (const problem of problems) this.#listener.problem(problem);
  }
}
