// The Open vSwitch database of a chassis: its integration bridge, an interface on it for every logical port that is plugged
// in, and where there are other chassis, the bridge to them. A plug has its OpenFlow port, and a dummy one its stream's socket, when `plug` resolves; refuses to plug a port twice.

import { systemClock } from "../../src/lib/clock.ts";
import { invariant } from "../../src/lib/invariant.ts";
import {
  column,
  type DatabaseDescription,
  openSession,
  operationsFor,
  type Session,
  type SocketSession,
  type Uuid,
} from "../../src/ovsdb/index.ts";

const openVswitch = {
  name: "Open_vSwitch",
  tables: {
    Open_vSwitch: { bridges: column.set("uuid"), external_ids: column.map("string", "string") },
    Bridge: {
      name: column.one("string"),
      ports: column.set("uuid"),
      datapath_type: column.one("string"),
      fail_mode: column.optional("string"),
      other_config: column.map("string", "string"),
    },
    Port: { name: column.one("string"), interfaces: column.set("uuid") },
    Interface: {
      name: column.one("string"),
      type: column.one("string"),
      options: column.map("string", "string"),
      external_ids: column.map("string", "string"),
      ofport: column.optional("integer"),
      error: column.optional("string"),
    },
  },
} as const;

const { insert, mutate } = operationsFor<typeof openVswitch>();
const integrationBridge = "br-int";
/** The way to other chassis. A userspace datapath sends a tunnel's packets out of the bridge whose interface has the address. */
export const underlayBridge = "br-phy";

export interface Underlay {
  /** The interface of the kernel that leads to the other chassis. */
  readonly device: string;
  /** Of the bridge. */
  readonly mac: string;
}

/** Of a session: a busy machine may be silent for long, and the socket of a server that ends is closed. */
export const patient = { probeIntervalMs: 0 } as const;

/** An interface to create: its settings for Open vSwitch, and its logical port. */
export interface Plug {
  readonly port: string;
  readonly name: string;
  /** As in Interface.type: "dummy"; "internal" is an interface that Open vSwitch makes. */
  readonly type: string;
  readonly options: Readonly<Record<string, string>>;
}

export class Vswitch {
  readonly #session: SocketSession<typeof openVswitch>;
  /** The Port rows by logical port. */
  readonly #plugged = new Map<string, Uuid>();

  private constructor(session: SocketSession<typeof openVswitch>) {
    this.#session = session;
  }

  static async open(remote: string): Promise<Vswitch> {
    const monitors = { Bridge: {}, Interface: {} };
    const session = openSession({ ...patient, remotes: remote, database: openVswitch, monitors });
    await session.opened();
    return new Vswitch(session);
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  get plugged(): ReadonlySet<string> {
    return new Set(this.#plugged.keys());
  }

  /** Creates the bridges and the settings that ovn-controller reads. */
  async init(
    datapathType: string,
    externalIds: Readonly<Record<string, string>>,
    underlay?: Underlay,
  ): Promise<void> {
    const others =
      underlay === undefined
        ? []
        : bridge(
            { name: underlayBridge, datapath_type: datapathType, fail_mode: "standalone" },
            { [underlayBridge]: "internal", [underlay.device]: "" },
            { hwaddr: underlay.mac },
          );
    await this.#session.transact([
      ...bridge(
        { name: integrationBridge, datapath_type: datapathType, fail_mode: "secure" },
        { [integrationBridge]: "internal" },
      ),
      ...others,
      insert("Open_vSwitch", {
        bridges: [
          { named: symbol(integrationBridge) },
          ...(underlay === undefined ? [] : [{ named: symbol(underlayBridge) }]),
        ],
        external_ids: new Map(Object.entries(externalIds)),
      }),
    ]);
  }

