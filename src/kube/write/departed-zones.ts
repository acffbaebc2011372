// Removes the conditions of zones that no longer have a Node: the program that wrote them does not run, and no other program would
// take them away. By server-side apply of nothing with that zone's field manager, which leaves every other owner's fields.
// Whoever leads does it, one request at a time. Invariant: only conditions of zones whose Node was missing at two looks in a row.

import type { Clock, Random } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import { Pace } from "../../lib/pace.ts";
import { Repeating } from "../../lib/every.ts";
import type { ObjectKey, PolicyObject } from "../../model/object.ts";
import { keyOf } from "../../model/object.ts";
import type { SeenStatus } from "../read/conditions.ts";
import type { KubeApi } from "../transport/api.ts";
import { failureOf } from "../transport/failure.ts";
import type { ReportedPolicy } from "./status-write.ts";
import { statusRequest } from "./status-write.ts";
import { fieldManager } from "./zone-condition.ts";

/** A policy with the type that a zone's condition on it has. */
export interface ZonedPolicy extends ReportedPolicy {
  /** null: its kind has one type for all zones. */
  readonly prefix: string | null;
}

export interface DepartedZonesOptions {
  readonly api: KubeApi;
  readonly policies: () => Iterable<ZonedPolicy>;
  readonly statusOf: (key: ObjectKey) => SeenStatus;
  readonly hasNode: (name: string) => boolean;
  /** Of this program; null: all nodes. */
  readonly zone: string | null;
  /** Whether this program may write now, and knows the Nodes. */
  readonly leads: () => boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Called for our own bugs: the program must end. */
  readonly fatal: (error: unknown) => void;
}

/** Between two looks; the upper half is drawn at random, since every zone's program looks. */
const lookMs = 60_000;
/** One zone for the whole cluster has this name, and no Node. */
const central = "global";

interface Departed {
  readonly policy: ReportedPolicy;
  readonly type: string;
  readonly zone: string;
}

export class DepartedZones {
  readonly #options: DepartedZonesOptions;
  readonly #looks: Repeating;
  /** Zones without a Node at the last look. */
  #missing: ReadonlySet<string> = new Set();

  constructor(options: DepartedZonesOptions) {
    const { clock, random, fatal } = options;
    this.#options = options;
    this.#looks = new Repeating({
      ...{ clock, fatal },
      task: () => this.look(),
      pauseMs: () => lookMs * (0.5 + 0.5 * random()),
    });
  }

  start(): void {
    this.#looks.startAfterPause();
  }

  stop(): Promise<void> {
    return this.#looks.stop();
  }

  /** One look, and the removals that follow from it. */
  async look(): Promise<void> {
    const { leads, clock } = this.#options;
    const before = this.#missing;
    const missing = new Set<string>();
    const due: Departed[] = [];
    const pace = new Pace(clock);
    for (const policy of leads() ? this.#options.policies() : []) {
      if (pace.isDue) await pace.rest();
      for (const one of this.#departedOn(policy)) {
        missing.add(one.zone);
        if (before.has(one.zone)) due.push(one);
      }
    }
    this.#missing = missing;
    await this.#remove(due);
  }

  *#departedOn(policy: ZonedPolicy): Generator<Departed, void> {
    const { prefix, object } = policy;
    if (prefix === null) return;
    for (const { type } of this.#options.statusOf(keyOf(object)).conditions) {
      if (!type.startsWith(prefix)) continue;
      const zone = type.slice(prefix.length);
      if (this.#isDeparted(zone)) yield { policy, type, zone };
    }
  }

  #isDeparted(zone: string): boolean {
    const { zone: own, hasNode } = this.#options;
    return zone !== "" && zone !== central && zone !== own && !hasNode(zone);
  }

  /** Ends at the first failure: the rest is tried again at the next look. */
  async #remove(due: readonly Departed[]): Promise<void> {
    const { logger, leads } = this.#options;
    const removed = new Map<string, number>();
    for (const one of due) {
      if (!leads() || !this.#isThere(one)) continue;
      const failure = await this.#removeOne(one);
      if (failure === null) removed.set(one.zone, (removed.get(one.zone) ?? 0) + 1);
      else {
        logger.warn("conditions of zones that have no Node are kept for now", { reason: failure });
        break;
      }
    }
    for (const [zone, policies] of removed)
      logger.info("the conditions of a zone that has no Node were removed", { zone, policies });
  }

  /** Returns why it is not removed; null: it is. */
  async #removeOne({ policy, zone }: Departed): Promise<string | null> {
    const { request } = statusRequest(policy, {}, fieldManager(zone));
    const { signal } = this.#looks;
    try {
      const { status } = await this.#options.api.request({ ...request, signal });
      return status === 200 || status === 404 ? null : `the API server answers ${status}`;
    } catch (error) {
      if (signal.aborted) return "the program ends";
      const failure = failureOf(error);
      if (failure === null) throw error;
      return failure.message;
    }
  }

  #isThere({ policy, type, zone }: Departed): boolean {
    const { conditions } = this.#options.statusOf(keyOf(policy.object));
    return this.#isDeparted(zone) && conditions.some((condition) => condition.type === type);
  }
}

/** What the condition's type begins with, for a kind that has one for each zone; null: it has one for all. */
export function zonePrefix(typeOf: (zone: string | null) => string): string | null {
  const type = typeOf("");
  return typeOf("x") === `${type}x` ? type : null;
}

/** A policy as a record has it. */
export function zonedPolicy(
  object: PolicyObject,
  resource: ReportedPolicy["resource"],
  typeOf: ((zone: string | null) => string) | null,
): ZonedPolicy {
  return { object, resource, prefix: typeOf === null ? null : zonePrefix(typeOf) };
}
