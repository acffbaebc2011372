// Says when a database's rows are right: an own connection with an own monitor, told beforehand how every row must end,
// and asked when the first of them moved and when none was wrong any more. Right means: every expected row is there once
// and says exactly that, and there is no row of a policy beside them.

import { performance } from "node:perf_hooks";
import { columnsOf, type Image, sameImage, tables } from "./image.ts";
import { imageOf, type RowChange } from "./rows.ts";
import { Sight } from "./sight.ts";
import { prepare, Wire } from "./wire.ts";

/** How a row must end; null: it must not be there. */
export interface Expectation {
  readonly id: string;
  readonly image: Image | null;
}

/** How the row must end after the change. */
export function expectationOf({ before, after }: Pick<RowChange, "before" | "after">): Expectation {
  return { id: (after ?? before)?.id ?? "", image: after === null ? null : imageOf(after) };
}

/** Times on the clock of `performance`. */
export interface Sighting {
  /** When the first row moved; null: none did. */
  readonly first: number | null;
  /** When all rows were right. */
  readonly all: number;
}

/** What is compared of a row. */
export type Sees = (id: string, image: Image) => Image;

export class Observer {
  readonly #sees: Sees;
  readonly #expected = new Map<string, Image>();
  readonly #wrong = new Set<string>();
  #sight = new Sight();
  #wire: Wire | null = null;
  #first: number | null = null;
  #right: PromiseWithResolvers<number> | null = null;

  /** `sees`: all of each row unless given. */
  constructor(sees: Sees = (_, image) => image) {
    this.#sees = sees;
  }

  /** Looks at all rows anew; after a restart of the server too. */
  async attach(remote: string): Promise<void> {
    this.#wire?.close();
    this.#sight = new Sight();
    this.#wire = await Wire.open(remote, (params) => {
      this.#update(params[1]);
    });
    const requests = Object.fromEntries(tables.map((table) => [table, [{ columns: columnsOf[table] }]]));
    const initial = await this.#wire.send(prepare("monitor_cond", ["OVN_Northbound", "bench", requests]));
    this.#sight.apply(initial);
    for (const id of new Set([...this.#sight.ids(), ...this.#expected.keys()])) this.#judge(id);
    this.#settle();
  }

  expect(expectations: Iterable<Expectation>): void {
    for (const { id, image } of expectations) {
      if (image === null) this.#expected.delete(id);
      else this.#expected.set(id, image);
      this.#judge(id);
    }
  }

  /** Forgets what was expected: every row is wrong then. */
  expectNothing(): void {
    this.#expected.clear();
    for (const id of this.#sight.ids()) this.#judge(id);
  }

  get right(): boolean {
    return this.#wrong.size === 0;
  }

  /** Some of the rows that are wrong, for people. */
  wrong(most = 3): readonly string[] {
    return [...this.#wrong].slice(0, most);
  }

  /** From now on: when did the first row move, and when were all right. Rejects when that takes too long. */
  async watch(patienceMs: number): Promise<Sighting> {
    this.#first = null;
    this.#right = Promise.withResolvers<number>();
    const { promise, reject } = this.#right;
    const timer = setTimeout(() => {
      const rows = `${this.#wrong.size} rows are wrong, ${this.wrong().join(" and ")} among them`;
      reject(new Error(`after ${patienceMs / 1000} s ${rows}`));
    }, patienceMs);
    this.#settle();
    try {
      const all = await promise;
      return { first: this.#first, all };
    } finally {
      clearTimeout(timer);
      this.#right = null;
    }
  }

  close(): void {
    this.#wire?.close();
  }

  #update(updates: unknown): void {
    const touched = this.#sight.apply(updates);
    for (const id of touched) this.#judge(id);
    const now = performance.now();
    if (touched.size > 0) this.#first ??= now;
    this.#settle(now);
  }

  #settle(now = performance.now()): void {
    if (this.#wrong.size === 0) this.#right?.resolve(now);
  }

  #judge(id: string): void {
    const expected = this.#expected.get(id);
    const [seen, ...more] = this.#sight.images(id);
    const right =
      expected === undefined
        ? seen === undefined
        : seen !== undefined &&
          more.length === 0 &&
          sameImage(this.#sees(id, expected), this.#sees(id, seen));
    if (right) this.#wrong.delete(id);
    else this.#wrong.add(id);
  }
}
