// Answers: is our own reasoning still true? A broken invariant is our fault, never the user's, and always throws.

/** Throws when something this program guarantees itself does not hold. */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`invariant broken: ${message}`);
}

/** The default branch of an exhaustive switch: the compiler refuses it while a case is missing. */
export function unreachable(value: never): never {
  throw new Error(`invariant broken: unexpected value ${JSON.stringify(value)}`);
}
