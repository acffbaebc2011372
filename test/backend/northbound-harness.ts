// The Northbound backend under the contract, on the strict fake and on a real ovsdb-server. Whoever asks what the database
// holds reads it anew: nothing of the program's own cache is believed.

import { systemClock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import { northboundMonitors } from "../../src/nbdb/actual/actual.ts";
import { NorthboundBackend } from "../../src/nbdb/backend.ts";
import { NorthboundWriter } from "../../src/nbdb/write/northbound-writer.ts";
import { keys, portOfPod } from "../../src/nbdb/rows/names.ts";
import { rowOwners } from "../../src/nbdb/rows/owners.ts";
import { renderPolicy } from "../../src/nbdb/rows/render.ts";
import type { Northbound } from "../../src/nbdb/rows/schema.ts";
import { northbound, northboundOperations as operation } from "../../src/nbdb/rows/schema.ts";
import type { Monitors, Operation, Session } from "../../src/ovsdb/index.ts";
import { operationsFor } from "../../src/ovsdb/index.ts";
import type { Policy } from "../../src/policy/ir.ts";
import { failingFakes, failingServer } from "../ovsdb/failing.ts";
import { FakeDatabase, type FakeSchema } from "../ovsdb/fake.ts";
import { northbound as switches, northboundRules } from "../ovsdb/northbound.ts";
import { sessionWith } from "../support/watched-session.ts";
import { everyPod } from "./generator-world.ts";
import type { Harness, Snapshot } from "./harness.ts";
import { everyRow, snapshotOf } from "./northbound-snapshot.ts";
import { contractKind, contractOwners } from "./policies.ts";

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

export async function fakeNorthboundHarness(): Promise<Harness> {
  const rules: FakeSchema = {
    ...northboundRules,
    // The description of the rows has no Logical_Switch that could refer to a port.
    Logical_Switch_Port: { ...northboundRules["Logical_Switch_Port"], root: true },
  };
  const database = new FakeDatabase(northbound, rules);
  return harnessOn({
    ...failingFakes(database),
    read: (monitors) => database.open(monitors),
    addPorts: async (names) => {
      database.edit(names.map((name) => operation.insert("Logical_Switch_Port", { name })));
    },
    edit: async (operations) => {
      database.edit(operations);
    },
    dispose: async () => undefined,
  });
}

export async function realNorthboundHarness(): Promise<Harness> {
  const server = await failingServer();
  const other = server.direct(northbound, {});
  await other.opened();
  // The rows' description has no switches.
  const { insert } = operationsFor<typeof switches>();
  const cni = server.direct(switches, {});
  await cni.opened();
  return harnessOn({
    ...server,
    open: (monitors) => server.open(northbound, monitors),
    read: (monitors) => server.direct(northbound, monitors),
    addPorts: async (names) => {
      const inserts = names.map((name, at) => insert("Logical_Switch_Port", { name }, `port${at}`));
      const ports = names.map((_, at) => ({ named: `port${at}` }));
      await cni.transact([...inserts, insert("Logical_Switch", { name: "switch", ports })]);
    },
    edit: async (operations) => {
      await other.transact(operations);
    },
    dispose: async () => {
      await Promise.all([other.close(), cni.close()]);
      await server.stop();
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
      session = database.open(northboundMonitors(rowOwners(contractOwners)));
      await session.opened();
    },
    backend: ({ membership, mayExist }) => {
      if (session === null) throw new Error("no program is connected");
      const [logger, clock] = [silentLogger, systemClock];
      return new NorthboundBackend({
        ...{ session, writer: new NorthboundWriter({ session: counted(session) }), owners: contractOwners },
        ...{ membership, mayExist, logger, clock, zone: null, namedPorts: "list" },
      });
    },
    ranksDesiredAlone: true,
    refuses: new Set([
      "a hundred and one rules",
      "a rule about a load balancer's connections where they arrive",
      "a rule about a load balancer's connections that follows none",
    ]),
    snapshot: () => read(database),
    written: () => written,
    plantForeign: () => database.edit(foreignRows()),
    block: async (policy) => {
      const { state } = await read(database);
      const insert = rowsNeeded(policy).find(({ name }) => !state.includes(name));
      if (insert === undefined) throw new Error("the policy needs no row that is not there");
      await database.edit([operation.insert(insert.table, { name: insert.name, external_ids: foreignIds })]);
    },
    unblock: (policy) =>
      database.edit(
        rowsNeeded(policy).map(({ table, name }) => ({
          op: "delete",
          table,
          where: [
            { column: "name", function: "==", value: name },
            { column: "external_ids", function: "includes", value: foreignIds },
          ],
        })),
      ),
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

/** Rows with a unique name: one of somebody else's by the same name keeps the policy's from being inserted. */
function rowsNeeded(policy: Policy): readonly { table: "Port_Group" | "Address_Set"; name: string }[] {
  const nowhere = { tier: 0, priority: 0 };
  const places = { place: () => nowhere, end: () => nowhere, isOpenEnd: () => false };
  const options = { families: ["v4"], zone: null, namedPorts: "list", places } as const;
  const own = renderPolicy(policy, options);
  const shared = [...own.shared.values()].map((unit) => {
    unit.users?.set(policy);
    return unit.render(options, null);
  });
  const sets = [own, ...shared].flatMap(({ parts }) =>
    [...parts.values()].flatMap((part) => part.addressSets),
  );
  return [
    ...own.portGroups.map(({ name }) => ({ table: "Port_Group" as const, name })),
    ...sets.map(({ name }) => ({ table: "Address_Set" as const, name })),
  ];
}

async function read(database: TestDatabase): Promise<Snapshot> {
  const reader = database.read(everyRow);
  await reader.opened();
  const snapshot = snapshotOf(reader.cache);
  await reader.close();
  return snapshot;
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
