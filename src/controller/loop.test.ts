// One pass of the loop and its report of policies that found no room: the state at the end of the pass, once.

import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { MemorySource } from "../../test/support/controller.ts";
import { toyDialect } from "../../test/support/toy-dialect.ts";
import { Groups } from "../groups/index.ts";
import type { Clock } from "../lib/clock.ts";
import { systemClock } from "../lib/clock.ts";
import { silentLogger } from "../lib/logger.ts";
import { FactStore } from "../model/fact-store.ts";
import { keyOf } from "../model/object.ts";
import type { Backend } from "../policy/contracts/backend.ts";
import type { PolicyKey } from "../policy/ir.ts";
import type { Unenforced } from "../policy/contracts/unenforced.ts";
import { tiers } from "../policy/ir.ts";
import { Engine } from "./engine.ts";
import { Loop } from "./loop.ts";

const toy = toyDialect({ group: "toys.example.com", namespaced: false, tier: tiers.admin, ownerType: "Toy" });
const [a, b, c] = ["a", "b", "c"].map((name) => toy.policy(name, { app: "web", from: "db" }));
if (a === undefined || b === undefined || c === undefined) throw new Error("there are three");

/** Has room for one policy; every commit settles what changed since the last one. */
class Narrow implements Backend {
  readonly ready: boolean = true;
  readonly isStandby = false;
  #held: PolicyKey | null = null;
  #changed = new Set<PolicyKey>();

