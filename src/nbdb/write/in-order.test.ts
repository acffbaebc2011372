// Units in order: what is under way together, what each transaction asks of the one before it, and where it ends.

import { expect, test } from "@jest/globals";
import type { Operation } from "../../ovsdb/notation/operation.ts";
import type { Piece } from "../plan/context.ts";
import type { UnitKey } from "../rows/unit.ts";
import { sendInOrder } from "./in-order.ts";

const clock = { now: () => 0, after: () => ({ cancel: () => undefined }) };
const groups = [["a"], ["b", "c"], ["d"]] as unknown as readonly (readonly UnitKey[])[];

interface Sent {
  readonly units: readonly UnitKey[];
  readonly operations: readonly Operation[];
  readonly guards: readonly Operation[];
}

/** Answers at once, with a trouble for these units. */
async function send(
  operationsOf: (unit: UnitKey, newName: () => string) => readonly Operation[] | null,
  refused: readonly string[] = [],
  among = groups,
): Promise<{
  readonly sent: readonly Sent[];
  readonly notSent: readonly UnitKey[];
  readonly trouble: { readonly of: string } | null;
}> {
  const notSent: UnitKey[] = [];
  const sent: Sent[] = [];
  const trouble = await sendInOrder<{ readonly of: string }>(among, {
    clock,
    mostWeight: 1,
    weightOf: () => 1,
    plan: (unit, newName, operations) => {
      const planned = operationsOf(unit, newName);
      operations.push(...(planned ?? []));
      return planned !== null;
    },
    notSent: (unit) => notSent.push(unit),
    attempt: ({ units, operations }: Piece, guards) => {
      sent.push({ units, operations, guards });
      const of = units.find((unit) => refused.includes(unit));
      return Promise.resolve(of === undefined ? null : { of });
    },
  });
  return { sent, notSent, trouble };
}

const insert = (name: string): Operation => ({ op: "insert", table: "Port_Group", row: { name } });

test("each group is a transaction that asks for the row of the one before it, by a uuid of its own", async () => {
  const { sent, trouble } = await send((unit, newName) => [
    { op: "insert", table: "ACL", row: {}, uuidName: newName() },
    insert(unit),
  ]);
  expect(trouble).toBeNull();
  expect(sent.map(({ units }) => units)).toEqual(groups);
  const uuids = sent.map(({ operations }) => {
    const marked = operations.flatMap((one) => (one.op === "insert" && one.uuid !== undefined ? [one] : []));
    expect(marked).toHaveLength(1);
    expect(operations.at(-1)).toBe(marked[0]);
    return marked[0]?.uuid;
  });
  expect(new Set(uuids).size).toBe(3);
  const guards = sent.map((one) => one.guards.map((guard) => (guard.op === "wait" ? guard.rows : guard)));
  expect(guards).toEqual([[], [[{ _uuid: uuids[0] }]], [[{ _uuid: uuids[1] }]]]);
  const names = sent.flatMap(({ operations }) =>
    operations.flatMap((one) => (one.op === "insert" ? (one.uuidName ?? []) : [])),
  );
  expect(new Set(names).size).toBe(4);
});

test("a group that inserts no row leaves the next one the guard that it had", async () => {
  const { sent } = await send((unit) => (unit === "a" ? [insert(unit)] : [{ op: "comment", comment: "" }]));
  expect(sent[1]?.guards).toHaveLength(1);
  expect(sent[2]?.guards).toEqual(sent[1]?.guards);
});

test("units of which nothing is to be written are not sent", async () => {
  const { sent } = await send((unit) => (["c", "d"].includes(unit) ? null : [insert(unit)]));
  expect(sent.map(({ units }) => units)).toEqual([["a"], ["b"]]);
});

test("the first trouble ends it, and what was planned and is not sent is named", async () => {
  const many = Array.from({ length: 26 }, (_, at) => [String.fromCharCode(97 + at) as UnitKey]);
  const { sent, notSent, trouble } = await send((unit) => [insert(unit)], ["c", "d"], many);
  expect(trouble).toEqual({ of: "c" });
  const later = many.flat().slice(sent.length);
  expect(later.length).toBeGreaterThan(notSent.length);
  expect(notSent).toEqual(later.slice(0, 1));
});
