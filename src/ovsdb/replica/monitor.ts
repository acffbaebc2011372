// Requests rows and every later change from the server (ovsdb-server(7) 4.1.12 monitor_cond, 4.1.15
// monitor_cond_since): which columns, under which conditions, since which transaction. Falls back where since is
// unknown.

import type { OperationCodec } from "../notation/codec.ts";
import { ProtocolError } from "../notation/errors.ts";
import { RpcError } from "../wire/jsonrpc.ts";
import { excerpt } from "../notation/notation.ts";
import type { Condition } from "../notation/operation.ts";
import type { TableCodec } from "../notation/schema.ts";

/** The monitor name of updates of the database's rows. */
export const rowsMonitor = "rows";

/** No transaction: the server sends every row. A standalone server names none and always sends every row. */
export const noTransaction = "00000000-0000-0000-0000-000000000000";

/** TableMonitor of session.ts, resolved: the codecs of the columns to keep. */
export interface TablePlan {
  readonly columns: TableCodec;
  readonly anyOf: readonly Condition[] | undefined;
}

export interface MonitorReply {
  /** `updates` are the changes since the requested transaction; false: they are every row. */
  readonly found: boolean;
  /** The last transaction the updates contain. */
  readonly last: string;
  /** <table-updates2>. */
  readonly updates: unknown;
}

/** Sends a request and resolves with its result. Rejects with RpcError or ConnectionLostError. */
export type Ask = (method: string, params: unknown) => Promise<unknown>;

/** Rejects with RpcError, ConnectionLostError or ProtocolError. */
export async function openMonitor(
  ask: Ask,
  database: string,
  plans: ReadonlyMap<string, TablePlan>,
  codec: OperationCodec,
  since: string,
): Promise<MonitorReply> {
  const requests = Object.fromEntries(
    Array.from(plans, ([table, { columns, anyOf }]) => [
      table,
      [{ columns: [...columns.keys()], ...whereOf(table, anyOf, codec) }],
    ]),
  );
  try {
    const reply = await ask("monitor_cond_since", [database, rowsMonitor, requests, since]);
    if (!Array.isArray(reply) || typeof reply[1] !== "string") {
      throw new ProtocolError(`expected a monitor_cond_since reply and got ${excerpt(reply)}`);
    }
    return { found: reply[0] === true, last: reply[1], updates: reply[2] };
  } catch (error) {
    if (!(error instanceof RpcError && error.error === "unknown method")) throw error;
    const updates = await ask("monitor_cond", [database, rowsMonitor, requests]);
    return { found: false, last: noTransaction, updates };
  }
}

function whereOf(
  table: string,
  anyOf: readonly Condition[] | undefined,
  codec: OperationCodec,
): { where?: unknown[] } {
  if (anyOf === undefined) return {};
  // The server treats an empty list as no condition at all; here it means no row, so it is sent as `false`.
  return { where: anyOf.length === 0 ? [false] : codec.conditions(table, anyOf) };
}
