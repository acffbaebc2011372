// Whether rows may be written for a source that shows nothing. A wrong path, an unmounted volume and a cluster without
// objects look alike, and the first two are no reason to remove every row. So until the source has shown one Namespace,
// Pod, Node or policy, and while our rows exist, nothing is written; one object shows that it is the right place.
// Invariant: what is removed after an object was seen is an edit like any other and is never held back.

import type { Logger } from "../lib/logger.ts";
import type { Backend } from "../policy/contracts/backend.ts";
import type { Engine } from "./engine.ts";

export interface EmptySourceOptions {
  readonly engine: Pick<Engine, "isEmpty">;
  readonly backend: Pick<Backend, "holdsRows">;
  readonly logger: Logger;
  /** The operator insists: an empty source removes the rows. */
  readonly allowed: boolean;
}

export class EmptySource {
  readonly #options: EmptySourceOptions;
  #isTrusted: boolean;
  #isHeld = false;

  constructor(options: EmptySourceOptions) {
    this.#options = options;
    this.#isTrusted = options.allowed;
  }

  /** Why nothing is written, in one sentence; null: nothing is held back. */
  get reason(): string | null {
    return this.#isHeld
      ? "the source has no Namespace, Pod, Node or policy, and rows of Northgate exist: " +
          "nothing is written until it has one (--allow-empty removes them)"
      : null;
  }

  /** Asked before every commit, with all that the source shows in the engine. Logs when it begins to hold back. */
  holdsBack(): boolean {
    const { engine, backend, logger } = this.#options;
    if (!engine.isEmpty) this.#isTrusted = true;
    const isHeld = !this.#isTrusted && backend.holdsRows();
    if (isHeld && !this.#isHeld)
      logger.warn("the source is empty but rows exist: nothing is written until it has an object", {
        remedy: "check the source; --allow-empty removes the rows",
      });
    this.#isHeld = isHeld;
    return isHeld;
  }
}
