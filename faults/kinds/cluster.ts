// One program, and what may happen to its database of three members.

import { setTimeout as sleep } from "node:timers/promises";
import type { Arena } from "../arena/arena.ts";
import { until } from "../arena/until.ts";
import type { Server } from "../../test/ovsdb/real-server.ts";
import type { FaultKind, Sample } from "./kind.ts";
import { survive } from "./measure.ts";

/** The member that leads, once there is one. */
export async function leaderOf({ servers }: Arena): Promise<Server> {
  let found: Server | undefined;
  await until("the cluster has a leader", () => {
    found = servers.find((server) =>
      /^Role: leader$/m.test(server.control("cluster/status", "OVN_Northbound")),
    );
    return found !== undefined;
  });
  if (found === undefined) throw new Error("no leader");
  return found;
}

export async function moveLeader(arena: Arena): Promise<void> {
  (await leaderOf(arena)).control("cluster/failure-test", "transfer-leadership");
}

async function withKilled(arena: Arena, killed: readonly Server[], forMs: number): Promise<Sample> {
  return survive(arena, async () => {
    await sleep(Math.random() * 1_000);
    for (const server of killed) server.kill();
    await sleep(forMs);
    for (const server of killed) server.start();
    await leaderOf(arena);
  });
}

async function followerKilled(arena: Arena): Promise<Sample> {
  const leader = await leaderOf(arena);
  return withKilled(arena, arena.servers.filter((server) => server !== leader).slice(0, 1), 1_500);
}

async function leaderKilled(arena: Arena): Promise<Sample> {
  return withKilled(arena, [await leaderOf(arena)], 1_000 + Math.random() * 3_000);
}

async function noQuorum(arena: Arena): Promise<Sample> {
  const leader = await leaderOf(arena);
  return withKilled(
    arena,
    arena.servers.filter((server) => server !== leader),
    1_000 + Math.random() * 5_000,
  );
}

async function leaderMoved(arena: Arena): Promise<Sample> {
  return survive(arena, async () => {
    await sleep(Math.random() * 1_000);
    await moveLeader(arena);
    await sleep(500);
    await leaderOf(arena);
  });
}

const kind = {
  group: "one program on a RAFT cluster",
  arena: { servers: 3, instances: 1, differ: false, edits: "all" },
  share: 0.1,
  takeoverBoundMs: null,
  lanes: 3,
} as const;

export const clusterKinds: readonly FaultKind[] = [
  { ...kind, name: "follower killed and started", run: followerKilled },
  { ...kind, name: "leader killed and started", run: leaderKilled },
  { ...kind, name: "leader moved", share: 0.25, run: leaderMoved },
  { ...kind, name: "quorum lost for 1 to 6 s", run: noQuorum },
];
