// What is written without an edit, on a real ovsdb-server: told in one line, counted, and never mistaken for an edit;
// and another program that writes the same rows is told of and not fought at full speed.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Clock } from "../../src/lib/clock.ts";
import type { WorldObject } from "../../src/model/object.ts";
import type { Northbound } from "../../src/nbdb/rows/schema.ts";
import type { Operation, SocketSession } from "../../src/ovsdb/index.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { actualTables } from "../support/actual-tables.ts";
import type { TestController } from "../support/controller.ts";
import { MemorySource, freshTables, keyOf, openNorthbound, startController } from "../support/controller.ts";
import { patience } from "../support/patience.ts";
import { eventually } from "../support/eventually.ts";
import { namespace, pod } from "../support/facts.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { anp, namespacesWith } from "../support/policies.ts";
import { HandClock, LineLogger } from "../support/scripted-api.ts";
import { clearRows, makeSwitch } from "../support/ports.ts";

const options = { families: ["v4"], zone: null } as const;
const policy = (name: string, priority: number, action = "Deny") =>
  anp(name, {
    priority,
    subject: namespacesWith({ tenant: "a" }),
    ingress: [{ action, from: [{ namespaces: {} }] }],
  });
const world: readonly WorldObject[] = [
  namespace("a", { tenant: "a" }),
  pod("a", "one", { ips: ["10.0.0.1"] }),
  policy("first", 1),
  policy("second", 2),
];
const shown = (name: string) => `AdminNetworkPolicy/${name}`;
const none = { repair: 0, sweep: 0, takeover: 0 };

