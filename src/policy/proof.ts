// Proof that what was committed is in force where packets are: asked for after a commit, by whoever says so to users.

export interface Proof {
  /** What had been committed when the proof was asked for is enforced everywhere. */
  proven(): void;
  /** It has not come for a while; `proven` may still be called. */
  late(): void;
}
