// The Northbound backend under the contract, on the strict fake and on a real ovsdb-server. Whoever asks what the database
// holds reads it anew: nothing of the program's own cache is believed.

import { systemClock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import { northboundMonitors } from "../../src/nbdb/actual/actual.ts";
import { NorthboundBackend } from "../../src/nbdb/backend.ts";
import { hashedName, keys, ownerController, portGroupIds, portOfPod } from "../../src/nbdb/rows/names.ts";
import type { Northbound } from "../../src/nbdb/rows/schema.ts";
import { northbound, northboundOperations as operation } from "../../src/nbdb/rows/schema.ts";
import type { Cache, Monitors, Operation, Session } from "../../src/ovsdb/index.ts";
import { openSession, operationsFor } from "../../src/ovsdb/index.ts";
import type { Policy } from "../../src/policy/ir.ts";
import { FakeDatabase, type FakeSchema, type FakeSession } from "../ovsdb/fake.ts";
import { northbound as switches, northboundRules } from "../ovsdb/northbound.ts";
import { Proxy } from "../ovsdb/proxy.ts";
import { Server, stopAll } from "../ovsdb/real-server.ts";
import { sessionWith } from "../support/watched-session.ts";
import type { AdmittingBackend } from "./admission.ts";
import { everyPod } from "./generator.ts";
import type { Harness, Snapshot } from "./harness.ts";
import { judgeByRows } from "./northbound-judge.ts";
import { contractKind } from "./policies.ts";

type ProgramSession = Session<Northbound> & { opened(): Promise<unknown> };

/** A database and the ways its connections fail. */
interface TestDatabase {
  /** A session whose connection fails when it is told to. */
  open(monitors: Monitors<Northbound>): ProgramSession;
  /** A session whose connection never fails. */
  read(monitors: Monitors<Northbound>): ProgramSession;
  /** The logical switch ports of every pod there can be, made by the CNI. */
  addPorts(names: readonly string[]): Promise<void>;
  /** Sends operations by a client of its own, whose connection is never cut. */
  edit(operations: readonly Operation[]): Promise<void>;
  cut(): void | Promise<void>;
  restore(): void | Promise<void>;
  loseNextAnswer(): void;
  dispose(): Promise<void>;
}

const kinds: ReadonlySet<string> = new Set([contractKind]);
const everyRow: Monitors<Northbound> = { ACL: {}, Address_Set: {}, Port_Group: {}, Logical_Switch_Port: {} };

export async function fakeNorthboundHarness(): Promise<Harness> {
  const rules: FakeSchema = {
    ...northboundRules,
    // The description of the rows has no Logical_Switch that could refer to a port.
    Logical_Switch_Port: { ...northboundRules["Logical_Switch_Port"], root: true },
  };
  const database = new FakeDatabase(northbound, rules);
  const open = new Set<FakeSession<Northbound>>();
  return harnessOn({
    open: (monitors) => {
      const session = database.open(monitors);
      open.add(session);
      return session;
    },
    read: (monitors) => database.open(monitors),
    addPorts: async (names) => {
      database.edit(names.map((name) => operation.insert("Logical_Switch_Port", { name })));
    },
    edit: async (operations) => {
      database.edit(operations);
    },
    cut: () => {
      for (const session of open) session.cut();
    },
    restore: () => {
      for (const session of open) session.restore();
    },
    loseNextAnswer: () => {
      for (const session of open) session.loseNextAnswer();
    },
    dispose: async () => undefined,
  });
}

export async function realNorthboundHarness(): Promise<Harness> {
  const server = new Server();
  const proxy = new Proxy(server.file("sock"), server.file("proxy"));
  await proxy.listen();
  const retry = { initialMs: 2, maxMs: 20 };
  const other = openSession({ remotes: server.remote, database: northbound, monitors: {}, retry });
  await other.opened();
  // The rows' description has no switches.
  const { insert } = operationsFor<typeof switches>();
  const cni = openSession({ remotes: server.remote, database: switches, monitors: {}, retry });
  await cni.opened();
  return harnessOn({
    open: (monitors) => openSession({ remotes: proxy.remote, database: northbound, monitors, retry }),
    read: (monitors) => openSession({ remotes: server.remote, database: northbound, monitors, retry }),
    addPorts: async (names) => {
      const inserts = names.map((name, at) => insert("Logical_Switch_Port", { name }, `port${at}`));
      const ports = names.map((_, at) => ({ named: `port${at}` }));
      await cni.transact([...inserts, insert("Logical_Switch", { name: "switch", ports })]);
    },
    edit: async (operations) => {
      await other.transact(operations);
    },
    cut: () => proxy.cut(),
    restore: () => proxy.listen(),
    loseNextAnswer: () => {
      proxy.loseAnswers();
    },
    dispose: async () => {
      await Promise.all([other.close(), cni.close()]);
      await proxy.cut();
      stopAll();
    },
  });
}

async function harnessOn(database: TestDatabase): Promise<Harness> {
  await database.addPorts(everyPod.map(portOfPod));
  let session: ProgramSession | null = null;
  let written = 0;
  const end = async () => {
    await session?.close();
    session = null;
    written = 0;
  };
  const counted = (own: ProgramSession): Session<Northbound> =>
    sessionWith(own, (operations) => {
      for (const one of operations) written += weightOf(one);
      return own.transact(operations);
    });
  return {
    connect: async () => {
      await end();
      session = database.open(northboundMonitors(kinds));
      await session.opened();
    },
    backend: ({ membership, mayExist }) => {
      if (session === null) throw new Error("no program is connected");
      const [logger, clock] = [silentLogger, systemClock];
      return new NorthboundBackend({
        ...{ session: counted(session), membership, mayExist, kinds, logger, clock },
        ...{ zone: null, namedPorts: "list" },
      });
    },
    admit: (backend, policy) => {
      // Until the backend has the method.
      const { admit } = backend as Partial<AdmittingBackend>;
      return admit?.call(backend, policy) ?? null;
    },
    snapshot: async () => {
      const reader = database.read(everyRow);
      await reader.opened();
      const snapshot = snapshotOf(reader.cache);
      await reader.close();
      return snapshot;
    },
    written: () => written,
    plantForeign: () => database.edit(foreignRows()),
    block: (policy) =>
      database.edit([
        operation.insert("Port_Group", { name: portGroupName(policy), external_ids: foreignIds }),
      ]),
    unblock: (policy) =>
      database.edit([
        {
          op: "delete",
          table: "Port_Group",
          where: [{ column: "name", function: "==", value: portGroupName(policy) }],
        },
      ]),
    cut: () => database.cut(),
    restore: () => database.restore(),
    loseNextAnswer: () => {
      database.loseNextAnswer();
    },
    clear: async () => {
      await database.restore();
      await end();
      await database.edit(
        ["Port_Group", "Address_Set"].map((table): Operation => ({ op: "delete", table, where: [] })),
      );
    },
    dispose: async () => {
      await end();
      await database.dispose();
    },
  };
}

const foreignIds = new Map([["owner", "somebody else"]]);

function portGroupName(policy: Policy): string {
  return hashedName(portGroupIds(policy));
}

/** Plain ones, and one with our kind and another controller. */
function foreignRows(): readonly Operation[] {
  const nearly = new Map([
    [keys.ownerType, contractKind],
    [keys.ownerController, "somebody-else"],
    [keys.name, "one"],
  ]);
  return [
    operation.insert("Address_Set", { name: "theirs", addresses: ["192.0.2.1"], external_ids: foreignIds }),
    operation.insert("Address_Set", { name: "nearly_ours", external_ids: nearly }),
    operation.insert("Port_Group", { name: "their_ports", external_ids: foreignIds }),
    operation.insert("Port_Group", { name: "our_ports_nearly", external_ids: nearly }),
  ];
}

/** Rows, and elements that go to or from their sets. */
function weightOf(operation: Operation): number {
  if (operation.op === "mutate")
    return operation.mutations.reduce((sum, { value }) => sum + elementsIn(value), 1);
  if (operation.op !== "insert" && operation.op !== "update") return 1;
  return Object.values(operation.row).reduce<number>((sum, value) => sum + elementsIn(value), 1);
}

/** Of a set; a map is one thing. */
function elementsIn(value: unknown): number {
  if (typeof value !== "object" || value === null || value instanceof Map) return 0;
  return Symbol.iterator in value ? [...(value as Iterable<unknown>)].length : 0;
}

function snapshotOf(cache: Cache<Northbound>): Snapshot {
  const ports = [...cache.table("Logical_Switch_Port").entries()].map(
    ([uuid, { name }]): readonly [string, string] => [uuid, name],
  );
  const acls = [...cache.table("ACL").entries()];
  const groups = [...cache.table("Port_Group").entries()].map(([, row]) => row);
  const sets = [...cache.table("Address_Set").entries()].map(([, row]) => row);
  const names = new Map([
    ...ports,
    ...acls.map(([uuid, acl]): readonly [string, string] => [uuid, acl.external_ids.get(keys.id) ?? uuid]),
  ]);
  const rows = [...acls.map(([, row]) => row), ...groups, ...sets].map((row) => ({
    isOurs: isOurs(row.external_ids),
    text: rowText(row, names),
  }));
  const textOf = (ours: boolean) =>
    JSON.stringify(
      rows
        .filter((row) => row.isOurs === ours)
        .map(({ text }) => text)
        .sort(),
    );
  return {
    state: textOf(true),
    foreign: textOf(false),
    judge: (connection) =>
      judgeByRows(
        {
          acls: acls.map(([, acl]) => acl),
          sets: new Map([
            ...sets.map((set) => [`$${set.name}`, new Set(set.addresses)] as const),
            ...groups.map((group) => [`@${group.name}`, namesIn(group.ports, names)] as const),
          ]),
        },
        connection,
      ),
  };
}

function isOurs(ids: ReadonlyMap<string, string>): boolean {
  return ids.get(keys.ownerType) === contractKind && ids.get(keys.ownerController) === ownerController;
}

function namesIn(uuids: Iterable<string>, names: ReadonlyMap<string, string>): ReadonlySet<string> {
  return new Set([...uuids].map((uuid) => names.get(uuid) ?? uuid));
}

/** The row as JSON: references by name, sets and maps in order. */
function rowText(row: object, names: ReadonlyMap<string, string>): string {
  const plain = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (value instanceof Map) return [...(value as Map<string, string>)].sort(([a], [b]) => (a < b ? -1 : 1));
    return [...namesIn(value as Iterable<string>, names)].sort();
  };
  return JSON.stringify(
    Object.entries(row)
      .map(([column, value]): readonly [string, unknown] => [column, plain(value)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
