// How much a run of the tests tries. `make test`, which CI runs for every commit, tries less than `make test LONG=yes`: files named
// *.long.test.ts run in the long one only, and some tests make more tries there (docs/testing.md).

/** The run is a long one. */
export const isLong = process.env["LONG"] === "yes";

/** How many tries a test makes in this run. */
export function tries(long: number, short: number): number {
  return isLong ? long : short;
}
