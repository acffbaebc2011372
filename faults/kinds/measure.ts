// What all kinds of faults have in common: objects that change meanwhile, and the measure of how it ends.

import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { Arena } from "../arena/arena.ts";
import type { Instance } from "../arena/instance.ts";
import { until } from "../arena/until.ts";
import type { Sample } from "./kind.ts";

/** Edits every 50 to 250 ms for as long as the work takes. */
export async function whileEdited(arena: Arena, work: () => Promise<void>): Promise<void> {
  let isDone = false;
  const edits = async (): Promise<void> => {
    while (!isDone) {
      await arena.edit();
      await sleep(50 + Math.random() * 200);
    }
  };
  const editing = edits();
  try {
    await work();
  } finally {
    isDone = true;
    await editing;
  }
}

/** One program and a fault of its database, while objects change; the last edit comes when the fault is over. */
export async function survive(arena: Arena, fault: () => Promise<void>): Promise<Sample> {
  const [program] = arena.instances;
  if (program === undefined) throw new Error("no instance");
  const before = await program.operations();
  await whileEdited(arena, fault);
  const convergedMs = await arena.converged();
  const operations = (await program.operations()) - before;
  await arena.reconnect();
  return { convergedMs, takeoverMs: null, operations };
}

/** The milliseconds from `sinceMs` to the first claim of a process of the instance. */
export async function claimed(arena: Arena, sinceMs: number, by: Instance): Promise<number> {
  const first = () =>
    arena.observers
      .flatMap(({ claims }) => claims)
      .filter(({ pid, atMs }) => by.pids.has(pid) && atMs > sinceMs)
      .map(({ atMs }) => atMs)
      .sort((a, b) => a - b)
      .at(0);
  await until(`${by.name} takes over`, () => first() !== undefined);
  return (first() ?? performance.now()) - sinceMs;
}

/** Operations on rows by all instances. */
export async function total({ instances }: Arena): Promise<number> {
  let sum = 0;
  for (const one of instances) sum += await one.operations();
  return sum;
}
