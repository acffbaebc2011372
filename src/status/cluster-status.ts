// Writes back to the cluster: conditions by the status writer, events by the event writer.

import type { Condition, KubeApi } from "../kube/index.ts";
import { EventWriter, StatusWriter } from "../kube/index.ts";
import { systemClock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { ObjectKey, ShownKey } from "../model/object.ts";
import type { Series } from "../metrics/metrics.ts";
import type { PolicyRecord } from "../controller/engine.ts";
import type { PolicyEvent } from "../model/policy-event.ts";
import type { PolicyKey } from "../policy/ir.ts";
import type { UnenforcedReason } from "../policy/unenforced.ts";
import type { ClusterStatus } from "./reporter.ts";

/** The writers of a cluster. */
export interface Cluster {
  readonly api: KubeApi;
  conditionsOf(key: ObjectKey): readonly Condition[];
  onConditions(changed: (key: ObjectKey) => void): void;
}

export interface ApiClusterStatusOptions {
  readonly cluster: Cluster;
  readonly shown: ShownKey;
  readonly zone: string | null;
  readonly logger: Logger;
  readonly fatal: (error: unknown) => void;
}

export class ApiClusterStatus implements ClusterStatus {
  readonly #status: StatusWriter;
  readonly #events: EventWriter;
  readonly #zone: string | null;

  constructor({ cluster, shown, zone, logger, fatal }: ApiClusterStatusOptions) {
    const { api } = cluster;
    this.#zone = zone;
    const random = Math.random;
    const conditionsOf = (key: ObjectKey) => cluster.conditionsOf(key);
    const clock = systemClock;
    this.#status = new StatusWriter({ api, conditionsOf, zone, shown, clock, random, logger, fatal });
    cluster.onConditions((key) => {
      this.#status.seen(key);
    });
    this.#events = new EventWriter({ api, clock: systemClock, random, logger, fatal });
  }

  condition(
    { kind, object }: PolicyRecord,
    ready: boolean,
    message: string,
    reason?: UnenforcedReason,
  ): void {
    const { conditions } = kind;
    if (conditions === null) return;
    const { succeeded, failed } = conditions.reasons;
    this.#status.report(object, kind, {
      type: conditions.type(this.#zone),
      status: ready ? "True" : "False",
      reason: reason ?? (ready ? succeeded : failed),
      message,
    });
  }

  event({ object }: PolicyRecord, event: PolicyEvent): void {
    this.#events.emit(object, event);
  }

  gone(key: PolicyKey): void {
    this.#status.forget(key);
  }

  standDown(): void {
    this.#status.standDown();
    this.#events.standDown();
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
