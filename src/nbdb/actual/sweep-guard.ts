// Whose rows stay though nobody desires them: policies whose object exists but cannot be understood, and policies that
// may exist unread. A policy that was seen and went protects nothing.

import type { Logger } from "../../lib/logger.ts";
import type { ShownKey } from "../../model/object.ts";
import type { PolicyKey } from "../../policy/ir.ts";

export class SweepGuard {
  readonly #mayExist: (key: PolicyKey) => boolean;
  readonly #logger: Logger;
  readonly #shown: ShownKey;
  readonly #frozen = new Set<PolicyKey>();
  /** Seen and gone. */
  readonly #removed = new Set<PolicyKey>();
  /** Owners of rows that were found undesired and spared. */
  readonly #spared = new Set<PolicyKey>();
  readonly #told = new Set<PolicyKey>();

  constructor(mayExist: (key: PolicyKey) => boolean, logger: Logger, shown: ShownKey) {
    this.#mayExist = mayExist;
    this.#logger = logger;
    this.#shown = shown;
  }

  /** The policy is understood. */
  understood(key: PolicyKey): void {
    this.#frozen.delete(key);
    this.#removed.delete(key);
  }

  /** The policy's object is there and cannot be understood. */
  freeze(key: PolicyKey): void {
    this.#frozen.add(key);
  }

  /** The policy's object is gone. */
  removed(key: PolicyKey): void {
    this.#frozen.delete(key);
    this.#removed.add(key);
  }

  /** Asked of an owner of rows that nobody desires. */
  spares(key: PolicyKey): boolean {
    if (!this.#holds(key)) return false;
    this.#spared.add(key);
    if (!this.#told.has(key)) {
      this.#told.add(key);
      this.#logger.warn("rows of a policy that cannot be read stay as they are", {
        policy: this.#shown(key),
      });
    }
    return true;
  }

  /** Owners that were spared and are protected no more; told once. */
  *released(): Generator<PolicyKey> {
    for (const key of this.#spared) {
      if (this.#holds(key)) continue;
      this.#spared.delete(key);
      yield key;
    }
  }

  #holds(key: PolicyKey): boolean {
    return this.#frozen.has(key) || (!this.#removed.has(key) && this.#mayExist(key));
  }
}
