// A Source over an API server: one reflector and one store for Pods, Namespaces, Nodes and each kind of policy. Synced
// when every one of them has been listed, a missing CRD included: a controller with partial facts must not write.

import type { Clock, Random } from "../../lib/clock.ts";
import { invariant } from "../../lib/invariant.ts";
import type { Logger } from "../../lib/logger.ts";
import type {
  KindText,
  ObjectKey,
  ObjectKind,
  Source,
  SourceListener,
  WorldObject,
} from "../../model/object.ts";
import { kindText, kindTextOf } from "../../model/object.ts";
import { readableKinds } from "../../informers/objects/kinds.ts";
import type { KubeApi } from "../transport/api.ts";
import type { Condition } from "./conditions.ts";
import { collectionPath } from "../transport/paths.ts";
import { Reflector } from "./reflector.ts";
import { Sharing } from "./sharing.ts";
import type { ResourceStats } from "./stats.ts";
import { Store } from "./store.ts";
import type { Timing } from "../transport/timing.ts";
import { defaultTiming } from "../transport/timing.ts";

export interface KubeSourceOptions {
  readonly api: KubeApi;
  readonly policies: readonly ObjectKind[];
  /** Kinds of objects that policies may refer to. */
  readonly references?: readonly ObjectKind[];
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Called for our own bugs: the program must end. */
  readonly fatal: (error: unknown) => void;
  readonly timing?: Partial<Timing>;
}

export interface ResourceState {
  /** Lower-case plural, as in the API's paths; with the group behind a dot where two kinds have the same plural. */
  readonly resource: string;
  readonly kind: string;
  readonly synced: boolean;
  /** Why the resource is not being followed now. */
  readonly failure: string | null;
  /** Facts held. */
  readonly objects: number;
  readonly stats: ResourceStats;
}

interface Followed {
  readonly kind: string;
  readonly resource: string;
  readonly store: Store;
  readonly reflector: Reflector;
}

export class KubeSource implements Source {
  readonly #options: KubeSourceOptions;
  readonly #followed: ReadonlyMap<KindText, Followed>;
  #listener: SourceListener | null = null;
  #conditionsChanged: (key: ObjectKey) => void = () => undefined;

  constructor(options: KubeSourceOptions) {
    this.#options = options;
    const sharing = new Sharing();
    const kinds = readableKinds(options.policies, options.references);
    const namesakes = Map.groupBy(kinds, ({ resource }) => resource);
    const { api, clock, random, logger, timing } = options;
    this.#followed = new Map(
      kinds.map((kind) => {
        const store = new Store(kind, sharing, {
          changed: (key) => this.#listener?.changed(key),
          problem: (problem) => this.#listener?.problem(problem),
          conditions: (key) => {
            this.#conditionsChanged(key);
          },
        });
        const { group } = kind;
        const resource =
          namesakes.get(kind.resource)?.length === 1 ? kind.resource : `${kind.resource}.${group}`;
        const reflector = new Reflector({
          api,
          resource,
          path: collectionPath(kind),
          store,
          clock,
          random,
          logger,
          timing: { ...defaultTiming, ...timing },
          synced: () => {
            this.#oneSynced();
          },
        });
        return [kindText(kind), { kind: kind.kind, resource, store, reflector }];
      }),
    );
  }

  start(listener: SourceListener): void {
    invariant(this.#listener === null, "a source is started once");
    this.#listener = listener;
    for (const { reflector } of this.#followed.values()) reflector.start(this.#options.fatal);
  }

  read(key: ObjectKey): WorldObject | null {
    return this.#storeOf(key)?.read(key) ?? null;
  }

  mayExist(key: ObjectKey): boolean {
    return this.#storeOf(key)?.mayExist(key) ?? false;
  }

  /** Conditions of a policy object as last seen. A change of conditions alone causes no `changed` call. */
  conditionsOf(key: ObjectKey): readonly Condition[] {
    return this.#storeOf(key)?.conditionsOf(key) ?? [];
  }

  /** Called for each policy object that is seen with other conditions. The last listener counts. */
  onConditions(changed: (key: ObjectKey) => void): void {
    this.#conditionsChanged = changed;
  }

  /** Why readiness must wait, one sentence for each resource; empty when it need not. */
  get pending(): readonly string[] {
    const reasons = [...this.#followed.values()].map(({ reflector }) => reflector.pending);
    return reasons.filter((reason) => reason !== null);
  }

  get resources(): readonly ResourceState[] {
    return [...this.#followed.values()].map(({ kind, resource, store, reflector }) => ({
      kind,
      resource,
      synced: reflector.synced,
      failure: reflector.failure,
      objects: store.size,
      stats: reflector.stats,
    }));
  }

  /** Ends watches and waits at once. The listener is not called any more. */
  async stop(): Promise<void> {
    this.#listener = null;
    await Promise.all([...this.#followed.values()].map(({ reflector }) => reflector.stop()));
  }

  #storeOf(key: ObjectKey): Store | undefined {
    return this.#followed.get(kindTextOf(key))?.store;
  }

  #oneSynced(): void {
    if ([...this.#followed.values()].every(({ reflector }) => reflector.synced)) this.#listener?.synced();
  }
}
