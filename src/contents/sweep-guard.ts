// Decides which policies keep their rows although none of them is desired: policies whose object exists but cannot be
// compiled, and policies that may exist unread. Rows of a deleted policy are not kept. What their ACLs name is kept with
// them: see references.ts.

import type { Logger } from "../lib/logger.ts";
import type { ShownKey } from "../model/object.ts";
import { splitKey } from "../model/object.ts";
import type { PolicyKey } from "../policy/ir.ts";

export class SweepGuard {
  readonly #mayExist: (key: PolicyKey) => boolean;
  readonly #logger: Logger;
  readonly #shown: ShownKey;
  readonly #frozen = new Set<PolicyKey>();
  /** Policies whose object was seen and then deleted. */
  readonly #removed = new Set<PolicyKey>();
  /** Policies whose rows were not desired and were kept all the same. */
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

  /** The policy's object was removed. */
  removed(key: PolicyKey): void {
    this.#frozen.delete(key);
    this.#removed.add(key);
  }

  /** Whether the rows of this policy, of which none is desired, must be kept. */
  spares(key: PolicyKey): boolean {
    if (!this.#holds(key)) return false;
    this.#spared.add(key);
    if (!this.#logged.has(key)) {
      this.#logged.add(key);
      this.#logger.warn("rows of a policy that cannot be read are kept", {
        policy: this.#shown(key),
      });
    }
    return true;
  }

  /** Policies of the namespace whose rows were kept. */
  sparedIn(namespace: string): readonly PolicyKey[] {
    return [...this.#spared].filter((key) => splitKey(key).namespace === namespace);
  }

  /** Policies whose rows were kept and need not be kept any more; yields each once. */
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
