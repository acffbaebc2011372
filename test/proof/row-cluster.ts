// The real controller on a strict stand-in for the Northbound database, whose ports and switches are those of
// the cluster. Whoever wants to look at every committed state is asked in when a transaction has landed, before the controller hears
// of it.

import { isDeepStrictEqual } from "node:util";
import type { Installed } from "../../src/dialects.ts";
import type { HostNameFact } from "../../src/model/facts.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { isApiObject } from "../../src/model/object.ts";
import { northboundMonitors } from "../../src/nbdb/actual/actual.ts";
import type { DatabaseRows, RowRecords } from "../../src/nbdb/audit/index.ts";
import { databaseRows } from "../../src/nbdb/audit/index.ts";
import { rowOwners } from "../../src/nbdb/rows/owners.ts";
import type { Northbound } from "../../src/nbdb/rows/schema.ts";
import type { Tables } from "../../src/nbdb/rows/records.ts";
import { northbound, northboundOperations as operation } from "../../src/nbdb/rows/schema.ts";
import type { Topology } from "../../tools/sandbox/topology.ts";
import { topologyOf } from "../../tools/sandbox/topology.ts";
import { FakeDatabase } from "../ovsdb/fake.ts";
import type { FakeSession } from "../ovsdb/fake.ts";
import { northboundRules } from "../ovsdb/northbound.ts";
import { actualTables } from "../support/actual-tables.ts";
import type { AddressSetForm } from "../../src/nbdb/rows/render-mode.ts";
import type { Operation } from "../../src/ovsdb/index.ts";
import type { ControllerOptions, Rendering, TestController } from "../support/controller.ts";
import { freshTables, MemorySource, startController } from "../support/controller.ts";
import { allByOrder } from "../support/ranked-places.ts";
import { StagedNames } from "./names/staged-names.ts";
import { watchedSession } from "../support/watched-session.ts";
import { ownDialects } from "./own-network-policies.ts";
import { sorted } from "./worlds.ts";
import { installedBeside, isNetworkPolicy } from "./calico/beside.ts";

/** As the controller takes them. */
export type Weights = Pick<ControllerOptions, "transactionWeight" | "orderedWeight">;

interface Running {
  readonly session: FakeSession<Northbound>;
  readonly controller: TestController;
  /** null: it resolves none. */
  readonly names: StagedNames | null;
}

export interface RowClusterOptions {
  /** Of the controller. */
  readonly kinds: Installed;
  readonly weights?: Weights;
  /** `rule` unless given. */
  readonly addressSets?: AddressSetForm;
  /** Whether the controller resolves names itself; else facts of names are objects like others. */
  readonly resolves?: boolean;
}

const place = { families: null, zone: null } as const;

function renderingOf({
  kinds: { dialects, tierLayout },
  addressSets = "rule",
}: RowClusterOptions): Rendering {
  return { ...place, installed: dialects, tierLayout, addressSets };
}

/** As OVN-Kubernetes has them: the documented rows of NetworkPolicies. */
const ofOthers: Rendering = { ...place, installed: ownDialects };

export class RowCluster {
  /** Called as said above. */
  committed: (operations: readonly Operation[]) => void = () => undefined;
  readonly #database: FakeDatabase<Northbound>;
  readonly #ports: RowRecords["Logical_Switch_Port"];
  /** The names of their ports. */
  readonly #switches: ReadonlyMap<string, readonly string[]>;
  readonly #weights: Weights;
  readonly #resolves: boolean;
  /** Of the controller. */
  readonly #installed: Installed;
  readonly #rendering: Rendering;
  /** Another program's rows of NetworkPolicies, which the database of the controller does not hold. */
  #others: Tables | null = null;
  #running: Running | null = null;

  /** The controller has settled when it resolves. */
  static async open(objects: readonly WorldObject[], options: RowClusterOptions): Promise<RowCluster> {
    const database = new FakeDatabase(northbound, {
      ...northboundRules,
      // The description of the rows has no switch that could refer to a port.
      Logical_Switch_Port: { ...northboundRules["Logical_Switch_Port"], root: true },
    });
    const cluster = new RowCluster(database, topologyOf(sorted(objects)), options);
    await cluster.#start(objects);
    return cluster;
  }

  private constructor(database: FakeDatabase<Northbound>, { ports }: Topology, options: RowClusterOptions) {
    this.#database = database;
    this.#installed = options.kinds;
    this.#rendering = renderingOf(options);
    this.#weights = options.weights ?? {};
    this.#resolves = options.resolves ?? false;
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

  /** What `change` does to the names that the controller resolves. */
  async learn(change: (names: StagedNames) => void): Promise<void> {
    const { controller, names } = this.#now;
    if (names === null) throw new Error("the controller resolves no names");
    change(names);
    await this.#settle(controller);
  }

  /** As StagedNames has it. */
  misheard(meant: readonly HostNameFact[]): readonly string[] {
    return this.#now.names?.misheard(meant) ?? [];
  }

  /** Another controller on standby takes over from this one. Returns how many operations it sent. */
  async takeOver(objects: readonly WorldObject[]): Promise<number> {
    const before = this.#now;
    const role = { leads: false, changed: (): void => undefined };
    await this.#start(objects, {
      get leads() {
        return role.leads;
      },
      onChange: (callback) => (role.changed = callback),
    });
    await before.controller.stop();
    await before.session.close();
    role.leads = true;
    role.changed();
    await this.#settle(this.#now.controller);
    return this.#now.session.operationsSent;
  }

  /** Another controller finds these objects, and the rows as they are. Returns how many operations it sent. */
  async restart(objects: readonly WorldObject[]): Promise<number> {
    await this.close();
    await this.#start(objects);
    return this.#now.session.operationsSent;
  }

  /** Whether the rows are those of a fresh start on the objects, but for the numbers of their places. */
  isAsFresh(objects: readonly WorldObject[]): boolean {
    const fresh = allByOrder(freshTables(this.#ownOf(objects), this.#rendering));
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

  /** Whether another program has the NetworkPolicies. */
  get #hasOthers(): boolean {
    return this.#installed === installedBeside;
  }

  /** What the controller's source has. */
  #read(objects: readonly WorldObject[]): readonly WorldObject[] {
    const own = this.#ownOf(objects);
    return this.#resolves ? own.filter((one) => one.kind !== "HostName") : own;
  }

  /** Without what another program has. */
  #ownOf(objects: readonly WorldObject[]): readonly WorldObject[] {
    return this.#hasOthers ? objects.filter((one) => !isNetworkPolicy(one)) : objects;
  }

  /** null: the NetworkPolicies are the controller's. */
  #othersIn(objects: readonly WorldObject[]): Tables | null {
    if (!this.#hasOthers) return null;
    const told = objects.filter((one) => !isApiObject(one) || isNetworkPolicy(one));
    return freshTables(told, ofOthers);
  }

  async #start(objects: readonly WorldObject[], election?: ControllerOptions["election"]): Promise<void> {
    this.#others = this.#othersIn(objects);
    const session = this.#database.open(northboundMonitors(rowOwners(this.#installed.owners)));
    await session.opened();
    const watched = watchedSession(session, (operations) => {
      this.committed(operations);
    });
    const staged: { names: StagedNames | null } = { names: null };
    const controller = startController(watched, new MemorySource(this.#read(objects)), {
      ...this.#rendering,
      ...this.#weights,
      ...(election && { election }),
      ...(this.#resolves && { resolve: (parts) => (staged.names = new StagedNames(parts)).names }),
    });
    this.#running = { session, controller, names: staged.names };
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
