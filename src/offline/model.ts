// One offline model of a cluster: objects in; facts, membership, policies in force, what a backend makes of them, and the
// verdict on a connection out. The same engine as the controller's, without sources, loop or database; the one place beside
// wiring/ that puts an engine together. It can go on: what is observed later changes what it answers.
// Invariant: it answers as the controller would after it has seen the same objects in the same order.

import type { EngineBackend, PolicyRecord, Settled } from "../controller/engine.ts";
import { Engine } from "../controller/engine.ts";
import { Groups } from "../groups/index.ts";
import { FactStore } from "../model/fact-store.ts";
import type { IpFamily } from "../model/ip.ts";
import type { ObjectKey, WorldObject } from "../model/object.ts";
import { keyOf } from "../model/object.ts";
import type { Dialect } from "../policy/dialect.ts";
import type { Connection, Judgement } from "../policy/evaluate.ts";
import { judge } from "../policy/evaluate.ts";
import type { Policy, PolicyKey } from "../policy/ir.ts";
import type { Outcomes } from "../policy/ties.ts";
import { outcomes } from "../policy/ties.ts";

export interface ModelOptions<B extends EngineBackend> {
  readonly dialects: readonly Dialect[];
  /** null: those that the facts show. */
  readonly families: readonly IpFamily[] | null;
  /** Makes the backend that is told what is desired. It may read the membership from then on. */
  readonly backend: (membership: Groups) => B;
}

/** An object as it is from now on; null: it is gone. */
export interface ObjectChange {
  readonly key: ObjectKey;
  readonly object: WorldObject | null;
}

/** Admits every policy and makes nothing of it: for questions about what policies mean. */
export const noBackend: EngineBackend = {
  serve: () => undefined,
  admit: () => [],
  upsert: () => undefined,
  remove: () => undefined,
  freeze: () => undefined,
};

export class OfflineModel<B extends EngineBackend> {
  /** Also the World of the judge. */
  readonly facts = new FactStore();
  readonly membership = new Groups(this.facts);
  readonly backend: B;
  readonly #engine: Engine;

  constructor({ dialects, families, backend }: ModelOptions<B>) {
    this.backend = backend(this.membership);
    const { facts, membership: groups } = this;
    this.#engine = new Engine({ dialects, facts, groups, backend: this.backend, families });
  }

  /** Takes in objects that are there now, as one pass of the controller. A kind that nobody knows throws. */
  observe(objects: Iterable<WorldObject>): Settled {
    return this.change(Array.from(objects, (object) => ({ key: keyOf(object), object })));
  }

  /** Takes in what has changed, as one pass of the controller: what is no policy first. */
  change(changes: readonly ObjectChange[]): Settled {
    const isPolicy = ({ key }: ObjectChange): boolean => this.#engine.policyKeyOf(key) !== null;
    for (const one of changes) if (!isPolicy(one)) this.#engine.observe(one.key, one.object);
    for (const one of changes) if (isPolicy(one)) this.#engine.observe(one.key, one.object);
    return this.#engine.settle();
  }

  record(key: PolicyKey): PolicyRecord | null {
    return this.#engine.record(key);
  }

  /** Every policy object, refused ones too, with what was found in it. */
  records(): Iterable<PolicyRecord> {
    return this.#engine.records();
  }

  /** What is in force: of a refused object what it said before, if it said anything. */
  policies(): readonly Policy[] {
    return [...this.#engine.policies()];
  }

  /** What the policies in force say of the connection. */
  judge(connection: Connection): Judgement {
    return judge(connection, this.facts, this.policies());
  }

  /** What they may come to where the order of policies is open. */
  outcomes(connection: Connection): Outcomes {
    return outcomes(connection, this.facts, this.policies());
  }
}
