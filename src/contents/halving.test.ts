// Whatever units a writer refuses, alone or together, the others are written once each, in their order.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import type { BatchEnd } from "./halving.ts";
import { writeHalving } from "./halving.ts";

const units = Array.from({ length: 13 }, (_, n) => n);

/** A writer that refuses each batch with one of these units, and stops before the batch of this number. */
function writing(refused: ReadonlySet<number>, stopsAt = Infinity) {
  const written: number[] = [];
  const alone: number[] = [];
  let batches = 0;
  const writer = {
    write: async (some: readonly number[]): Promise<BatchEnd<number, string>> => {
      if (batches++ === stopsAt) return { kind: "stopped", why: "the server is away" };
      if (some.some((unit) => refused.has(unit))) return { kind: "refused", units: some, why: "odd" };
      written.push(...some);
      return { kind: "written" };
    },
    refuse: (unit: number, why: string) => {
      expect(why).toBe("odd");
      alone.push(unit);
    },
  };
  return { writer, written, alone, batches: () => batches };
}

test("every unit is written once, or refused alone, in order; one refused unit costs two batches a halving", async () => {
  await fc.assert(
    fc.asyncProperty(fc.subarray(units), async (odd) => {
      const { writer, written, alone, batches } = writing(new Set(odd));
      expect(await writeHalving(units, writer)).toBeNull();
      expect([written, alone]).toEqual([units.filter((unit) => !odd.includes(unit)), odd]);
      if (odd.length === 1) expect(batches()).toBeLessThanOrEqual(1 + 2 * Math.ceil(Math.log2(units.length)));
    }),
  );
});

test("a writer that cannot go on is not asked again", async () => {
  for (let at = 0; at < 6; at++) {
    const { writer, batches } = writing(new Set([2]), at);
    expect(await writeHalving(units, writer)).toBe("the server is away");
    expect(batches()).toBe(at + 1);
  }
});

test("room is made before a batch is split, and only what is left is split", async () => {
  const { writer, written, alone } = writing(new Set([2]));
  const asked: (readonly number[])[] = [];
  const makeRoom = async (some: readonly number[]) => {
    asked.push(some);
    return some.filter((unit) => unit !== 0);
  };
  expect(await writeHalving([0, 1, 2], { ...writer, makeRoom })).toBeNull();
  expect([written, alone, asked]).toEqual([[1], [2], [[0, 1, 2]]]);
  expect(await writeHalving([2, 3], { ...writer, makeRoom: async () => "no room" })).toBe("no room");
});
