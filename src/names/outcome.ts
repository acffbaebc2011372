// What a question to DNS can come to.

/**
 * `answered`: NOERROR with an address; `no-data`: NOERROR without one; `no-such-name`: NXDOMAIN; `failed`: SERVFAIL and every other
 * error, and no response at all. The better ones first.
 */
export const outcomes = ["answered", "no-data", "no-such-name", "failed"] as const;
export type Outcome = (typeof outcomes)[number];

/** null: there is none. */
export function bestOf(some: readonly Outcome[]): Outcome | null {
  return outcomes.find((one) => some.includes(one)) ?? null;
}
