// A Source over an API server: one reflector and one store for Pods, Namespaces, Nodes and each kind of policy. Synced
// when every one of them has been listed: a controller with partial facts must not write. A missing CRD is waited for too,
// unless no rows of its policies exist (missing.ts). A kind of policy that may not be read holds up no other kind: any policy of
// it may exist, so that its rows stay.

import type { Clock, Random } from "../../lib/clock.ts";
import { invariant } from "../../lib/invariant.ts";
import type { Logger } from "../../lib/logger.ts";
import type {
  GroupVersion,
  KindText,
  ObjectKey,
  ObjectKind,
  Source,
  SourceListener,
  SourceProblem,
  WorldObject,
} from "../../model/object.ts";
import { kindText, kindTextOf } from "../../model/object.ts";
import type { Reading } from "../../informers/objects/kinds.ts";
import { readableKinds } from "../../informers/objects/kinds.ts";
import type { KubeApi } from "../transport/api.ts";
import type { Condition, SeenStatus } from "./conditions.ts";
import { noStatus } from "./conditions.ts";
import { isOfCrd } from "./definitions.ts";
import { UnconfirmedDeletions } from "./unconfirmed-deletions.ts";
import { Reflector } from "./reflector.ts";
import { ServedAs } from "./served-as.ts";
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
  readonly reading?: Reading;
  readonly random: Random;
  readonly logger: Logger;
  /** Called for our own bugs: the program must end. */
  readonly fatal: (error: unknown) => void;
  readonly timing?: Partial<Timing>;
  /** A kind that the server does not serve has no objects: the operator says so. False unless given. */
  readonly missingIsEmpty?: boolean;
  /**
   * How many policies of the kind have rows; null: not known now. A kind that the server does not serve and that has
   * none is not waited for. Unless given, every kind is.
   */
  readonly existing?: (kind: ObjectKind) => number | null;
}

export interface ResourceState {
  /** Lower-case plural, as in the API's paths; with the group behind a dot where two kinds have the same plural. */
  readonly resource: string;
  readonly kind: string;
  readonly kindText: KindText;
  /** Why the API server does not let us read it; null: it does, or the failure is another. */
  readonly forbidden: string | null;
  readonly synced: boolean;
  /** Why the resource is not being followed now. */
  readonly failure: string | null;
  /** The kind, when the server does not serve it, or not for good: what was known of its objects stays. */
  readonly missing: ObjectKind | null;
  /** Where its objects are read now. */
  readonly readAs: GroupVersion;
  /** Objects that are kept although they are not there: another API group, which ended, served them. */
  readonly held: number;
  /** When the API server last answered for it, by the clock. */
  readonly contactMs: number;
  /** When its objects were last known to be those of the API server; -Infinity: they never were. */
  readonly currentMs: number;
  /** Without contact its objects may be others than those known; false: the server says that it is not there, or not for us. */
  readonly needsContact: boolean;
  /** Facts held. */
  readonly objects: number;
  readonly stats: ResourceStats;
}

interface Followed {
  readonly kind: ObjectKind;
  readonly served: ServedAs;
  readonly resource: string;
  readonly store: Store;
  readonly reflector: Reflector;
  /** null: deletions are believed at once. */
  readonly departures: UnconfirmedDeletions | null;
}

/** It was listed, or is a kind of policy that we may not read. */
function isSettled({ kind, reflector }: Followed): boolean {
  return reflector.synced || (kind.group !== "" && reflector.forbidden !== null);
}

export class KubeSource implements Source {
  readonly #options: KubeSourceOptions;
  readonly #followed: ReadonlyMap<KindText, Followed>;
  #listener: SourceListener | null = null;
  #hasSynced = false;
  #statusChanged: (key: ObjectKey) => void = () => undefined;

