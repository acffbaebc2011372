// A source that shows nothing is no reason to remove rows that stand; what it once showed and shows no more is.

import { afterEach, expect, test } from "@jest/globals";
import { MemorySource } from "../../test/support/controller.ts";
import { namespace, node, pod } from "../../test/support/facts.ts";
import { toyDialect } from "../../test/support/toy-dialect.ts";
import { Groups } from "../groups/index.ts";
import { systemClock } from "../lib/clock.ts";
import { FactStore } from "../model/fact-store.ts";
import type { WorldObject } from "../model/object.ts";
import { keyOf } from "../model/object.ts";
import type { Backend } from "../policy/contracts/backend.ts";
import { tiers } from "../policy/ir.ts";
import { Engine } from "./engine.ts";
import { Loop } from "./loop.ts";

const toy = toyDialect({ group: "toys.example.com", namespaced: false, tier: tiers.admin, ownerType: "Toy" });
const policy = toy.policy("a", { app: "web", from: "db" });
const unreadable = toy.policy("broken", { app: 1, from: "db" });

/** Has rows or none, as a test says, and counts commits; a commit makes them what is desired. */
class Standing implements Backend {
  ready = true;
  readonly isStandby = false;
  stands = true;
  commits = 0;
  #desired = 0;
  #work: () => void = () => undefined;

  holdsRows(): boolean {
    return this.ready && this.stands;
  }

  commit() {
    this.commits++;
    this.stands = this.#desired > 0;
    return Promise.resolve({ settled: [], refused: new Map(), interrupted: null });
  }

  upsert(): void {
    this.#desired = 1;
  }

  remove(): void {
    this.#desired = 0;
  }

  onWork(callback: () => void): void {
    this.#work = callback;
  }

  work(): void {
    this.#work();
  }

  admit() {
    return [];
  }

  unmatchedPorts() {
    return [];
  }

  unenforced() {
    return null;
  }

  serve(): void {}
  takeContested() {
    return [];
  }

  freeze(): void {}
  retry(): void {}
  touch(): void {}
}

let running: Loop | null = null;
afterEach(async () => {
  await running?.stop();
});

interface Start {
  readonly objects?: readonly WorldObject[];
  readonly backend?: Partial<Pick<Standing, "ready" | "stands">>;
  readonly allowEmpty?: boolean;
}

async function start({ objects = [], backend: given = {}, allowEmpty = false }: Start) {
  const warned: string[] = [];
  const [source, facts, backend] = [
    new MemorySource(objects),
    new FactStore(),
    Object.assign(new Standing(), given),
  ];
  const groups = new Groups(facts);
  const log = () => undefined;
  const loop = new Loop({
    ...{ source, groups, backend, clock: systemClock, random: () => 0.5, allowEmpty, zoneFault: () => null },
    logger: { debug: log, info: log, warn: (line) => warned.push(line), error: log },
    engine: new Engine({ dialects: [toy], facts, groups, backend, families: ["v4"] }),
    observer: {
      settled: log,
      refused: log,
      heldBack: log,
      removed: log,
      judged: () => undefined,
      sourceProblem: log,
      stoodDown: log,
      observed: () => undefined,
      passed: log,
    },
    fatal: (error) => {
      throw error;
    },
  });
  running = loop;
  loop.start();
  await loop.idle();
  const pass = async (change: () => void) => {
    change();
    // The queue calls back on a turn of its own.
    await new Promise((resolve) => setTimeout(resolve, 5));
    await loop.idle();
  };
  return { source, backend, loop, warned, pass };
}

const warning = "the source is empty but rows exist: nothing is written until it has an object";

test("rows stay, it is said once, and nothing is reconciled", async () => {
  const { backend, loop, warned, pass } = await start({});
  await pass(() => {
    backend.work();
  });
  expect(warned).toEqual([warning]);
  expect(loop.heldBack).toContain("--allow-empty");
  expect([backend.commits, loop.reconciled]).toEqual([0, false]);
});

test.each<[string, WorldObject]>([
  ["a policy", policy],
  ["a policy that is refused", unreadable],
  ["a Namespace", namespace("x")],
  ["a Pod", pod("x", "p")],
  ["a Node", node("n", {}, [])],
])("goes on by itself with %s, and what is removed then is an edit", async (_what, object) => {
  const { source, backend, loop, warned, pass } = await start({});
  await pass(() => {
    source.set(object);
  });
  expect([backend.commits, loop.reconciled, loop.heldBack]).toEqual([1, true, null]);
  backend.stands = true;
  await pass(() => {
    source.delete(keyOf(object));
  });
  expect([backend.commits, backend.stands, loop.heldBack]).toEqual([2, false, null]);
  expect(warned).toEqual([warning]);
});

test("an object at the start is enough, also when it goes before the database is there", async () => {
  const { source, backend, loop, warned, pass } = await start({
    objects: [policy],
    backend: { ready: false },
  });
  await pass(() => {
    source.delete(keyOf(policy));
  });
  await pass(() => {
    backend.ready = true;
    backend.work();
  });
  expect([backend.commits, backend.stands, loop.reconciled]).toEqual([1, false, true]);
  expect(warned).toEqual([]);
});

test("is asked when the database is there, not before", async () => {
  const { backend, loop, warned, pass } = await start({ backend: { ready: false } });
  expect([loop.heldBack, warned]).toEqual([null, []]);
  await pass(() => {
    backend.ready = true;
    backend.work();
  });
  expect(warned).toEqual([warning]);
  expect(backend.commits).toBe(0);
});

test("without rows there is nothing to lose; rows that come from a backup stay all the same", async () => {
  const { backend, loop, warned, pass } = await start({ backend: { stands: false } });
  expect([backend.commits, loop.reconciled, loop.heldBack]).toEqual([1, true, null]);
  await pass(() => {
    backend.stands = true;
    backend.work();
  });
  expect([backend.commits, backend.stands]).toEqual([1, true]);
  expect(warned).toEqual([warning]);
});

test("who insists has the rows removed", async () => {
  const { backend, loop, warned } = await start({ allowEmpty: true });
  expect([backend.commits, backend.stands, loop.reconciled, loop.heldBack]).toEqual([1, false, true, null]);
  expect(warned).toEqual([]);
});
