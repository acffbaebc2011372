// A world made of objects that arrive one by one from a source: the offline model, updated when it is asked.
// Services are also kept beside the model, which has them only where policies may refer to them: explain reads them; and so are
// workloads, which no model has. Of a policy
// whose edit is refused the version in force is kept too, so that making the world again from its objects gives the
// same policies.

import type { Cni } from "../cni/answers.ts";
import type { NotRead } from "../unknowns/foreign.ts";
import { allRead } from "../unknowns/foreign.ts";
import { provenNamespaces, unreadNamespace } from "../unknowns/namespaces.ts";
import { AskedWorld } from "../explain/asked.ts";
import { serviceKind } from "../model/service.ts";
import type { Cidr, IpFamily } from "../model/ip.ts";
import type { ObjectKey, LocationOf, ReferencedObject, WorldObject } from "../model/object.ts";
import { isPod, isReferenced, keyOf, kindText, kindTextOf } from "../model/object.ts";
import type { PodFact } from "../model/facts.ts";
import type { Workload } from "../model/workload.ts";
import { endsAmong } from "../model/workload.ts";
import type { ObjectChange } from "../offline/model.ts";
import type { RenderedModel } from "../offline/rendered.ts";
import type { Dialect } from "../policy/contracts/dialect.ts";
import { kindsToRead } from "../policy/contracts/dialect.ts";

export interface FollowedOptions {
  /** Without objects. */
  readonly model: RenderedModel;
  readonly dialects: readonly Dialect[];
  /** null: those that the facts show. */
  readonly families: readonly IpFamily[] | null;
  /** Networks of Services whose objects are not known. */
  readonly serviceNetworks: readonly Cidr[];
  readonly placeOf: LocationOf;
  /** Of names of ends that have none; null unless given: `default`. */
  readonly namespace?: string | null;
  /** The network plugin that enforces the policies; null unless given: what is written for OVN is in force. */
  readonly cni?: Cni | null;
  /** Whether namespaces are there that objects prove although their Namespace is not: the controller knows none of them. */
  readonly isProving: boolean;
}

const serviceText = kindText(serviceKind);

export class FollowedWorld {
  readonly placeOf: LocationOf;
  readonly dialects: readonly Dialect[];
  readonly #options: FollowedOptions;
  /** Whether policies may refer to Services. */
  readonly #refersToServices: boolean;
  readonly #objects = new Map<ObjectKey, WorldObject>();
  readonly #services = new Map<ObjectKey, ReferencedObject>();
  readonly #kept = new Map<ObjectKey, WorldObject>();
  readonly #pending = new Map<ObjectKey, WorldObject | null>();
  /** Names of the namespaces that objects prove although their Namespace is not there. */
  #proven: ReadonlySet<string> = new Set();
  #notRead: NotRead = allRead;
  #makers: readonly Workload[] = [];
  #ends: readonly Workload[] | null = null;
  #revision = 0;
  #asked: AskedWorld | null = null;

  constructor(options: FollowedOptions) {
    this.#options = options;
    this.placeOf = options.placeOf;
    this.dialects = options.dialects;
    const { references } = kindsToRead(options.dialects);
    this.#refersToServices = references.some((kind) => kindText(kind) === serviceText);
  }

  /** The object's present state; null: it was removed. */
  set(key: ObjectKey, object: WorldObject | null): void {
    this.#pending.set(key, object);
  }

  /** The version in force of an object that is refused, to be set before the object itself; null: none is. */
  keep(key: ObjectKey, object: WorldObject | null): void {
    this.settle();
    this.#pending.set(key, object);
    this.settle();
  }

  /** The parts of the world that are not read. */
  get notRead(): NotRead {
    return this.#notRead;
  }

  setNotRead(notRead: NotRead): void {
    this.#notRead = notRead;
    this.#asked = null;
    this.#revision++;
  }

  /** Whether namespaces are there that objects prove although their Namespace is not. */
  get isProving(): boolean {
    return this.#options.isProving;
  }

  /** Every workload, those with pods too. */
  get makers(): readonly Workload[] {
    return this.#makers;
  }

