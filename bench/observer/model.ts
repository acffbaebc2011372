// What the rows must say after each event, as changes of single rows: the same engine and the same rendering as the
// product's, on two memberships, one of which lags by an event, so that what came and what went is known exactly. It
// never looks at a database, and that it ends where a fresh rendering starts is tested.

import type { EngineBackend } from "../../src/controller/engine.ts";
import { everyDialect } from "../../src/dialects.ts";
import { expectedPriorities, policyKinds } from "../../src/policy/contracts/dialect.ts";
import { invariant } from "../../src/lib/invariant.ts";
import type { DesiredChange } from "../../src/nbdb/desired/desired.ts";
import { Desired } from "../../src/nbdb/desired/desired.ts";
import { portOfPod } from "../../src/nbdb/rows/names.ts";
import { resolveNamedPorts } from "../../src/nbdb/desired/resolve.ts";
import type { UnitState } from "../../src/nbdb/desired/unit-state.ts";
import { UnitPending } from "../../src/nbdb/pending.ts";
import type {
  DesiredAddressSet,
  DesiredPortGroup,
  NamedPortRule,
  NamedPortSet,
  UnitKey,
} from "../../src/nbdb/rows/unit.ts";
import { noBackend, OfflineModel } from "../../src/offline/model.ts";
import type { Edges } from "../../src/policy/contracts/membership.ts";
import { uuidOf } from "../floor/uuid.ts";
import type { Rendering } from "../workloads/rendering.ts";
import type { Change } from "../workloads/world.ts";
import { sameImage } from "./image.ts";
import { difference } from "../../src/nbdb/plan/address-set.ts";
import {
  aclRow,
  addressSetRow,
  type Elements,
  type ExpectedRow,
  idOf,
  imageOf,
  moved,
  noElements,
  portGroupRow,
  type RowChange,
  rowsOf,
} from "./rows.ts";
import { View } from "./view.ts";

interface Touched {
  readonly addresses: Map<DesiredAddressSet, Set<string>>;
  readonly ports: Map<DesiredPortGroup, Set<string>>;
  readonly named: Set<NamedPortRule>;
}

const { dialects } = everyDialect;

export class Model {
  readonly #desired: Desired;
  readonly #present: OfflineModel<EngineBackend>;
  readonly #past = new OfflineModel({ dialects, families: null, backend: () => noBackend });
  readonly #view: View;
  readonly #lagging: View;
  readonly #whole = new Set<UnitKey>();
  readonly #rows = new Map<string, ExpectedRow>();
  readonly #ids = new Map<UnitKey, readonly string[]>();

