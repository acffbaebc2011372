// Many rows go in many small transactions, in the order of their pieces, and several of them are under way at once: the server
// works on some while the next are planned. Decides how large they are and how many; knows no rows.

import type { Operation } from "../../ovsdb/notation/operation.ts";
import type { Piece } from "../plan/context.ts";
import type { UnitKey } from "../rows/unit.ts";

/**
 * The operations of a transaction: what the server takes for one grows faster than their number. 67,000 rows in one
 * transaction took it three times as long as in one for each policy, whose rows are few; with 160 operations in each it
 * took a third more CPU than with 40 (docs/performance-analysis.md).
 */
const mostOperations = 40;

/**
 * So many times the weight of one transaction may be under way: the server and this program take turns at being the slower one,
 * and with less, each waited for the other for a quarter of the time. The server reads some ten messages of a client before it
 * turns to the next client, so that more would not keep it from others any longer.
 */
const mostUnderWay = 8;

/**
 * Resolves when all that was sent is answered, with the first trouble; null: there was none. Nothing is sent behind a trouble that
 * is known. `mostWeight`: of one transaction. `send` resolves with why it must stop, or null.
 */
export async function sendAhead<Trouble extends object | string>(
  pieces: Iterable<Piece> | AsyncIterable<Piece>,
  mostWeight: number,
  send: (transaction: Piece) => Promise<Trouble | null>,
): Promise<Trouble | null> {
  const underWay: { readonly weight: number; readonly answer: Promise<Trouble | null> }[] = [];
  let total = 0;
  let trouble: Trouble | null = null;
  for await (const transaction of grouped(pieces, mostWeight)) {
    underWay.push({ weight: transaction.weight, answer: send(transaction) });
    total += transaction.weight;
    while (underWay.length > 1 && total > mostUnderWay * mostWeight) {
      const [first] = underWay.splice(0, 1);
      total -= first?.weight ?? 0;
      const answer = (await first?.answer) ?? null;
      trouble ??= answer;
    }
    if (trouble !== null) break;
  }
  const answers = await Promise.all(underWay.map(({ answer }) => answer));
  return trouble ?? answers.find((answer) => answer !== null) ?? null;
}

/** As many pieces in a transaction as the limits of weight and of operations allow; one at least. */
async function* grouped(
  pieces: Iterable<Piece> | AsyncIterable<Piece>,
  mostWeight: number,
): AsyncGenerator<Piece> {
  let operations: Operation[] = [];
  let units: UnitKey[] = [];
  let weight = 0;
  for await (const piece of pieces) {
    const isFull =
      weight + piece.weight > mostWeight || operations.length + piece.operations.length > mostOperations;
    if (weight > 0 && isFull) {
      yield { operations, units, weight };
      operations = [];
      units = [];
      weight = 0;
    }
    for (const operation of piece.operations) operations.push(operation);
    units.push(...piece.units);
    weight += piece.weight;
  }
  if (operations.length > 0) yield { operations, units, weight };
}