  /** One transaction. */
  async plug(plugs: readonly Plug[]): Promise<void> {
    if (plugs.length === 0) return;
    for (const { port } of plugs)
      if (this.#plugged.has(port)) throw new Error(`${port} is plugged in already`);
    const inserts = plugs.flatMap(({ port, name, type, options }, at) => [
      insert(
        "Interface",
        {
          name,
          type,
          options: new Map(Object.entries(options)),
          external_ids: new Map([["iface-id", port]]),
        },
        `interface${at}`,
      ),
      insert("Port", { name, interfaces: [{ named: `interface${at}` }] }, `port${at}`),
    ]);
    const ports = plugs.map((_, at) => ({ named: `port${at}` }));
    const results = await this.#session.transact([...inserts, this.#change("insert", ports)]);
    for (const [at, { port }] of plugs.entries()) {
      const row = results[2 * at + 1]?.uuid;
      invariant(row !== undefined, "an insert answers with its row");
      this.#plugged.set(port, row);
    }
    const names = new Set(plugs.map(({ name }) => name));
    await until(this.#session, "ovs-vswitchd to open the interfaces", () => this.#pending(names));
  }

  async unplug(ports: readonly string[]): Promise<void> {
    const rows = ports.flatMap((port) => this.#plugged.get(port) ?? []);
    if (rows.length === 0) return;
    await this.#session.transact([this.#change("delete", rows)]);
    for (const port of ports) this.#plugged.delete(port);
  }

  #change(mutator: "insert" | "delete", ports: readonly unknown[]) {
    const bridges = [...this.#session.cache.table("Bridge").entries()];
    const found = bridges.find(([, { name }]) => name === integrationBridge);
    invariant(found !== undefined, "the integration bridge is there");
    return mutate("Bridge", found[0], [{ column: "ports", mutator, value: ports }]);
  }

  /** The interfaces among these without an OpenFlow port; throws when one cannot be opened. */
  #pending(names: ReadonlySet<string>): readonly string[] {
    const rows = [...this.#session.cache.table("Interface").entries()].map(([, row]) => row);
    const mine = rows.filter((row) => names.has(row.name));
    const broken = mine.find((row) => row.error !== null);
    if (broken !== undefined) throw new Error(`interface ${broken.name}: ${broken.error}`);
    return mine.flatMap((row) => (row.ofport === null ? [row.name] : []));
  }
}

/** A bridge whose ports, by name, are interfaces of these types. */
function bridge(
  row: { readonly name: string; readonly datapath_type: string; readonly fail_mode: string },
  ports: Readonly<Record<string, string>>,
  otherConfig: Readonly<Record<string, string>> = {},
) {
  const names = Object.keys(ports);
  return [
    ...Object.entries(ports).flatMap(([name, type]) => [
      insert("Interface", { name, type }, `${symbol(name)}_interface`),
      insert("Port", { name, interfaces: [{ named: `${symbol(name)}_interface` }] }, `${symbol(name)}_port`),
    ]),
    insert(
      "Bridge",
      {
        ...row,
        ports: names.map((name) => ({ named: `${symbol(name)}_port` })),
        other_config: new Map(Object.entries(otherConfig)),
      },
      symbol(row.name),
    ),
  ];
}

/** For a row that is named in its transaction. */
function symbol(name: string): string {
  return name.replaceAll("-", "_");
}

/** A random world of 100,000 flows takes ovn-controller half a minute on a busy machine. */
const patienceMs = 300_000;

/** Resolves when nothing is missing any more in the session's cache. Rejects with what is still missing. */
export function until<D extends DatabaseDescription>(
  session: Session<D>,
  what: string,
  missing: () => readonly string[],
): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (outcome: () => void) => {
      timer.cancel();
      unsubscribe();
      outcome();
    };
    const look = () => {
      try {
        if (missing().length === 0) settle(resolve);
      } catch (error) {
        settle(() => {
          reject(error instanceof Error ? error : new Error(String(error)));
        });
      }
    };
    const unsubscribe = session.subscribe({ changed: look, ready: look });
    const timer = systemClock.after(patienceMs, () => {
      settle(() => {
        reject(new Error(`waited ${patienceMs / 1000} s for ${what}: ${missing().join(", ")}`));
      });
    });
    look();
  });
}
