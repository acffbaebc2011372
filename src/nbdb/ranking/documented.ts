// Places that follow from the policy alone, and segments that have none: no policy ever moves. Policies of one priority have one
// place, so that of those whose order is decided all the same only one is taken.

import { invariant } from "../../lib/invariant.ts";
import type { Refusal } from "../../policy/contracts/backend.ts";
import type { Policy, PolicyKey } from "../../policy/ir.ts";
import { aclTierOf, endOf } from "./layout.ts";
import type { Run, SegmentPlaces } from "./places.ts";
import { levelsOf, refusal } from "./places.ts";
import type { Closed, Documented, Segment } from "./segment.ts";

export class DocumentedPlaces implements SegmentPlaces {
  readonly dependOnOthers = false;
  readonly #segment: Segment<Documented>;
  readonly #runs = new Map<PolicyKey, Run>();
  /** Whose order among equals a tie text decides: no two of a priority have places. */
  readonly #tied = new Map<PolicyKey, number>();

  constructor(segment: Segment<Documented>) {
    this.#segment = segment;
  }

  admit(policy: Policy): readonly Refusal[] {
    const { step } = this.#segment;
    if (!Number.isInteger(policy.priority))
      return [refusal("UnsupportedPriority", "priority", `priority ${policy.priority} is no integer`)];
    if (levelsOf(policy) > step)
      return [refusal("NoPlace", "policy", `OVN has ACL priorities only for ${step} rules a direction`)];
    if (policy.tie === undefined || !this.#isTaken(policy)) return [];
    const message = `OVN has one place for priority ${policy.priority}, which another policy has`;
    return [refusal("NoPlace", "priority", message)];
  }

  upsert({ key, priority, tier, tie }: Policy): readonly PolicyKey[] {
    const { top, first, step } = this.#segment;
    if (tie === undefined) this.#tied.delete(key);
    else this.#tied.set(key, priority);
    const start = top - (priority - first) * step;
    this.#runs.set(key, { tier: aclTierOf(tier), start, end: endOf(tier) ?? start, levels: "each" });
    return [];
  }

  remove(key: PolicyKey): readonly PolicyKey[] {
    this.#runs.delete(key);
    this.#tied.delete(key);
    return [];
  }

  adopt(): readonly PolicyKey[] {
    return [];
  }

  run(key: PolicyKey): Run {
    const run = this.#runs.get(key);
    invariant(run !== undefined, `${key} is not in segment ${this.#segment.name}`);
    return run;
  }

  /** By another policy with a tie text. */
  #isTaken({ key, priority }: Policy): boolean {
    return this.#tied.entries().some(([other, taken]) => other !== key && taken === priority);
  }
}

/** Takes no policy. */
export class NoPlaces implements SegmentPlaces {
  readonly dependOnOthers = false;
  readonly #segment: Segment<Closed>;

  constructor(segment: Segment<Closed>) {
    this.#segment = segment;
  }

  admit({ priority }: Policy): readonly Refusal[] {
    const message = `priority ${priority} is not supported: ${this.#segment.why}`;
    return [refusal("UnsupportedPriority", "priority", message)];
  }

  upsert(): never {
    return this.run();
  }

  remove(): never {
    return this.run();
  }

  adopt(): readonly PolicyKey[] {
    return [];
  }

  run(): never {
    throw new Error(`invariant broken: segment ${this.#segment.name} takes no policy`);
  }
}
