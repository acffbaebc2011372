// Two instances on a real API server, each by a way of its own, and what may happen to the ways. Who does not see is not ready;
// who sees leads; while nobody sees, rows are repaired and stay as they were. No policy is called in force that is not.

import { performance } from "node:perf_hooks";
import { prepare, Wire } from "../../bench/observer/wire.ts";
import { patience } from "../../test/support/patience.ts";
import type { Arena, ArenaOptions } from "../arena/arena.ts";
import type { Cluster } from "../arena/cluster.ts";
import { differences, policyIn } from "../arena/images.ts";
import type { Instance } from "../arena/instance.ts";
import { until } from "../arena/until.ts";
import type { Trouble, Way } from "../arena/way.ts";
import { names } from "../arena/world.ts";
import type { FaultKind, Sample } from "./kind.ts";
import { claimed, total } from "./measure.ts";
import { allWell, isBlind, isLeading, isStandby, nothingFlatters, says, saysNow } from "./status.ts";

function clusterOf({ cluster }: Arena): Cluster {
  if (cluster === null) throw new Error("no API server");
  return cluster;
}

function wayOf(arena: Arena, one: Instance): Way {
  const way = clusterOf(arena).ways[arena.instances.indexOf(one)];
  if (way === undefined) throw new Error(`${one.name} has no way to the API server`);
  return way;
}

/** The edit after the fault, how long its rows took, and that all is said to be well. */
async function end(arena: Arena, before: number, takeoverMs: number | null): Promise<Sample> {
  await arena.edit();
  const convergedMs = await arena.converged();
  await allWell(arena);
  return { convergedMs, takeoverMs, operations: (await total(arena)) - before };
}

/** Somebody deletes the rows of the policy that counts, in one transaction. */
async function vandalise(arena: Arena): Promise<void> {
  const [server] = arena.servers;
  const wire = await Wire.open(server?.remote ?? "");
  try {
    const where = [
      ["external_ids", "includes", ["map", [["k8s.ovn.org/name", names.counted]]]],
      ["external_ids", "includes", ["map", [["k8s.ovn.org/owner-type", "AdminNetworkPolicy"]]]],
    ];
    const operation = { op: "delete", table: "Port_Group", where };
    await wire.transact(prepare("transact", ["OVN_Northbound", operation]));
  } finally {
    wire.close();
  }
}

/** `fault` takes the source from both. */
async function bothBlind(arena: Arena, fault: (way: Way) => Promise<void>): Promise<Sample> {
  const { leader, standby } = arena;
  const { ways } = clusterOf(arena);
  await allWell(arena);
  const before = await total(arena);
  const rows = arena.observer.images;
  const claims = arena.observer.claims.length;
  for (const way of ways) await fault(way);
  await arena.edit();
  for (const one of [leader, standby]) await says(arena, one, isBlind);
  const operations = await leader.operations();
  await vandalise(arena);
  const isGone = () => ![...arena.observer.images.keys()].some((key) => policyIn(key) === names.counted);
  await until("the leader repairs what was deleted", async () => (await leader.operations()) > operations);
  await until("the rows are those of before", () => differences(rows, arena.observer.images).length === 0);
  if (isGone()) throw new Error(`there never were rows of ${names.counted}`);
  await arena.edit();
  for (const one of [leader, standby]) await saysNow(arena, one, isBlind);
  await nothingFlatters(arena);
  if (arena.observer.claims.length !== claims || arena.leader !== leader)
    arena.observer.wrongs.push("the claim went to another instance while none saw");
  if (differences(rows, arena.observer.images).length > 0)
    arena.observer.wrongs.push("rows changed while no instance saw an edit");
  for (const way of ways) await way.listen();
  return end(arena, before, null);
}

const bothCut = (arena: Arena) => bothBlind(arena, (way) => way.cut());

const answering = (status: 429 | 500) => async (arena: Arena) => {
  const { ways } = clusterOf(arena);
  const refused = ways.map((way) => way.refused);
  const sample = await bothBlind(arena, (way) => {
    way.disturb({ status });
    return Promise.resolve();
  });
  if (ways.some((way, at) => way.refused === refused[at])) throw new Error(`nobody was answered ${status}`);
  return sample;
};

