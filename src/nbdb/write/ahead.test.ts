// How rows that are written ahead are cut into transactions, and how many of these are under way.

import { expect, test } from "@jest/globals";
import type { Operation } from "../../ovsdb/notation/operation.ts";
import type { Piece } from "../plan/context.ts";
import { sendAhead } from "./ahead.ts";

const operation: Operation = { op: "comment", comment: "" };
const piece = (operations: number, weight: number): Piece => ({
  operations: Array.from({ length: operations }, () => operation),
  units: [],
  weight,
});

/** Answers nothing until it is told to. */
function server() {
  const sizes: number[] = [];
  const answers: ((trouble: string | null) => void)[] = [];
  const send = ({ operations }: Piece): Promise<string | null> => {
    sizes.push(operations.length);
    return new Promise((resolve) => answers.push(resolve));
  };
  return { sizes, answers, send };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a transaction has a limit of weight and one of operations, and at least one piece", async () => {
  const sizes: number[] = [];
  const pieces = [
    piece(1, 60),
    piece(1, 60),
    piece(25, 1),
    piece(15, 1),
    piece(1, 1),
    piece(80, 1),
    piece(1, 500),
  ];
  const trouble = await sendAhead(pieces, 100, ({ operations }) => {
    sizes.push(operations.length);
    return Promise.resolve(null);
  });
  expect([trouble, sizes]).toEqual([null, [1, 26, 16, 80, 1]]);
});

test("many are under way together, up to eight times the weight of one", async () => {
  const small = server();
  const sent = sendAhead(
    Array.from({ length: 6 }, () => piece(25, 10)),
    100,
    small.send,
  );
  await turn();
  expect(small.sizes).toHaveLength(6);
  for (const answer of small.answers) answer(null);
  expect(await sent).toBeNull();

  const large = server();
  const all = sendAhead(
    Array.from({ length: 12 }, () => piece(1, 90)),
    100,
    large.send,
  );
  for (let count = 9; count <= 12; count++) {
    await turn();
    expect(large.sizes).toHaveLength(count);
    large.answers[count - 9]?.(null);
  }
  for (const answer of large.answers) answer(null);
  expect(await all).toBeNull();
});

test("nothing is sent behind a trouble that is known", async () => {
  const { sizes, answers, send } = server();
  const sent = sendAhead(
    Array.from({ length: 12 }, () => piece(1, 90)),
    100,
    send,
  );
  await turn();
  answers[0]?.("the connection is lost");
  await turn();
  for (const answer of answers.slice(1)) answer("later");
  expect(await sent).toBe("the connection is lost");
  expect(sizes).toHaveLength(9);
});