await describeWithOvn("corrections", () => {
  let ovn: Ovn;
  let session: SocketSession<Northbound>;
  let lines: LineLogger;
  let controller: TestController | null = null;

  beforeAll(async () => {
    ovn = await startOvn({ northd: false });
  });
  afterAll(async () => {
    await ovn.stop();
  });
  beforeEach(async () => {
    await clearRows(ovn);
    await makeSwitch(ovn, ["a_one"]);
  });
  afterEach(async () => {
    await end();
  });

  async function end(): Promise<void> {
    await controller?.stop();
    await session.close();
    controller = null;
  }

  /** As a new process over what stands. */
  async function start(objects: readonly WorldObject[], clock?: Clock): Promise<TestController> {
    if (controller !== null) await end();
    session = openNorthbound(ovn.nb);
    await session.opened();
    lines = new LineLogger();
    controller = startController(session, new MemorySource(objects), {
      ...{ ...options, logger: lines },
      ...(clock === undefined ? {} : { clock }),
    });
    await controller.loop.idle();
    return controller;
  }

  const setOf = (name: string, objects = world) =>
    freshTables(objects, options).Address_Set.find(
      ({ external_ids: ids }) => ids["k8s.ovn.org/name"] === name,
    )?.name ?? "";
  const converged = (objects = world) =>
    eventually(async () => {
      await controller?.loop.idle();
      const { Address_Set: sets, ACL: acls } = actualTables(session.cache);
      const wanted = freshTables(objects, options);
      expect([sets, acls]).toEqual([wanted.Address_Set, wanted.ACL]);
    });

  test("a first start, edits and pods that come and go are none", async () => {
    const { source, backend, loop } = await start(world);
    const two = pod("a", "two", { ips: ["10.0.0.2"] });
    await ovn.nbctl("lsp-add", "sw", "a_two");
    const edits = [
      () => {
        source.set(two);
      },
      () => {
        source.set(policy("first", 3));
      },
      () => {
        source.set(policy("first", 3, "Allow"));
      },
      () => {
        source.delete(keyOf(two));
      },
      () => {
        source.delete(keyOf(policy("first", 3)));
      },
    ];
    for (const edit of edits) {
      edit();
      await loop.idle();
    }
    // The server drops the reference by itself, and the port comes back under another uuid.
    await ovn.nbctl("lsp-del", "a_one", "--", "lsp-add", "sw", "a_one");
    await eventually(() => {
      const [{ ports } = { ports: [] }] = actualTables(session.cache).Port_Group;
      expect(ports).toHaveLength(1);
    });
    await loop.idle();
    expect([backend.corrections.counts, lines.said]).toEqual([none, []]);
  });

  test("a restart without differences is none", async () => {
    await start(world);
    const { backend } = await start(world);
    expect([backend.corrections.counts, lines.said, session.stats.transactions]).toEqual([none, [], 0]);
  });

  test("rows that somebody changes are a repair, one line for each commit", async () => {
    const { backend } = await start(world);
    // Before the session sees the change, the rows look right.
    const repaired = (repair: number) =>
      eventually(() => {
        expect(backend.corrections.counts).toEqual({ ...none, repair });
      });
    await ovn.nbctl("clear", "Address_Set", setOf("first"), "addresses");
    await repaired(1);
    await converged();
    const text = "rows that another client had changed were put right";
    expect(lines.said).toEqual([["warn", text, { policies: 1, operations: 1, which: shown("first") }]]);
    await ovn.nbctl(
      ...["destroy", "Address_Set", setOf("first"), "--"],
      ...["add", "Address_Set", setOf("second"), "addresses", "6.6.6.6"],
    );
    await repaired(3);
    await converged();
    expect(lines.said.slice(1)).toEqual([
      ["warn", text, { policies: 2, operations: 3, which: `${shown("first")}, ${shown("second")}` }],
    ]);
  });

  test("rows of a policy that went while nobody ran are swept", async () => {
    await start(world);
    const rest = world.filter((object) => keyOf(object) !== keyOf(policy("first", 1)));
    const { backend } = await start(rest);
    await converged(rest);
    expect(backend.corrections.counts).toEqual({ ...none, sweep: 1 });
    expect(lines.said).toEqual([
      [
        "info",
        "rows of policies that do not exist were removed",
        { policies: 1, operations: 2, which: shown("first") },
      ],
    ]);
  });

  test("rows of an earlier run that differ are taken over", async () => {
    await start(world);
    const edited = world.map((object) =>
      keyOf(object) === keyOf(policy("first", 1)) ? policy("first", 9) : object,
    );
    const { backend } = await start(edited);
    await converged(edited);
    expect(backend.corrections.counts).toEqual({ ...none, takeover: 1 });
    expect(lines.said).toEqual([
      [
        "info",
        "rows of an earlier run were brought up to date",
        { policies: 1, operations: 1, which: shown("first") },
      ],
    ]);
  });

  describe("another program that writes the same rows", () => {
    /** Undoes what was written of the set, as soon as it is written, until it is ended. */
    async function opponent(set: string) {
      const other = openNorthbound(ovn.nb);
      await other.opened();
      const undo: Operation = {
        op: "update",
        table: "Address_Set",
        where: [{ column: "name", function: "==", value: set }],
        row: { addresses: ["6.6.6.6"] },
      };
      let rounds = 0;
      let sent: Promise<unknown> | null = null;
      let isOver = false;
      const act = () => {
        if (isOver) return;
        const table = other.cache.table("Address_Set");
        const [uuid] = table.find("name", set);
        const addresses = uuid === undefined ? undefined : table.get(uuid)?.addresses;
        if (addresses === undefined || addresses.has("6.6.6.6")) return;
        rounds++;
        sent = other.transact([undo]);
      };
      other.subscribe({ changed: act });
      act();
      const end = async () => {
        isOver = true;
        await sent;
        await other.close();
      };
      return { rounds: () => rounds, end };
    }

    test(
      "may be a second Northgate with other inputs: both say so, and write some times a second at most",
      async () => {
        const { backend } = await start(world);
        const other = openNorthbound(ovn.nb);
        await other.opened();
        const rest = world.filter((object) => keyOf(object) !== keyOf(policy("first", 1)));
        const second = startController(other, new MemorySource(rest), options);
        try {
          await eventually(() => {
            expect([backend, second.backend].map(({ corrections }) => corrections.conflicts.lines())).toEqual(
              [
                [`another program writes the same rows: ${shown("first")}`],
                [`another program writes the same rows: ${shown("first")}`],
              ],
            );
          });
          const sent = () => session.stats.transactions + other.stats.transactions;
          const before = sent();
          await new Promise((resolve) => setTimeout(resolve, 5_000));
          // It was 724 without a pause.
          expect(sent() - before).toBeLessThan(40);
          expect(sent() - before).toBeGreaterThan(0);
        } finally {
          await second.stop();
          await other.close();
        }
        await converged();
      },
      patience(30_000),
    );

    test("is told of once, and repairs go on with a pause that grows", async () => {
      const clock = new HandClock();
      const { backend, source, loop } = await start(world, clock);
      const other = await opponent(setOf("first"));
      const contested = () =>
        [...backend.corrections.conflicts.contested()].map((unit) => unit.slice(unit.indexOf("/") + 1));
      await eventually(() => {
        expect(contested()).toEqual(["first"]);
      });
      const still = async () => {
        // Whatever the two would do without a pause is done by then.
        await new Promise((resolve) => setTimeout(resolve, 300));
        await loop.idle();
        return backend.corrections.counts.repair;
      };
      expect(await still()).toBe(3);
      const waits: number[] = [];
      for (let repairs = 3; repairs < 10; repairs++) {
        const wait = clock.waits.at(-1) ?? 0;
        waits.push(wait);
        clock.elapse(wait - 1);
        expect(backend.corrections.counts.repair).toBe(repairs);
        clock.elapse(1);
        await eventually(() => {
          expect(backend.corrections.counts.repair).toBe(repairs + 1);
          expect(other.rounds()).toBe(repairs + 2);
        });
        expect(await still()).toBe(repairs + 1);
      }
      expect(waits).toEqual([100, 200, 400, 800, 1600, 2000, 2000]);
      const told = lines.said.filter(([, text]) => text === "another program writes the same rows");
      expect(told.map(([level, , { policies, which }]) => [level, policies, which])).toEqual([
        ["warn", 1, shown("first")],
      ]);
      // An edit waits for nothing, of this policy or another.
      source.set(policy("first", 7), policy("second", 8));
      await loop.idle();
      await eventually(async () => {
        await loop.idle();
        expect(new Set(actualTables(session.cache).ACL.map(({ priority }) => priority))).toEqual(
          new Set(
            freshTables([...world.slice(0, 2), policy("first", 7), policy("second", 8)], options).ACL.map(
              ({ priority }) => priority,
            ),
          ),
        );
      });
      await other.end();
      clock.elapse(2_000);
      await converged([...world.slice(0, 2), policy("first", 7), policy("second", 8)]);
      clock.elapse(60_000);
      expect(contested()).toEqual([]);
    });
  });
});
