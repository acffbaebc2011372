// Which stored objects are one object of the kind's own API, where a store may call it otherwise: a change may make an object
// another one, two may be the same one, and of one with a mistake it may not be known. Of two the first by its path counts, so
// that every instance sees the same object, and sees it again after a restart.

import type { ObjectKey } from "../../model/object.ts";

export interface Claim {
  readonly path: string;
  /** The object as it is stored. */
  readonly value: unknown;
}

export class Claims {
  readonly #keys = new Map<string, ObjectKey>();
  /** By path, of the objects that are the key's. */
  readonly #values = new Map<ObjectKey, Map<string, unknown>>();
  /** Objects that may be any of the kind. */
  readonly #unknown = new Set<string>();
  /** The collection whose objects these are. */
  #collection = "";

  /** An object may be any of the kind. */
  get isDoubtful(): boolean {
    return this.#unknown.size > 0;
  }

  /** The objects that are the key's: the first is the one that counts. */
  of(key: ObjectKey): readonly Claim[] {
    const claims = Array.from(this.#values.get(key) ?? [], ([path, value]) => ({ path, value }));
    return claims.length < 2 ? claims : claims.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** The object is the key's. Returns the keys that may have another object now. */
  put(path: string, key: ObjectKey, value: unknown): readonly ObjectKey[] {
    const left = this.#keys.get(path) === key ? [] : this.remove(path);
    this.#unknown.delete(path);
    this.#keys.set(path, key);
    const values = this.#values.get(key) ?? new Map<string, unknown>();
    this.#values.set(key, values.set(path, value));
    return [...left, key];
  }

  /** It cannot be said whose the object is. Returns the key that it had, which stays its own; null: it may be any of the kind. */
  doubt(path: string): ObjectKey | null {
    const key = this.#keys.get(path) ?? null;
    if (key === null) this.#unknown.add(path);
    return key;
  }

  /** The object is gone. Returns the keys that may have another object now. */
  remove(path: string): readonly ObjectKey[] {
    this.#unknown.delete(path);
    const key = this.#keys.get(path);
    if (key === undefined) return [];
    this.#keys.delete(path);
    const values = this.#values.get(key);
    values?.delete(path);
    if (values?.size === 0) this.#values.delete(key);
    return [key];
  }

  /** Objects of this collection come. Of another one, which was read before, no claim remains. */
  begin(collection: string): void {
    if (collection === this.#collection) return;
    this.#collection = collection;
    this.#keys.clear();
    this.#values.clear();
    this.#unknown.clear();
  }

  /** There are no objects but these. Returns the keys that may have another object now. */
  keepOnly(paths: ReadonlySet<string>): readonly ObjectKey[] {
    const gone = [...this.#keys.keys(), ...this.#unknown].filter((path) => !paths.has(path));
    return gone.flatMap((path) => this.remove(path));
  }
}
