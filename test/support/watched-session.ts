// A session whose every transaction is told of when it has landed, before whoever asked for it hears of it.

import type { Northbound } from "../../src/nbdb/schema.ts";
import type { Operation, Session } from "../../src/ovsdb/index.ts";

export function watchedSession(
  session: Session<Northbound>,
  landed: (operations: readonly Operation[]) => void | Promise<void>,
): Session<Northbound> {
  return {
    get ready() {
      return session.ready;
    },
    cache: session.cache,
    subscribe: (listener) => session.subscribe(listener),
    transact: async (operations) => {
      const results = await session.transact(operations);
      await landed(operations);
      return results;
    },
    close: () => session.close(),
  };
}
