// The sets of the program that is in force, and where their elements may differ from the membership: a change of pods costs the
// elements that it touches.

import { LocalPods } from "../../contents/local-pods.ts";
import { PendingSets } from "../../contents/pending-elements.ts";
import type { IpAddress, IpFamily } from "../../model/ip.ts";
import { familyOf } from "../../model/ip.ts";
import type { Edges, GroupEdges, Membership } from "../../policy/contracts/membership.ts";
import type { GroupKey, PolicyKey } from "../../policy/ir.ts";
import type { ActualSet } from "./actual.ts";
import { addressOf } from "./actual.ts";
import type { SetHead } from "../print-ipset.ts";
import type { FilterProgram } from "../program.ts";
import { usersOf } from "../program.ts";
import type { ElementReader, NodeSet, SetForm } from "../set-contents.ts";
import { isOfLocalPods, isShared, keyOfSet } from "../set-contents.ts";

/** What makes the sets of one family equal to the desired ones, but for those that nothing names any more. */
export interface SetChanges {
  readonly created: readonly SetHead[];
  readonly added: readonly SetElement[];
  readonly removed: readonly SetElement[];
}

export const noSetChanges: SetChanges = { created: [], added: [], removed: [] };

export interface SetElement {
  readonly name: string;
  readonly element: string;
}

type SetKey = string;
type Addresses = ReadonlySet<IpAddress> | "all";
/** Where the sets may differ, by set. */
export type Places = ReadonlyMap<SetKey, Addresses>;

export class LiveSets {
  readonly #membership: Membership;
  readonly #zone: string | null;
  readonly #form: SetForm;
  readonly #local: LocalPods;
  #sets: ReadonlyMap<SetKey, NodeSet> = new Map();
  #names: Readonly<Record<IpFamily, ReadonlySet<string>>> = { v4: new Set(), v6: new Set() };
  readonly #heads = new Map<SetKey, Readonly<Record<IpFamily, SetHead>>>();
  #byGroup: ReadonlyMap<GroupKey, readonly NodeSet[]> = new Map();
  #program: FilterProgram | null = null;
  /** null: nobody has asked since the program is this one. */
  #users: ReadonlyMap<SetKey, readonly PolicyKey[]> | null = null;
  #pending = new PendingSets<SetKey, IpAddress>();
  /** Elements may be left over: of policies whose chains stay, whose pods are not known. */
  #isKeeping = false;

  constructor(membership: Membership, zone: string | null, form: SetForm) {
    this.#membership = membership;
    this.#form = form;
    this.#zone = zone;
    this.#local = new LocalPods(membership, zone);
  }

  get arePending(): boolean {
    return this.#pending.places.size > 0;
  }

