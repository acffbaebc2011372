// Whether a resource is followed at present, and why not. Says each failure once, when it begins or becomes another
// kind: the sentence itself may differ with every try.

import type { Logger } from "../../lib/logger.ts";
import type { Failure, FailureKind } from "../transport/failure.ts";

/** Ends of a watch that are not logged: the next try shows whether there is trouble. */
const passing: ReadonlySet<FailureKind> = new Set<FailureKind>(["unavailable", "expired"]);

export class Followed {
  readonly #resource: string;
  readonly #logger: Logger;
  #failure: Failure | null = null;
  /** Whether the server has accepted the present watch. */
  #isWatching = false;

  constructor(resource: string, logger: Logger) {
    this.#resource = resource;
    this.#logger = logger;
  }

  /** null while the resource is followed. */
  get failure(): Failure | null {
    return this.#failure;
  }

  failed(failure: Failure): void {
    const fields = { resource: this.#resource, reason: failure.message };
    const wasWatching = this.#isWatching;
    this.#isWatching = false;
    if (wasWatching && passing.has(failure.kind)) {
      this.#logger.debug("a watch was interrupted and is resumed", fields);
      return;
    }
    const known = this.#failure?.kind === failure.kind;
    this.#failure = failure;
    if (known) this.#logger.debug("a resource still cannot be watched", fields);
    // Of a missing resource it is to be weighed first.
    else if (failure.kind !== "missing")
      this.#logger.warn("a resource cannot be watched and will be retried", fields);
  }

  /** The server has accepted a watch. */
  accepted(): void {
    this.#isWatching = true;
    if (this.#failure === null) return;
    this.#failure = null;
    this.#logger.info("a resource is watched again", { resource: this.#resource });
  }
}
