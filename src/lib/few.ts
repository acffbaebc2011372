// A few names of many, in a sentence.

/** "a, b and 4 more": the names that are shown, and how many of all are not. */
export function excerptOf(total: number, shown: readonly string[]): string {
  const rest = total - shown.length;
  return shown.join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}
