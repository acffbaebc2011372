// Checks our own reasoning. A broken invariant is our own bug, never the user's mistake, and always throws.

/** Throws when a guarantee of this program does not hold. */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`invariant broken: ${message}`);
}

/** The default branch of an exhaustive switch: the compiler refuses it while a case is missing. */
export function unreachable(value: never): never {
  throw new Error(`invariant broken: unexpected value ${JSON.stringify(value)}`);
}
