// Faults of the program's processes, of their way to the API server, and of the database.

import { setTimeout as sleep } from "node:timers/promises";
import type { Instance } from "../arena/instance.ts";
import type { Server } from "../../test/ovsdb/real-server.ts";
import { otherNode } from "../arena/world.ts";
import { again, type AlertFault } from "./kind.ts";
import { planeOf, transact } from "./policies.ts";
import type { AlertStage } from "./stage.ts";

function serverOf({ arena: { servers } }: AlertStage): Server {
  const [server] = servers;
  if (server === undefined) throw new Error("no database");
  return server;
}

function waysOf({ arena: { cluster } }: AlertStage) {
  if (cluster === null) throw new Error("no API server");
  return cluster.ways;
}

async function endAll(stage: AlertStage) {
  const { instances } = stage.arena;
  for (const one of instances) await one.end("SIGKILL");
  return async () => {
    for (const one of instances) await one.start();
    for (const one of instances) await one.ready();
  };
}

async function endSecond(stage: AlertStage) {
  const { second } = stage;
  await second.end("SIGKILL");
  return () => started(second);
}

async function started(one: Instance): Promise<void> {
  await one.start();
  await one.ready();
}

/** What it may not read is not followed, though the API server answers. */
async function withoutRights(stage: AlertStage) {
  const plane = planeOf(stage);
  await plane.kubectl(["delete", "clusterrolebinding", "second"]);
  for (const way of waysOf(stage)) way.drop();
  return async () => {
    await plane.kubectl([
      "create",
      "clusterrolebinding",
      "second",
      "--clusterrole=northgate",
      "--user=northgate-second",
    ]);
  };
}

async function cutOff(stage: AlertStage) {
  const ways = waysOf(stage);
  for (const way of ways) await way.cut();
  return async () => {
    for (const way of ways) await way.listen();
  };
}

function restarted({ second }: AlertStage) {
  return Promise.resolve(
    again(1_500, async () => {
      await second.end("SIGKILL");
      await started(second);
    }),
  );
}

/** Its turns come late, as those of a program do that gets no processor. */
function stalled({ second }: AlertStage) {
  const stop = again(150, async () => {
    second.signal("SIGSTOP");
    await sleep(1_400);
    second.signal("SIGCONT");
  });
  return Promise.resolve(stop);
}

function withoutDatabase(stage: AlertStage) {
  const server = serverOf(stage);
  server.kill();
  return Promise.resolve(() => {
    server.start();
    return Promise.resolve();
  });
}

function reconnecting({ second }: AlertStage) {
  const stop = again(1_500, async () => {
    for (const proxy of second.proxies) await proxy.cut();
    await second.listen();
  });
  return Promise.resolve(stop);
}

function unclaimed(stage: AlertStage) {
  const row = { external_ids: ["map", []] };
  return Promise.resolve(
    again(1_000, () => transact(stage, { op: "update", table: "NB_Global", where: [], row })),
  );
}

/** As a backup of a server that is not there: it serves what it has, and takes no transaction. */
async function readOnly(stage: AlertStage) {
  const server = serverOf(stage);
  const { leader } = stage.arena;
  server.control("ovsdb-server/set-active-ovsdb-server", "tcp:127.0.0.1:1");
  server.control("ovsdb-server/connect-active-ovsdb-server");
  await leader.end("SIGKILL");
  return async () => {
    server.control("ovsdb-server/disconnect-active-ovsdb-server");
    await started(leader);
  };
}

/** Stopped for longer than an alert asks, and shorter than a probe waits: its answers come late. */
function slow(stage: AlertStage) {
  const server = serverOf(stage);
  const stopping = again(200, async () => {
    server.signal("SIGSTOP");
    await sleep(6_000);
    server.signal("SIGCONT");
  });
  const editing = again(500, () => stage.arena.edit());
  return Promise.resolve(async () => {
    await stopping();
    await editing();
  });
}

async function otherZone(stage: AlertStage) {
  const named = (name: string) =>
    transact(stage, { op: "update", table: "NB_Global", where: [], row: { name } });
  await named(otherNode.metadata.name);
  return () => named("n1");
}

/** `hv_cfg` stays what it is. */
async function stoppedNorthd({ arena, ovn }: AlertStage) {
  const pid = ovn?.pids().get("northd");
  if (pid === undefined) throw new Error("no northd");
  process.kill(pid, "SIGSTOP");
  await arena.edit();
  return () => {
    process.kill(pid, "SIGCONT");
    return Promise.resolve();
  };
}

const on = { ground: "api", firesMs: 60_000, clearsMs: 60_000 } as const;

export const instanceAlerts: readonly AlertFault[] = [
  {
    ...on,
    alert: "NorthgateDown",
    fault: "both instances are killed",
    mended: "both are started",
    make: endAll,
  },
  {
    ...on,
    alert: "NorthgateTargetDown",
    fault: "the standby is killed",
    mended: "it is started",
    make: endSecond,
  },
  {
    ...on,
    alert: "NorthgateNotReady",
    fault: "the standby's user loses its ClusterRoleBinding, and its watches end",
    mended: "it has it again",
    clearsMs: 120_000,
    make: withoutRights,
  },
  {
    ...on,
    alert: "NorthgateSourceLost",
    fault: "the way to the API server is cut for both",
    mended: "it is there again",
    firesMs: 120_000,
    make: cutOff,
  },
  {
    ...on,
    ground: "patient",
    firesMs: 300_000,
    clearsMs: 600_000,
    alert: "NorthgateRestartLoop",
    fault: "the standby is killed and started again and again",
    mended: "it runs",
    make: restarted,
  },
  {
    ...on,
    alert: "NorthgateEventLoopStalled",
    fault: "the standby's process is stopped for 1.4 s of every 1.55 s",
    mended: "it goes on",
    make: stalled,
  },
  {
    ...on,
    alert: "NorthgateNorthboundUnreachable",
    fault: "the Northbound server is killed",
    mended: "it is started",
    make: withoutDatabase,
  },
  {
    ...on,
    ground: "patient",
    firesMs: 300_000,
    clearsMs: 600_000,
    alert: "NorthgateReconnects",
    fault: "the standby's connection to the database is cut, every 1.5 s",
    mended: "it lasts",
    make: reconnecting,
  },
  {
    ...on,
    alert: "NorthgateWriterChanges",
    fault: "another program empties `NB_Global.external_ids`, where the claim is, each second",
    mended: "it ends",
    make: unclaimed,
  },
  {
    ...on,
    alert: "NorthgateNoWriter",
    fault: "the Northbound server is read-only (a backup of a server that is away), and the writer is killed",
    mended: "the server takes transactions, the writer is started",
    make: readOnly,
  },
  {
    ...on,
    alert: "NorthgateCommitsSlow",
    fault: "the Northbound server is stopped for 6 s of every 6.2 s, while objects change",
    mended: "it goes on",
    firesMs: 120_000,
    clearsMs: 90_000,
    make: slow,
  },
  {
    ...on,
    ground: "zone",
    alert: "NorthgateHeldBack",
    fault: "`NB_Global.name` is another zone's",
    mended: "it is the instance's",
    make: otherZone,
  },
  {
    ...on,
    ground: "chassis",
    alert: "NorthgatePoliciesPending",
    fault: "northd is stopped, with `--wait hv`, and a policy is edited",
    mended: "it goes on",
    make: stoppedNorthd,
  },
];
