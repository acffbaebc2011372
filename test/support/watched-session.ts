// A session that is another one but for its transactions: sent in some other way, or told of when they have landed, before
// whoever asked for them hears of it.

import type { Northbound } from "../../src/nbdb/rows/schema.ts";
import type { Operation, Session } from "../../src/ovsdb/index.ts";

export function sessionWith(
  session: Session<Northbound>,
  transact: Session<Northbound>["transact"],
): Session<Northbound> {
  return {
    get ready() {
      return session.ready;
    },
    cache: session.cache,
    subscribe: (listener) => session.subscribe(listener),
    transact,
    close: () => session.close(),
  };
}

export function watchedSession(
  session: Session<Northbound>,
  landed: (operations: readonly Operation[]) => void | Promise<void>,
): Session<Northbound> {
  return sessionWith(session, async (operations) => {
    const results = await session.transact(operations);
    await landed(operations);
    return results;
  });
}
