// An upgrade of two instances on a real API server from one build to another, and back, as a Deployment does it: one instance ends and
// starts as the other build, then the next. What is judged: no process of either build writes a row that nobody edited, no row is
// removed, edits are followed by whoever writes, and every policy's condition stays true.

import { performance } from "node:perf_hooks";
import { Arena } from "../arena/arena.ts";
import { differences } from "../arena/images.ts";
import type { Build, Instance } from "../arena/instance.ts";
import { until } from "../arena/until.ts";
import { claimed } from "../kinds/measure.ts";
import { allWell } from "../kinds/status.ts";

/** What one way, there or back, came to. */
export interface Rolled {
  readonly from: string;
  readonly to: string;
  /** Milliseconds from the end of the last old writer until an instance of the new build held the claim. */
  readonly takeoverMs: number;
  /** By all processes of the new build, until each of them was ready. */
  readonly operations: number;
  /** Rows of ours that were not what they were, at any moment. */
  readonly changed: number;
  readonly removed: number;
  /** Conditions that the new writer wrote though nothing was edited. */
  readonly conditionsWritten: number;
  /** What the new build's standby said while the old one wrote. */
  readonly standby: string;
  /** Milliseconds until an edit after it was in the rows; null: rows had changed, so none was made. */
  readonly editMs: number | null;
}

export interface NamedBuild extends Build {
  readonly name: string;
}

/**
 * From the first build to the second, on to the third, and so on. Rejects when something is wrong that no figure says: an edit that is
 * not followed, a condition that is not true.
 */
export async function rollThrough(
  first: NamedBuild,
  others: readonly NamedBuild[],
): Promise<readonly Rolled[]> {
  const arena = await Arena.open({
    ...{ servers: 1, instances: 2, differ: false, edits: "all", source: "api" },
    program: first.main,
  });
  try {
    await allWell(arena);
    const rolled: Rolled[] = [];
    for (const [at, next] of others.entries()) rolled.push(await roll(arena, others[at - 1] ?? first, next));
    return rolled;
  } finally {
    await arena.close();
  }
}

async function roll(arena: Arena, from: NamedBuild, to: NamedBuild): Promise<Rolled> {
  const { observer, leader, standby } = arena;
  const before = observer.images;
  const changes = { ...observer.changes };
  await replace(standby, to);
  await until("the new standby follows the source", async () => (await standby.status()).code !== null);
  const said = await settled(standby);
  const beganMs = performance.now();
  const takeoverMs = await replaceAfter(leader, to, async () => claimed(arena, beganMs, standby));
  for (const one of arena.instances) await one.ready();
  await allWell(arena);
  const changed = observer.changes.all - changes.all;
  const removed = observer.changes.removals - changes.removals;
  if (differences(before, observer.images).length > 0 && changed === 0)
    throw new Error("rows changed that no witness saw change");
  const operations = await sumOf(arena.instances, (one) => one.operations());
  const conditionsWritten = await sumOf(arena.instances, writtenConditions);
  const editMs = changed === 0 ? await edited(arena) : null;
  const wrongs = await arena.wrongs();
  if (wrongs.length > 0 && changed === 0) throw new Error([...new Set(wrongs)].join("; "));
  const figures = { takeoverMs, operations, changed, removed, conditionsWritten, editMs };
  return { from: from.name, to: to.name, ...figures, standby: said };
}

async function edited(arena: Arena): Promise<number> {
  await arena.edit();
  const ms = await arena.converged();
  await allWell(arena);
  return ms;
}

async function replace(one: Instance, build: Build): Promise<void> {
  await one.end("SIGTERM");
  one.become(build);
  await one.start();
}

/** The writer ends, another one claims, and only then it starts again. */
async function replaceAfter(one: Instance, build: Build, taken: () => Promise<number>): Promise<number> {
  await one.end("SIGTERM");
  const ms = await taken();
  one.become(build);
  await one.start();
  return ms;
}

/** Its first line of /readyz when it stands by, ready or not. */
async function settled(one: Instance): Promise<string> {
  let said = "";
  await until(`${one.name} stands by`, async () => {
    said = (await one.readiness()).split("\n").slice(0, 2).join("; ");
    return said.includes("standby") || said.includes("flags");
  });
  return said.replace(/standby: .* writes/, "standby");
}

async function sumOf(
  instances: readonly Instance[],
  figure: (one: Instance) => Promise<number>,
): Promise<number> {
  let sum = 0;
  for (const one of instances) sum += await figure(one);
  return sum;
}

async function writtenConditions(one: Instance): Promise<number> {
  return (await one.metrics()).value("northgate_writes_total", { kind: "status", outcome: "written" }) ?? 0;
}
