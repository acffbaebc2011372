// What every Session does, as one suite: run against the strict fake and against a real ovsdb-server. A deviation has a
// name and a reason, and its test is skipped under that reason.

import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import {
  ConnectionLostError,
  type Monitors,
  type Operation,
  operationsFor,
  type RowChange,
  rowIs,
  type Session,
  toUuid,
  TransactionError,
  type Uuid,
} from "../../src/ovsdb/index.ts";
import type { Northbound } from "./northbound.ts";

export type TestSession = Session<Northbound> & { opened(): Promise<unknown> };

/** A database that sessions can be opened on. */
export interface Subject {
  /** A session whose connection can be cut. */
  open(monitors: Monitors<Northbound>): TestSession;
  /** A client whose connection is never cut. */
  readonly other: Session<Northbound>;
  cut(): void | Promise<void>;
  restore(): void | Promise<void>;
  /** The next transaction is committed, and its answer is lost with the connection. */
  loseNextAnswer(): void;
  dispose(): void | Promise<void>;
}

export type Deviation = "named reference to nothing";

const { insert, update, mutate, remove } = operationsFor<Northbound>();
const nobody = toUuid("11111111-2222-4333-8444-555555555555");
const everything: Monitors<Northbound> = {
  ACL: {},
  Port_Group: { indexes: { name: { columns: ["name"], keyOf: (row) => row.name } } },
  Address_Set: {
    indexes: {
      name: { columns: ["name"], keyOf: (row) => row.name },
      owner: { columns: ["external_ids"], keyOf: (row) => row.external_ids.get("owner") ?? null },
    },
  },
  Logical_Switch: {},
  Logical_Switch_Port: {},
};

/** Whatever holds them: how a set is held is the implementation's own. */
const addressesOf = (session: Session<Northbound>, uuid: Uuid): readonly string[] =>
  [...(session.cache.table("Address_Set").get(uuid)?.addresses ?? [])].sort();
const acl = { direction: "to-lport", match: "ip", action: "drop" };

