// What a start may cost on a real ovsdb-server, counted: every row is written once, in whatever pieces; nothing takes effect
// before the last of them; what is there already costs nothing.

import { describe, expect, test } from "@jest/globals";
import { keys } from "../../src/nbdb/rows/names.ts";
import type { Northbound } from "../../src/nbdb/rows/schema.ts";
import type { Tables } from "../../src/nbdb/rows/records.ts";
import type { Operation, SocketSession } from "../../src/ovsdb/index.ts";
import { actualTables } from "../support/actual-tables.ts";
import { rendering, worldOf } from "../support/budget-world.ts";
import { freshTables } from "../support/controller.ts";
import { describeMetered } from "../support/describe-metered.ts";
import { eventually } from "../support/eventually.ts";
import { writesOf } from "../support/metered.ts";

const world = worldOf({ replicas: { shop: 40, bank: 5 }, bystanders: 6 });
const rows = freshTables(world, rendering);
const inserts = {
  "insert Address_Set": rows.Address_Set.length,
  "insert ACL": rows.ACL.length,
  "insert Port_Group": rows.Port_Group.length,
};
const elements = (tables: Tables) => ({
  addresses: sum(tables.Address_Set.map(({ addresses }) => addresses.length)),
  ports: sum(tables.Port_Group.map(({ ports }) => ports.length)),
});

/** Of a transaction written ahead. */
const mostOperations = 40;

await describeMetered("a start", (meters) => {
  test("on an empty database inserts each row once, in one transaction, and walks no address set again", async () => {
    const { start, transactions, session } = await meters().run(world);
    expect(start).toMatchObject({ transactions: 1, writes: inserts, reads: { addresses: 0 } });
    expect(idsOf(transactions.flat())).toEqual(idsIn(rows));
    expect(writtenElements(transactions.flat())).toEqual(elements(rows));
    // All of it came back.
    expect(session.stats.rowChanges).toBeGreaterThanOrEqual(sum(Object.values(inserts)));
  });

  describe.each([30, 150, 600])("in pieces of %d", (transactionWeight) => {
    test("writes each row once, inert and after what it refers to, and then the ports", async () => {
      const seen: Tables[] = [];
      const landed = (session: SocketSession<Northbound>) => {
        seen.push(actualTables(session.cache));
      };
      const { start, transactions } = await meters().run(world, [], { transactionWeight, landed });
      const [ahead, last] = [transactions.slice(0, -1), transactions.at(-1) ?? []];

      expect(ahead.length).toBeGreaterThan(1);
      expect(writesOf(ahead.flat())).toEqual(inserts);
      expect(idsOf(ahead.flat())).toEqual(idsIn(rows));
      expect(writtenElements(ahead.flat())).toEqual({ ...elements(rows), ports: 0 });
      const tooHeavy = ahead.filter((piece) => weightOf(piece) > transactionWeight);
      expect(tooHeavy.map(rowsThatStandAlone)).toEqual(tooHeavy.map(() => 1));
      // As few as their sizes allow: no two neighbours would have fitted one.
      for (const [at, piece] of ahead.slice(1).entries()) {
        const both = [...(ahead[at] ?? []), ...firstRowThatStandsAlone(piece)];
        expect(weightOf(both) > transactionWeight || both.length > mostOperations).toBe(true);
      }
      for (const tables of seen) expect(dangling(tables)).toEqual([]);
      for (const tables of seen.slice(0, -1)) expect(elements(tables).ports).toBe(0);

      const withPorts = rows.Port_Group.filter(({ ports }) => ports.length > 0);
      expect(last.map((operation) => operation.op)).toEqual(withPorts.map(() => "mutate"));
      expect(Object.keys(writesOf(last)).every((kind) => kind.startsWith("mutate Port_Group: ports +"))).toBe(
        true,
      );
      expect(writtenElements(last)).toEqual({ addresses: 0, ports: elements(rows).ports });
      expect(start.reads.addresses).toBe(0);
      expect(seen.at(-1)).toEqual(rows);
    });
  });

  test("on an unchanged database sends nothing, evaluates what a cold one does and looks once at each address", async () => {
    const first = await meters().run(world);
    const { start } = await meters().runAgain(world);
    const { evaluations } = first.start;
    // Ports are compared from both sides, and ACLs for what they say and for the references to them.
    const { addresses, ports } = elements(rows);
    const reads = { acls: 2 * rows.ACL.length, addresses, ports: 2 * ports };
    expect(start).toEqual({ evaluations, reads, transactions: 0, writes: {}, bytes: 0 });
  });

  test("of the server, with everything as it was, costs no evaluation, no look and no transaction", async () => {
    const metered = await meters().run(world);
    const { fills } = metered.session.stats;
    const cost = await metered.costOf(async () => {
      await meters().ovn.killNb();
      await eventually(() => {
        expect(metered.session.ready).toBe(false);
      });
      await meters().ovn.restartNb();
      await eventually(() => {
        expect(metered.session.stats.fills).toBe(fills + 1);
      });
    });
    expect(cost).toMatchObject({
      evaluations: 0,
      reads: { addresses: 0, ports: 0 },
      transactions: 0,
      writes: {},
    });
  });
});

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

function idsOf(operations: readonly Operation[]): readonly string[] {
  const ids = operations.map((operation) => {
    const externalIds = operation.op === "insert" ? operation.row["external_ids"] : null;
    return externalIds instanceof Map ? String(externalIds.get(keys.id)) : operation.op;
  });
  return ids.sort();
}

function idsIn(tables: Tables): readonly string[] {
  const all = [...tables.Address_Set, ...tables.ACL, ...tables.Port_Group];
  return all.map((row) => row.external_ids[keys.id] ?? "").sort();
}

function writtenElements(operations: readonly Operation[]): { addresses: number; ports: number } {
  const count = (column: string) =>
    sum(
      operations.map((operation) => {
        if (operation.op === "insert") return lengthOf(operation.row[column]);
        if (operation.op !== "mutate") return 0;
        return sum(operation.mutations.map((it) => (it.column === column ? lengthOf(it.value) : 0)));
      }),
    );
  return { addresses: count("addresses"), ports: count("ports") };
}

/** Elements and rows; of a match, 20 characters weigh as much as an element. */
function weightOf(operations: readonly Operation[]): number {
  return sum(
    operations.map((operation) => {
      const row = operation.op === "insert" ? operation.row : {};
      const text = typeof row["match"] === "string" ? row["match"].length : 0;
      return 1 + lengthOf(row["addresses"]) + lengthOf(row["acls"]) + Math.ceil(text / 20);
    }),
  );
}

/** Address sets, and port groups, whose ACLs cannot be without them. */
function rowsThatStandAlone(operations: readonly Operation[]): number {
  return operations.filter((operation) => operation.op === "insert" && operation.table !== "ACL").length;
}

/** With the ACLs before it, which it refers to. */
function firstRowThatStandsAlone(operations: readonly Operation[]): readonly Operation[] {
  const end = operations.findIndex((operation) => operation.op === "insert" && operation.table !== "ACL");
  return operations.slice(0, end + 1);
}

/** What ACLs and port groups refer to and is not there. */
function dangling({ ACL, Address_Set, Port_Group }: Tables): readonly string[] {
  const names = new Set([...Address_Set, ...Port_Group].map(({ name }) => name));
  const named = ACL.flatMap(({ match }) => [...match.matchAll(/[$@](\w+)/g)].map(([, name = ""]) => name));
  return named.filter((name) => !names.has(name));
}
