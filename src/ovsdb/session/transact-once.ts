// One transaction on a connection of its own, which ends with it: for a caller that writes seldom and reads nothing. It says
// only how the transaction ended, and never throws for what a server does.

import { systemClock } from "../../lib/clock.ts";
import { OperationCodec, refusal } from "../notation/codec.ts";
import { Connection } from "../wire/connection.ts";
import { dial, type TlsFiles } from "../wire/dial.ts";
import { TransactionError } from "../notation/errors.ts";
import { RpcError } from "../wire/jsonrpc.ts";
import type { Operation } from "../notation/operation.ts";
import type { Remote } from "../wire/remote.ts";
import { newCounters } from "../wire/stats.ts";

export interface OneTransaction {
  readonly database: string;
  /** Values of strings, numbers, booleans and maps of them: no column is looked up. */
  readonly operations: readonly Operation[];
  readonly tls: TlsFiles | null;
  /** Milliseconds to connect, and as many for the answer. */
  readonly patienceMs: number;
}

/**
 * `done`: every operation succeeded. `refused`: a condition did not hold, or the database refused an operation.
 * `unreachable`: no connection, no answer in time, or a server that cannot write now; the outcome may be unknown.
 */
export type OneOutcome = "done" | "refused" | "unreachable";

const maxAnswerBytes = 1 << 20;

export async function transactOnce(
  remote: Remote,
  { database, operations, tls, patienceMs }: OneTransaction,
): Promise<OneOutcome> {
  const codec = new OperationCodec(new Map());
  const params = [database, ...operations.map((operation) => codec.encode(operation))];
  let connection: Connection | null = null;
  try {
    const { signal } = new AbortController();
    connection = new Connection(
      await dial(remote, { tls, timeoutMs: patienceMs, clock: systemClock, signal }),
      {
        ...{ clock: systemClock, counters: newCounters(), maxMessageBytes: maxAnswerBytes },
        ...{ notified: () => undefined, crowded: () => null, ended: () => undefined },
      },
    );
    const answer = await connection.request("transact", params, { limitMs: patienceMs });
    codec.decode(operations, answer);
    return "done";
  } catch (error) {
    return isRefusal(error instanceof RpcError ? refusal(error.error, null) : error)
      ? "refused"
      : "unreachable";
  } finally {
    connection?.end("it has served");
  }
}

/** A condition that did not hold is a refusal here: no other member would answer otherwise. */
function isRefusal(error: unknown): boolean {
  return error instanceof TransactionError && (error.kind === "timed out" || !error.isServerTrouble);
}
