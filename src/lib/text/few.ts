// A few names of many, in a sentence.

/** "a, b and 4 more": the names that are shown, and how many of all are not. */
export function excerptOf(total: number, shown: readonly string[]): string {
  const rest = total - shown.length;
  return shown.join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

/** "a", "a and b", "a, b and c". */
export function listed(names: readonly string[], word = "and"): string {
  const [last] = names.slice(-1);
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} ${word} ${last ?? ""}`;
}
