// The way back into the cluster: conditions by the status writer, events by the event writer.

import type { PolicyEvent } from "./policy-events.ts";
import type { Condition, KubeApi } from "../kube/index.ts";
import { EventWriter, StatusWriter } from "../kube/index.ts";
import { systemClock } from "../lib/clock.ts";
import { invariant } from "../lib/invariant.ts";
import type { Logger } from "../lib/logger.ts";
import type { ObjectKey, PolicyKind, PolicyObject } from "../model/object.ts";
import type { Series } from "../metrics/metrics.ts";
import type { PolicyKey } from "../policy/ir.ts";
import type { Outcome, ClusterStatus } from "./reporter.ts";

/** The way back into a cluster. */
export interface Cluster {
  readonly api: KubeApi;
  conditionsOf(key: ObjectKey): readonly Condition[];
}

export interface ApiClusterStatusOptions {
  readonly cluster: Cluster;
  /** Whose conditions are written. */
  readonly kinds: readonly PolicyKind[];
  readonly zone: string | null;
  readonly logger: Logger;
  readonly fatal: (error: unknown) => void;
}

export class ApiClusterStatus implements ClusterStatus {
  readonly #status: StatusWriter;
  readonly #events: EventWriter;
  readonly #kinds: readonly PolicyKind[];

  constructor({ cluster, kinds, zone, logger, fatal }: ApiClusterStatusOptions) {
    const { api } = cluster;
    this.#kinds = kinds;
    const random = Math.random;
    const conditionsOf = (key: ObjectKey) => cluster.conditionsOf(key);
    this.#status = new StatusWriter({ api, conditionsOf, zone, clock: systemClock, random, logger, fatal });
    this.#events = new EventWriter({ api, clock: systemClock, random, logger, fatal });
  }

  condition(object: PolicyObject, outcome: Outcome): void {
    const kind = this.#kinds.find((one) => one.kind === object.kind);
    invariant(kind !== undefined, `no such kind of policy: ${object.kind}`);
    this.#status.report(object, kind, outcome);
  }

  event(object: PolicyObject, event: PolicyEvent): void {
    this.#events.emit(object, event);
  }

  gone(key: PolicyKey): void {
    this.#status.forget(key);
  }

  /** [kind, outcome]. */
  writes(): Series {
    const status = this.#status.stats;
    const events = this.#events.stats;
    return [
      [["status", "written"], status.writes],
      [["status", "skipped"], status.skipped],
      [["status", "failed"], status.failures],
      [["event", "written"], events.writes],
      [["event", "skipped"], events.skipped],
      [["event", "failed"], events.failures],
    ];
  }

  async stop(): Promise<void> {
    await Promise.all([this.#status.stop(), this.#events.stop()]);
  }
}
