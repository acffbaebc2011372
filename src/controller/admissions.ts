// Policies that the backend did not admit, until they are admitted or removed, and which of them are worth another try:
// those refused before the last change of the backend's policies, because only such a change can have made room.
// Invariant: a policy is due at most once for each change, so that trying ends.

import type { PolicyKey } from "../policy/ir.ts";

export class Admissions {
  /** Each with the number of backend changes at its refusal. The earliest refused policy is tried first. */
  readonly #refused = new Map<PolicyKey, number>();
  #changes = 0;

  /** The backend's policies changed. */
  changed(): void {
    this.#changes++;
  }

  refused(key: PolicyKey): void {
    this.#refused.set(key, this.#changes);
  }

  /** The policy is admitted, removed, or no longer compiles; a key that was not refused changes nothing. */
  forget(key: PolicyKey): void {
    this.#refused.delete(key);
  }

  /** Policies for which there may be room now, in the order in which they were refused first. */
  due(): readonly PolicyKey[] {
    const now = this.#changes;
    return [...this.#refused].filter(([, then]) => then < now).map(([key]) => key);
  }
}