  /** The policies whose rules name a set whose members have changed. */
  concernedBy(places: Places): readonly PolicyKey[] {
    const changed = [...places].filter(([, elements]) => elements !== "all");
    if (changed.length === 0 || this.#program === null) return [];
    const users = (this.#users ??= usersOf(this.#program));
    return [...new Set(changed.flatMap(([key]) => users.get(key) ?? []))];
  }

  /** The names of the family's sets. */
  names(family: IpFamily): ReadonlySet<string> {
    return this.#names[family];
  }

  /** This is the program from now on. */
  follow(program: FilterProgram): void {
    const before = this.#sets;
    const sets = this.#form.of(program);
    this.#program = program;
    this.#users = null;
    this.#sets = new Map(sets.map((set) => [keyOfSet(set), set]));
    this.#byGroup = groupsOfSets(sets);
    for (const key of before.keys()) if (!this.#sets.has(key)) this.#heads.delete(key);
    const heads = [...this.#sets].map(([key, set]) => this.#headsOf(key, set));
    this.#names = {
      v4: new Set(heads.map(({ v4 }) => v4.name)),
      v6: new Set(heads.map(({ v6 }) => v6.name)),
    };
    for (const [key, set] of this.#sets) this.#compare(key, before.get(key) ?? null, set);
  }

  /** Names are hashes, so that two sets may have one; null: each has its own. */
  get sharedName(): string | null {
    if (this.#names.v4.size === this.#sets.size) return null;
    const seen = new Set<string>();
    for (const [key, set] of this.#sets) {
      const { name } = this.#headsOf(key, set).v4;
      if (seen.has(name)) return name;
      seen.add(name);
    }
    return null;
  }

  /** All of every set may differ. */
  lookAtAll(): void {
    for (const key of this.#sets.keys()) this.#pending.mark(key, "all");
  }

  touch(edges: Edges): void {
    for (const [group, edge] of edges)
      for (const set of this.#byGroup.get(group) ?? [])
        this.#pending.mark(keyOfSet(set), this.#touched(set, group, edge));
  }

  /** Takes what is pending, for `changes`. Where that is not written, all of it must be looked at again. */
  take(isKeeping: boolean): Places {
    if (this.#isKeeping && !isKeeping) this.lookAtAll();
    this.#isKeeping = isKeeping;
    const { places } = this.#pending;
    this.#pending = new PendingSets();
    return places;
  }

  changes(family: IpFamily, actual: ReadonlyMap<string, ActualSet>, places: Places): SetChanges {
    const reader = this.#form.reader(this.#membership, this.#zone);
    const changes = { created: [], added: [], removed: [] };
    for (const [key, set] of this.#sets) {
      const place = places.get(key);
      if (place === undefined) continue;
      const head = this.#headsOf(key, set)[family];
      this.#change(set, place, { family, actual, reader, changes, head });
    }
    return changes;
  }

  #change(set: NodeSet, places: Addresses, to: Changing): void {
    const { family, actual, reader, changes, head } = to;
    const { name } = head;
    const known = actual.get(name);
    if (known === undefined) changes.created.push(head);
    const isWhole = places === "all" || known === undefined;
    const desired = isWhole
      ? reader.elements(set, family)
      : [...places].filter((ip) => familyOf(ip) === family).flatMap((ip) => reader.at(set, ip));
    const addresses = isWhole ? [...(known?.keys() ?? [])] : [...places];
    const there = new Set(addresses.flatMap((address) => [...(known?.get(address) ?? [])]));
    for (const element of desired) if (!there.delete(element)) changes.added.push({ name, element });
    const stays = this.#isKeeping && isShared(set) ? new Set(desired.map(addressOf)) : null;
    for (const element of there)
      if (stays?.has(addressOf(element)) !== false) changes.removed.push({ name, element });
  }

  #headsOf(key: SetKey, set: NodeSet): Readonly<Record<IpFamily, SetHead>> {
    const known = this.#heads.get(key);
    if (known !== undefined) return known;
    const heads = { v4: this.#form.head(set, "v4"), v6: this.#form.head(set, "v6") };
    this.#heads.set(key, heads);
    return heads;
  }

  #compare(key: SetKey, before: NodeSet | null, set: NodeSet): void {
    const { groups } = set;
    if (before === null || !isOfLocalPods(set)) {
      const isSame =
        before?.groups.length === groups.length && groups.every((one) => before.groups.includes(one));
      if (!isSame) this.#pending.mark(key, "all");
      return;
    }
    // Of many groups, and only of the node's pods: those of the groups that differ.
    const [were, are] = [new Set(before.groups), new Set(groups)];
    if (were.difference(are).size > 0) this.#pending.mark(key, "all");
    else for (const group of are.difference(were)) this.#pending.mark(key, this.#localOf(group));
  }

  #localOf(group: GroupKey): readonly IpAddress[] {
    return [...this.#local.of([group])].flatMap((pod) => pod.ips);
  }

  #touched(set: NodeSet, group: GroupKey, { addresses, pods, namedPorts }: GroupEdges): Iterable<IpAddress> {
    if (isOfLocalPods(set)) {
      // A pod may be on another node, at the same address.
      const members = this.#membership.pods(group);
      const own = [...pods].filter((pod) => members.has(pod)).flatMap((pod) => this.#membership.pod(pod).ips);
      return [...addresses, ...own];
    }
    return set.set.kind === "port" ? (namedPorts.get(set.set.name) ?? []) : addresses;
  }
}

interface Changing {
  readonly head: SetHead;
  readonly family: IpFamily;
  readonly actual: ReadonlyMap<string, ActualSet>;
  readonly reader: ElementReader;
  readonly changes: {
    readonly created: SetHead[];
    readonly added: SetElement[];
    readonly removed: SetElement[];
  };
}

function groupsOfSets(sets: readonly NodeSet[]): ReadonlyMap<GroupKey, readonly NodeSet[]> {
  const pairs = sets.flatMap((set) => set.groups.map((group) => ({ group, set })));
  return new Map(
    [...Map.groupBy(pairs, ({ group }) => group)].map(([group, own]) => [group, own.map(({ set }) => set)]),
  );
}
