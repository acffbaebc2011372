// Whether rows may be written for the zone that the program was given. With a mistyped zone, or in the database of another
// zone, no pod is local, and a commit would empty every port group. So while that is so and rows of ours exist, nothing is
// written, from the start and at any time later. Invariant: nothing is held back in a database without rows of ours.

import type { Logger } from "../lib/logger.ts";
import type { Backend } from "../policy/contracts/backend.ts";
import type { Unenforced } from "../policy/contracts/unenforced.ts";

export interface WrongZoneOptions {
  readonly backend: Pick<Backend, "holdsRows">;
  /** Why no pod can be local, by the facts and the database as they are now; null: nothing says so. */
  readonly fault: () => Unenforced | null;
  readonly logger: Logger;
}

export class WrongZone {
  readonly #options: WrongZoneOptions;
  #isHeld = false;

  constructor(options: WrongZoneOptions) {
    this.#options = options;
  }

  /** Why nothing is written, in one sentence; null: nothing is held back. */
  get reason(): string | null {
    const fault = this.#fault();
    return fault && `${fault.message}: nothing is written (--allow-empty-zone writes for that zone)`;
  }

  /** Asked before every commit: why rows are held back; null: they are not. Logs when it begins to hold back, and when it ends. */
  holdsBack(): Unenforced | null {
    const { logger } = this.#options;
    const fault = this.#fault();
    if (fault !== null && !this.#isHeld)
      logger.warn("the zone is wrong and rows exist: nothing is written until it is right", {
        ...{ reason: fault.reason, why: fault.message },
        remedy: "correct --zone or --nb, or restore the Node; --allow-empty-zone writes for that zone",
      });
    if (fault === null && this.#isHeld) logger.info("the zone is right again: rows are written");
    this.#isHeld = fault !== null;
    return fault;
  }

  #fault(): Unenforced | null {
    const { backend, fault } = this.#options;
    const found = fault();
    return found !== null && backend.holdsRows() ? found : null;
  }
}
