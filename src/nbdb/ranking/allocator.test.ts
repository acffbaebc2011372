// The allocator keeps any runs in order whatever the sequence of changes, names whoever moves, finds a place for every
// run that fits, seldom moves anybody, and takes over places that stand.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { tiers } from "../../policy/ir.ts";
import type { Item } from "./allocator.ts";
import { Allocator } from "./allocator.ts";

/** The segment of ClusterNetworkPolicy's tier Admin. */
const behindAnp = { levels: 20_000, expected: [1001, 2001] } as const;

const nameOf = (number: number): string => `p${String(number).padStart(5, "0")}`;
const item = (number: number, priority: number, length: number): Item<string> => ({
  ...{ key: nameOf(number), tier: tiers.admin, priority, tie: null, name: nameOf(number), length },
});
const isBefore = (a: Item<string>, b: Item<string>): boolean =>
  a.priority < b.priority || (a.priority === b.priority && a.name < b.name);
const inOrder = (items: Iterable<Item<string>>): readonly Item<string>[] =>
  [...items].sort((a, b) => (isBefore(a, b) ? -1 : 1));

/** An allocator beside what it must hold: checks each change by what a bystander sees. */
class Watched {
  readonly line: ConstructorParameters<typeof Allocator>[0];
  readonly allocator: Allocator<string>;
  readonly items = new Map<string, Item<string>>();
  #places = new Map<string, number>();

  constructor(line: ConstructorParameters<typeof Allocator>[0]) {
    this.line = line;
    this.allocator = new Allocator(line);
  }

  /** Returns the others that moved. */
  put(one: Item<string>): readonly string[] {
    const named = this.allocator.put(one);
    this.items.set(one.key, one);
    return this.#moved(named, one.key);
  }

  remove(key: string): void {
    this.allocator.remove(key);
    this.items.delete(key);
    this.#places.delete(key);
    expect(this.#moved([], null)).toEqual([]);
  }

  places(): ReadonlyMap<string, number> {
    return new Map(Array.from(this.items.keys(), (key) => [key, this.allocator.at(key)]));
  }

  #moved(named: readonly string[], own: string | null): readonly string[] {
    const places = this.places();
    const moved = [...places].filter(([key, at]) => key !== own && this.#places.get(key) !== at);
    const others = named.filter((key) => key !== own);
    if (moved.length !== others.length || moved.some(([key]) => !others.includes(key)))
      throw new Error(`moved ${moved.join(" ")}, named ${others.join(" ")}`);
    this.#places = new Map(places);
    return others;
  }

  /** In order, inside the line, none over another. */
  check(): void {
    let end = 0;
    for (const { key, length } of inOrder(this.items.values())) {
      const at = this.allocator.at(key);
      if (at < end) throw new Error(`${key} begins at ${at}, before ${end}`);
      end = at + length;
    }
    expect(end).toBeLessThanOrEqual(this.line.levels);
  }
}

/** The same numbers at every run. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function shuffled<T>(list: readonly T[], random: (below: number) => number): readonly T[] {
  return list
    .map((value) => ({ value, at: random(2 ** 30) }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
}

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, number) => number);
/** Priorities of policies by their numbers. */
const spreads: readonly (readonly [string, (number: number) => number])[] = [
  ["each its own priority", (number) => 1001 + (number % 1000)],
  ["a hundred priorities", (number) => 1001 + (number % 100)],
  ["one priority, told apart by name", () => 1500],
  ["all at the end", (number) => 2001 - (number % 3)],
];
const arrivals: readonly (readonly [string, (list: readonly number[]) => readonly number[]])[] = [
  ["in order", (list) => list],
  ["in reverse", (list) => list.toReversed()],
  ["in any order", (list) => shuffled(list, randomFrom(5))],
];

describe.each(arrivals)("arriving %s", (_, arriving) => {
  test.each(spreads)(
    "1,000 policies of 10 + 10 rules and 500 of 25 + 25 get places: %s",
    (_name, priorityOf) => {
      for (const [count, length] of [
        [1000, 10],
        [500, 25],
      ] as const) {
        const watched = new Watched(behindAnp);
        for (const number of arriving(numbers(count))) watched.put(item(number, priorityOf(number), length));
        watched.check();
      }
    },
  );
});

test("any order of arrival fills the line to its last level, and then there is no room for one more", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({ priority: fc.integer({ min: -3, max: 3 }), length: fc.integer({ min: 1, max: 9 }) }),
        {
          minLength: 1,
          maxLength: 60,
        },
      ),
      (texts) => {
        const levels = texts.reduce((sum, { length }) => sum + length, 0);
        const watched = new Watched({ levels, expected: [-3, 3] });
        for (const [number, { priority, length }] of texts.entries()) {
          expect(watched.allocator.fits(nameOf(number), length)).toBe(true);
          watched.put(item(number, priority, length));
        }
        watched.check();
        expect(watched.allocator.fits("one more", 1)).toBe(false);
        expect(() => watched.put(item(9999, 0, 1))).toThrow(/no levels/);
      },
    ),
  );
});

