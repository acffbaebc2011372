// Policies that share a priority: what is told in the end is what a look at all policies would find, whatever came, went, moved
// and settled in which order; and a policy that settles among thousands is told alone.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import type { PolicyRecord } from "../controller/engine.ts";
import type { PolicyObject } from "../model/object.ts";
import { isSameTier } from "../policy/order.ts";
import { anp, cnp, np } from "../../test/support/policies.ts";
import { RecordedEngine, recordOf } from "../../test/support/records.ts";
import type { Advice } from "./policy-events.ts";
import { allDuplicates } from "./policy-events.ts";
import { SharedPriorities } from "./shared-priorities.ts";

const kinds = {
  anp: (name: string, priority: number) => anp(name, { priority }),
  cnp: (name: string, priority: number) => cnp(name, { priority, tier: priority > 2 ? "Baseline" : "Admin" }),
  np: (name: string) => np(name, {}),
} as const;

interface Change {
  readonly kind: keyof typeof kinds;
  readonly name: string;
  readonly priority: number;
  readonly goes: boolean;
  readonly uid: string;
}

/** Objects of which each comes, or is made anew with another priority, or goes. */
const step: fc.Arbitrary<readonly Change[]> = fc.array(
  fc.record({
    kind: fc.constantFrom("anp", "cnp", "np"),
    name: fc.constantFrom("a", "b", "c", "d", "e"),
    // The last is refused as an ANP here: the documented priorities are 0 to 99.
    priority: fc.constantFrom(1, 2, 3, 400),
    goes: fc.boolean(),
    uid: fc.constantFrom("1", "2"),
  }),
  { minLength: 1, maxLength: 8 },
);

const compiled = new Map<string, PolicyRecord>();
/** Compiled once, since a compilation takes long beside what is tested. */
function recordOnce(object: PolicyObject): PolicyRecord {
  const text = JSON.stringify(object);
  const record = compiled.get(text) ?? recordOf(object);
  compiled.set(text, record);
  return { ...record };
}

const said = ({ record: { object }, event: { message } }: Advice) => `${object.uid ?? ""} ${message}`;

/** An engine with what is told of it, and what was told before: of each that settles, all that share its priority. */
class Told {
  readonly engine = new RecordedEngine();
  readonly priorities = new SharedPriorities(this.engine);
  readonly told = new Set<string>();
  readonly wanted = new Set<string>();

  /** Returns what is to settle. */
  change(changes: readonly Change[]): readonly PolicyRecord[] {
    const changed = new Map<PolicyRecord["key"], PolicyRecord>();
    for (const { kind, name, priority, goes, uid } of changes) {
      const record = recordOnce({ ...kinds[kind](name, priority), uid });
      this.engine.all.delete(record.key);
      changed.delete(record.key);
      if (goes) continue;
      this.engine.set(record);
      changed.set(record.key, record);
    }
    return [...changed.values()];
  }

  settle(record: PolicyRecord): void {
    for (const advice of this.priorities.advice(record)) this.told.add(said(advice));
    const sharing = this.engine.sharing(record);
    for (const advice of allDuplicates(this.engine.all.values()))
      if (sharing.includes(advice.record.key)) this.wanted.add(said(advice));
  }
}

test("in the end everybody is told what a look at all policies finds, and nothing else", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(step, fc.boolean(), fc.nat(7))), (steps) => {
      const world = new Told();
      for (const [changes, isOtherTerm, turn] of steps) {
        const changed = world.change(changes);
        // Another program has written meanwhile: all settle again.
        if (isOtherTerm) world.priorities.clear();
        const settling = isOtherTerm ? [...world.engine.all.values()] : changed;
        for (const record of [...settling.slice(turn), ...settling.slice(0, turn)]) world.settle(record);
        expect([...world.told].sort()).toEqual([...world.wanted].sort());
      }
    }),
    { numRuns: 300 },
  );
});

test("the policies of a rank are those that a look at all records finds", () => {
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const engine = new RecordedEngine();
      for (const { kind, name, priority, goes } of steps.flat()) {
        const record = recordOnce(kinds[kind](name, priority));
        if (goes) engine.all.delete(record.key);
        else engine.set(record);
        for (const one of engine.all.values()) {
          const alike = [...engine.all.values()].filter(
            ({ kind: other, policy }) =>
              other === one.kind &&
              other.events.samePriority !== null &&
              policy !== null &&
              one.policy !== null &&
              isSameTier(policy.tier, one.policy.tier) &&
              policy.priority === one.policy.priority,
          );
          expect(engine.sharing(one)).toEqual(alike.map(({ key }) => key).sort());
        }
      }
    }),
    { numRuns: 200 },
  );
});

test("among thousands of one priority, one that settles again is told alone, and all are when another is the first", () => {
  const model = recordOf(anp("m", { priority: 7 }));
  const named = (name: string): PolicyRecord => {
    const object = { ...model.object, name };
    return { ...model, key: `${model.key}${name}` as PolicyRecord["key"], object };
  };
  const all = Array.from({ length: 2000 }, (_, n) => named(String(n).padStart(4, "0")));
  let asked = 0;
  const engine = new RecordedEngine(...all);
  const priorities = new SharedPriorities({
    record: (key) => {
      asked++;
      return engine.record(key);
    },
    sharing: (record) => engine.sharing(record),
  });
  const told = all.flatMap((record) => priorities.advice(record));
  // Once for all of them, and once for each when it settled.
  expect(told).toHaveLength(2 * all.length - 1);
  expect(asked).toBeLessThan(4 * all.length);
  const [, , third] = all;
  expect(priorities.advice(third!).map(({ record }) => record.object.name)).toEqual(["0002"]);
  const late = named("-");
  engine.set(late);
  expect(priorities.advice(late)).toHaveLength(all.length + 1);
});

test("10,000 NetworkPolicies are of no rank, and nobody is asked for", () => {
  const engine = {
    record: () => {
      throw new Error("a record was asked for");
    },
    sharing: () => {
      throw new Error("sharers were asked for");
    },
  };
  const priorities = new SharedPriorities(engine);
  expect(priorities.advice(recordOf(np("a", {})))).toEqual([]);
});
