// Whether the server may be used, by the row about our database in the server's own database `_Server`
// (ovsdb-server(5)). A member that is disconnected from its cluster answers nothing, and a lagging one would set the
// cache back in time (members.ts).

import { RpcError } from "../wire/jsonrpc.ts";
import { Interner } from "../notation/interner.ts";
import type { EndpointSelector } from "./endpoint-selector.ts";
import type { Ask } from "../replica/monitor.ts";
import type { ColumnCodec, Value } from "../notation/notation.ts";
import type { TableCodec } from "../notation/schema.ts";
import { rowUpdates } from "../replica/updates.ts";
import { UntypedCache } from "../replica/cache.ts";

/** The monitor name of updates of the server's status. */
export const statusMonitor = "status";

const columns: TableCodec = new Map<string, ColumnCodec>([
  ["name", { shape: "one", key: "string", value: null, composite: false }],
  ["connected", { shape: "one", key: "boolean", value: null, composite: false }],
  ["leader", { shape: "one", key: "boolean", value: null, composite: false }],
  ["cid", { shape: "optional", key: "uuid", value: null, composite: false }],
  ["sid", { shape: "optional", key: "uuid", value: null, composite: false }],
  ["index", { shape: "optional", key: "integer", value: null, composite: false }],
]);
const tables = new Map([["Database", columns]]);

export interface StatusOptions {
  readonly database: string;
  /** Kept by the caller over all connections. */
  readonly members: EndpointSelector;
  /** The server's cluster was restored from a backup: nothing that was read of it before holds. */
  restored(cluster: string, index: number): void;
}

export class ServerStatus {
  readonly #options: StatusOptions;
  readonly #cache = new UntypedCache(new Map([["Database", {}]]));
  readonly #interner = new Interner();
  readonly #takesFollowers: boolean;

  constructor(options: StatusOptions) {
    this.#options = options;
    this.#takesFollowers = options.members.takesFollowers;
  }

  /** The server's own id in its cluster; `standalone` outside one. */
  get member(): string {
    for (const [, row] of this.#cache.table("Database").entries())
      if (typeof row["sid"] === "string") return row["sid"];
    return "standalone";
  }

  /** Monitors the status; a server without `_Server` (before OVS 2.9) is accepted. Returns as `take` does. */
  async open(ask: Ask): Promise<string | null> {
    const where = [["name", "==", this.#options.database]];
    const request = { Database: [{ columns: [...columns.keys()], where }] };
    try {
      return this.take(await ask("monitor_cond", ["_Server", statusMonitor, request]));
    } catch (error) {
      if (error instanceof RpcError) return null;
      throw error;
    }
  }

  /** Applies a <table-updates2> and returns why the server may not be used, or null. Throws ProtocolError. */
  take(updates: unknown): string | null {
    this.#cache.apply([...rowUpdates(updates, tables, this.#interner)]);
    for (const [, row] of this.#cache.table("Database").entries()) {
      if (row["connected"] !== true) return "the server has lost its cluster";
      if (!this.#takesFollowers && row["leader"] !== true) {
        this.#options.members.passBy();
        return "the server does not lead its cluster";
      }
      if (this.#behind(row["cid"], row["index"])) return "the server is behind what was seen of its cluster";
    }
    return null;
  }

  #behind(cluster: Value | undefined, index: Value | undefined): boolean {
    if (typeof cluster !== "string" || typeof index !== "number") return false;
    const judgement = this.#options.members.judge(cluster, index);
    if (judgement === "restored") this.#options.restored(cluster, index);
    return judgement === "behind";
  }
}
