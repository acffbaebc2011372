// A resource that the server does not serve: whether others wait for it. While rows of its policies exist, or it is not
// known whether any do, they wait, since the rows must not be treated as unowned. With no rows and nothing read it is a
// kind that this cluster does not use, and nothing waits; it is listed once it is served. Each is reported once.

import type { Logger } from "../../lib/logger.ts";

export interface MissingResourceOptions {
  readonly resource: string;
  /** How many policies of the kind have rows; null: not known now. */
  readonly existing: () => number | null;
  /** Whether objects of the kind have been read. */
  readonly isKnown: () => boolean;
  readonly logger: Logger;
}

type Verdict = "unknown" | "awaited" | "unused";

export class MissingResource {
  readonly #options: MissingResourceOptions;
  #verdict: Verdict = "unknown";

  constructor(options: MissingResourceOptions) {
    this.#options = options;
  }

  /** Nobody waits for it. */
  get isUnused(): boolean {
    return this.#verdict === "unused";
  }

  /** The server serves it. */
  found(): void {
    this.#verdict = "unknown";
  }

  /** It is missing now, for this reason. */
  weigh(reason: string): void {
    // A resource that is not waited for is not waited for until it is served: rows that appear now have no owner.
    if (this.isUnused) return;
    const verdict = this.#weighed();
    if (verdict === "unknown" || verdict === this.#verdict) return;
    this.#verdict = verdict;
    const { resource, logger } = this.#options;
    if (verdict === "awaited")
      logger.warn("a resource cannot be watched and will be retried", { resource, reason });
    else
      logger.info(
        "the API server does not serve a resource, and no rows of it exist: Northgate does not wait for it",
        {
          ...{ resource, reason },
        },
      );
  }

  #weighed(): Verdict {
    if (this.#options.isKnown()) return "awaited";
    const rows = this.#options.existing();
    if (rows === null) return "unknown";
    return rows > 0 ? "awaited" : "unused";
  }
}
