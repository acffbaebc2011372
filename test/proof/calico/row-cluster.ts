// The real controller in Calico's policy model on a strict stand-in for the Northbound database, whose ports and switches are those of
// the cluster. Whoever wants to look at every committed state is asked in when a transaction has landed, before the controller hears
// of it.

import { isDeepStrictEqual } from "node:util";
import type { Installed } from "../../../src/dialects.ts";
import type { WorldObject } from "../../../src/model/object.ts";
import { isApiObject } from "../../../src/model/object.ts";
import { northboundMonitors } from "../../../src/nbdb/actual/actual.ts";
import type { DatabaseRows, RowRecords } from "../../../src/nbdb/audit/index.ts";
import { databaseRows } from "../../../src/nbdb/audit/index.ts";
import { rowOwners } from "../../../src/nbdb/rows/owners.ts";
import type { Northbound } from "../../../src/nbdb/rows/schema.ts";
import type { Tables } from "../../../src/nbdb/rows/records.ts";
import { northbound, northboundOperations as operation } from "../../../src/nbdb/rows/schema.ts";
import type { Topology } from "../../../tools/sandbox/topology.ts";
import { topologyOf } from "../../../tools/sandbox/topology.ts";
import { FakeDatabase } from "../../ovsdb/fake.ts";
import type { FakeSession } from "../../ovsdb/fake.ts";
import { northboundRules } from "../../ovsdb/northbound.ts";
import { actualTables } from "../../support/actual-tables.ts";
import type { ControllerOptions, Rendering, TestController } from "../../support/controller.ts";
import { freshTables, MemorySource, startController } from "../../support/controller.ts";
import { allByOrder } from "../../support/ranked-places.ts";
import { watchedSession } from "../../support/watched-session.ts";
import { ownDialects } from "../own-network-policies.ts";
import { sorted } from "../worlds.ts";
import { isNetworkPolicy } from "./beside.ts";
import { calicoInstalled } from "./worlds.ts";

/** As the controller takes them. */
export type Weights = Pick<ControllerOptions, "transactionWeight" | "orderedWeight">;

interface Running {
  readonly session: FakeSession<Northbound>;
  readonly controller: TestController;
}

const place = { families: null, zone: null } as const;

function renderingOf({ dialects, tierLayout }: Installed): Rendering {
  return { ...place, installed: dialects, tierLayout };
}

/** As OVN-Kubernetes has them: the documented rows of NetworkPolicies. */
const ofOthers: Rendering = { ...place, installed: ownDialects };

export class RowCluster {
  /** Called as said above. */
  committed: () => void = () => undefined;
  readonly #database: FakeDatabase<Northbound>;
  readonly #ports: RowRecords["Logical_Switch_Port"];
  /** The names of their ports. */
  readonly #switches: ReadonlyMap<string, readonly string[]>;
  readonly #weights: Weights;
  /** Of the controller. */
  readonly #installed: Installed;
  readonly #rendering: Rendering;
  /** Another program's rows of NetworkPolicies, which the database of the controller does not hold. */
  #others: Tables | null = null;
  #running: Running | null = null;

  /** The controller has settled when it resolves. */
  static async open(
    objects: readonly WorldObject[],
    weights: Weights = {},
    kinds: Installed = calicoInstalled,
  ): Promise<RowCluster> {
    const database = new FakeDatabase(northbound, {
      ...northboundRules,
      // The description of the rows has no switch that could refer to a port.
      Logical_Switch_Port: { ...northboundRules["Logical_Switch_Port"], root: true },
    });
    const cluster = new RowCluster(database, topologyOf(sorted(objects)), weights, kinds);
    await cluster.#start(objects);
    return cluster;
  }

