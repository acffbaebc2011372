// A world made of objects that come one by one from a source: the offline model, brought up to date when somebody asks.
// Services are kept beside the model: explain reads them, and no policy refers to them.

import { AskedWorld } from "../explain/asked.ts";
import { serviceKind } from "../model/service.ts";
import type { Cidr, IpFamily } from "../model/ip.ts";
import type { ObjectKey, PlaceOf, ReferencedObject, WorldObject } from "../model/object.ts";
import { isReferenced, kindText, kindTextOf } from "../model/object.ts";
import type { ObjectChange } from "../offline/model.ts";
import type { RenderedModel } from "../offline/rendered.ts";
import type { Dialect } from "../policy/dialect.ts";

export interface FollowedOptions {
  /** Without objects. */
  readonly model: RenderedModel;
  readonly dialects: readonly Dialect[];
  /** null: those that the facts show. */
  readonly families: readonly IpFamily[] | null;
  /** Where addresses of Services come from that are not known. */
  readonly serviceNetworks: readonly Cidr[];
  readonly placeOf: PlaceOf;
}

const serviceText = kindText(serviceKind);

export class FollowedWorld {
  readonly placeOf: PlaceOf;
  readonly dialects: readonly Dialect[];
  readonly #options: FollowedOptions;
  readonly #objects = new Map<ObjectKey, WorldObject>();
  readonly #services = new Map<ObjectKey, ReferencedObject>();
  readonly #pending = new Map<ObjectKey, WorldObject | null>();
  #revision = 0;
  #asked: AskedWorld | null = null;

  constructor(options: FollowedOptions) {
    this.#options = options;
    this.placeOf = options.placeOf;
    this.dialects = options.dialects;
  }

  /** The object's present state; null: it is gone. */
  set(key: ObjectKey, object: WorldObject | null): void {
    this.#pending.set(key, object);
  }

  get revision(): number {
    this.#settle();
    return this.#revision;
  }

  get model(): RenderedModel {
    this.#settle();
    return this.#options.model;
  }

  /** Facts, policies, and what policies may refer to. */
  get objects(): readonly WorldObject[] {
    this.#settle();
    return [...this.#objects.values()];
  }

  get asked(): AskedWorld {
    this.#settle();
    const { model, dialects, placeOf, families, serviceNetworks } = this.#options;
    const services = [...this.#services.values()];
    return (this.#asked ??= new AskedWorld(model, {
      ...{ dialects, placeOf, families, services, serviceNetworks, objects: this.objects },
    }));
  }

  #settle(): void {
    if (this.#pending.size === 0) return;
    const changes: ObjectChange[] = [];
    for (const [key, object] of this.#pending) {
      if (kindTextOf(key) === serviceText) {
        if (object !== null && isReferenced(object)) this.#services.set(key, object);
        else this.#services.delete(key);
        continue;
      }
      if (object === null) this.#objects.delete(key);
      else this.#objects.set(key, object);
      changes.push({ key, object });
    }
    this.#pending.clear();
    this.#options.model.change(changes);
    this.#asked = null;
    this.#revision++;
  }
}
