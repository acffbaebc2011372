// Rows that are written ahead go in many small transactions, in the order of their pieces, and several of them are under way at
// once: the server works on some while the next are rendered. Decides how large they are and how many; knows no rows.

import type { Operation } from "../../ovsdb/operation.ts";
import type { Piece } from "../plan/context.ts";

/**
 * The operations of a transaction written ahead: what the server takes for one grows faster than their number. 67,000 rows in one
 * transaction took it three times as long as in one for each policy, whose rows are few (docs/performance.md).
 */
const mostOperations = 160;

/**
 * So many times the weight of one transaction may be under way: the server and this program take turns at being the slower one,
 * and with less, each waited for the other for a quarter of the time. The server reads some ten messages of a client before it
 * turns to the next client, so that more would not keep it from others any longer.
 */
const mostUnderWay = 8;

/**
 * Resolves when all pieces are answered, or with the first trouble; then what is under way may still be answered. `mostWeight`: of
 * one transaction. `send` resolves with why it must stop, or null.
 */
export async function sendAhead(
  pieces: Iterable<Piece>,
  mostWeight: number,
  send: (operations: readonly Operation[]) => Promise<string | null>,
): Promise<string | null> {
  const underWay: { readonly weight: number; readonly answer: Promise<string | null> }[] = [];
  let total = 0;
  for (const { operations, weight } of grouped(pieces, mostWeight)) {
    underWay.push({ weight, answer: send(operations) });
    total += weight;
    while (underWay.length > 1 && total > mostUnderWay * mostWeight) {
      const [first] = underWay.splice(0, 1);
      total -= first?.weight ?? 0;
      const trouble = (await first?.answer) ?? null;
      if (trouble !== null) return trouble;
    }
  }
  const troubles = await Promise.all(underWay.map(({ answer }) => answer));
  return troubles.find((trouble) => trouble !== null) ?? null;
}

/** As many pieces in a transaction as the limits of weight and of operations allow; one at least. */
function* grouped(pieces: Iterable<Piece>, mostWeight: number): Generator<Piece> {
  let operations: Operation[] = [];
  let weight = 0;
  for (const piece of pieces) {
    const isFull =
      weight + piece.weight > mostWeight || operations.length + piece.operations.length > mostOperations;
    if (weight > 0 && isFull) {
      yield { operations, weight };
      operations = [];
      weight = 0;
    }
    for (const operation of piece.operations) operations.push(operation);
    weight += piece.weight;
  }
  if (operations.length > 0) yield { operations, weight };
}
