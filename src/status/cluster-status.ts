// Writes back to the cluster: conditions and what statuses count by the status writer, events by the event writer. A kind's
// own words say what its status has.

import type { KubeApi, SeenStatus } from "../kube/index.ts";
import { EventWriter, StatusWriter } from "../kube/index.ts";
import { systemClock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { ObjectKey, ShownKey } from "../model/object.ts";
import type { Series } from "../metrics/metrics.ts";
import type { PolicyRecord } from "../controller/engine.ts";
import type { JudgedReference } from "../controller/judged-references.ts";
import type { PolicyEvent } from "../model/policy-event.ts";
import type { PolicyKey } from "../policy/ir.ts";
import type { Realization } from "../policy/contracts/dialect.ts";
import type { UnenforcedReason } from "../policy/contracts/unenforced.ts";
import type { ClusterStatus } from "./reporter.ts";
import type { SubjectNodes } from "./subject-nodes.ts";

/** The writers of a cluster. */
export interface Cluster {
  readonly api: KubeApi;
  statusOf(key: ObjectKey): SeenStatus;
  onStatus(changed: (key: ObjectKey) => void): void;
}

export interface ApiClusterStatusOptions {
  readonly cluster: Cluster;
  readonly shown: ShownKey;
  readonly zone: string | null;
  readonly nodes: SubjectNodes;
  readonly logger: Logger;
  readonly fatal: (error: unknown) => void;
}

/** The last report about a policy whose status counts nodes. */
interface LastReport {
  readonly record: PolicyRecord;
  readonly realization: Realization;
  readonly message: string;
  readonly reason: UnenforcedReason | undefined;
  readonly nodes: number;
}

export class ApiClusterStatus implements ClusterStatus {
  readonly #status: StatusWriter;
  readonly #events: EventWriter;
  readonly #zone: string | null;
  readonly #nodes: SubjectNodes;
  readonly #reported = new Map<PolicyKey, LastReport>();

  constructor({ cluster, shown, zone, nodes, logger, fatal }: ApiClusterStatusOptions) {
    const { api } = cluster;
    this.#zone = zone;
    this.#nodes = nodes;
    const random = Math.random;
    const statusOf = (key: ObjectKey) => cluster.statusOf(key);
    const clock = systemClock;
    this.#status = new StatusWriter({ api, statusOf, zone, shown, clock, random, logger, fatal });
    cluster.onStatus((key) => {
      this.#status.seen(key);
    });
    this.#events = new EventWriter({ api, clock: systemClock, random, logger, fatal });
  }

  condition(
    record: PolicyRecord,
    realization: Realization,
    message: string,
    reason?: UnenforcedReason,
  ): void {
    const counts = record.kind.conditions?.summary !== undefined;
    const nodes = counts ? this.#nodes.count(record.key) : 0;
    const told = { record, realization, message, reason, nodes };
    if (counts) this.#reported.set(record.key, told);
    this.#report(told);
  }

  examined({ key }: PolicyRecord): void {
    if (this.#reported.has(key)) this.#nodes.touch(key);
  }

  review(): void {
    for (const [key, nodes] of this.#nodes.look()) {
      const told = this.#reported.get(key);
      if (told === undefined || told.nodes === nodes) continue;
      this.#reported.set(key, { ...told, nodes });
      this.#report({ ...told, nodes });
    }
  }

  judged(key: ObjectKey, judged: JudgedReference | null): void {
    const type = judged?.kind.status?.type ?? null;
    if (judged === null || type === null) {
      this.#status.forget(key);
      return;
    }
    const { kind, object, verdict } = judged;
    const { reason, message } = verdict;
    // The API of such a kind has no generation.
    const told = { type: type(this.#zone), reason, message, fields: {} };
    this.#status.report(object, kind, { ...told, status: verdict.isTrue ? "True" : "False" });
  }

  #report({ record: { kind, object }, realization, message, reason, nodes }: LastReport): void {
    const { conditions } = kind;
    if (conditions === null) return;
    const { reasons, isTrue = (one: Realization) => one === "realized", summary } = conditions;
    const isMet = isTrue(realization);
    const { generation } = object;
    const fields = summary?.({ zone: this.#zone, realization, generation, nodes });
    this.#status.report(object, kind, {
      type: conditions.type(this.#zone),
      status: isMet ? "True" : "False",
      reason: reason ?? (isMet ? reasons.succeeded : reasons.failed),
      message,
      ...(fields === undefined ? {} : { fields }),
    });
  }

  event({ object }: PolicyRecord, event: PolicyEvent): void {
    this.#events.emit(object, event);
  }

  gone(key: PolicyKey): void {
    this.#reported.delete(key);
    this.#nodes.forget(key);
    this.#status.forget(key);
  }

  stopLeading(): void {
    for (const key of this.#reported.keys()) this.#nodes.forget(key);
    this.#reported.clear();
    this.#status.stopLeading();
    this.#events.stopLeading();
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
