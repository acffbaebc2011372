// The rows of a running database as src/nbdb/audit reads them, again and again over one connection.

import type { SocketSession } from "../../src/ovsdb/index.ts";
import { openSession } from "../../src/ovsdb/index.ts";
import type { LiveDatabase, DatabaseRows } from "../../src/nbdb/audit/index.ts";
import { liveRecords, liveDatabase, liveMonitors, databaseRows } from "../../src/nbdb/audit/index.ts";

export class ExistingReader {
  readonly #session: SocketSession<LiveDatabase>;

  private constructor(session: SocketSession<LiveDatabase>) {
    this.#session = session;
  }

  static async open(remotes: string): Promise<ExistingReader> {
    const session = openSession({ remotes, database: liveDatabase, monitors: liveMonitors });
    await session.opened();
    return new ExistingReader(session);
  }

  async close(): Promise<void> {
    await this.#session.close();
  }

  /** As they are when it is asked. */
  async rows(): Promise<DatabaseRows> {
    // Whatever the server has told before it answers is in the cache then.
    await this.#session.transact([{ op: "select", table: "NB_Global", where: [], columns: [] }]);
    return databaseRows(liveRecords(this.#session.cache));
  }
}
