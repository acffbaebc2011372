// The sampling of ACLs as the backend holds it: what is wanted, what the database has, and which numbers were given since. Its rows
// are a unit of their own, which precedes every other: Samples refer to the collector by its uuid. Where that unit is refused, policies'
// rows are written without Samples.

import type { Logger } from "../lib/logger.ts";
import type { Problem } from "../model/problem.ts";
import type { Uuid } from "../ovsdb/notation/description.ts";
import type { Operation } from "../ovsdb/notation/operation.ts";
import { ActualSamples } from "./actual/samples.ts";
import type { Pending } from "./pending.ts";
import type { SampleContext } from "./plan/samples.ts";
import { planSampling, samplingFault } from "./plan/sampling.ts";
import type { RenderMode, Sampling } from "./rows/render-mode.ts";
import { SampleNumbers } from "./rows/sampling/sampling.ts";
import { samplingUnit } from "./rows/unit.ts";
import type { NorthboundView } from "./write/northbound-writer.ts";

/** null: ACLs are not sampled. */
export function aclSampling({
  sampling = null,
  session,
  logger,
}: Pick<RenderMode, "sampling"> & {
  readonly session: NorthboundView;
  readonly logger: Logger;
}): AclSampling | null {
  return sampling === null ? null : new AclSampling(sampling, session.cache, logger);
}

export class AclSampling {
  readonly actual: ActualSamples;
  readonly #wanted: Sampling;
  readonly #numbers: SampleNumbers;
  readonly #logger: Logger;
  #refusal: string | null = null;
  /** The collector that Samples were last planned with. */
  #collector: Uuid | null = null;

  constructor(wanted: Sampling, cache: NorthboundView["cache"], logger: Logger) {
    this.#wanted = wanted;
    this.#logger = logger;
    this.actual = new ActualSamples(cache);
    this.#numbers = new SampleNumbers(this.actual);
  }

  /** What plans of ACLs need; null: our collector is not there. */
  get context(): SampleContext | null {
    const collector = this.actual.collector?.uuid ?? null;
    return collector === null ? null : { collector, numbers: this.#numbers, actual: this.actual };
  }

  /** Whether it is another one than at the last call: then every ACL must be compared. */
  hasNewCollector(): boolean {
    const before = this.#collector;
    this.#collector = this.actual.collector?.uuid ?? null;
    return this.#collector !== before;
  }

  /** Where the rows that all Samples need are not as wanted, they are compared. */
  mark(pending: Pending): void {
    if (this.isDue) pending.markWhole(samplingUnit, { found: this.actual.collector !== null });
  }

  /** Operations on the rows that all Samples need. */
  plan(): readonly Operation[] {
    return planSampling(this.#wanted, this.actual);
  }

  /** Whether those rows are not as wanted. */
  get isDue(): boolean {
    return this.plan().length > 0 || this.fault !== null;
  }

  get fault(): Problem | null {
    return samplingFault(this.actual);
  }

  /**
   * The commit is over: what was given is in the database, or was not written. `refusal`: why the rows that all Samples need are not
   * there; null: they are.
   */
  committed(refusal: Problem | null): void {
    this.#numbers.clear();
    const before = this.#refusal;
    this.#refusal = refusal?.message ?? null;
    if (this.#refusal !== null && this.#refusal !== before)
      this.#logger.warn("ACLs are not sampled", { reason: this.#refusal });
  }

  /** For people; empty while ACLs are sampled. */
  lines(): readonly string[] {
    return this.#refusal === null ? [] : [`ACLs are not sampled: ${this.#refusal}`];
  }
}
