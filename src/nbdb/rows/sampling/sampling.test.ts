// Numbers of Samples: each once, near the hash of their text, whatever others have taken; and the flags that say how many packets.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { fnv1a32 } from "../match/documented-hash.ts";
import { northboundOptions, renderModeOf } from "../options.ts";
import { SampleNumbers, probabilityOf } from "./sampling.ts";

const last = 0xffff_ffff;

test.each([
  // Test vectors of the hash's authors.
  ["", 0x811c9dc5],
  ["a", 0xe40c292c],
  ["foobar", 0xbf9cf968],
])("the hash of %j", (text, hash) => {
  expect(fnv1a32(text)).toBe(hash);
});

test("whatever is taken, each is given once, suits its text, and no other number is nearer and free", () => {
  const texts = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(texts, fc.array(fc.nat(4)), (asked, steps) => {
      const taken = new Set(asked.flatMap((text, at) => runFrom(fnv1a32(text), steps[at] ?? 0)));
      const numbers = new SampleNumbers(taken);
      const given = new Map(asked.map((text) => [text, numbers.next(text)]));
      expect(new Set(given.values()).size).toBe(asked.length);
      for (const number of given.values()) taken.add(number);
      for (const [text, number] of given) {
        expect(numbers.suits(number, text)).toBe(true);
        for (let at = fnv1a32(text); at !== number; at = after(at)) expect(taken.has(at)).toBe(true);
      }
    }),
  );
});

/** The numbers before the one that a text would get. */
function runFrom(first: number, length: number): readonly number[] {
  const run: number[] = [];
  for (let at = first; run.length < length; at = after(at)) run.push(at);
  return run;
}

function after(number: number): number {
  return number === last ? 1 : number + 1;
}

test("behind the last number comes the first, 1", () => {
  // Its hash is 30 below the last number.
  const text = "f2q6y";
  expect(last - fnv1a32(text)).toBe(30);
  const all = { has: (number: number) => number >= fnv1a32(text), size: 31 + 1 };
  const numbers = new SampleNumbers(all);
  expect([numbers.next(text), numbers.next(text), numbers.suits(2, text)]).toEqual([1, 2, true]);
});

test("a number that is further away than there are Samples is another text's", () => {
  const numbers = new SampleNumbers({ has: () => false, size: 2 });
  const own = fnv1a32("a");
  expect([own - 1, own, own + 2, own + 3].map((number) => numbers.suits(number, "a"))).toEqual([
    ...[false, true, true, false],
  ]);
});

test.each([
  [100, 65_535],
  [50, 32_767],
  [0.5, 327],
  [0.001, 1],
])("%p percent are %p of 65535", (percent, probability) => {
  expect(probabilityOf(percent)).toBe(probability);
});

test.each([
  ["observe-set-id", ["1", "41", "255"], ["0", "42", "256", "-1", "1.5", "", "01", "4739"]],
  ["observe-percent", ["100", "1", "0.5", "99.999"], ["0", "0.0", "101", "-1", "", ".5", "0.0001", "1e1"]],
] as const)("--%s takes %j and refuses %j", (flag, taken, refused) => {
  const { fault } = northboundOptions[flag];
  expect(taken.map((text) => fault(text))).toEqual(taken.map(() => null));
  for (const text of refused) expect(fault(text)).toMatch(/^is not a number/);
});

test.each([
  ["off", null, false],
  ["samples", { setId: 7, probability: 32_767 }, false],
  ["watch", { setId: 7, probability: 32_767 }, true],
])("--observe %s", (observe, sampling, watches) => {
  const flags = { observe, "observe-set-id": "7", "observe-percent": "50" };
  expect(renderModeOf(null, flags)).toMatchObject({ sampling, watches });
});
