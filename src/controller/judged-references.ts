// What is reported on objects that policies refer to, for kinds that have a status. An object is judged when
// it or another that its judgement asked for has changed, whether a policy names it or not. Shares the record of questions
// with the policies. Invariant: after `settle` every verdict is that of the present objects.

import { isReused } from "../lib/identity.ts";
import { isDeepStrictEqual } from "node:util";
import { invariant } from "../lib/invariant.ts";
import type { KindText, ObjectKey, ReferencedObject } from "../model/object.ts";
import { kindText, kindTextOf } from "../model/object.ts";
import type {
  Dialect,
  ReferenceKind,
  ReferenceStatus,
  ReferenceVerdict,
} from "../policy/contracts/dialect.ts";
import type { References } from "./references.ts";

export interface JudgedReference {
  readonly kind: ReferenceKind;
  readonly object: ReferencedObject;
  readonly verdict: ReferenceVerdict;
}

interface Judge {
  readonly kind: ReferenceKind;
  readonly status: ReferenceStatus;
  /** The kinds that it may ask for. */
  readonly allowed: readonly ReferenceKind[];
}

export class JudgedReferences {
  readonly #references: References;
  readonly #judges: ReadonlyMap<KindText, Judge>;
  readonly #objects = new Map<ObjectKey, ReferencedObject>();
  readonly #verdicts = new Map<ObjectKey, JudgedReference>();
  readonly #stale = new Set<ObjectKey>();

  constructor(dialects: readonly Dialect[], references: References) {
    this.#references = references;
    this.#judges = new Map(
      dialects.flatMap(({ references: allowed }) =>
        allowed.flatMap((kind): readonly (readonly [KindText, Judge])[] =>
          kind.status === undefined ? [] : [[kindText(kind), { kind, status: kind.status, allowed }]],
        ),
      ),
    );
  }

  covers(key: ObjectKey): boolean {
    return this.#judges.has(kindTextOf(key));
  }

  observe(key: ObjectKey, object: ReferencedObject | null): void {
    if (!this.covers(key)) return;
    if (object === null) this.#objects.delete(key);
    else this.#objects.set(key, object);
    this.#stale.add(key);
  }

  all(): Iterable<readonly [ObjectKey, JudgedReference]> {
    return this.#verdicts;
  }

  /** What has changed since the last call; null: the object was removed. `stale`: objects whose questions have other answers. */
  settle(stale: Iterable<ObjectKey>): ReadonlyMap<ObjectKey, JudgedReference | null> {
    const changed = new Map<ObjectKey, JudgedReference | null>();
    for (const key of new Set([...stale, ...this.#stale])) {
      const object = this.#objects.get(key);
      if (object === undefined) {
        this.#references.forget(key);
        if (this.#verdicts.delete(key)) changed.set(key, null);
        continue;
      }
      const before = this.#verdicts.get(key);
      const after = this.#judge(key, object);
      this.#verdicts.set(key, after);
      const isSame =
        before !== undefined &&
        isReused(before.object, object) &&
        isDeepStrictEqual(before.verdict, after.verdict);
      if (!isSame) changed.set(key, after);
    }
    this.#stale.clear();
    return changed;
  }

  #judge(key: ObjectKey, object: ReferencedObject): JudgedReference {
    const judge = this.#judges.get(kindTextOf(key));
    invariant(judge !== undefined, `${key} is of a kind without a status`);
    const { kind, status, allowed } = judge;
    const verdict = this.#references.recording(key, allowed, ({ resolve }) => status.judge(object, resolve));
    return { kind, object, verdict };
  }
}
