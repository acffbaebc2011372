// One instance for one zone, and what makes a zone wrong: a typo, the name of the database, a second zone. Nothing is written
// then, no port group loses a member, and who is in the wrong says so: 503, or code 78 beside an instance of another zone.

import { performance } from "node:perf_hooks";
import { prepare, Wire } from "../../bench/observer/wire.ts";
import { setTimeout as sleep } from "node:timers/promises";
import type { Arena } from "../arena/arena.ts";
import { differences } from "../arena/images.ts";
import { Instance } from "../arena/instance.ts";
import { until } from "../arena/until.ts";
import { otherNode } from "../arena/world.ts";
import type { FaultKind, Sample } from "./kind.ts";
import { claimed } from "./measure.ts";
import { allWell, isHeld, says, saysNow } from "./status.ts";

const zone = "n1";
const other = otherNode.metadata.name;
/** Longer than an edit of a manifest takes to be written. */
const editMs = 1_500;

function programOf({ instances: [program] }: Arena): Instance {
  if (program === undefined) throw new Error("no instance");
  return program;
}

/** Runs one more instance, with the manifests of the first, until the work is done. */
async function beside(
  arena: Arena,
  name: string,
  args: readonly string[],
  work: (one: Instance) => Promise<void>,
): Promise<void> {
  const source = [`--source=dir:${programOf(arena).folder}`];
  const one = new Instance({
    ...{ name, args, source },
    dir: arena.dir,
    servers: arena.servers,
    withOwn: false,
  });
  try {
    await one.start();
    await work(one);
    await one.end("SIGTERM");
  } finally {
    await one.close();
  }
}

/** An instance that is held back sees edits, and no row and no claim changes. */
async function heldBack(arena: Arena, one: Instance): Promise<void> {
  const rows = arena.observer.images;
  const claims = arena.observer.claims.length;
  await says(arena, one, isHeld);
  await arena.edit();
  await sleep(editMs);
  await saysNow(arena, one, isHeld);
  if (differences(rows, arena.observer.images).length > 0)
    arena.observer.wrongs.push("an instance of a wrong zone changed rows");
  if (arena.observer.claims.length !== claims)
    arena.observer.wrongs.push("an instance of a wrong zone took the claim");
}

/**
 * The right instance is started again: nobody holds the claim, so it takes it at once, and writes what was edited meanwhile. The
 * claim counts from the program's first line: how long Node takes to start says nothing of claims, and is most of it under load.
 */
async function afterwards(arena: Arena, startedMs: number): Promise<Sample> {
  const program = programOf(arena);
  const takeoverMs = await claimed(arena, await program.begun(), program);
  await arena.converged();
  const convergedMs = performance.now() - startedMs;
  await allWell(arena);
  return { convergedMs, takeoverMs, operations: await program.operations() };
}

async function typo(arena: Arena): Promise<Sample> {
  const program = programOf(arena);
  await allWell(arena);
  await program.end("SIGTERM");
  await until("the claim is given back", () => !arena.observer.isClaimed);
  await beside(arena, "typo", ["--zone=n11"], (one) => heldBack(arena, one));
  const startedMs = performance.now();
  await program.start();
  return afterwards(arena, startedMs);
}

async function nameDatabase({ servers: [server] }: Arena, name: string): Promise<void> {
  const wire = await Wire.open(server?.remote ?? "");
  try {
    const operation = { op: "update", table: "NB_Global", where: [], row: { name } };
    await wire.transact(prepare("transact", ["OVN_Northbound", operation]));
  } finally {
    wire.close();
  }
}

/** The instance that writes stays, and waits until the name is right. */
async function otherDatabase(arena: Arena): Promise<Sample> {
  const program = programOf(arena);
  await allWell(arena);
  const before = await program.operations();
  await nameDatabase(arena, other);
  await heldBack(arena, program);
  await nameDatabase(arena, zone);
  const convergedMs = await arena.converged();
  await allWell(arena);
  return { convergedMs, takeoverMs: null, operations: (await program.operations()) - before };
}

/** The second ends by itself, whatever it insists on, and the first goes on. */
async function twoZones(arena: Arena): Promise<Sample> {
  const program = programOf(arena);
  await allWell(arena);
  const before = await program.operations();
  const rows = arena.observer.images;
  const claims = arena.observer.claims.length;
  const args = [`--zone=${other}`, ...(Math.random() < 0.5 ? [] : ["--take-over"])];
  await beside(arena, "other", args, async (one) => {
    const { code, text } = await one.ended();
    if (code === 78 && text.includes(`for --zone "${zone}", and this one is for --zone "${other}"`)) return;
    arena.wrongStatus++;
    throw new Error(`an instance of another zone ended with ${String(code)}: ${text}`);
  });
  if (differences(rows, arena.observer.images).length > 0)
    arena.observer.wrongs.push("an instance of another zone changed rows");
  if (arena.observer.claims.length !== claims)
    arena.observer.wrongs.push("an instance of another zone took the claim");
  await arena.edit();
  const convergedMs = await arena.converged();
  await allWell(arena);
  return { convergedMs, takeoverMs: null, operations: (await program.operations()) - before };
}

const kind = {
  group: "one instance for one zone, on a standalone server",
  arena: { servers: 1, instances: 1, differ: false, edits: "all", zone },
  share: 0.1,
  lanes: 3,
  takeoverBoundMs: null,
  judgesStatus: true,
} as const;

export const zoneKinds: readonly FaultKind[] = [
  { ...kind, name: "--zone mistyped", takeoverBoundMs: 5_000, run: typo },
  { ...kind, name: "NB_Global.name is another zone's", run: otherDatabase },
  { ...kind, name: "a second zone on the same database", run: twoZones },
];
