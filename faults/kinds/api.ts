// Two instances on a real API server, and what may happen to that. The one that stands by writes nothing to the cluster.

import { setTimeout as sleep } from "node:timers/promises";
import type { Arena } from "../arena/arena.ts";
import type { Cluster } from "../arena/cluster.ts";
import type { FaultKind, Sample } from "./kind.ts";
import { survive } from "./measure.ts";

async function around(arena: Arena, fault: (cluster: Cluster) => Promise<void>): Promise<Sample> {
  const { cluster } = arena;
  if (cluster === null) throw new Error("no API server");
  const sample = await survive(arena, () => fault(cluster));
  const written = cluster.writes();
  if (written.length > 0)
    arena.observer.wrongs.push(`the standby wrote: ${[...new Set(written)].join(", ")}`);
  return sample;
}

const killed = (arena: Arena) =>
  around(arena, async ({ plane }) => {
    await sleep(Math.random() * 500);
    await plane.restartApiServer("SIGKILL");
  });

const etcdPaused = (arena: Arena) =>
  around(arena, async ({ plane }) => {
    const pid = plane.pids().get("etcd");
    if (pid === undefined) throw new Error("etcd does not run");
    process.kill(pid, "SIGSTOP");
    await sleep(1_000 + Math.random() * 7_000);
    process.kill(pid, "SIGCONT");
    await sleep(1_000);
  });

/** All watches end, again and again, faster than they can be resumed. */
const storm = (arena: Arena) =>
  around(arena, async ({ ways }) => {
    for (let time = 0; time < 30; time++) {
      for (const way of ways) way.drop();
      await sleep(Math.random() * 200);
    }
  });

const kind = {
  group: "two instances on a real API server",
  arena: { servers: 1, instances: 2, differ: false, edits: "all", source: "api" },
  share: 0.025,
  lanes: 1,
  takeoverBoundMs: null,
} as const;

export const apiKinds: readonly FaultKind[] = [
  { ...kind, name: "API server killed and started", run: killed },
  { ...kind, name: "etcd stopped for 1 to 8 s", run: etcdPaused },
  { ...kind, name: "watches cut 30 times", run: storm },
];