  constructor(rendering: Rendering) {
    this.#desired = new Desired({ ...rendering, expected: expectedPriorities(policyKinds(dialects)) });
    this.#present = new OfflineModel({
      dialects,
      families: null,
      backend: () => ({
        serve: (families) => {
          this.#mark(this.#desired.serve(families));
        },
        upsert: (policy) => {
          this.#mark(this.#desired.upsert(policy));
        },
        admit: () => [],
        remove: (key) => {
          this.#mark(this.#desired.remove(key));
        },
        takeContested: () => [],
        freeze: (key) => {
          const problems = this.#present
            .record(key)
            ?.problems.map(({ field, message }) => `${field} ${message}`);
          invariant(false, `${key} is refused: ${problems?.join("; ") ?? ""}`);
        },
      }),
    });
    this.#view = new View(this.#present.membership, rendering.zone);
    this.#lagging = new View(this.#past.membership, rendering.zone);
  }

  get view(): View {
    return this.#view;
  }

  rows(): Iterable<ExpectedRow> {
    return this.#rows.values();
  }

  /** The rows of one unit. */
  *rowsOf(unit: UnitKey): Generator<ExpectedRow> {
    for (const id of this.#ids.get(unit) ?? []) {
      const row = this.#rows.get(id);
      if (row !== undefined) yield row;
    }
  }

  units(): Iterable<UnitKey> {
    return this.#ids.keys();
  }

  /**
   * Takes the world in as the product does at its start on a database without rows: places that depend on the order of arrival are
   * assigned again.
   */
  start(changes: readonly Change[]): void {
    this.apply(changes);
    this.#mark(this.#desired.adopt(new Map()));
    for (const key of this.#whole) this.#unit(key);
    this.#whole.clear();
  }

  /** Takes one event in and tells every row that it changes. */
  apply(changes: readonly Change[]): readonly RowChange[] {
    this.#present.change(changes);
    this.#mark(this.#desired.settle());
    this.#view.renew();
    const touched = this.#touched(this.#present.membership.drain());
    const told = [
      ...[...touched.addresses].map(([set, addresses]) => this.#addressSet(set, addresses)),
      ...[...touched.ports].map(([group, names]) => this.#ports(group, names)),
      ...[...touched.named].flatMap((named) => this.#named(named)),
      ...[...this.#whole].flatMap((key) => this.#unit(key)),
    ].filter((change) => change !== null);
    this.#whole.clear();
    this.#past.change(changes);
    this.#past.membership.drain();
    this.#lagging.renew();
    return told;
  }

  #mark({ rendered, gone }: DesiredChange): void {
    for (const { after } of rendered) this.#whole.add(after.unit);
    for (const unit of gone) this.#whole.add(unit);
  }

  /** Where to look; units that are rendered anew are looked at whole. */
  #touched(edges: Edges): Touched {
    const touched: Touched = { addresses: new Map(), ports: new Map(), named: new Set() };
    for (const [group, { addresses, pods, namedPorts }] of edges) {
      for (const set of addresses.size === 0 ? [] : this.#desired.addressSetsOf(group)) {
        if (!this.#whole.has(set.unit)) collect(touched.addresses, set, addresses);
      }
      for (const portGroup of pods.size === 0 ? [] : this.#desired.portGroupsOf(group)) {
        if (!this.#whole.has(portGroup.unit)) collect(touched.ports, portGroup, [...pods].map(portOfPod));
      }
      for (const named of namedPorts.size === 0 ? [] : this.#desired.namedPortsOf(group)) {
        if (!this.#whole.has(named.unit)) touched.named.add(named);
      }
    }
    return touched;
  }

  #addressSet(set: DesiredAddressSet, addresses: Iterable<string>): RowChange | null {
    const before = this.#rows.get(idOf(set.externalIds));
    invariant(before?.table === "Address_Set", "an address set that was never rendered");
    const elements = this.#moved(set, addresses);
    if (elements === null) return null;
    const print = before.addresses.copy();
    for (const address of [...elements.added, ...elements.removed]) print.toggle(address);
    const size = before.size + elements.added.length - elements.removed.length;
    return this.#put(before, { ...before, addresses: print, size }, elements);
  }

  /** Which elements of the set the addresses make come and go; null: none. */
  #moved(set: DesiredAddressSet, addresses: Iterable<string>): Elements | null {
    const { content } = this.#view;
    if (set.isComplement !== true)
      return moved(
        addresses,
        (address) => this.#lagging.content.hasAddress(set, address),
        (address) => content.hasAddress(set, address),
      );
    const elements = difference(new Set(this.#view.addresses(set)), new Set(this.#lagging.addresses(set)));
    return elements.added.length + elements.removed.length === 0 ? null : elements;
  }

  #ports(portGroup: DesiredPortGroup, names: Iterable<string>): RowChange | null {
    const before = this.#rows.get(idOf(portGroup.externalIds));
    invariant(before?.table === "Port_Group", "a port group that was never rendered");
    const elements = moved(
      names,
      (name) => this.#lagging.content.hasPort(portGroup, name),
      (name) => this.#view.content.hasPort(portGroup, name),
    );
    if (elements === null) return null;
    const ports = before.ports.copy();
    for (const name of [...elements.added, ...elements.removed]) ports.toggle(uuidOf(name));
    return this.#put(before, { ...before, ports }, elements);
  }

  #named(named: NamedPortRule): readonly RowChange[] {
    const changes: RowChange[] = [];
    const state = this.#desired.get(named.unit);
    invariant(state !== null, "a rule of a unit that is not desired");
    const setsBefore = setsOf(named, state);
    const pending = new UnitPending();
    pending.markNamedPorts(named, "all");
    this.#resolve(state, pending);
    for (const id of pending.acls) {
      const before = this.#rows.get(id) ?? null;
      const acl = state.acl(id);
      const after = acl === null ? null : aclRow(acl.acl);
      if (before?.table === "ACL" && after?.table === "ACL" && before.row.match === after.row.match) continue;
      changes.push(this.#put(before, after, noElements));
    }
    changes.push(...this.#namedSets(setsBefore, setsOf(named, state)));
    const portGroup = state.portGroup(named.portGroup);
    invariant(portGroup !== null, "a rule without a port group");
    const group = this.#rows.get(idOf(portGroup.externalIds));
    if (
      group?.table !== "Port_Group" ||
      !changes.some(
        ({ before, after }) => (before ?? after)?.table === "ACL" && (before === null || after === null),
      )
    )
      return changes;
    return [
      ...changes,
      this.#put(group, portGroupRow(portGroup, state, this.#view, group.ports), noElements),
    ];
  }

  #namedSets(before: readonly NamedPortSet[], after: readonly NamedPortSet[]): readonly RowChange[] {
    const kept = new Map(after.map((set) => [set.name, set]));
    const gone = before.filter(({ name }) => !kept.has(name));
    return [
      ...gone.map((set) => this.#put(this.#rows.get(idOf(set.externalIds)) ?? null, null, noElements)),
      ...after.map((set) => {
        const row = addressSetRow(set, this.#view);
        const held = this.#rows.get(row.id) ?? null;
        return this.#put(held, row, this.#elements(held, row));
      }),
    ].filter(({ before: old, after: now }) => {
      return old === null || now === null || !sameImage(imageOf(old), imageOf(now));
    });
  }

  /** As the backend does before it plans. */
  #resolve(state: UnitState, pending: UnitPending): void {
    const { content, contents } = this.#view;
    resolveNamedPorts(state, pending, { namedPorts: content.namedPorts, contents, present: () => [] });
  }

  #unit(key: UnitKey): readonly RowChange[] {
    const state = this.#desired.get(key);
    if (state !== null) this.#resolve(state, new UnitPending(true));
    const rows = state === null ? [] : rowsOf(state, this.#view);
    const ids = rows.map((row) => row.id);
    const changes = rows.map((after) => {
      const before = this.#rows.get(after.id) ?? null;
      return this.#put(before, after, this.#elements(before, after));
    });
    const kept = new Set(ids);
    for (const id of this.#ids.get(key) ?? []) {
      const before = this.#rows.get(id);
      if (before !== undefined && !kept.has(id)) changes.push(this.#put(before, null, noElements));
    }
    if (state === null) this.#ids.delete(key);
    else this.#ids.set(key, ids);
    return changes.filter(({ before, after }) => {
      return before === null || after === null || !sameImage(imageOf(before), imageOf(after));
    });
  }

  /** Of a row that is rendered anew; its set seldom differs. */
  #elements(before: ExpectedRow | null, after: ExpectedRow): Elements {
    if (before?.table === "Address_Set" && after.table === "Address_Set") {
      if (before.addresses.text === after.addresses.text) return noElements;
      const now = new Set(this.#view.addresses(after.set));
      return difference(now, new Set(this.#lagging.addresses(before.set)));
    }
    if (before?.table === "Port_Group" && after.table === "Port_Group") {
      if (before.ports.text === after.ports.text) return noElements;
      const names = new Set(this.#view.content.portNames(after.group));
      return difference(names, new Set(this.#lagging.content.portNames(before.group)));
    }
    return noElements;
  }

  #put(before: ExpectedRow | null, after: ExpectedRow | null, elements: Elements): RowChange {
    if (after !== null) this.#rows.set(after.id, after);
    else if (before !== null) this.#rows.delete(before.id);
    return { before, after, elements };
  }
}

function setsOf(named: NamedPortRule, state: UnitState): readonly NamedPortSet[] {
  return state.resolved(named)?.sets ?? [];
}

function collect<K>(into: Map<K, Set<string>>, key: K, values: Iterable<string>): void {
  const held = into.get(key);
  if (held === undefined) into.set(key, new Set(values));
  else for (const value of values) held.add(value);
}
