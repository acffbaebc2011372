// The way back into the cluster: conditions by the status writer, events by the event writer.

import type { Announcement } from "./announcements.ts";
import { dialects } from "./dialects.ts";
import { EventWriter, StatusWriter } from "./informers/index.ts";
import { systemClock } from "./lib/clock.ts";
import { invariant } from "./lib/invariant.ts";
import type { Logger } from "./lib/logger.ts";
import type { ObjectKey, PolicyObject } from "./model/object.ts";
import type { Series } from "./metrics/metrics.ts";
import type { PolicyKey } from "./policy/ir.ts";
import type { Outcome, Voice } from "./reporter.ts";
import type { Cluster } from "./sources.ts";

export class ClusterVoice implements Voice {
  readonly #status: StatusWriter;
  readonly #events: EventWriter;

  constructor(cluster: Cluster, zone: string | null, logger: Logger, fatal: (error: unknown) => void) {
    const { api } = cluster;
    const random = Math.random;
    const conditionsOf = (key: ObjectKey) => cluster.conditionsOf(key);
    this.#status = new StatusWriter({ api, conditionsOf, zone, clock: systemClock, random, logger, fatal });
    this.#events = new EventWriter({ api, clock: systemClock, random, logger, fatal });
  }

  condition(object: PolicyObject, outcome: Outcome): void {
    const kind = dialects.find((dialect) => dialect.kind === object.kind);
    invariant(kind !== undefined, `no dialect for ${object.kind}`);
    this.#status.report(object, kind, outcome);
  }

  event(object: PolicyObject, announcement: Announcement): void {
    this.#events.emit(object, announcement);
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