  admit({ key }: { readonly key: PolicyKey }) {
    const message = "there is room for one";
    if (this.#held === null || this.#held === key) return [];
    return [{ code: "UnsupportedPriority", part: { kind: "priority" }, message }] as const;
  }

  upsert({ key }: { readonly key: PolicyKey }): void {
    this.#held = key;
    this.#changed.add(key);
  }

  remove(key: PolicyKey): void {
    if (this.#held === key) this.#held = null;
    this.#changed.add(key);
  }

  commit() {
    if (this.#changed.size > 0) commits++;
    const settled = [...this.#changed];
    this.#changed = new Set();
    return Promise.resolve({ settled, refused: new Map(), interrupted: null });
  }

  holdsRows(): boolean {
    return true;
  }

  unmatchedPorts() {
    return [];
  }

  unenforced() {
    return null;
  }

  onWork(): void {}
  serve(): void {}
  takeContested() {
    return [];
  }

  freeze(): void {}
  retry(): void {}
  touch(): void {}
}

let source: MemorySource;
let loop: Loop;
let engine: Engine;
let heard: string[];
let fault: Unenforced | null = null;
/** Those that had something to write. */
let commits = 0;

const said = (what: string, key: PolicyKey) => heard.push(`${what} ${key.slice(key.indexOf("/") + 1)}`);

beforeEach(async () => {
  open(new MemorySource([a, b]), systemClock);
  await loop.idle();
});
afterEach(async () => {
  fault = null;
  await loop.stop();
});

function open(objects: MemorySource, clock: Clock, backend = new Narrow()): void {
  [source, heard] = [objects, []];
  const facts = new FactStore();
  const groups = new Groups(facts);
  loop = new Loop({
    ...{ source, groups, backend, logger: silentLogger, clock, random: () => 0.5 },
    engine: (engine = new Engine({ dialects: [toy], facts, groups, backend, families: ["v4"] })),
    observer: {
      settled: ({ key }) => said("settled", key),
      refused: ({ key }) => said("refused", key),
      heldBack: ({ key }, { reason }) => said(`held back for ${reason}`, key),
      removed: (key) => said("removed", key),
      judged: () => undefined,
      sourceProblem: () => undefined,
      stoodDown: () => undefined,
      observed: () => undefined,
      passed: () => undefined,
    },
    fatal: (error) => {
      throw error;
    },
    allowEmpty: false,
    zoneFault: () => fault,
  });
  loop.start();
}

async function pass(change: () => void): Promise<readonly string[]> {
  heard = [];
  change();
  // The queue calls back in a later turn of the event loop.
  await new Promise((resolve) => setTimeout(resolve, 5));
  await loop.idle();
  return heard;
}

test("who found no room is refused, and settled when the other has gone", async () => {
  expect(heard).toEqual(["refused b", "settled a"]);
  expect(
    await pass(() => {
      source.delete(keyOf(a));
    }),
  ).toEqual(["removed a", "settled b"]);
});

test("while the zone is wrong, each policy that comes or changes is reported as held back, and settled later", async () => {
  const held = await pass(() => {
    fault = { reason: "NoNodeOfZone", message: "no Node has that name" };
    source.delete(keyOf(a));
  });
  // The other one has room now, and is not written.
  expect(held).toEqual(["held back for NoNodeOfZone b"]);
  const right = await pass(() => {
    fault = null;
    loop.look();
  });
  expect(right).toEqual(["removed a", "settled b"]);
});

test("room that is made in the pass is there for all of it: nobody is refused on the way", async () => {
  const change = () => {
    source.delete(keyOf(b));
    source.set(c);
    source.delete(keyOf(a));
  };
  expect(await pass(change)).toEqual(["removed b", "removed a", "settled c"]);
});

test("one that is refused once more for the same reason is not reported again", async () => {
  const edited = toy.policy("a", { app: "shop", from: "db" });
  expect(
    await pass(() => {
      source.set(edited);
    }),
  ).toEqual(["settled a"]);
});

test("what has settled is reported in slices: the event loop turns between two reports", async () => {
  await loop.stop();
  let now = 0;
  open(new MemorySource([]), { ...systemClock, now: () => (now += 1000) });
  await loop.idle();
  const turns: number[] = [];
  let isOver = false;
  const turn = (): void => {
    turns.push(heard.length);
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const many = Array.from({ length: 20 }, (_, n) => toy.policy(`p${n}`, { app: "web", from: "db" }));
  source.set(...many);
  await new Promise((resolve) => setTimeout(resolve, 20));
  await loop.idle();
  // Of those that are taken and then removed, each has rows that are gone.
  for (const policy of many) source.delete(keyOf(policy));
  await new Promise((resolve) => setTimeout(resolve, 20));
  await loop.idle();
  isOver = true;
  const most = Math.max(...turns.slice(1).map((count, at) => count - (turns[at] ?? 0)));
  const removed = heard.filter((one) => one.startsWith("removed")).length;
  expect(removed).toBe(many.length);
  expect(most).toBeLessThanOrEqual(2);
});

describe("at a start, read in slices", () => {
  /** Starts over, with a slice for every object, and does this after so many turns. Returns what was heard in each turn. */
  const startOver = async (after: number, change: () => void) => {
    await loop.stop();
    commits = 0;
    let now = 0;
    open(new MemorySource([a, b]), { ...systemClock, now: () => (now += 1000) });
    const turns: (readonly string[])[] = [];
    const turn = (): void => {
      turns.push([...heard]);
      if (turns.length === after) change();
      if (turns.length < 8) setImmediate(turn);
    };
    setImmediate(turn);
    await loop.idle();
    return turns;
  };

  test("the event loop turns between them", async () => {
    const turns = await startOver(Infinity, () => undefined);
    expect(turns.slice(0, 4)).toEqual([[], [], [], []]);
    expect(heard).toEqual(["refused b", "settled a"]);
  });

  test.each([1, 2, 3, 4])("what changes in turn %d is of one moment with the rest", async (after) => {
    await startOver(after, () => {
      source.delete(keyOf(a));
      source.delete(keyOf(b));
      source.set(c);
    });
    expect(heard).toContain("settled c");
    expect(commits).toBe(1);
  });

  /** Another instance writes, and this one never does. */
  class Idle extends Narrow {
    override readonly ready = false;
  }

  test.each([new Narrow(), new Idle()])(
    "all is looked at when every policy is compiled, not before",
    async (backend) => {
      await loop.stop();
      let now = 0;
      open(new MemorySource([a, b]), { ...systemClock, now: () => (now += 1000) }, backend);
      const seen: (readonly [synced: boolean, looked: boolean, compiled: boolean])[] = [];
      const turn = (): void => {
        seen.push([loop.synced, loop.hasObserved, [...engine.records()].length === 2]);
        if (seen.length < 8) setImmediate(turn);
      };
      setImmediate(turn);
      await loop.idle();
      expect(seen[0]).toEqual([true, false, false]);
      expect(loop.hasObserved).toBe(true);
      expect(seen.filter(([, looked, compiled]) => looked && !compiled)).toEqual([]);
    },
  );

  test.each([1, 2, 3])("who is stopped in turn %d has written nothing", async (after) => {
    await startOver(after, () => void loop.stop());
    expect(commits).toBe(0);
  });
});
