// kill -9 of the one program at any moment of its life, while objects change; it is started again at once.

import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { Arena } from "../arena/arena.ts";
import type { FaultKind, Sample } from "./kind.ts";
import { claimed, whileEdited } from "./measure.ts";

/** A start takes about this long: to be killed within it is the other half of the times. */
const youthMs = 2_500;

async function killed(arena: Arena): Promise<Sample> {
  const [program] = arena.instances;
  if (program === undefined) throw new Error("no instance");
  await whileEdited(arena, async () => {
    if (Math.random() < 0.5) {
      await program.end("SIGKILL");
      await program.start();
      await sleep(Math.random() * youthMs);
    } else await sleep(Math.random() * 1_000);
    await program.end("SIGKILL");
    await sleep(Math.random() * 200);
  });
  const startedMs = performance.now();
  await program.start();
  const takeoverMs = await claimed(arena, startedMs, program);
  await arena.converged();
  const convergedMs = performance.now() - startedMs;
  const operations = await program.operations();
  await arena.reconnect();
  return { convergedMs, takeoverMs, operations };
}

/** Nothing has changed since it wrote last: the next process writes no row. */
async function unchanged(arena: Arena): Promise<Sample> {
  const [program] = arena.instances;
  if (program === undefined) throw new Error("no instance");
  await arena.converged();
  await program.end("SIGKILL");
  const startedMs = performance.now();
  await program.start();
  const takeoverMs = await claimed(arena, startedMs, program);
  await program.ready();
  const convergedMs = performance.now() - startedMs;
  const transactions = (await program.metrics()).value("northgate_nb_transactions_total");
  if (transactions !== 0) arena.observer.wrongs.push(`a restart wrote ${String(transactions)} transactions`);
  return { convergedMs, takeoverMs, operations: await program.operations() };
}

const one = { group: "one program on a standalone server", lanes: 4, takeoverBoundMs: 5_000 } as const;
const arena = { servers: 1, instances: 1, differ: false, edits: "all" } as const;

export const programKinds: readonly FaultKind[] = [
  { ...one, name: "program killed while objects change", arena, share: 1, run: killed },
  { ...one, name: "program killed while nothing changes", arena, share: 0.1, run: unchanged },
];
