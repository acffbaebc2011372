// The rows of a running database as src/nbdb/audit reads them, again and again over one connection.

import type { SocketSession } from "../../src/ovsdb/index.ts";
import { openSession } from "../../src/ovsdb/index.ts";
import type { StandingDatabase, StandingRows } from "../../src/nbdb/audit/index.ts";
import { liveRecords, standingDatabase, standingMonitors, standingRows } from "../../src/nbdb/audit/index.ts";

export class StandingReader {
  readonly #session: SocketSession<StandingDatabase>;

  private constructor(session: SocketSession<StandingDatabase>) {
    this.#session = session;
  }

  static async open(remotes: string): Promise<StandingReader> {
    const session = openSession({ remotes, database: standingDatabase, monitors: standingMonitors });
    await session.opened();
    return new StandingReader(session);
  }

  async close(): Promise<void> {
    await this.#session.close();
  }

  /** As they are when it is asked. */
  async rows(): Promise<StandingRows> {
    // Whatever the server has told before it answers is in the cache then.
    await this.#session.transact([{ op: "select", table: "NB_Global", where: [], columns: [] }]);
    return standingRows(liveRecords(this.#session.cache));
  }
}
