// Under which of the API groups that may serve a kind's objects they are read: the preferred one that the server serves, until it
// serves it no longer. A kind of one group is read there.

import type { ObjectKind } from "../../model/object.ts";
import { askedKinds, isSameKind, servedKinds } from "../../model/object.ts";
import type { ObjectShape } from "../protobuf/envelope.ts";
import { failureOf } from "../transport/failure.ts";
import { collectionPath } from "../transport/paths.ts";
import { shapeOf } from "./shapes/shape-of.ts";

export class ServedAs {
  readonly #all: readonly ObjectKind[];
  readonly #kinds: readonly ObjectKind[];
  #index = 0;
  /** In a row, which the server did not serve. */
  #missed = 0;
  #listed: ObjectKind | null = null;
  readonly #wholePods: boolean;

  /** `wholePods`: as of Reading. */
  constructor(kind: ObjectKind, wholePods = false) {
    this.#wholePods = wholePods;
    this.#all = servedKinds(kind);
    this.#kinds = askedKinds(kind);
  }

  /** The kind in the group and version to ask now. */
  get kind(): ObjectKind {
    const kind = this.#kinds[this.#index];
    if (kind === undefined) throw new RangeError("a kind is served under no group");
    return kind;
  }

  /** Every object of it, over all namespaces. */
  get path(): string {
    return collectionPath(this.kind);
  }

  /** Where it is asked for, and what is read of its objects where they come as protobuf; null: they come as JSON. */
  get asked(): { readonly path: string; readonly shape: ObjectShape | null } {
    return { path: this.path, shape: shapeOf(this.kind, this.#wholePods) };
  }

  /** The others that may serve it, or keep what this one shows. */
  get others(): readonly ObjectKind[] {
    return this.#all.filter((one) => !isSameKind(one, this.kind));
  }

  /** The preferred one is asked next. Returns whether it was another before. */
  restart(): boolean {
    const isOther = this.#index > 0;
    this.#missed = 0;
    this.#index = 0;
    return isOther;
  }

  /** The server serves it. */
  found(): void {
    this.#missed = 0;
  }

  /** A list of it is complete. Returns where the list before was read; null: here, or there was none. */
  listed(): ObjectKind | null {
    const { kind } = this;
    const before = this.#listed;
    this.found();
    this.#listed = kind;
    return before === kind ? null : before;
  }

  /** The server does not serve it. True: another is to be asked; false: it serves none, and the preferred one is asked again later. */
  missed(): boolean {
    this.#missed++;
    if (this.#missed === this.#kinds.length) {
      this.restart();
      return false;
    }
    this.#index = (this.#index + 1) % this.#kinds.length;
    return true;
  }
}

/** Asks once, under the preferred group that the server serves. Throws what `ask` throws, and a Failure "missing" when it serves none. */
export async function asServed<T>(kind: ObjectKind, ask: (as: ObjectKind) => Promise<T>): Promise<T> {
  const served = new ServedAs(kind);
  for (;;) {
    try {
      return await ask(served.kind);
    } catch (error) {
      if (failureOf(error)?.kind !== "missing" || !served.missed()) throw error;
    }
  }
}