export function sessionContract(
  title: string,
  make: () => Subject | Promise<Subject>,
  deviations: Partial<Record<Deviation, string>> = {},
): void {
  describe(title, () => {
    let subject: Subject;
    const sessions: TestSession[] = [];

    beforeAll(async () => {
      subject = await make();
    });
    afterAll(async () => {
      await subject.dispose();
    });
    afterEach(async () => {
      await Promise.all(sessions.splice(0).map((session) => session.close()));
      const tables = ["Port_Group", "Address_Set", "Logical_Switch", "NB_Global"];
      await subject.other.transact(tables.map((table): Operation => ({ op: "delete", table, where: [] })));
    });

    async function open(monitors: Monitors<Northbound> = everything) {
      const session = subject.open(monitors);
      sessions.push(session);
      const events: string[] = [];
      const changes: RowChange<Northbound>[] = [];
      session.subscribe({
        ready: () => events.push("ready"),
        lost: () => events.push("lost"),
        changed: (some) => {
          events.push(`changed ${some.length}`);
          changes.push(...some);
        },
      });
      await session.opened();
      return { session, events, changes };
    }

    async function one(session: Session<Northbound>, ...operations: readonly Operation[]): Promise<Uuid> {
      const [result] = await session.transact(operations);
      if (result?.uuid === undefined) throw new Error("no uuid in the answer");
      return result.uuid;
    }

    function row(session: Session<Northbound>, table: keyof Northbound["tables"], uuid: Uuid): unknown {
      return session.cache.table(table).get(uuid);
    }

    async function refusal(session: Session<Northbound>, operations: readonly Operation[]) {
      const error: unknown = await session.transact(operations).catch((thrown: unknown) => thrown);
      if (!(error instanceof TransactionError)) throw new Error("not refused", { cause: error });
      return { kind: error.kind, operation: error.operation };
    }

    function unless(deviation: Deviation): typeof test | typeof test.skip {
      return deviations[deviation] === undefined ? test : test.skip;
    }

    test("is ready with an empty cache on an empty database", async () => {
      const { session, events } = await open();
      expect(session.ready).toBe(true);
      expect(events).toEqual(["ready"]);
      expect(session.cache.table("ACL").size).toBe(0);
      expect(() => session.cache.table("NB_Global")).toThrow("not monitored");
      expect(() => session.cache.table("ACL").find("name", "x")).toThrow("no index");
    });

    test("the first fill tells every row, then ready", async () => {
      const uuid = await one(subject.other, insert("Address_Set", { name: "a", addresses: ["10.0.0.1"] }));
      const { session, events, changes } = await open();
      expect(events).toEqual(["changed 1", "ready"]);
      expect(changes[0]).toMatchObject({ table: "Address_Set", uuid, before: null });
      expect(changes[0]?.columns).toEqual(
        new Map([
          ["name", null],
          ["addresses", null],
          ["external_ids", null],
        ]),
      );
      expect(addressesOf(session, uuid)).toEqual(["10.0.0.1"]);
    });

    test("the cache has absorbed a transaction when it resolves", async () => {
      const { session, events } = await open();
      const sent = session.transact([insert("Address_Set", { name: "a" })]);
      expect(session.cache.table("Address_Set").size).toBe(0);
      const [result] = await sent;
      expect(events).toEqual(["ready", "changed 1"]);
      expect(addressesOf(session, result!.uuid!)).toEqual([]);
      expect(row(session, "Address_Set", result!.uuid!)).toMatchObject({
        name: "a",
        external_ids: new Map(),
      });
    });

    test("every shape of column comes back as it was written", async () => {
      const { session } = await open();
      const written = {
        ...acl,
        name: 'Ünïcode "quoted" \\ 日本語 𝒳\u0001\n',
        priority: 32767,
        log: true,
        tier: 3,
        severity: null,
        options: new Map([["", "x"]]),
        external_ids: new Map([
          ["k", "v"],
          ["set", "map"],
        ]),
      };
      const [, created] = await session.transact([
        insert("Port_Group", { name: "g", acls: [{ named: "a" }] }),
        insert("ACL", written, "a"),
      ]);
      expect(row(session, "ACL", created!.uuid!)).toEqual(written);
    });

    test("a uuid chosen by the client is the row's, and may be referred to before", async () => {
      const { session } = await open();
      await session.transact([
        insert("Port_Group", { name: "g", acls: new Set([nobody]) }),
        { op: "insert", table: "ACL", row: acl, uuid: nobody },
      ]);
      expect(session.cache.table("ACL").get(nobody)?.action).toBe("drop");
      expect(await refusal(session, [{ op: "insert", table: "ACL", row: acl, uuid: nobody }])).toEqual({
        kind: "duplicate uuid",
        operation: 0,
      });
    });

    test("a change of a set names the elements that came or went", async () => {
      const { session, changes } = await open();
      const uuid = await one(session, insert("Address_Set", { name: "a", addresses: ["1", "2", "3"] }));
      changes.length = 0;
      const results = await session.transact([
        mutate("Address_Set", uuid, [
          { column: "addresses", mutator: "delete", value: ["2", "absent"] },
          { column: "addresses", mutator: "insert", value: new Set(["4", "1"]) },
        ]),
      ]);
      expect(results).toEqual([{ count: 1 }]);
      expect(changes).toHaveLength(1);
      expect(changes[0]?.columns).toEqual(new Map([["addresses", new Set(["2", "4"])]]));
      expect(addressesOf(session, uuid)).toEqual(["1", "3", "4"]);
    });

    test("a change of other shapes keeps the row as it was", async () => {
      const { session, changes } = await open();
      const ids = new Map([
        ["gone", "1"],
        ["kept", "2"],
        ["changed", "3"],
      ]);
      const uuid = await one(session, insert("Address_Set", { name: "a", external_ids: ids }));
      changes.length = 0;
      await session.transact([
        mutate("Address_Set", uuid, [
          { column: "external_ids", mutator: "delete", value: ["gone", "changed"] },
          { column: "external_ids", mutator: "delete", value: new Map([["kept", "other value"]]) },
          { column: "external_ids", mutator: "insert", value: new Map([["changed", "4"]]) },
          { column: "external_ids", mutator: "insert", value: new Map([["kept", "ignored"]]) },
        ]),
        update("Address_Set", uuid, { name: "b" }),
      ]);
      const [change] = changes;
      expect(change?.columns).toEqual(
        new Map([
          ["name", null],
          ["external_ids", null],
        ]),
      );
      expect(change?.before).toMatchObject({ name: "a", external_ids: ids });
      expect(change?.after).toMatchObject({
        name: "b",
        external_ids: new Map([
          ["kept", "2"],
          ["changed", "4"],
        ]),
      });
    });

    test("an optional value is set and taken away", async () => {
      const { session, changes } = await open();
      const [, created] = await session.transact([
        insert("Logical_Switch", { name: "s", ports: [{ named: "p" }] }),
        insert("Logical_Switch_Port", { name: "p", up: true, tag: 7 }, "p"),
      ]);
      const uuid = created!.uuid!;
      await session.transact([update("Logical_Switch_Port", uuid, { up: false, tag: null })]);
      expect(row(session, "Logical_Switch_Port", uuid)).toMatchObject({ up: false, tag: null });
      expect(changes.at(-1)?.columns).toEqual(
        new Map([
          ["up", null],
          ["tag", null],
        ]),
      );
    });

    test("what changes nothing tells nothing", async () => {
      const { session, events } = await open();
      const uuid = await one(session, insert("Address_Set", { name: "a", addresses: ["1"] }));
      events.length = 0;
      const results = await session.transact([
        mutate("Address_Set", uuid, [{ column: "addresses", mutator: "insert", value: ["1"] }]),
        update("Address_Set", nobody, { name: "x" }),
        remove("Address_Set", nobody),
      ]);
      expect(results).toEqual([{ count: 1 }, { count: 0 }, { count: 0 }]);
      expect(await session.transact([])).toEqual([]);
      expect(events).toEqual([]);
    });

    test("a row that is no root lives as long as it is referred to", async () => {
      const { session } = await open();
      await session.transact([insert("ACL", acl)]);
      expect(session.cache.table("ACL").size).toBe(0);
      const group = await one(
        session,
        insert("Port_Group", { name: "g", acls: [{ named: "a" }, { named: "b" }] }),
        insert("ACL", acl, "a"),
        insert("ACL", acl, "b"),
      );
      const [first] = [...session.cache.table("Port_Group").get(group)!.acls];
      await session.transact([
        mutate("Port_Group", group, [{ column: "acls", mutator: "delete", value: [first] }]),
      ]);
      expect(session.cache.table("ACL").size).toBe(1);
      await session.transact([remove("Port_Group", group)]);
      expect(session.cache.table("ACL").size).toBe(0);
    });

    test("a weak reference goes with its row, or is never made", async () => {
      const { session } = await open();
      const [lswitch, port, group] = await session.transact([
        insert("Logical_Switch", { name: "s", ports: [{ named: "p" }] }),
        insert("Logical_Switch_Port", { name: "p" }, "p"),
        insert("Port_Group", { name: "g", ports: [{ named: "p" }, nobody] }),
      ]);
      const ports = () => session.cache.table("Port_Group").get(group!.uuid!)?.ports;
      expect(ports()).toEqual(new Set([port!.uuid]));
      await session.transact([
        mutate("Logical_Switch", lswitch!.uuid!, [
          { column: "ports", mutator: "delete", value: [port!.uuid] },
        ]),
      ]);
      expect(ports()).toEqual(new Set());
      expect(session.cache.table("Logical_Switch_Port").size).toBe(0);
    });

    const refusals: readonly [string, readonly Operation[], TransactionError["kind"], number | null][] = [
      ["a value out of range", [insert("ACL", { ...acl, tier: 4 })], "constraint violation", 0],
      ["a priority below zero", [insert("ACL", { ...acl, priority: -1 })], "constraint violation", 0],
      ["a value not listed", [insert("ACL", { ...acl, action: "deny" })], "constraint violation", 0],
      [
        "a name of 64 characters",
        [insert("ACL", { ...acl, name: "n".repeat(64) })],
        "constraint violation",
        0,
      ],
      [
        "a duplicate of an index",
        [insert("Port_Group", { name: "g" }), insert("Port_Group", { name: "g" })],
        "constraint violation",
        null,
      ],
      [
        "a strong reference to nothing",
        [insert("Port_Group", { name: "g", acls: [nobody] })],
        "referential integrity violation",
        null,
      ],
      ["an unknown column", [{ op: "insert", table: "ACL", row: { foo: 1 } }], "unknown column", 0],
      ["a row without a value that has to be listed", [insert("ACL", {})], "constraint violation", 0],
      [
        "a condition on an unknown column",
        [{ op: "delete", table: "ACL", where: [{ column: "nope", function: "==", value: 1 }] }],
        "unknown column",
        0,
      ],
      [
        "an insertion into a single value",
        [mutate("Address_Set", nobody, [{ column: "name", mutator: "insert", value: "x" }])],
        "syntax error",
        0,
      ],
      [
        "a single value taken away",
        [{ op: "update", table: "ACL", where: [], row: { tier: null } }],
        "syntax error",
        0,
      ],
      ["an unknown table", [{ op: "insert", table: "Nope", row: {} }], "syntax error", 0],
      [
        "a duplicate element",
        [insert("Address_Set", { name: "a", addresses: ["1", "1"] })],
        "ovsdb error",
        0,
      ],
      [
        "a uuid-name that is no <id>",
        [insert("Address_Set", { name: "a" }), insert("ACL", acl, "a-b")],
        "syntax error",
        1,
      ],
      [
        "a uuid-name used twice",
        [insert("ACL", acl, "a"), insert("ACL", acl, "a")],
        "duplicate uuid-name",
        1,
      ],
      ["an abort", [insert("Address_Set", { name: "a" }), { op: "abort" }], "aborted", 1],
      [
        "a wait that does not hold",
        [
          {
            op: "wait",
            table: "NB_Global",
            timeoutMs: 0,
            where: [{ column: "external_ids", function: "includes", value: new Map([["token", "stale"]]) }],
            columns: ["external_ids"],
            until: "!=",
            rows: [],
          },
        ],
        "timed out",
        0,
      ],
      [
        "a deletion of what is referred to",
        [
          { op: "insert", table: "ACL", row: acl, uuid: nobody },
          insert("Port_Group", { name: "g", acls: [nobody] }),
          remove("ACL", nobody),
        ],
        "referential integrity violation",
        null,
      ],
    ];
    test.each(refusals)("refuses %s, whole", async (_title, operations, kind, operation) => {
      const { session, events } = await open();
      expect(await refusal(session, [insert("Address_Set", { name: "first" }), ...operations])).toEqual({
        kind,
        operation: operation === null ? null : operation + 1,
      });
      expect(session.cache.table("Address_Set").size).toBe(0);
      expect(events).toEqual(["ready"]);
      expect(session.ready).toBe(true);
    });

    test("an index held by a row that goes in the same transaction is free", async () => {
      const { session } = await open();
      const old = await one(session, insert("Port_Group", { name: "g" }));
      const [, created] = await session.transact([
        remove("Port_Group", old),
        insert("Port_Group", { name: "g" }),
      ]);
      expect(session.cache.table("Port_Group").find("name", "g")).toEqual(new Set([created!.uuid]));
    });

    unless("named reference to nothing")(
      "a weak reference to a uuid-name no insert has is lost in silence",
      async () => {
        const { session } = await open();
        const uuid = await one(session, insert("Port_Group", { name: "g", ports: [{ named: "nothing" }] }));
        expect(session.cache.table("Port_Group").get(uuid)?.ports).toEqual(new Set());
      },
    );

    test("select decodes its rows, and gives rows equal in its columns once", async () => {
      const { session } = await open();
      const uuid = await one(
        session,
        insert("Port_Group", { name: "g", acls: [{ named: "a" }, { named: "b" }] }),
        insert("ACL", { ...acl, priority: 5 }, "a"),
        insert("ACL", { ...acl, priority: 5 }, "b"),
      );
      const results = await session.transact([
        { op: "select", table: "Port_Group", where: rowIs(uuid), columns: ["_uuid", "name", "acls"] },
        {
          op: "select",
          table: "ACL",
          where: [{ column: "priority", function: ">", value: 4 }],
          columns: ["name"],
        },
        { op: "select", table: "ACL", where: [{ column: "priority", function: "<=", value: 4 }] },
        { op: "comment", comment: "nothing" },
      ]);
      expect(results).toEqual([
        { rows: [{ _uuid: uuid, name: "g", acls: session.cache.table("Port_Group").get(uuid)?.acls }] },
        { rows: [{ name: null }] },
        { rows: [] },
        {},
      ]);
    });

    test("arithmetic, and a wait that holds", async () => {
      const { session } = await open({ NB_Global: {} });
      const uuid = await one(session, insert("NB_Global", { name: "n", nb_cfg: 41 }));
      const results = await session.transact([
        {
          op: "wait",
          table: "NB_Global",
          timeoutMs: 0,
          where: rowIs(uuid),
          columns: ["nb_cfg"],
          until: "==",
          rows: [{ nb_cfg: 41 }],
        },
        mutate("NB_Global", uuid, [{ column: "nb_cfg", mutator: "+=", value: 1 }]),
      ]);
      expect(results).toEqual([{}, { count: 1 }]);
      expect(session.cache.table("NB_Global").get(uuid)?.nb_cfg).toBe(42);
    });

    test("a transaction that waits for a row of the one before it, which has a uuid of ours", async () => {
      const { session } = await open();
      const isThere: Operation = {
        op: "wait",
        table: "Address_Set",
        timeoutMs: 0,
        where: rowIs(nobody),
        columns: ["_uuid"],
        until: "==",
        rows: [{ _uuid: nobody }],
      };
      const second = [isThere, insert("Address_Set", { name: "second" })];
      expect(await refusal(session, second)).toEqual({ kind: "timed out", operation: 0 });
      const first = { op: "insert", table: "Address_Set", row: { name: "first" }, uuid: nobody } as const;
      const [, results] = await Promise.all([session.transact([first]), session.transact(second)]);
      expect(results[0]).toEqual({});
      expect(session.cache.table("Address_Set").size).toBe(2);
    });

    test("pipelined transactions are answered in order, each after its update", async () => {
      const { session } = await open();
      const uuid = await one(session, insert("Address_Set", { name: "a" }));
      const sizes: number[] = [];
      await Promise.all(
        Array.from({ length: 200 }, async (_, at) => {
          await session.transact([
            mutate("Address_Set", uuid, [{ column: "addresses", mutator: "insert", value: [String(at)] }]),
          ]);
          const held = session.cache.table("Address_Set").get(uuid)!.addresses;
          sizes.push(held.has(String(at)) ? held.size : -1);
        }),
      );
      expect(sizes).toHaveLength(200);
      expect(sizes.toSorted((a, b) => a - b)).toEqual(sizes);
      expect(sizes[0]).toBeGreaterThanOrEqual(1);
    });

    test("one update of the server is one call, over all tables", async () => {
      const { events, changes } = await open();
      await subject.other.transact([
        insert("Port_Group", { name: "g", acls: [{ named: "a" }] }),
        insert("ACL", acl, "a"),
        insert("Address_Set", { name: "s" }),
      ]);
      const { session } = await open();
      await session.transact([{ op: "comment", comment: "a round trip" }]);
      await settled(() => events.length > 1);
      expect(events).toEqual(["ready", "changed 3"]);
      expect(changes.map(({ table }) => table).toSorted()).toEqual(["ACL", "Address_Set", "Port_Group"]);
    });

    test("indexes follow the rows", async () => {
      const { session } = await open();
      const find = (index: string, key: string) => [...session.cache.table("Address_Set").find(index, key)];
      const [a, b] = (
        await session.transact([
          insert("Address_Set", { name: "a", external_ids: new Map([["owner", "me"]]) }),
          insert("Address_Set", { name: "b" }),
        ])
      ).map(({ uuid }) => uuid!);
      expect(find("owner", "me")).toEqual([a]);
      await session.transact([
        update("Address_Set", b!, { external_ids: new Map([["owner", "me"]]) }),
        update("Address_Set", a!, { name: "c" }),
      ]);
      expect(new Set(find("owner", "me"))).toEqual(new Set([a, b]));
      expect([find("name", "a"), find("name", "c")]).toEqual([[], [a]]);
      await session.transact([remove("Address_Set", a!)]);
      expect(find("owner", "me")).toEqual([b]);
    });

    test("a monitor with conditions shows rows come and go as they begin and cease to hold", async () => {
      const mine = (owner: string) =>
        ({ column: "external_ids", function: "includes", value: new Map([["owner", owner]]) }) as const;
      const monitors = { Address_Set: { columns: ["name"], anyOf: [mine("me"), mine("us")] } } as const;
      const { session, changes } = await open(monitors);
      const table = session.cache.table("Address_Set");
      const uuid = await one(session, insert("Address_Set", { name: "a" }));
      expect(table.size).toBe(0);
      for (const [owner, size] of [
        ["us", 1],
        ["me", 1],
        ["them", 0],
        ["me", 1],
      ] as const) {
        await session.transact([update("Address_Set", uuid, { external_ids: new Map([["owner", owner]]) })]);
        expect([owner, table.size]).toEqual([owner, size]);
      }
      expect(changes.map(({ before, after }) => [before, after])).toEqual([
        [null, { name: "a" }],
        [{ name: "a" }, null],
        [null, { name: "a" }],
      ]);
      const nothing = await open({ Address_Set: { anyOf: [] } });
      expect(nothing.session.cache.table("Address_Set").size).toBe(0);
    });

    test("a listener that has unsubscribed hears nothing", async () => {
      const { session } = await open();
      let heard = 0;
      const unsubscribe = session.subscribe({ changed: () => heard++ });
      await session.transact([insert("Address_Set", { name: "a" })]);
      unsubscribe();
      await session.transact([insert("Address_Set", { name: "b" })]);
      expect(heard).toBe(1);
    });

    test("a lost connection: told once, the cache kept, transactions refused at once", async () => {
      const { session, events } = await open();
      const uuid = await one(session, insert("Address_Set", { name: "a" }));
      events.length = 0;
      await subject.cut();
      await settled(() => !session.ready);
      expect(events).toEqual(["lost"]);
      await expect(session.transact([remove("Address_Set", uuid)])).rejects.toBeInstanceOf(
        ConnectionLostError,
      );
      expect(session.cache.table("Address_Set").get(uuid)?.name).toBe("a");
      await subject.restore();
      await settled(() => session.ready);
      expect(events).toEqual(["lost", "ready"]);
    });

    test("a reconnect tells just what changed meanwhile, and ends where a fresh session is", async () => {
      const { session, events, changes } = await open();
      const [kept, changed, gone] = (
        await session.transact([
          insert("Address_Set", { name: "kept", addresses: ["1"] }),
          insert("Address_Set", { name: "changed", addresses: ["1", "2"] }),
          insert("Address_Set", { name: "gone" }),
        ])
      ).map(({ uuid }) => uuid!);
      await subject.cut();
      await settled(() => !session.ready);
      const [fresh] = await subject.other.transact([
        insert("Address_Set", { name: "new" }),
        mutate("Address_Set", changed!, [
          { column: "addresses", mutator: "delete", value: ["2"] },
          { column: "addresses", mutator: "insert", value: ["3"] },
        ]),
        remove("Address_Set", gone!),
      ]);
      events.length = changes.length = 0;
      await subject.restore();
      await settled(() => session.ready);
      expect(events).toEqual(["changed 3", "ready"]);
      const byUuid = new Map(changes.map((change) => [change.uuid, change]));
      expect(byUuid.get(changed!)?.columns).toEqual(new Map([["addresses", new Set(["2", "3"])]]));
      expect(byUuid.get(gone!)?.after).toBeNull();
      expect(byUuid.get(fresh!.uuid!)?.before).toBeNull();
      expect(byUuid.has(kept!)).toBe(false);
      const beside = await open();
      const dump = (of: Session<Northbound>) =>
        new Map([...of.cache.table("Address_Set").entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)));
      expect(dump(session)).toEqual(dump(beside.session));
      expect([...session.cache.table("Address_Set").find("name", "gone")]).toEqual([]);
      expect([...session.cache.table("Address_Set").find("name", "new")]).toEqual([fresh!.uuid]);
    });

    test("an answer lost with the connection is an unknown outcome that the next fill tells", async () => {
      const { session, events } = await open();
      subject.loseNextAnswer();
      const sent = session.transact([insert("Address_Set", { name: "a" })]);
      await expect(sent).rejects.toBeInstanceOf(ConnectionLostError);
      await subject.restore();
      await settled(() => session.ready);
      expect(session.cache.table("Address_Set").find("name", "a").size).toBe(1);
      expect(events).toEqual(["ready", "lost", "changed 1", "ready"]);
    });

    test("a closed session says nothing more and refuses transactions", async () => {
      const { session, events } = await open();
      await session.close();
      await session.close();
      expect(session.ready).toBe(false);
      await expect(session.transact([{ op: "abort" }])).rejects.toBeInstanceOf(ConnectionLostError);
      await subject.other.transact([insert("Address_Set", { name: "a" })]);
      expect(events).toEqual(["ready"]);
    });
  });
}

/** Resolves when it is so; looks a bounded number of times. */
export async function settled(isSo: () => boolean): Promise<void> {
  for (let looks = 0; !isSo(); looks++) {
    if (looks > 2000) throw new Error(`never came true: ${isSo.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
