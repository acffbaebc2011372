// Whether the chassis has applied NB's present rows: NB_Global says which configuration ovn-controller's flows belong
// to, and SB's bindings say whether a port is up. Waits for updates, never for time; one chassis only.

import { column, openSession, type SocketSession } from "../../src/ovsdb/index.ts";
import { patient, until } from "./vswitch.ts";

const northbound = {
  name: "OVN_Northbound",
  tables: { NB_Global: { nb_cfg: column.one("integer"), hv_cfg: column.one("integer") } },
} as const;
const southbound = {
  name: "OVN_Southbound",
  tables: { Port_Binding: { logical_port: column.one("string"), up: column.optional("boolean") } },
} as const;

export class Progress {
  readonly #nb: SocketSession<typeof northbound>;
  readonly #sb: SocketSession<typeof southbound>;

  constructor(nb: string, sb: string) {
    this.#nb = openSession({
      ...patient,
      ...{ remotes: nb, database: northbound, monitors: { NB_Global: {} } },
    });
    this.#sb = openSession({
      ...patient,
      ...{ remotes: sb, database: southbound, monitors: { Port_Binding: {} } },
    });
  }

  async opened(): Promise<void> {
    await Promise.all([this.#nb.opened(), this.#sb.opened()]);
  }

  async close(): Promise<void> {
    await Promise.all([this.#nb.close(), this.#sb.close()]);
  }

  /** Resolves when the flows of NB's present rows are in the switch, and those of its ports are up. */
  async done(ports: ReadonlySet<string>): Promise<void> {
    for (;;) {
      await this.#programmed();
      // Everything that the server sent before this reply is then in the cache: northd's bindings.
      await this.#sb.transact([{ op: "select", table: "Port_Binding", where: [], columns: ["_uuid"] }]);
      if (this.#down(ports).length === 0) return;
      // A port that just came up may belong to a later configuration than the flows.
      await until(this.#sb, "ovn-controller to bring the ports up", () => this.#down(ports));
    }
  }

  /** As `ovn-nbctl --wait=hv sync`. */
  async #programmed(): Promise<void> {
    const next = { column: "nb_cfg", mutator: "+=", value: 1 } as const;
    await this.#nb.transact([{ op: "mutate", table: "NB_Global", where: [], mutations: [next] }]);
    const wanted = this.#global()?.nb_cfg ?? 0;
    await until(this.#nb, "ovn-controller to program the flows", () =>
      (this.#global()?.hv_cfg ?? -1) >= wanted ? [] : [`configuration ${wanted}`],
    );
  }

  #global() {
    return [...this.#nb.cache.table("NB_Global").entries()].map(([, row]) => row)[0];
  }

  #down(ports: ReadonlySet<string>): readonly string[] {
    return [...this.#sb.cache.table("Port_Binding").entries()].flatMap(([, row]) =>
      ports.has(row.logical_port) && row.up !== true ? [row.logical_port] : [],
    );
  }
}
