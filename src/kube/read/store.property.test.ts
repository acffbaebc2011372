// Of objects that a group keeps under other names: what came by events, one after the other, is what a list of the present gives, so
// that a restart and another instance see the same.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { trafficPolicyKind } from "../../../test/dialect/kinds.ts";
import { keptIn } from "../../../test/dialect/stored.ts";
import { readableKinds } from "../../informers/objects/kinds.ts";
import type { ObjectKey } from "../../model/object.ts";
import { objectKey } from "../../model/object.ts";
import { invariant } from "../../lib/invariant.ts";
import { ServedAs } from "./served-as.ts";
import { Sharing } from "./sharing.ts";
import { Store } from "./store.ts";

const names = ["a", "b", "c"];
const sharing = new Sharing();
const kind = readableKinds([trafficPolicyKind]).find((one) => one.kind === trafficPolicyKind.kind);

/** A store, and what a reader knows who reads only what it is told of. */
function opened() {
  invariant(kind !== undefined, "the kind is read");
  const known = new Map<ObjectKey, unknown>();
  const changed = (key: ObjectKey): void => {
    const object = store.read(key);
    if (object === null) known.delete(key);
    else known.set(key, object);
  };
  const listener = { changed, problem: () => undefined, status: () => undefined };
  const store: Store = new Store(kind, sharing, listener, null, new ServedAs(kind));
  return { store, known };
}

type Step =
  | { readonly stored: string; readonly own: string | null; readonly priority: number }
  | { readonly gone: string }
  | "list";

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    stored: fc.constantFrom(...names),
    own: fc.constantFrom(null, ...names),
    priority: fc.integer({ min: 0, max: 3 }),
  }),
  fc.record({ gone: fc.constantFrom(...names) }),
  fc.constant("list" as const),
);

test("events and lists lead to the same objects", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 15 }), (steps) => {
      const { store, known } = opened();
      const server = new Map<string, object>();
      const list = (into: Store): void => {
        const replacement = into.replacement();
        for (const [, object] of [...server].sort()) replacement.put(object);
        replacement.complete();
      };
      for (const one of steps) {
        if (one === "list") list(store);
        else if ("gone" in one) {
          const object = server.get(one.gone);
          server.delete(one.gone);
          if (object !== undefined) store.remove(object);
        } else {
          const { stored, own, priority } = one;
          const annotations = own === null ? {} : { [keptIn]: JSON.stringify({ name: own }) };
          const object = { metadata: { name: stored, annotations }, spec: { priority } };
          server.set(stored, object);
          store.put(object);
        }
      }
      const fresh = opened();
      list(fresh.store);
      expect(known).toEqual(fresh.known);
      expect(store.problems.toSorted()).toEqual(fresh.store.problems.toSorted());
      for (const name of names) {
        const key = objectKey(trafficPolicyKind, null, name);
        expect(store.read(key)).toEqual(known.get(key) ?? null);
      }
    }),
    { numRuns: 1000 },
  );
});