  setMakers(makers: readonly Workload[]): void {
    this.settle();
    this.#makers = makers;
    this.#ends = null;
    this.#options.model.change(this.#prove());
    this.#asked = null;
    this.#revision++;
  }

  /** Those that stand for pods which are not there. */
  get workloads(): readonly Workload[] {
    this.settle();
    return this.#findEnds();
  }

  get revision(): number {
    this.settle();
    return this.#revision;
  }

  get model(): RenderedModel {
    this.settle();
    return this.#options.model;
  }

  /** Facts, policies, and what policies may refer to. */
  get objects(): readonly WorldObject[] {
    this.settle();
    return [...this.#objects.values()];
  }

  /** Of policies whose present object is refused, the object of the version in force. */
  get kept(): readonly WorldObject[] {
    this.settle();
    return [...this.#kept.values()];
  }

  /** Those that are there, whether policies may refer to them or not. */
  get services(): readonly ReferencedObject[] {
    this.settle();
    return [...this.#services.values()];
  }

  get asked(): AskedWorld {
    this.settle();
    return (this.#asked ??= this.#newAsked());
  }

  #newAsked(): AskedWorld {
    const {
      model,
      dialects,
      placeOf,
      families,
      serviceNetworks,
      namespace = null,
      cni = null,
    } = this.#options;
    const { services, objects } = this;
    return new AskedWorld(model, {
      ...{ dialects, placeOf, families, services, serviceNetworks, namespace, objects },
      ...{ notRead: this.#notRead, cni, workloads: this.#findEnds(), makers: this.#makers },
    });
  }

  #keep(key: ObjectKey, earlier: WorldObject | undefined): void {
    const record = this.#options.model.record(key);
    const isKept = record?.rejected === true && record.policy !== null;
    if (isKept && earlier !== undefined) this.#kept.set(key, earlier);
    else this.#kept.delete(key);
  }

  #findEnds(): readonly Workload[] {
    const pods = (): Iterable<PodFact> => this.#objects.values().filter(isPod);
    return (this.#ends ??= this.#makers.length === 0 ? [] : endsAmong(this.#makers, pods()));
  }

  /** The changes of namespaces that were not read. */
  #prove(): readonly ObjectChange[] {
    if (!this.#options.isProving) return [];
    const templates = this.#findEnds().map(({ template }) => template);
    const facts = provenNamespaces([...this.#objects.values(), ...templates]);
    const before = this.#proven;
    this.#proven = new Set(facts.map(({ name }) => name));
    const come = facts
      .filter(({ name }) => !before.has(name))
      .map((object) => ({ key: keyOf(object), object }));
    const left = [...before.difference(this.#proven)].map((name) => keyOf(unreadNamespace(name)));
    return [...come, ...left.filter((key) => !this.#objects.has(key)).map((key) => ({ key, object: null }))];
  }

  #noteService(key: ObjectKey, object: WorldObject | null): void {
    if (object !== null && isReferenced(object)) this.#services.set(key, object);
    else this.#services.delete(key);
  }

  /** Brings the model up to date now. */
  settle(): void {
    if (this.#pending.size === 0) return;
    const changes: ObjectChange[] = [];
    const earlier = new Map<ObjectKey, WorldObject | undefined>();
    let [isOfPods, isOfNames] = [false, false];
    for (const [key, object] of this.#pending) {
      if (kindTextOf(key) === serviceText) {
        this.#noteService(key, object);
        if (!this.#refersToServices) continue;
      }
      const before = this.#objects.get(key);
      isOfPods ||= [before ?? null, object].some((one) => one !== null && isPod(one));
      isOfNames ||= (before === undefined) === (object !== null);
      earlier.set(key, this.#kept.get(key) ?? before);
      if (object === null) this.#objects.delete(key);
      else this.#objects.set(key, object);
      changes.push({ key, object });
    }
    this.#pending.clear();
    if (isOfPods) this.#ends = null;
    // This looks at every object.
    const proven = isOfPods || isOfNames ? this.#prove() : [];
    this.#options.model.change([...changes, ...proven]);
    for (const [key, object] of earlier) this.#keep(key, object);
    this.#asked = null;
    this.#revision++;
  }
}
