// Two instances, and what may happen to the one that writes. The other must take over, the first must write nothing when it
// comes back, and no row that both want may move.

import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { Arena } from "../arena/arena.ts";
import { until } from "../arena/until.ts";
import type { FaultKind, Sample } from "./kind.ts";
import { leaderOf, moveLeader } from "./cluster.ts";
import { claimed, total, whileEdited } from "./measure.ts";

/** How long the writer is away: longer than any takeover takes. */
const awayMs = 20_000;

/**
 * An edit follows the fault, which the old writer may want to write, and one the takeover, which it must not overwrite;
 * `back` lets the old writer return.
 */
async function takeover(
  arena: Arena,
  fault: () => Promise<void>,
  back: (beganMs: number) => Promise<void>,
): Promise<Sample> {
  const { standby } = arena;
  const before = await standby.operations();
  const beganMs = performance.now();
  const faulted = fault();
  await arena.edit();
  const [takeoverMs] = await Promise.all([claimed(arena, beganMs, standby), faulted]);
  await arena.edit();
  const convergedMs = await arena.converged();
  const operations = (await standby.operations()) - before;
  await back(beganMs);
  await arena.edit();
  await arena.converged();
  if (arena.leader !== standby)
    arena.observer.wrongs.push("the writer that came back took the claim from its successor");
  await allReady(arena);
  return { convergedMs, takeoverMs, operations };
}

async function allReady({ instances, leader }: Arena): Promise<void> {
  for (const one of instances) {
    const told = one === leader ? "ok" : "standby";
    await until(`${one.name} says ${told}`, async () => (await one.readiness()).includes(told));
  }
}

function ended(signal: "SIGTERM" | "SIGKILL") {
  return async (arena: Arena): Promise<Sample> => {
    const { leader } = arena;
    return takeover(
      arena,
      () => leader.end(signal),
      () => leader.start(),
    );
  };
}

async function stopped(arena: Arena): Promise<Sample> {
  const { leader } = arena;
  return takeover(
    arena,
    () => {
      leader.signal("SIGSTOP");
      return Promise.resolve();
    },
    async (beganMs) => {
      await sleep(Math.max(0, beganMs + awayMs - performance.now()));
      leader.signal("SIGCONT");
    },
  );
}

/** What it sent meanwhile is delivered when the network is back: transactions from before the takeover arrive after it. */
async function cut(arena: Arena): Promise<Sample> {
  const { leader } = arena;
  return takeover(
    arena,
    () => {
      for (const proxy of leader.proxies) proxy.hold();
      return Promise.resolve();
    },
    async (beganMs) => {
      await sleep(Math.max(0, beganMs + awayMs - performance.now()));
      await Promise.all(leader.proxies.map((proxy) => proxy.release()));
    },
  );
}

/** The writer stays, or the other takes over: both are right. */
async function leaderMoved(arena: Arena): Promise<Sample> {
  const before = await total(arena);
  await whileEdited(arena, async () => {
    await moveLeader(arena);
    await sleep(500);
    await leaderOf(arena);
  });
  const convergedMs = await arena.converged();
  await allReady(arena);
  return { convergedMs, takeoverMs: null, operations: (await total(arena)) - before };
}

const times = { share: 0.125, lanes: 10 } as const;
const databases = [
  [1, "standalone server"],
  [3, "RAFT cluster"],
] as const;

export const writerKinds: readonly FaultKind[] = databases.flatMap(([servers, database]) =>
  [false, true].flatMap((differ): readonly FaultKind[] => {
    const group = `two writers with ${differ ? "different" : "the same"} inputs on a ${database}`;
    const arena = { servers, instances: 2, differ, edits: "counted" } as const;
    const kind = { group, arena, ...times };
    return [
      { ...kind, name: "writer gets SIGTERM", lanes: 3, takeoverBoundMs: 1_000, run: ended("SIGTERM") },
      { ...kind, name: "writer killed", lanes: 3, takeoverBoundMs: 5_000, run: ended("SIGKILL") },
      { ...kind, name: "writer stopped for 20 s and resumed", takeoverBoundMs: 15_000, run: stopped },
      { ...kind, name: "writer's network held back for 20 s", takeoverBoundMs: 15_000, run: cut },
      ...(servers === 1
        ? []
        : [{ ...kind, name: "leader moved", lanes: 3, takeoverBoundMs: null, run: leaderMoved }]),
    ];
  }),
);
