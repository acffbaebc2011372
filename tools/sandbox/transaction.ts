// One transaction with a private database server, over its unix socket and a connection of its own (RFC 7047, section 4.1.3): a program
// such as ovn-nbctl would be started for each. Refuses a server that does not answer within 40 s. Not the product's own client: judges read
// rows with it.

import { setTimeout as sleep } from "node:timers/promises";
import { ControlSocket } from "./unixctl.ts";

type Result = Readonly<Record<string, unknown>>;

/** `wait` operations may take 30 s of it. */
const limitMs = 40_000;

/** @param remote "unix:<path>". The results of the operations; an operation that fails rejects with the server's words. */
export async function transact(
  remote: string,
  database: string,
  operations: readonly Result[],
): Promise<readonly Result[]> {
  const socket = await ControlSocket.open(remote.replace(/^unix:/, ""));
  const limit = new AbortController();
  const late = sleep(limitMs, null, { signal: limit.signal, ref: false }).then(
    () => Promise.reject(new Error(`${remote}: no answer for ${limitMs / 1000} s`)),
    () => null,
  );
  try {
    const results = (await Promise.race([
      socket.ask("transact", [database, ...operations]),
      late,
    ])) as readonly Result[];
    // Those behind a failed operation are null.
    const failed = results.find((result) => "error" in result);
    if (failed !== undefined) throw new Error(`${remote}: ${JSON.stringify(failed)}`);
    return results;
  } finally {
    limit.abort();
    socket.close();
  }
}
