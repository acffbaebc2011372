// Proof that what was committed is in force where packets are. A reporter asks for it after a commit.

export interface Proof {
  /** What had been committed when the proof was asked for is enforced everywhere. */
  proven(): void;
  /** The proof has not arrived for a while; `proven` may still be called. */
  late(): void;
}
