// The rows by which the switch of this node sends samples to us: one Flow_Sample_Collector_Set and its IPFIX row, both of which say
// that they are Northgate's. No other row is written to. What is there is compared with what is wanted each time, so that rows of a
// reader that was killed are found.

import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import type { SocketSession, Uuid } from "../../ovsdb/index.ts";
import { column, openSession, operationsFor } from "../../ovsdb/index.ts";

const openVswitch = {
  name: "Open_vSwitch",
  tables: {
    Bridge: { name: column.one("string") },
    IPFIX: {
      targets: column.set("string"),
      cache_active_timeout: column.optional("integer"),
      cache_max_flows: column.optional("integer"),
      external_ids: column.map("string", "string"),
    },
    Flow_Sample_Collector_Set: {
      id: column.one("integer"),
      bridge: column.one("uuid"),
      ipfix: column.optional("uuid"),
      external_ids: column.map("string", "string"),
    },
  },
} as const;

const { insert, remove } = operationsFor<typeof openVswitch>();

const bridgeName = "br-int";
const owner = new Map([["owner", "northgate"]]);
/** Packets of one connection in a second are one record; more connections at once than this are sent at once. */
const cache = { cache_active_timeout: 1, cache_max_flows: 10_000 } as const;

export interface WantedCollector {
  /** Flow_Sample_Collector_Set.id. */
  readonly setId: number;
  /** HOST:PORT of the receiver. */
  readonly target: string;
}

export class CollectorRows {
  readonly #session: SocketSession<typeof openVswitch>;

  /** `remotes`: of the database of the node's Open vSwitch. */
  constructor(remotes: string, clock: Clock, logger: Logger) {
    const monitors = { Bridge: {}, IPFIX: {}, Flow_Sample_Collector_Set: {} };
    this.#session = openSession({ remotes, database: openVswitch, monitors, clock, logger });
  }

  faults(): readonly string[] {
    const { ready, failure } = this.#session;
    return ready ? [] : [`Open vSwitch database: ${failure?.message ?? "not connected yet"}`];
  }

  /**
   * Makes the rows as they are wanted; null: there are none. Writes nothing when they are so, or while the database is away. Rejects
   * with an Error of one sentence when the database refuses them.
   */
  async become(wanted: WantedCollector | null): Promise<void> {
    if (!this.#session.ready) return;
    const own = this.#own();
    const [only] = own;
    if (own.length === 0 ? wanted === null : own.length === 1 && only?.isAs(wanted) === true) return;
    const removals = own.map(({ uuid }) => remove("Flow_Sample_Collector_Set", uuid));
    await this.#session.transact([...removals, ...(wanted === null ? [] : this.#insertions(wanted))]);
  }

  async close(): Promise<void> {
    await this.#session.close();
  }

  #own(): readonly { readonly uuid: Uuid; readonly isAs: (wanted: WantedCollector | null) => boolean }[] {
    const tables = this.#session.cache;
    const sets = [...tables.table("Flow_Sample_Collector_Set").entries()];
    return sets.flatMap(([uuid, { id, ipfix, external_ids }]) => {
      if (external_ids.get("owner") !== owner.get("owner")) return [];
      const targets = ipfix === null ? undefined : tables.table("IPFIX").get(ipfix)?.targets;
      const isAs = (wanted: WantedCollector | null) =>
        wanted?.setId === id && targets?.size === 1 && targets.has(wanted.target);
      return [{ uuid, isAs }];
    });
  }

  #insertions({ setId, target }: WantedCollector) {
    const bridge = [...this.#session.cache.table("Bridge").entries()].find(
      ([, { name }]) => name === bridgeName,
    );
    if (bridge === undefined) throw new Error(`Open vSwitch has no bridge ${bridgeName}`);
    return [
      insert("IPFIX", { targets: [target], ...cache, external_ids: owner }, "ipfix"),
      insert("Flow_Sample_Collector_Set", {
        ...{ id: setId, bridge: bridge[0], ipfix: { named: "ipfix" }, external_ids: owner },
      }),
    ];
  }
}