test("10,000 inserts, moves, growths and deletes keep the order, and nobody moves without being named", () => {
  const random = randomFrom(11);
  const watched = new Watched(behindAnp);
  let [inserts, rows, worst] = [0, 0, 0];
  for (let step = 0; step < 10_000; step++) {
    const number = random(1200);
    const key = nameOf(number);
    if (watched.items.has(key) && random(3) === 0) {
      watched.remove(key);
      continue;
    }
    const one = item(number, 1001 + random(120), 1 + random(25));
    if (!watched.allocator.fits(key, one.length)) continue;
    const moved = watched.put(one);
    const rowsMoved = moved.reduce((sum, other) => sum + 2 * (watched.items.get(other)?.length ?? 0), 0);
    inserts++;
    rows += rowsMoved;
    worst = Math.max(worst, rowsMoved);
    if (step % 100 === 0) watched.check();
  }
  watched.check();
  process.stdout.write(
    `rows moved per insert: mean ${(rows / inserts).toFixed(1)}, worst ${worst}, of ${inserts} inserts\n`,
  );
  expect(inserts).toBeGreaterThan(5000);
  expect(rows / inserts).toBeLessThan(100);
});

describe("nobody else moves", () => {
  test("when a run shrinks, grows within its gap, goes, or changes its number between the same neighbours", () => {
    const watched = new Watched({ levels: 300, expected: [0, 29] });
    for (const number of [0, 10, 20]) watched.put(item(number, number, 5));
    const at = watched.allocator.at(nameOf(10));
    for (const one of [item(10, 10, 2), item(10, 10, 7), item(10, 15, 7)]) {
      expect(watched.put(one)).toEqual([]);
      expect(watched.allocator.at(nameOf(10))).toBe(at);
    }
    watched.remove(nameOf(10));
    watched.check();
  });

  /** In how many of 100 places a policy of 5 + 5 rules moves nobody; each is tried beside the same others. */
  function quietPlaces(allocator: Allocator<string>, items: readonly Item<string>[]): number {
    const existing = new Map(items.map(({ key }) => [key, allocator.at(key)]));
    const places = shuffled(items, randomFrom(9)).slice(0, 100);
    const quiet = places.filter((before) => {
      const moved = allocator.put({ ...before, key: "new", name: `${before.name}-`, length: 5 });
      allocator.remove("new");
      allocator.adopt(existing);
      return moved.length === 1;
    });
    return quiet.length;
  }

  test.each(spreads)(
    "in 9 of 10 places when 5 + 5 rules come between 1,000 that were there at the start: %s",
    (_, of) => {
      const items = shuffled(numbers(1000), randomFrom(3)).map((number) => item(number, of(number), 5));
      const allocator = new Allocator<string>(behindAnp);
      for (const one of items) allocator.put(one);
      allocator.adopt(new Map());
      expect(quietPlaces(allocator, items)).toBeGreaterThanOrEqual(90);
    },
  );

  test.each(arrivals)(
    "in 9 of 10 places when they come between 1,000 of as many priorities that came %s",
    (_, arriving) => {
      const items = arriving(numbers(1000)).map((number) => item(number, 1001 + number, 5));
      const allocator = new Allocator<string>(behindAnp);
      for (const one of items) allocator.put(one);
      expect(quietPlaces(allocator, items)).toBeGreaterThanOrEqual(90);
    },
  );

  test.each(spreads.slice(0, 3))(
    "in 9 of 10 places when they come between 1,000 that came one by one: %s",
    (_, of) => {
      for (const [, arriving] of arrivals) {
        const items = arriving(numbers(1000)).map((number) => item(number, of(number), 5));
        const allocator = new Allocator<string>(behindAnp);
        for (const one of items) allocator.put(one);
        expect(quietPlaces(allocator, items)).toBeGreaterThanOrEqual(90);
      }
    },
  );
});

