// One offline model of a cluster: objects in; facts, membership, policies in force, a backend's result, and the verdict
// on a connection out. The same engine as the controller's, without sources, loop or database; apart from wiring/ the
// only place that builds an engine. Further observations change its answers. Invariant: it answers as the controller
// would after the same objects in the same order.

import type { EngineBackend, PolicyRecord, Settled } from "../controller/engine.ts";
import type { JudgedReference } from "../controller/judged-references.ts";
import { Engine } from "../controller/engine.ts";
import { Groups } from "../groups/index.ts";
import { FactStore } from "../model/fact-store.ts";
import type { Cidr, IpFamily } from "../model/ip.ts";
import type { ObjectKey, WorldObject } from "../model/object.ts";
import { keyOf } from "../model/object.ts";
import type { Dialect } from "../policy/contracts/dialect.ts";
import type { Connection, Judgement } from "../policy/evaluate.ts";
import { judge } from "../policy/evaluate.ts";
import type { Policy, PolicyKey } from "../policy/ir.ts";
import type { Outcomes } from "../policy/ties.ts";
import { outcomes } from "../policy/ties.ts";

export interface ModelOptions<B extends EngineBackend> {
  readonly dialects: readonly Dialect[];
  /** null: those that the facts show. */
  readonly families: readonly IpFamily[] | null;
  /** As in EngineOptions. */
  readonly zone?: string | null;
  readonly inside?: readonly Cidr[];
  /** Makes the backend that receives the policies. From then on it may read the membership. */
  readonly backend: (membership: Groups) => B;
}

/** The new state of an object; null: it was removed. */
export interface ObjectChange {
  readonly key: ObjectKey;
  readonly object: WorldObject | null;
}

/** Admits every policy and renders nothing: for questions about the meaning of policies. */
export const noBackend: EngineBackend = {
  serve: () => undefined,
  admit: () => [],
  upsert: () => undefined,
  remove: () => undefined,
  takeContested: () => [],
  freeze: () => undefined,
};

export class OfflineModel<B extends EngineBackend> {
  /** Also the World of the judge. */
  readonly facts = new FactStore();
  readonly membership = new Groups(this.facts);
  readonly backend: B;
  readonly #engine: Engine;

  constructor({ dialects, families, zone = null, inside = [], backend }: ModelOptions<B>) {
    this.backend = backend(this.membership);
    const { facts, membership: groups } = this;
    this.#engine = new Engine({ dialects, facts, groups, backend: this.backend, families, zone, inside });
  }

  /** Observes present objects, as one pass of the controller. Throws for an unknown kind. */
  observe(objects: Iterable<WorldObject>): Settled {
    return this.change(Array.from(objects, (object) => ({ key: keyOf(object), object })));
  }

  /** Observes changes, as one pass of the controller: all other objects before policies. */
  change(changes: readonly ObjectChange[]): Settled {
    const isPolicy = ({ key }: ObjectChange): boolean => this.#engine.policyKeyOf(key) !== null;
    for (const one of changes) if (!isPolicy(one)) this.#engine.observe(one.key, one.object);
    for (const one of changes) if (isPolicy(one)) this.#engine.observe(one.key, one.object);
    return this.#engine.settle();
  }

  record(key: PolicyKey): PolicyRecord | null {
    return this.#engine.record(key);
  }

  /** Every policy object, refused ones too, with its findings. */
  records(): Iterable<PolicyRecord> {
    return this.#engine.records();
  }

  /** Findings about the objects that policies may refer to, for kinds that can have findings. */
  judged(): Iterable<readonly [ObjectKey, JudgedReference]> {
    return this.#engine.judged();
  }

  /** The policies in force: for a refused object its earlier version, if it had one. */
  policies(): readonly Policy[] {
    return [...this.#engine.policies()];
  }

  /** The verdict of the policies in force on the connection. */
  judge(connection: Connection): Judgement {
    return judge(connection, this.facts, this.policies());
  }

  /** The possible verdicts where the order of policies is open. */
  outcomes(connection: Connection): Outcomes {
    return outcomes(connection, this.facts, this.policies());
  }
}