/** The other one takes over; the one that is cut off writes nothing from then on. */
async function leaderCut(arena: Arena): Promise<Sample> {
  const { leader, standby } = arena;
  await allWell(arena);
  const before = await standby.operations();
  const displaced = await leader.operations();
  const beganMs = performance.now();
  await wayOf(arena, leader).cut();
  await arena.edit();
  const takeoverMs = await claimed(arena, beganMs, standby);
  const convergedMs = await arena.converged();
  await says(arena, standby, isLeading);
  await says(arena, leader, isBlind);
  await wayOf(arena, leader).listen();
  await says(arena, leader, isStandby);
  await arena.edit();
  await arena.converged();
  await allWell(arena);
  if (arena.leader !== standby)
    arena.observer.wrongs.push("the instance that came back took the claim from its successor");
  if ((await leader.operations()) !== displaced)
    arena.observer.wrongs.push("the instance that saw nothing wrote");
  return { convergedMs, takeoverMs, operations: (await standby.operations()) - before };
}

async function standbyCut(arena: Arena): Promise<Sample> {
  const { leader, standby } = arena;
  await allWell(arena);
  const before = await total(arena);
  const claims = arena.observer.claims.length;
  await wayOf(arena, standby).cut();
  await says(arena, standby, isBlind);
  await arena.edit();
  const convergedMs = await arena.converged();
  // An API server that was slow to answer on a busy machine is a source out of contact for a moment.
  await says(arena, leader, isLeading);
  await saysNow(arena, standby, isBlind);
  if (arena.observer.claims.length !== claims)
    arena.observer.wrongs.push("the claim moved for an instance that stands by");
  await wayOf(arena, standby).listen();
  return { ...(await end(arena, before, null)), convergedMs };
}

const late: Trouble = { lateMs: () => 800 + Math.random() * 400 };

async function slow(arena: Arena): Promise<Sample> {
  const { ways } = clusterOf(arena);
  await allWell(arena);
  const before = await total(arena);
  for (const way of ways) way.disturb(late);
  for (let edits = 0; edits < 5; edits++) await arena.edit();
  const convergedMs = await arena.converged();
  for (const way of ways) await way.listen();
  for (const way of ways) way.drop();
  return { ...(await end(arena, before, null)), convergedMs };
}

/** Both are started while there is no API server, with rows of before; then it comes. */
async function neverThere(arena: Arena): Promise<Sample> {
  const { leader, standby } = arena;
  const { ways } = clusterOf(arena);
  await allWell(arena);
  const rows = arena.observer.images;
  for (const one of [standby, leader]) await one.end("SIGTERM");
  for (const way of ways) await way.cut();
  await arena.edit();
  const claims = arena.observer.claims.length;
  for (const one of arena.instances) await one.start();
  for (const one of arena.instances) await says(arena, one, isBlind);
  await nothingFlatters(arena);
  if (arena.observer.claims.length !== claims)
    arena.observer.wrongs.push("an instance that has seen nothing took the claim");
  if (differences(rows, arena.observer.images).length > 0)
    arena.observer.wrongs.push("rows changed while no instance saw");
  const backMs = performance.now();
  for (const way of ways) await way.listen();
  const claim = () => arena.observer.claims[claims];
  await until("one of them leads", () => claim() !== undefined);
  const takeoverMs = (claim()?.atMs ?? backMs) - backMs;
  return end(arena, 0, takeoverMs);
}

const arena: ArenaOptions = {
  servers: 1,
  instances: 2,
  differ: false,
  edits: "all",
  source: "api",
  // Short, so that a time is; an API server beside other work on a busy machine answers later.
  args: [`--source-timeout=${Math.ceil(patience(3_000) / 1000)}`],
};
const kind = {
  group: "two instances with a way each to the API server",
  arena,
  share: 0.1,
  lanes: 3,
  takeoverBoundMs: null,
  judgesStatus: true,
} as const;

export const sourceKinds: readonly FaultKind[] = [
  { ...kind, name: "API server cut for both", run: bothCut },
  // The timeout, 10 s, and 2 s for the commit.
  { ...kind, name: "API server cut for the leader", takeoverBoundMs: 15_000, run: leaderCut },
  { ...kind, name: "API server cut for the standby", run: standbyCut },
  { ...kind, name: "API server slow (answers about 1 s late)", run: slow },
  { ...kind, name: "API server answers 500 to everything", run: answering(500) },
  { ...kind, name: "API server answers 429 to everything", run: answering(429) },
  { ...kind, name: "API server not there at the start", run: neverThere },
];