describe("places that stand", () => {
  const history = fc.array(
    fc.record({
      number: fc.nat(14),
      priority: fc.integer({ min: 0, max: 3 }),
      length: fc.integer({ min: 1, max: 6 }),
      isThere: fc.constantFrom(true, true, false),
    }),
    { maxLength: 60 },
  );
  const line = { levels: 90, expected: [0, 3] } as const;
  const after = (
    steps: readonly { number: number; priority: number; length: number; isThere: boolean }[],
    on: ConstructorParameters<typeof Allocator>[0] = line,
  ): Watched => {
    const watched = new Watched(on);
    for (const { number, priority, length, isThere } of steps) {
      if (isThere && watched.allocator.fits(nameOf(number), length))
        watched.put(item(number, priority, length));
      else if (watched.items.has(nameOf(number))) watched.remove(nameOf(number));
    }
    return watched;
  };

  test("are adopted whole by an allocator that starts anew, whatever the history and the order of arrival", () => {
    fc.assert(
      fc.property(history, fc.nat(), (steps, seed) => {
        const before = after(steps);
        const fresh = new Watched(line);
        for (const one of shuffled([...before.items.values()], randomFrom(seed))) fresh.put(one);
        fresh.allocator.adopt(before.places());
        fresh.check();
        expect(fresh.places()).toEqual(
          new Map([...fresh.items.keys()].map((key) => [key, before.allocator.at(key)])),
        );
        expect(fresh.allocator.adopt(before.places())).toEqual([]);
      }),
    );
  });

  test("and are not in order: as many stay as can, the others are in order, and those that move are named", () => {
    // Between two of the levels that are given there is room for all runs.
    const long = { levels: 9_700, expected: [0, 3] } as const;
    fc.assert(
      fc.property(history, fc.array(fc.nat(94)), (steps, given) => {
        const watched = after(steps, long);
        const before = watched.places();
        const existing = new Map(given.map((hundred, number) => [nameOf(number), (hundred + 1) * 100]));
        const moved = watched.allocator.adopt(existing);
        watched.check();
        const now = watched.places();
        const isMoved = (key: string): boolean => now.get(key) !== before.get(key);
        expect([...moved].sort()).toEqual([...now.keys()].filter(isMoved).sort());
        const kept = [...now].filter(([key, at]) => existing.get(key) === at).length;
        expect(kept).toBeGreaterThanOrEqual(mostInOrder(inOrder(watched.items.values()), existing));
      }),
    );
  });

  test("nowhere: the places depend on the runs alone, whatever the order of arrival", () => {
    fc.assert(
      fc.property(history, fc.nat(), (steps, seed) => {
        const one = after(steps);
        const other = new Watched(line);
        for (const each of shuffled([...one.items.values()], randomFrom(seed))) other.put(each);
        one.allocator.adopt(new Map());
        other.allocator.adopt(new Map());
        one.check();
        expect(new Map([...one.places()].sort())).toEqual(new Map([...other.places()].sort()));
      }),
    );
  });
});

/** By trying every chain's end: the most given places that do not overlap and are in order. */
function mostInOrder(items: readonly Item<string>[], given: ReadonlyMap<string, number>): number {
  const most: { end: number; count: number }[] = [];
  for (const { key, length } of items) {
    const at = given.get(key);
    if (at === undefined) continue;
    const before = most.filter(({ end }) => end <= at).map(({ count }) => count);
    most.push({ end: at + length, count: Math.max(0, ...before) + 1 });
  }
  return Math.max(0, ...most.map(({ count }) => count));
}
