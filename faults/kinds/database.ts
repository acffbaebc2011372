// One program, and what may happen to its database of one server.

import { copyFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Arena } from "../arena/arena.ts";
import type { Server } from "../../test/ovsdb/real-server.ts";
import type { FaultKind, Sample } from "./kind.ts";
import { survive } from "./measure.ts";

function serverOf({ servers: [server] }: Arena): Server {
  if (server === undefined) throw new Error("no server");
  return server;
}

async function killed(arena: Arena): Promise<Sample> {
  const server = serverOf(arena);
  return survive(arena, async () => {
    await sleep(Math.random() * 1_000);
    server.kill();
    await sleep(Math.random() * 1_500);
    server.start();
    await sleep(200);
  });
}

async function paused(arena: Arena): Promise<Sample> {
  const server = serverOf(arena);
  return survive(arena, async () => {
    await sleep(Math.random() * 500);
    server.signal("SIGSTOP");
    await sleep(1_000 + Math.random() * 19_000);
    server.signal("SIGCONT");
  });
}

/** The database goes back to an earlier state: what was edited since must come again. */
async function restored(arena: Arena): Promise<Sample> {
  const server = serverOf(arena);
  copyFileSync(server.file("db"), server.file("backup"));
  return survive(arena, async () => {
    await sleep(1_500 + Math.random() * 1_000);
    server.kill();
    copyFileSync(server.file("backup"), server.file("db"));
    for (const observer of arena.observers) observer.forget();
    server.start();
    await sleep(200);
  });
}

async function halfOpen(arena: Arena): Promise<Sample> {
  const [program] = arena.instances;
  return survive(arena, async () => {
    await sleep(Math.random() * 500);
    for (const proxy of program?.proxies ?? []) proxy.starve();
    await sleep(Math.random() * 2_000);
  });
}

const one = { group: "one program on a standalone server", takeoverBoundMs: null } as const;
const arena = { servers: 1, instances: 1, differ: false, edits: "all" } as const;

export const databaseKinds: readonly FaultKind[] = [
  { ...one, name: "database killed and started", arena, share: 0.25, lanes: 4, run: killed },
  { ...one, name: "database stopped for 1 to 20 s", arena, share: 0.1, lanes: 8, run: paused },
  { ...one, name: "database restored from a backup", arena, share: 0.1, lanes: 4, run: restored },
  { ...one, name: "connection silent (half open)", arena, share: 0.1, lanes: 8, run: halfOpen },
];
