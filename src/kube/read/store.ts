// The objects of one kind as facts: the API server's last version of each, parsed on arrival. An object that is refused
// leaves its last good fact in force, and is reported once for each set of findings. Invariant: `changed` is called for
// exactly the keys for which `read` returns another object than before.

import { isDeepStrictEqual } from "node:util";
import type { ObjectKey, SourceListener, SourceProblem, WorldObject } from "../../model/object.ts";
import { objectKey } from "../../model/object.ts";
import type { Problem } from "../../model/problem.ts";
import { printable } from "../../model/quote.ts";
import { Field, Problems } from "../../model/reader.ts";
import { inOwnApi, isRespelled } from "../../model/objects/spelling.ts";
import type { ReadableKind } from "../../informers/objects/kinds.ts";
import { formatSourceProblem, placeProblem } from "../../informers/source-problem.ts";
import { Claims } from "./claims.ts";
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
  /** False: the key is a guess, as what the spelling says has a mistake. */
  readonly isCertain: boolean;
  readonly title: string;
  /** The path of the stored object. */
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
  /** The same by path, of objects that are nobody's: it is not known whose, or another counts before them. */
  readonly #unplaced = new Map<string, string>();
  readonly #claims = new Claims();

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

  /** Whether the object is known to exist: as a fact, or by findings in a version that was refused; or is one that could not be identified. */
  mayExist(key: ObjectKey): boolean {
    return this.#facts.has(key) || this.#reported.has(key) || this.#claims.isDoubtful;
  }

  statusOf(key: ObjectKey): SeenStatus {
    return this.#statuses.get(key) ?? noStatus;
  }

  /** Null when the object cannot be identified. */
  put(value: unknown): ObjectKey | null {
    const identity = this.#identify(value);
    return identity === null ? null : this.#put(identity, value);
  }

  #put(identity: ObjectIdentity, value: unknown): ObjectKey | null {
    const { key, place, isCertain } = identity;
    if (!isCertain) {
      const before = this.#claims.doubt(place);
      const found = this.#placed({ ...identity, key: before ?? key }, this.#parse(value).problems);
      this.#report(this.#unplaced, place, found);
      return before;
    }
    if (this.#isRespelled) this.#settle(this.#claims.put(place, key, value));
    else this.#take(identity, value);
    return key;
  }

  get #isRespelled(): boolean {
    return isRespelled(this.#kind, this.#served.kind);
  }

  /** Each key has the object that counts, if there is one. */
  #settle(keys: readonly ObjectKey[]): void {
    for (const key of keys) {
      const [first, ...others] = this.#claims.of(key);
      const identity = first === undefined ? null : this.#identify(first.value);
      if (first === undefined || identity === null) {
        this.#leave(key);
        continue;
      }
      this.#unplaced.delete(first.path);
      this.#take(identity, first.value);
      for (const { path } of others) {
        const problems = this.#placed({ ...identity, place: path }, [isAlready(first.path)]);
        this.#report(this.#unplaced, path, problems);
      }
    }
  }

  #parse(value: unknown) {
    return this.#kind.parse(value, this.#served.kind);
  }

  #placed({ key, title, place }: ObjectIdentity, problems: readonly Problem[]): readonly SourceProblem[] {
    return problems.map((problem) => ({ place, object: title, key, problem }));
  }

  #take(identity: ObjectIdentity, value: unknown): void {
    const { key } = identity;
    this.#departing?.cancel(key);
    const { object, problems } = this.#parse(value);
    this.#report(this.#reported, key, this.#placed(identity, problems));
    if (this.#kind.hasStatus) this.#putStatus(key, readStatus(value));
    const last = this.#facts.get(key);
    // An equal object ends here: its key is never queued. model/fact-store.ts compares again, because other sources do
    // not, and because a queued key may be read when the object has returned to its old state.
    if (object === null || (last !== undefined && isDeepStrictEqual(last, object))) return;
    this.#facts.set(key, this.#sharing.share(object));
    this.#listener.changed(key);
  }

  remove(value: unknown): void {
    const identity = this.#identify(value);
    if (identity === null) return;
    const { key, place, isCertain } = identity;
    this.#unplaced.delete(place);
    const claimed = this.#claims.remove(place);
    if (claimed.length > 0) this.#settle(claimed);
    else if (isCertain) this.#leave(key);
  }

  replacement(): Replacement {
    const present = new Set<ObjectKey>();
    const places = new Set<string>();
    let isDoubtful = false;
    this.#claims.begin(this.#served.path);
    const onlyThese = (): void => {
      this.#settle(this.#claims.keepOnly(places));
      for (const place of this.#unplaced.keys()) if (!places.has(place)) this.#unplaced.delete(place);
    };
    return {
      put: (object) => {
        const identity = this.#identify(object);
        const key = identity && this.#put(identity, object);
        if (identity !== null && this.#isRespelled) places.add(identity.place);
        if (key === null) isDoubtful = true;
        else present.add(key);
      },
      complete: () => {
        if (isDoubtful) return;
        onlyThese();
        for (const key of this.#known().difference(present)) this.#leave(key);
      },
      completeElsewhere: () => {
        onlyThese();
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
    const at = (of: unknown) => new Field(new Problems(), "", of).at("metadata");
    const own = inOwnApi(this.#kind, this.#served.kind, value);
    const name = at(own.value).at("name").raw;
    const stored = at(value).at("name").raw;
    const namespace = this.#kind.namespaced ? at(own.value).at("namespace").raw : null;
    if (
      typeof name !== "string" ||
      typeof stored !== "string" ||
      (typeof namespace !== "string" && namespace !== null)
    ) {
      this.#listener.problem(placeProblem(this.#served.path, "an object without a name is left out"));
      return null;
    }
    const { kind } = this.#kind;
    return {
      key: objectKey(this.#kind, namespace, name),
      isCertain: own.problems.every(({ severity }) => severity !== "error"),
      title: `${kind} ${printable(namespace === null ? name : `${namespace}/${name}`)}`,
      place: objectPath(this.#served.kind, namespace, stored),
    };
  }

  /** What is wrong with the objects of now, as lines. */
  get problems(): readonly string[] {
    return [...this.#reported.values(), ...this.#unplaced.values()].flatMap((lines) => lines.split("\n"));
  }

  #report<K>(reported: Map<K, string>, of: K, problems: readonly SourceProblem[]): void {
    const text = problems.map(formatSourceProblem).join("\n");
    if (text === (reported.get(of) ?? "")) return;
    if (text === "") reported.delete(of);
    else reported.set(of, text);
    for (const problem of problems) this.#listener.problem(problem);
  }
}

/** Of an object that is the same one as another in the kind's own API. */
function isAlready(place: string): Problem {
  const message = `is defined already at ${printable(place)}, and that definition counts`;
  return { code: "InvalidObject", severity: "error", field: "metadata.name", message };
}