  constructor(options: KubeSourceOptions) {
    this.#options = options;
    const sharing = new Sharing();
    const kinds = readableKinds(options.policies, options.references, options.reading);
    const namesakes = Map.groupBy(kinds, ({ resource }) => resource);
    const { api, clock, random, logger, fatal, missingIsEmpty = false, existing } = options;
    const timing = { ...defaultTiming, ...options.timing };
    this.#followed = new Map(
      kinds.map((kind) => {
        const waitMs = timing.departureMs;
        const believed = (key: ObjectKey): void => {
          store.drop(key);
        };
        const isMissing = (): boolean => reflector.isMissing;
        const served = new ServedAs(kind, options.reading?.wholePods);
        const departures =
          isOfCrd(kind) && !missingIsEmpty
            ? new UnconfirmedDeletions({ api, served, clock, waitMs, isMissing, believed, fatal })
            : null;
        const listener = {
          changed: (key: ObjectKey) => this.#listener?.changed(key),
          problem: (problem: SourceProblem) => this.#listener?.problem(problem),
          status: (key: ObjectKey) => {
            this.#statusChanged(key);
          },
        };
        const store = new Store(kind, sharing, listener, departures, served);
        const { group } = kind;
        const resource =
          namesakes.get(kind.resource)?.length === 1 ? kind.resource : `${kind.resource}.${group}`;
        const reflector = new Reflector({
          api,
          resource,
          served,
          store,
          clock,
          random,
          logger,
          timing,
          missingIsEmpty,
          ...(existing === undefined || kind.group === "" ? {} : { existing: () => existing(kind) }),
          synced: () => {
            this.#oneSynced();
          },
          denied: () => {
            this.#oneSynced();
          },
        });
        return [kindText(kind), { kind, served, resource, store, reflector, departures }];
      }),
    );
  }

  /** Checks again whether missing kinds are waited for: rows that could not be counted may be known now. */
  reconsider(): void {
    for (const { reflector } of this.#followed.values()) reflector.reconsider();
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
    const followed = this.#followed.get(kindTextOf(key));
    return followed !== undefined && (!followed.reflector.synced || followed.store.mayExist(key));
  }

  /** The status of an object as last seen. A change of it alone causes no `changed` call. */
  statusOf(key: ObjectKey): SeenStatus {
    return this.#storeOf(key)?.statusOf(key) ?? noStatus;
  }

  conditionsOf(key: ObjectKey): readonly Condition[] {
    return this.statusOf(key).conditions;
  }

  /** Called for each object that is seen with another status. The last listener counts. */
  onStatus(changed: (key: ObjectKey) => void): void {
    this.#statusChanged = changed;
  }

  /** Why readiness must wait, one sentence for each resource; empty when it need not. */
  get pending(): readonly string[] {
    const reasons = [...this.#followed.values()].map(({ reflector }) => reflector.pending);
    return reasons.filter((reason) => reason !== null);
  }

  /** What is wrong with the objects of now, as lines. */
  get problems(): readonly string[] {
    return [...this.#followed.values()].flatMap(({ store }) => store.problems);
  }

  get resources(): readonly ResourceState[] {
    const { missingIsEmpty = false } = this.#options;
    return [...this.#followed.values()].map(({ kind, served, resource, store, reflector, departures }) => ({
      kind: kind.kind,
      kindText: kindText(kind),
      forbidden: kind.group === "" ? null : reflector.forbidden,
      resource,
      synced: reflector.synced,
      failure: reflector.failure,
      missing:
        kind.group !== "" && !missingIsEmpty && (reflector.isMissing || departures?.isHolding === true)
          ? kind
          : null,
      readAs: served.kind,
      held: departures?.held ?? 0,
      contactMs: reflector.contact.lastMs,
      currentMs: reflector.contact.currentMs,
      needsContact: !reflector.isMissing && reflector.forbidden === null,
      objects: store.size,
      stats: reflector.stats,
    }));
  }

  /** Ends watches and waits at once. The listener is not called any more. */
  async stop(): Promise<void> {
    this.#listener = null;
    for (const { departures } of this.#followed.values()) departures?.stop();
    await Promise.all([...this.#followed.values()].map(({ reflector }) => reflector.stop()));
  }

  #storeOf(key: ObjectKey): Store | undefined {
    return this.#followed.get(kindTextOf(key))?.store;
  }

  #oneSynced(): void {
    if (this.#hasSynced || ![...this.#followed.values()].every(isSettled)) return;
    this.#hasSynced = true;
    this.#listener?.synced();
  }
}
