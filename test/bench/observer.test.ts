// The observer on a real ovsdb-server: rows that the floor wrote are right, and every way in which a row can be wrong is
// seen as wrong. An observer that cannot say no measures nothing.

import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { insertion, operationsOf, type WireOperation } from "../../bench/floor/operations.ts";
import { uuidOf } from "../../bench/floor/uuid.ts";
import { Fingerprint } from "../../bench/observer/fingerprint.ts";
import { Model } from "../../bench/observer/model.ts";
import { imageOf } from "../../bench/observer/rows.ts";
import { Database, transaction } from "../../bench/run/database.ts";
import { churnPod } from "../../bench/workloads/churn.ts";
import { made, objectsOf, worldOf } from "../../bench/workloads/world.ts";
import { eventually } from "../support/eventually.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { renderingOf } from "../../bench/workloads/rendering.ts";
import { small } from "./support.ts";
import { patience } from "../support/patience.ts";

test("a fingerprint does not know order, and knows every element", () => {
  const addresses = Array.from({ length: 1000 }, (_, at) => `10.0.${at >> 8}.${at & 255}`);
  const all = Fingerprint.of(addresses).text;
  expect(Fingerprint.of(addresses.toReversed()).text).toBe(all);
  const without = addresses.map((_, gone) => Fingerprint.of(addresses.filter((__, at) => at !== gone)).text);
  expect(new Set([all, ...without]).size).toBe(addresses.length + 1);
});

await describeWithOvn("the observer", (install) => {
  const world = worldOf(small);
  const model = new Model(renderingOf("central"));
  let database: Database;
  beforeAll(async () => {
    model.apply(objectsOf(world).map(made));
    database = await Database.open(world, renderingOf("central"), { install });
    database.observer.expect([...model.rows()].map((row) => ({ id: row.id, image: imageOf(row) })));
    const rows = [...model.rows()].map((row) => insertion(row, model.view));
    await Promise.all([database.transact(transaction(rows)), database.observer.watch(patience(20_000))]);
  });
  afterAll(() => database.close());

  const sees = (right: boolean) =>
    eventually(() => {
      expect(database.observer.right).toBe(right);
    });
  const rowOf = (table: string) => {
    const row = [...model.rows()].find((each) => each.table === table);
    return { table, where: [["_uuid", "==", ["uuid", uuidOf(row!.id)]]] };
  };
  const mutate = (table: string, column: string, mutator: string, value: unknown): WireOperation => ({
    ...{ op: "mutate", ...rowOf(table), mutations: [[column, mutator, value]] },
  });
  const port = ["uuid", uuidOf("ns-0_pod-0")];

  const mistakes: readonly (readonly [string, () => WireOperation, () => WireOperation])[] = [
    [
      "an address too many",
      () => mutate("Address_Set", "addresses", "insert", "192.0.2.1"),
      () => mutate("Address_Set", "addresses", "delete", "192.0.2.1"),
    ],
    [
      "another action",
      () => ({ op: "update", ...rowOf("ACL"), row: { action: "reject" } }),
      () => ({ op: "update", ...rowOf("ACL"), row: { action: "allow-related" } }),
    ],
    [
      "an ACL that logs",
      () => ({ op: "update", ...rowOf("ACL"), row: { log: true } }),
      () => ({ op: "update", ...rowOf("ACL"), row: { log: false } }),
    ],
    [
      "an id too many in external_ids",
      () => mutate("Port_Group", "external_ids", "insert", ["map", [["a", "b"]]]),
      () => mutate("Port_Group", "external_ids", "delete", ["set", ["a"]]),
    ],
    [
      "a port too few",
      () => mutate("Port_Group", "ports", "delete", port),
      () => mutate("Port_Group", "ports", "insert", port),
    ],
    [
      "a row beside the expected ones",
      () => ({
        op: "insert",
        table: "Address_Set",
        row: { name: "beside", external_ids: ["map", [["k8s.ovn.org/id", "beside"]]] },
      }),
      () => ({ op: "delete", table: "Address_Set", where: [["name", "==", "beside"]] }),
    ],
  ];

  test.each(mistakes)("sees %s, and that it was put right", async (_name, spoil, mend) => {
    await sees(true);
    await database.transact(transaction([spoil()]));
    await sees(false);
    await database.transact(transaction([mend()]));
    await sees(true);
  });

  test("sees a row that is not there", async () => {
    const [first] = [...model.rows()].filter((row) => row.table === "Address_Set");
    await database.transact(transaction([{ op: "delete", ...rowOf("Address_Set") }]));
    await sees(false);
    await expect(database.observer.watch(50)).rejects.toThrow(first!.id);
    await database.transact(transaction([insertion(first!, model.view)]));
    await sees(true);
  });

  test("rows that no policy owns are none of its business", async () => {
    const stranger = { op: "insert", table: "Address_Set", row: { name: "stranger" } };
    await database.transact(transaction([stranger]));
    await database.transact(transaction([{ op: "comment", comment: "a later transaction" }]));
    expect(database.observer.right).toBe(true);
  });

  test("the floor's operations for an event make the rows right, and not one of them is idle", async () => {
    const pod = churnPod(0, small);
    await database.ports("insert", [pod]);
    const changes = model.apply([made(pod)]);
    database.observer.expect(changes.map(({ after }) => ({ id: after!.id, image: imageOf(after!) })));
    await sees(false);
    const operations = changes.flatMap((change) => operationsOf(change, model.view));
    for (const operation of operations) {
      expect(database.observer.right).toBe(false);
      await database.transact(transaction([operation]));
    }
    await sees(true);
    expect(operations.length).toBe(changes.length);
  });
});
