// A controller whose work is counted where it is paid: selectors evaluated, elements looked at, transactions,
// operations by kind and elements, bytes. Never time. Every one has a session of its own, and nothing but requests goes
// over it: equal work is equal bytes.

import type { WorldObject } from "../../src/model/object.ts";
import type { ActualRow } from "../../src/nbdb/actual/actual.ts";
import type { Northbound } from "../../src/nbdb/rows/schema.ts";
import type { Elements, Mutation, Operation, SocketSession } from "../../src/ovsdb/index.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { MemorySource, openNorthbound, startController } from "./controller.ts";
import type { ControllerOptions, Rendering, TestController } from "./controller.ts";
import { watchedSession } from "./watched-session.ts";

/** How many operations of each kind, under a name as `mutate Address_Set: addresses -1 +1`. */
export type Writes = Readonly<Record<string, number>>;

export interface Reads {
  /** Ids that rows were asked for. */
  readonly acls: number;
  readonly addresses: number;
  readonly ports: number;
}

export interface Cost {
  readonly evaluations: number;
  /** What was looked at: ACLs, and elements of rows: addresses of Address_Set, ports of Port_Group. */
  readonly reads: Reads;
  readonly transactions: number;
  readonly writes: Writes;
  readonly bytes: number;
}

export interface MeteredOptions extends Rendering, Pick<ControllerOptions, "observer"> {
  readonly transactionWeight?: number;
  readonly orderedWeight?: number;
  /** After every transaction, before the controller hears of it. */
  readonly landed?: (session: SocketSession<Northbound>) => void;
}

export interface Metered {
  readonly controller: TestController;
  readonly session: SocketSession<Northbound>;
  /** The operations of every transaction that landed, from the start on. */
  readonly transactions: readonly (readonly Operation[])[];
  /** What the start has cost. */
  readonly start: Cost;
  /** What it costs until the controller has nothing more to do. */
  costOf(change: (source: MemorySource) => void | Promise<void>): Promise<Cost>;
  stop(): Promise<void>;
}

export async function startMetered(
  ovn: Ovn,
  objects: readonly WorldObject[],
  { transactionWeight, orderedWeight, landed, ...rendering }: MeteredOptions,
): Promise<Metered> {
  // Over a Unix socket the server asks for no echo either.
  const session = openNorthbound(ovn.nb, { probeIntervalMs: 0 }, rendering);
  await session.opened();
  const transactions: (readonly Operation[])[] = [];
  const watched = watchedSession(session, (operations) => {
    transactions.push(operations);
    landed?.(session);
  });
  const openedBytes = session.stats.bytesSent;
  const source = new MemorySource(objects);
  const controller = startController(watched, source, { ...rendering, transactionWeight, orderedWeight });
  // The first pass is in a later turn of the event loop.
  const reads = countedReads(controller);

  const total = (): Cost => ({
    evaluations: controller.groups.stats.selectorEvaluations,
    reads: { ...reads },
    transactions: session.stats.transactions,
    writes: writesOf(transactions.flat()),
    bytes: session.stats.bytesSent - openedBytes,
  });
  const costOf: Metered["costOf"] = async (change) => {
    const before = total();
    const known = transactions.length;
    await change(source);
    await controller.loop.idle();
    const after = total();
    return {
      evaluations: after.evaluations - before.evaluations,
      reads: {
        acls: after.reads.acls - before.reads.acls,
        addresses: after.reads.addresses - before.reads.addresses,
        ports: after.reads.ports - before.reads.ports,
      },
      transactions: after.transactions - before.transactions,
      writes: writesOf(transactions.slice(known).flat()),
      bytes: after.bytes - before.bytes,
    };
  };

  await controller.loop.idle();
  return {
    controller,
    session,
    transactions,
    start: total(),
    costOf,
    stop: async () => {
      await controller.stop();
      await session.close();
    },
  };
}

function countedReads({ backend: { actual } }: TestController): Reads {
  const reads = { acls: 0, addresses: 0, ports: 0 };
  const acls = actual.acls.bind(actual);
  const addressSet = actual.addressSet.bind(actual);
  const portGroup = actual.portGroup.bind(actual);
  actual.acls = (id: string): readonly ActualRow<"ACL">[] => {
    reads.acls++;
    return acls(id);
  };
  actual.addressSet = (name: string): ActualRow<"Address_Set"> | null => {
    const found = addressSet(name);
    if (found === null) return null;
    const addresses = counted(found.row.addresses, () => reads.addresses++);
    return { uuid: found.uuid, row: { ...found.row, addresses } };
  };
  actual.portGroup = (name: string): ActualRow<"Port_Group"> | null => {
    const found = portGroup(name);
    if (found === null) return null;
    const ports = counted(found.row.ports, () => reads.ports++);
    return { uuid: found.uuid, row: { ...found.row, ports } };
  };
  return reads;
}

/** The same elements; `read` hears of each that is asked for or walked over. */
function counted<A>(elements: Elements<A>, read: () => void): Elements<A> {
  return {
    get size() {
      return elements.size;
    },
    has: (element) => {
      read();
      return elements.has(element);
    },
    *[Symbol.iterator]() {
      for (const element of elements) {
        read();
        yield element;
      }
    },
  };
}

export function writesOf(operations: readonly Operation[]): Writes {
  const writes: Record<string, number> = {};
  for (const operation of operations) {
    // It writes nothing.
    if (operation.op === "wait") continue;
    const kind = kindOf(operation);
    writes[kind] = (writes[kind] ?? 0) + 1;
  }
  return writes;
}

function kindOf(operation: Operation): string {
  switch (operation.op) {
    case "insert":
    case "delete":
      return `${operation.op} ${operation.table}`;
    case "update":
      return `update ${operation.table}: ${Object.keys(operation.row).sort().join(" ")}`;
    case "mutate":
      return `mutate ${operation.table}: ${operation.mutations.map(mutationText).join(" ")}`;
    default:
      return operation.op;
  }
}

const signs: Readonly<Record<string, string>> = { insert: "+", delete: "-" };

function mutationText({ column, mutator, value }: Mutation, at: number, all: readonly Mutation[]): string {
  const sign = signs[mutator] ?? mutator;
  const count = `${sign}${Array.isArray(value) ? value.length : String(value)}`;
  return all[at - 1]?.column === column ? count : `${column} ${count}`;
}