  private constructor(
    database: FakeDatabase<Northbound>,
    { ports }: Topology,
    weights: Weights,
    kinds: Installed,
  ) {
    this.#database = database;
    this.#installed = kinds;
    this.#rendering = renderingOf(kinds);
    this.#weights = weights;
    database.edit(
      ports
        .keys()
        .map((name) => operation.insert("Logical_Switch_Port", { name }))
        .toArray(),
    );
    const list = [...ports];
    this.#ports = list.map(([name, { routerPort }]) =>
      unidentified({ name, type: routerPort === "" ? "" : "router" }),
    );
    const bySwitch = Map.groupBy(list, ([, port]) => port.switch);
    this.#switches = new Map(bySwitch.entries().map(([name, all]) => [name, all.map(([port]) => port)]));
  }

  /** Edits every object that differs, at once. */
  async become(objects: readonly WorldObject[]): Promise<void> {
    const { controller } = this.#now;
    this.#others = this.#othersIn(objects);
    controller.source.edit(this.#read(objects));
    await this.#settle(controller);
  }

  /** Another controller finds these objects, and the rows as they are. Returns how many operations it sent. */
  async restart(objects: readonly WorldObject[]): Promise<number> {
    await this.close();
    await this.#start(objects);
    return this.#now.session.operationsSent;
  }

  /** Whether the rows are those of a fresh start on the objects, but for the numbers of their places. */
  isAsFresh(objects: readonly WorldObject[]): boolean {
    const fresh = allByOrder(freshTables(this.#read(objects), this.#rendering));
    const owners = rowOwners(this.#installed.owners);
    return isDeepStrictEqual(allByOrder(actualTables(this.#now.session.cache, owners)), fresh);
  }

  /** Whether the other program's rows are now what they become with these objects. */
  keepsOthers(objects: readonly WorldObject[]): boolean {
    return isDeepStrictEqual(this.#othersIn(objects), this.#others);
  }

  async close(): Promise<void> {
    await this.#running?.controller.stop();
    await this.#running?.session.close();
    this.#running = null;
  }

  /** As they are now. An ACL that moves to another group is there twice while rows are written ahead, so that its id is not enough. */
  rows(): DatabaseRows {
    const { cache } = this.#now.session;
    const { Port_Group, Address_Set } = actualTables(cache, rowOwners(this.#installed.owners));
    const others = this.#others;
    const groups = Array.from(cache.table("Port_Group").entries());
    const aclsOf = new Map(groups.map(([, { name, acls }]) => [name, [...acls]]));
    const acls = cache.table("ACL").entries();
    return databaseRows({
      ACL: [
        ...Array.from(acls, ([uuid, row]) => ({
          ...{ ...row, uuid, label: 0 },
          ...{ options: Object.fromEntries(row.options), external_ids: Object.fromEntries(row.external_ids) },
        })),
        ...(others?.ACL ?? []).map(unidentified),
      ],
      Port_Group: [
        ...Port_Group.map((row) => unidentified({ ...row, acls: aclsOf.get(row.name) ?? [] })),
        ...(others?.Port_Group ?? []).map(unidentified),
      ],
      Address_Set: [...Address_Set, ...(others?.Address_Set ?? [])].map(unidentified),
      Logical_Switch: [...this.#switches].map(([name, ports]) => unidentified({ name, ports, acls: [] })),
      Logical_Switch_Port: this.#ports,
      options: {},
    });
  }

  get #now(): Running {
    if (this.#running === null) throw new Error("the controller does not run");
    return this.#running;
  }

  /** What the controller reads. */
  #read(objects: readonly WorldObject[]): readonly WorldObject[] {
    return this.#installed === calicoInstalled ? objects : objects.filter((one) => !isNetworkPolicy(one));
  }

  /** null: the NetworkPolicies are the controller's. */
  #othersIn(objects: readonly WorldObject[]): Tables | null {
    if (this.#installed === calicoInstalled) return null;
    const told = objects.filter((one) => !isApiObject(one) || isNetworkPolicy(one));
    return freshTables(told, ofOthers);
  }

  async #start(objects: readonly WorldObject[]): Promise<void> {
    this.#others = this.#othersIn(objects);
    const session = this.#database.open(northboundMonitors(rowOwners(this.#installed.owners)));
    await session.opened();
    const watched = watchedSession(session, () => {
      this.committed();
    });
    const controller = startController(watched, new MemorySource(this.#read(objects)), {
      ...this.#rendering,
      ...this.#weights,
    });
    this.#running = { session, controller };
    await this.#settle(controller);
  }

  async #settle({ loop, refused }: TestController): Promise<void> {
    await loop.idle();
    for (const [policy, problems] of refused) throw new Error(`${policy}: ${JSON.stringify(problems)}`);
  }
}

function unidentified<R>(row: R): R & { readonly uuid: null } {
  return { ...row, uuid: null };
}
