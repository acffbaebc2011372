// Whose rows stay though nothing of them is desired: policies whose object exists but cannot be understood, policies that
// may exist unread, and, as long as there is one of these, all shared units. A policy that was seen and went protects nothing.

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
  readonly #logged = new Set<PolicyKey>();

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

  /** Asked of a policy that owns rows of which nothing is desired. */
  spares(key: PolicyKey): boolean {
    if (!this.#holds(key)) return false;
    this.#spared.add(key);
    if (!this.#logged.has(key)) {
      this.#logged.add(key);
      this.#logger.warn("rows of a policy that cannot be read stay as they are", {
        policy: this.#shown(key),
      });
    }
    return true;
  }

  /** Policies that were spared and are protected no more; each is given once. */
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
